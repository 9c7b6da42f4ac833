"""`fairlead convert`, against the programs whose files it reads."""

import ctypes
import shutil
import subprocess

import pytest

from support import config
from support.clock import wait_until
from support.fairlead import run
from support.ports import free_port
from support.process import started
from support.wire import Wire

OK, DATA = 0, 65


def converted(text, *options):
    """The result of a text, which must be without fault."""
    done = run("convert", *options, "-", stdin=text.encode())
    assert done.returncode == OK, done.stderr.decode()
    return done.stdout.decode()


def refused(text, *options):
    """The complaints about a text."""
    done = run("convert", *options, "-", stdin=text.encode())
    assert done.returncode == DATA and not done.stdout, done
    return done.stderr.decode()


# -- twemproxy ---------------------------------------------------------------

def nutcracker(path):
    """A running nutcracker with this file."""
    program = shutil.which("nutcracker", path="/usr/sbin:/usr/bin")
    assert program, "nutcracker is not installed"
    return started(
        [program, "-c", str(path), "-s", str(free_port()),
         "-a", "127.0.0.1", "-o", str(path.with_suffix(".log")),
         "-p", str(path.with_suffix(".pid"))],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def connected(port):
    """A connection, as soon as somebody listens there."""
    found = []

    def attempt():
        try:
            found.append(Wire(("127.0.0.1", port), timeout=20))
        except OSError:
            return False
        return True

    wait_until(attempt, "a listener on port %d" % port, 10)
    return found[0]


# What is before the servers, and how the servers are written.
POOLS = {
    "plain": ("  hash: fnv1a_64\n  distribution: ketama\n",
              "{address}:1", 10000),
    "named-weighted": ("  hash: murmur\n  hash_tag: '{}'\n"
                       "  preconnect: \"true\"\n",
                       "{address}:{i} cache-{i}", 1000),
    "names-with-quotes": ("  hash: md5\n  auto_eject_hosts: 'false'\n",
                          '{address}:1 "shard{i}"', 1000),
    "modula": ("  distribution: modula\n  hash: crc16\n",
               "{address}:{i} {backwards}z", 1000),
}


@pytest.mark.parametrize("kind", POOLS)
def test_every_key_is_found_after_the_swap(kind, own_servers, start, tmp_path):
    head, row, count = POOLS[kind]
    port = free_port()
    text = "swap:\n  listen: 127.0.0.1:%d\n  timeout: 4000\n%s" % (port, head)
    text += "  servers:\n" + "".join("   - %s\n" % row.format(
        address=one.text, i=i, backwards="z" * (9 - i))
        for i, one in enumerate(own_servers(4), 1))
    keys = [b"{u%d}:key:%d" % (i % 500, i) for i in range(count)]
    path = tmp_path / "nutcracker.yml"
    path.write_text(text)
    with nutcracker(path), connected(port) as wire:
        wire.send(b"".join(b"set %s 0 0 %d\r\n%s\r\n" % (
            key, len(key), key) for key in keys))
        wire.expect(b"STORED\r\n" * count)
    daemon = start(None, text=run("convert", str(path)).stdout)
    with daemon.client(("127.0.0.1", port)) as wire:
        wire.send(b"".join(b"get %s\r\n" % key for key in keys))
        wire.expect(b"".join(b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (
            key, len(key), key) for key in keys))


def test_several_pools_and_unix_sockets():
    text = converted("a:\n  listen: /run/a.sock 0666\n  timeout: 30\n"
                     "  servers: ['/run/m.sock:1', '::1:11211:1']\n"
                     "b b:\n  listen: localhost:22122\n"
                     "  auto_eject_hosts: true\n  server_failure_limit: 4\n"
                     "  server_retry_timeout: 250\n"
                     "  servers:\n  - m.example.com.:11211:3 n\n")
    for line in ('  - listen: unix:/run/a.sock', '    mode: "0666"',
                 '      - unix:/run/m.sock', '      - "[::1]:11211"',
                 "    timeouts: {connect: 30ms, request: 30ms}",
                 "    on_down: error", "  b_b:", '    # was called "b b"',
                 "  - listen: 127.0.0.1:22122", "    on_down: next",
                 "    health: {failures: 4, retry: 250ms, retry_max: 250ms}",
                 '      - {name: "n", address: "m.example.com.:11211", '
                 'weight: 3}'):
        assert line in text.splitlines(), text


def test_what_cannot_be_taken_over_is_named_with_its_place():
    text = refused("r:\n  listen: 127.0.0.1:1\n  redis: true\n"
                   "  servers: ['a:1:1']\n"
                   "m:\n  listen: some.host:1\n  hsh: md5\n  timeout: x\n"
                   "  servers: ['a:1', 'a:1:0', 'a b:1:1']\n"
                   "e: {listen: 127.0.0.1:2}\n")
    for found in ('3:10: pool "r" is for Redis', "6:11: ", "some.host",
                  '7:3: "hsh" is no key', '8:12: "timeout" must be a whole',
                  "9:13: a server must be", "9:20: the weight",
                  'pool "e" has no "servers"'):
        assert found in text, text


# -- libmemcached ------------------------------------------------------------

SERVERS = ["10.0.0.%d:%d" % (i, 11210 + i) for i in (3, 1, 2)]
LIST = " ".join("--SERVER=" + one for one in SERVERS)
WEIGHTED = LIST.replace(":11213", ":11213/?4").replace(":11212", ":11212/?2")


class Libmemcached:
    """The library itself, configured by a string."""

    def __init__(self, text):
        lib = ctypes.CDLL("libmemcached.so.11")
        lib.memcached.restype = ctypes.c_void_p
        lib.memcached.argtypes = ctypes.c_char_p, ctypes.c_size_t
        self._lib = lib
        self._client = ctypes.c_void_p(
            lib.memcached(text.encode(), len(text.encode())))
        assert self._client, "libmemcached refuses " + text

    def owner(self, key):
        """The place of the key's server in its list."""
        return self._lib.memcached_generate_hash(
            self._client, key, ctypes.c_size_t(len(key)))


@pytest.mark.parametrize("text", [
    LIST,
    "--HASH=MD5 " + LIST,
    LIST + " --HASH=murmur",
    WEIGHTED,
    "--DISTRIBUTION=consistent " + LIST,
    LIST + " --HASH=JENKINS --DISTRIBUTION=consistent",
    "--DISTRIBUTION=consistent,MD5 --HASH=FNV1_32 " + LIST,
    WEIGHTED + " --DISTRIBUTION=consistent",
    "--DISTRIBUTION=consistent " + WEIGHTED,
    "--DISTRIBUTION=consistent --HASH=MD5 " + WEIGHTED,
    "--DISTRIBUTION=consistent %s --HASH=CRC" % WEIGHTED,
    "--CONNECT-TIMEOUT=40 --POLL-TIMEOUT=70 --TCP-KEEPALIVE " + LIST,
])
def test_libmemcached_places_alike(text, tmp_path):
    path = tmp_path / "converted.yaml"
    path.write_text(converted(text))
    keys = [b"key:%d" % i for i in range(300)]
    done = run("locate", "-c", str(path), "-", stdin=b"\n".join(keys))
    ours = [row.split(b"\t")[3].decode() for row in done.stdout.splitlines()]
    theirs = Libmemcached(text)
    assert ours == [SERVERS[theirs.owner(key)] for key in keys]
    assert "LOST" not in path.read_text()


def test_sorted_hosts_are_sorted(tmp_path):
    text = LIST + " --SORT-HOSTS"
    path = tmp_path / "sorted.yaml"
    path.write_text(converted(text))
    keys = [b"key:%d" % i for i in range(300)]
    done = run("locate", "-c", str(path), "-", stdin=b"\n".join(keys))
    ours = [row.split(b"\t")[3].decode() for row in done.stdout.splitlines()]
    theirs = Libmemcached(text)
    assert ours == [sorted(SERVERS)[theirs.owner(key)] for key in keys]


@pytest.mark.parametrize("option", [
    "--HASH=MD5", "--NAMESPACE=x:", "--NUMBER-OF-REPLICAS=1",
    "--BINARY-PROTOCOL", "--USE-UDP", "--DISTRIBUTION=random"])
def test_what_a_client_loses_is_said(option):
    assert "# LOST: " in converted(
        "--DISTRIBUTION=consistent %s %s" % (LIST, option))


def test_a_list_of_servers_and_where_to_listen():
    text = converted("10.0.0.1, 10.0.0.2:11212 3\n", "-f", "libmemcached",
                     "--listen", "unix:/run/f.sock")
    assert "- listen: unix:/run/f.sock" in text
    assert "- 10.0.0.1:11211" in text and "- 10.0.0.2:11212" in text


@pytest.mark.parametrize("text", ["10.0.0.1:11211 3, 10.0.0.2:11212",
                                  "10.0.0.1:11211:3, 10.0.0.2:11212"])
def test_a_list_of_servers_may_have_weights(text):
    """A list alone is not consistent, so that they do not count."""
    text = converted(text, "-f", "libmemcached")
    assert "the weights are left out" in text
    assert "- 10.0.0.1:11211" in text and "- 10.0.0.2:11212" in text


@pytest.mark.parametrize("text", ["10.0.0.1:11211:3:4", "10.0.0.1::3",
                                  "10.0.0.1:11211:x", "::1:11211"])
def test_wrong_lists_are_refused(text):
    assert refused(text, "-f", "libmemcached").startswith("-:1:")


@pytest.mark.parametrize("text", ["--NONSENSE=1 " + LIST, "--HASH=HSIEH",
                                  "--SERVER=", "--DISTRIBUTION=ketama",
                                  "--SERVER=a:b", "--SERVER=a/?x"])
def test_wrong_strings_are_refused(text):
    assert refused(text).startswith("-:1:")


# -- mcrouter ----------------------------------------------------------------

MCROUTER = """{
  /* comments are taken out */
  "pools": {
    "A": {"servers": ["10.0.0.1:11211", "[::1]:11212:ascii:plain"],
          "server_timeout": 300, "connect_timeout": 50},
    "B": {"servers": ["10.0.0.3:11211"]}   // here as well
  },
  "route": {
    "type": "PrefixSelectorRoute",
    "policies": {
      "a:": "PoolRoute|A",
      "s:": {"type": "PoolRoute", "pool": "A",
             "hash": {"hash_func": "Crc32", "salt": "x"}},
      "w:": {"type": "HashRoute", "children": "Pool|A",
             "hash_func": "WeightedCh3", "weights": [0.25]}
    },
    "wildcard": {"type": "FailoverRoute",
                 "children": ["PoolRoute|B", "PoolRoute|A"]}
  }
}
"""


def test_mcrouter_pools_and_prefixes():
    lines = converted(MCROUTER).splitlines()
    for line in ('    pool: B', '      - {prefix: "a:", pool: A}',
                 '      - {prefix: "s:", pool: A-2}',
                 '      - {prefix: "w:", pool: A-3}',
                 "    placement: mcrouter-ch3",
                 "    placement: mcrouter-crc32",
                 "    placement: mcrouter-weighted-ch3",
                 "    hash_seed: x",
                 "    timeouts: {connect: 50ms, request: 300ms}",
                 '      - {address: "10.0.0.1:11211", weight: 0.25}',
                 '      - {address: "[::1]:11212", weight: 0.5}'):
        assert line in lines, "\n".join(lines)
    assert any(line.startswith("# LOST: FailoverRoute in line 17")
               for line in lines)


@pytest.mark.parametrize("text, why", [
    ('{"pools": {}}', 'no "route"'),
    ('{"route": "PoolRoute|A"}', 'no pool "A"'),
    ('{"route": {"type": "NullRoute"}}', '"NullRoute" cannot'),
    ('{"route": "AllSyncRoute|A"}', "cannot be taken over"),
    ('{"pools": {"A": {"servers": ["a:1:caret"]}}, "route": "PoolRoute|A"}',
     "ascii protocol"),
    ('{"pools": {"A": {"servers": ["a:1:ascii:ssl"]}}, '
     '"route": "PoolRoute|A"}', "without TLS"),
    ('{"pools": {"A": {"servers": ["a:1"], "security_mech": "ssl"}}, '
     '"route": "PoolRoute|A"}', "without TLS"),
    ('{"pools": {"A": {"servers": ["a:1"], "protocol": "caret"}}, '
     '"route": "PoolRoute|A"}', "ascii protocol"),
    ('{"pools": {"A": {"servers": ["a:1"]}}, "route": {"type": '
     '"OperationSelectorRoute", "operation_policies": {"get": '
     '"PoolRoute|A"}}}', "without a default_policy"),
    ('{"pools": {"A": {"servers": ["a:1"]}}, "route": {"type": "PoolRoute", '
     '"pool": "A", "hash": "ConstShard"}}', "ConstShard cannot"),
    ('{"route": ', ""),
])
def test_mcrouter_is_refused_with_the_reason(text, why):
    assert why in refused(text)


# -- the command -------------------------------------------------------------

def test_a_result_that_would_be_refused_is_shown():
    """Two servers of one address are two names there, and one here."""
    text = refused("--SERVER=10.0.0.1 --SERVER=10.0.0.1:11211")
    assert "the result:" in text and "would be refused" in text


def test_a_file_of_blanks(tmp_path):
    """Nothing stands behind its last byte: valgrind looks."""
    path = tmp_path / "blank.yml"
    path.write_bytes(b" \n" * 500)
    done = run("convert", str(path))
    assert done.returncode == DATA and b"the file is empty" in done.stderr


def test_wrong_usage(tmp_path):
    for args in ((), ("a", "b"), ("--from", "envoy", "a"), ("-x",)):
        assert run("convert", *args).returncode == 64
    done = run("convert", str(tmp_path / "none.yml"))
    assert done.returncode == 66 and b"none.yml" in done.stderr


# -- the old command line ----------------------------------------------------

@pytest.mark.parametrize("args", [("-v", "6", "-t", "--conf-file"),
                                  ("-v11", "-tc"),
                                  ("--verbose=2", "--test-conf", "-c")])
def test_options_of_nutcracker_that_make_sense(args, tmp_path):
    path = tmp_path / "good.yaml"
    path.write_text(config.to_yaml(config.basic(1, ["a:1"])) + "\n")
    assert run(*args, str(path)).returncode == OK


@pytest.mark.parametrize("option", ["-d", "-D", "-o/x", "-p/x", "-s1",
                                    "-a1", "-i1", "-m512"])
def test_options_of_nutcracker_that_do_not(option):
    done = run(option, "-c", "x")
    assert done.returncode == 64
    assert b"is an option of nutcracker" in done.stderr
