"""Real client libraries and tools, as applications use them."""

import os
import subprocess

import memcache
import pylibmc
import pymemcache
import pytest
from pymemcache.client.hash import HashClient

from support.clock import seconds


def tool(*args, stdin=None):
    """Runs one of libmemcached's command-line tools."""
    return subprocess.run(args, input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=seconds(60),
                          check=False)


# -- pymemcache --------------------------------------------------------------

@pytest.fixture
def pymc(proxy):
    client = pymemcache.Client(proxy.address, timeout=5,
                               default_noreply=False)
    yield client
    client.close()


def name_of(key, name):
    return key(name.encode()).decode()


def test_pymemcache_values(pymc, key):
    name = name_of(key, "a")
    assert pymc.get(name) is None
    assert pymc.set(name, b"x\r\nEND\r\n\0\xff") is True
    assert pymc.get(name) == b"x\r\nEND\r\n\0\xff"
    assert pymc.add(name, b"y") is False
    assert pymc.replace(name, b"12") is True
    assert pymc.append(name, b"3") is True
    assert pymc.prepend(name, b"0") is True
    assert pymc.get(name) == b"0123"
    assert pymc.delete(name) is True
    assert pymc.delete(name) is False


def test_pymemcache_cas_and_counters(pymc, key):
    name = name_of(key, "a")
    pymc.set(name, b"10")
    value, version = pymc.gets(name)
    assert value == b"10"
    assert pymc.cas(name, b"20", version) is True
    assert pymc.cas(name, b"30", version) is False
    assert pymc.cas(name_of(key, "none"), b"1", version) is None
    assert pymc.incr(name, 5) == 25
    assert pymc.decr(name, 100) == 0
    assert pymc.incr(name_of(key, "none"), 1) is None
    assert pymc.touch(name, 100) is True


def test_pymemcache_many(pymc, key):
    values = {name_of(key, "m%d" % i): b"v%d" % i for i in range(500)}
    assert pymc.set_many(values) == []
    assert pymc.get_many(list(values) + ["none"]) == values
    assert {n: v for n, (v, _) in pymc.gets_many(list(values)).items()
            } == values
    assert pymc.delete_many(list(values)) is True
    assert pymc.get_many(list(values)) == {}


def test_pymemcache_noreply(proxy, key):
    client = pymemcache.Client(proxy.address, timeout=5, no_delay=True)
    name = name_of(key, "n")
    for i in range(100):
        client.set(name, b"%d" % i)
        assert client.get(name) == b"%d" % i
    client.delete(name, noreply=True)
    assert client.get(name) is None
    assert client.version().split(b".")[0].isdigit()
    assert isinstance(client.stats(), dict)
    client.quit()


def test_pymemcache_errors_leave_it_usable(pymc, key):
    name = name_of(key, "a")
    pymc.set(name, b"text")
    with pytest.raises(pymemcache.MemcacheClientError):
        pymc.incr(name, 1)
    with pytest.raises(pymemcache.MemcacheServerError):
        pymc.set(name, b"x" * (3 << 20))
    assert pymc.get(name) is None
    assert pymc.set(name, b"again") is True


def test_pymemcache_pools_and_hashing(proxy, key):
    """An application that still hashes itself, over one address."""
    client = HashClient([proxy.address], use_pooling=True, timeout=5)
    values = {name_of(key, "h%d" % i): b"%d" % i for i in range(100)}
    client.set_many(values)
    assert client.get_many(list(values)) == values
    client.close()


# -- pylibmc (libmemcached) --------------------------------------------------

@pytest.mark.parametrize("behaviors", [
    {}, {"tcp_nodelay": True, "no_block": True}, {"cas": True},
    {"_noreply": True}, {"verify_keys": True}],
    ids=lambda b: "-".join(b) or "plain")
def test_pylibmc(behaviors, proxy, key):
    client = pylibmc.Client(["%s:%d" % proxy.address], binary=False,
                            behaviors=behaviors)
    names = [name_of(key, "p%d" % i) for i in range(300)]
    for i, name in enumerate(names):
        client.set(name, {"n": i, "text": "é" * i})
    found = client.get_multi(names + ["none"])
    assert found == {name: {"n": i, "text": "é" * i}
                     for i, name in enumerate(names)}
    if "_noreply" not in behaviors:
        assert client.set(name_of(key, "c"), 5)
        assert client.incr(name_of(key, "c"), 3) == 8
        assert client.decr(name_of(key, "c"), 1) == 7
        assert client.delete(name_of(key, "c"))
        assert client.add(name_of(key, "c"), "1")
        assert not client.add(name_of(key, "c"), "1")
        assert client.set_multi({n: "again" for n in names}) == []
        assert client.delete_multi(names)
    client.disconnect_all()


def test_pylibmc_cas(proxy, key):
    client = pylibmc.Client(["%s:%d" % proxy.address], binary=False,
                            behaviors={"cas": True})
    client.set(name_of(key, "a"), "1")
    _, version = client.gets(name_of(key, "a"))
    assert client.cas(name_of(key, "a"), "2", version)
    assert not client.cas(name_of(key, "a"), "3", version)
    assert client.get(name_of(key, "a")) == "2"


def test_pylibmc_large_values(proxy, key):
    client = pylibmc.Client(["%s:%d" % proxy.address], binary=False)
    value = os.urandom(900000)
    assert client.set(name_of(key, "big"), value)
    assert client.get(name_of(key, "big")) == value


# -- python-memcached --------------------------------------------------------

def test_python_memcached(proxy, key):
    client = memcache.Client(["%s:%d" % proxy.address], debug=0)
    values = {name_of(key, "w%d" % i): [i, "x" * i] for i in range(200)}
    assert client.set_multi(values) == []
    assert client.get_multi(list(values) + ["none"]) == values
    name = name_of(key, "a")
    assert client.set(name, "1")
    assert client.incr(name) == 2
    assert client.append(name, "0")
    assert client.get(name) == "20"
    assert client.gets(name) == "20"
    assert client.cas(name, "21")
    assert client.touch(name, 100)
    assert client.delete(name)
    assert client.get(name) is None
    assert client.delete_multi(list(values))
    assert client.get_stats()[0][1]
    client.disconnect_all()


# -- libmemcached's tools ----------------------------------------------------

def test_tools_copy_and_read_files(proxy, key, tmp_path):
    at = "--servers=%s:%d" % proxy.address
    name = name_of(key, "file")
    (tmp_path / name).write_bytes(b"content\n" * 1000)
    done = tool("memccp", at, str(tmp_path / name))
    assert done.returncode == 0, done.stdout
    done = tool("memccat", at, name)
    assert done.returncode == 0 and done.stdout.startswith(
        b"content\n" * 1000), done.stdout[-200:]
    assert tool("memcexist", at, name).returncode == 0
    assert tool("memctouch", at, "--expire=100", name).returncode == 0
    assert tool("memcrm", at, name).returncode == 0
    assert tool("memcexist", at, name).returncode != 0


def test_tools_ping_and_stats(proxy):
    at = "--servers=%s:%d" % proxy.address
    assert tool("memcping", at).returncode == 0
    done = tool("memcstat", at)
    assert done.returncode == 0 and b"pid" in done.stdout, done.stdout


def test_memcslap(proxy):
    at = "--servers=%s:%d" % proxy.address
    for kind in ("set", "get", "mget"):
        done = tool("memcslap", at, "--concurrency=5",
                    "--execute-number=200", "--test=" + kind)
        assert done.returncode == 0, done.stdout[-500:]


def test_memccapable(start_basic, own_servers):
    """libmemcached's conformance test, all of its text protocol cases."""
    daemon = start_basic(own_servers(3), {"flush_all": True})
    host, port = daemon.address
    done = tool("memccapable", "-h", host, "-p", str(port), "-a")
    results = {}
    for line in done.stdout.decode().splitlines():
        name, _, verdict = line.rpartition("[")
        if verdict.rstrip().rstrip("]") in ("pass", "FAIL"):
            results[" ".join(name.split())] = verdict.startswith("pass")
    assert len(results) == 27, done.stdout.decode()
    failed = {name for name, passed in results.items() if not passed}
    assert not failed, done.stdout.decode()
