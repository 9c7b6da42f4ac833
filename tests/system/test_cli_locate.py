"""`fairlead locate`: replicas, pools, input; and the warnings of -t."""

import resource

import pytest

from support import membership
from support.fairlead import run
from support.offline import Files, file_of, servers
from support.ports import free_port
from support.program import is_wrapped


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def located(path, *options, keys):
    done = run("locate", "-c", path, *options, "-",
               stdin=b"".join(key + b"\n" for key in keys))
    assert done.returncode == 0, done.stderr.decode()
    return [line.split(b"\t") for line in done.stdout.split(b"\n")[:-1]]


@pytest.mark.parametrize("placement", [
    "ring", "rendezvous", "modula", "buckets", "twemproxy-ketama",
    "memcached-jump", "haproxy-consistent", "dalli", "mcrouter-ch3"])
def test_replicas_are_distinct_and_start_with_the_owner(placement, files):
    path = files.write("a.yaml", file_of({"main": {
        "placement": placement, "servers": servers(5)}}))
    keys = [b"key-%d" % i for i in range(200)]
    owners = located(path, keys=keys)
    for n in (2, 5, 9):
        rows = located(path, "-n", str(n), keys=keys)
        for key, owner, row in zip(keys, owners, rows):
            assert row[:4] == owner and row[0] == key
            assert len(row) == 2 + 2 * min(n, 5)
            names = row[2::2]
            assert len(set(names)) == len(names)
            for name, address in zip(names, row[3::2]):
                assert address == b"10.0.0.%s:11211" % name[len("cache-"):]


def test_the_next_replica_is_who_takes_over(files):
    """On the ring: without the owner, the second owns the key."""
    whole = file_of({"main": {"servers": servers(4)}})
    path = files.write("a.yaml", whole)
    keys = [b"key-%d" % i for i in range(400)]
    rows = located(path, "--replicas", "2", keys=keys)
    for gone in range(1, 5):
        left = file_of({"main": {"servers": [
            one for one in servers(4) if one["name"] != "cache-%d" % gone]}})
        after = files.owners("b.yaml", left, keys)
        for row, owner in zip(rows, after):
            name = b"cache-%d" % gone
            assert owner.encode() == (
                row[4] if row[2] == name else row[2])


def test_a_pool_may_be_named(files):
    path = files.write("a.yaml", {
        "listeners": [{"listen": "127.0.0.1:1", "pool": "main", "routes": [
            {"prefix": "k", "pool": "big"}]}],
        "pools": {"main": {"servers": servers(1)},
                  "big": {"servers": servers(9)}}})
    assert located(path, keys=[b"k"])[0][1] == b"big"
    assert located(path, "-p", "main", keys=[b"k"]) == [
        [b"k", b"main", b"cache-1", b"10.0.0.1:11211"]]
    # The most servers of any pool limit what is printed, each by its own.
    assert len(located(path, "-n", "99", "-p", "big", keys=[b"k"])[0]) == 20
    assert len(located(path, "-n", "99", "-p", "main", keys=[b"k"])[0]) == 4


def test_keys_are_bytes(files):
    path = files.write("a.yaml", file_of({"main": {"servers": servers(3)}}))
    keys = [b"\xff\x00\x80", b"two words", b"tab\there", b"x" * 5000]
    done = run("locate", "-c", path, "-",
               stdin=b"\n".join(keys) + b"\n\n\r\nlast\r\nend")
    lines = done.stdout.split(b"\n")[:-1]
    assert [line.rsplit(b"\t", 3)[0] for line in lines] == keys + [
        b"last", b"end"]
    assert located(path, keys=[b"end"])[0][2] == lines[-1].split(b"\t")[2]


def test_time_grows_with_the_keys_not_with_their_square(files):
    """Of processor time, as others may use the machine."""
    path = files.write("a.yaml", file_of({"main": {"servers": servers(3)}}))

    def used_for(count):
        keys = b"".join(b"user:%d:profile\n" % i for i in range(count))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = run("locate", "-c", path, "-", stdin=keys)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.stdout.count(b"\n") == count
        return after.ru_utime + after.ru_stime - (
            before.ru_utime + before.ru_stime)

    few = 1000 if is_wrapped() else 50000
    small, large = used_for(few), used_for(20 * few)
    assert large < 80 * small + 0.3, (small, large)


def test_refusals(files):
    good = files.write("good.yaml", file_of({"main": {
        "servers": servers(2)}}))
    for arguments, code, words in (
            ((), 64, b"usage"),
            (("-c", good), 64, b"usage"),
            (("-c", good, "-n", "0", "k"), 64, b"from 1"),
            (("-c", good, "-n", "x", "k"), 64, b"from 1"),
            (("-c", good, "-p", "none", "k"), 64, b"none"),
            (("-c", good, "-l", "none", "k"), 64, b"none"),
            (("-c", good, "-p", "main", "-l", "127.0.0.1:21211", "k"), 64,
             b"usage"),
            (("-c", "/nowhere", "k"), 66, b"/nowhere")):
        done = run("locate", *arguments)
        assert done.returncode == code, (arguments, done.stderr)
        assert words in done.stderr and done.stdout == b""
    assert run("locate", "--help").returncode == 0


def test_a_closed_output_ends_it(files):
    path = files.write("a.yaml", file_of({"main": {"servers": servers(2)}}))
    with open("/dev/full", "wb") as full:
        done = run("locate", "-c", path, "key", stdout=full)
    assert done.returncode == 74 and b"standard output" in done.stderr


# -- the main command --------------------------------------------------------

@pytest.mark.parametrize("pool, words", [
    ({"placement": "twemproxy-ketama", "hash": "crc32",
      "servers": servers(5)}, "hash crc32 has 15 bits"),
    ({"placement": "ketama",
      "servers": servers(2, cache_2={"weight": 1000})},
     'server "cache-1" is so light'),
    ({"servers": servers(3)}, None)])
def test_a_check_warns_of_traps(pool, words, files):
    path = files.write("a.yaml", file_of({"main": pool}))
    done = run("-t", "-c", path)
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 0
    assert "the configuration is good" in lines[-1]
    if words is None:
        assert len(lines) == 1
    else:
        (warning,) = lines[:-1]
        assert warning.startswith(path + ":")
        assert ': warning: pool "main": ' + words in warning


def test_a_check_says_the_membership(files):
    """As its description has it; the same whatever places no key."""
    wanted = membership.of_all({"main": membership.of_ring(
        [("cache-1", 1), ("cache-2", 1)])})
    for more in ({}, {"timeouts": {"request": "3s"}}, {"hash": "fnv1a_64"}):
        path = files.write("a.yaml", file_of({
            "main": dict({"servers": servers(2)}, **more)}))
        done = run("-t", "-c", path)
        assert done.stderr.decode().endswith(
            " listeners, membership %s\n" % wanted)


def test_the_daemon_warns_of_traps_once(start):
    trap = {"placement": "twemproxy-ketama", "hash": "crc32",
            "servers": servers(5)}
    one = file_of({"main": trap})
    one["listeners"][0]["listen"] = "127.0.0.1:%d" % free_port()
    daemon = start(one)
    warning = daemon.log.find("pool main: hash crc32 has 15 bits")
    assert warning is not None and "warn" in warning
    mark = daemon.log.mark()
    # The same placement again says nothing; a new one does.
    daemon.reload({**one, "limits": {"clients": 99}})
    assert daemon.log.find("15 bits", mark) is None
    mark = daemon.log.mark()
    daemon.reload({**one, "pools": {"main": {
        **trap, "servers": servers(6)}}})
    daemon.log.wait("15 bits", mark)


def test_help_fits_a_screen_and_names_the_commands():
    done = run("--help")
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0 and len(lines) <= 24
    assert max(map(len, lines)) <= 80
    for name in ("locate", "plan", "ring", "place compare"):
        assert any(line.startswith("  %s " % name) for line in lines), name
