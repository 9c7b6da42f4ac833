"""`fairlead place compare`: how many keys two configurations place alike."""

import collections
import json

import pytest

from support.fairlead import run
from support.offline import Files, file_of, percent, servers
from support.program import is_wrapped

COUNT = 2000 if is_wrapped() else 20000
KEYS = [b"user:%d:profile" % i for i in range(COUNT)]


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def compare(files, a, b, *options, keys=None):
    """The JSON and the text of a comparison of two configurations."""
    paths = files.write("a.yaml", a), files.write("b.yaml", b)
    lines = b"".join(key + b"\n" for key in keys or KEYS)
    command = ("place", "compare", "--keys", "-", *paths, *options)
    done = run(*command, "--json", stdin=lines)
    text = run(*command, stdin=lines)
    assert (done.returncode, text.returncode) == (0, 0), done.stderr
    return json.loads(done.stdout), text.stdout.decode()


def test_the_same_twice_is_all_alike(files):
    same = file_of({"main": {"servers": servers(3)}})
    found, text = compare(files, same, same)
    assert (found["keys"], found["alike"]) == (COUNT, COUNT)
    assert found["share_alike"] == 1 and found["differ"] == []
    assert "(100 %) have the same server by both, by its name\n" in text
    assert "differ" not in text


def test_counts_are_those_of_locate(files):
    a = file_of({"main": {"servers": servers(3)}})
    b = file_of({"main": {"servers": servers(4, cache_1={"weight": 2})}})
    found, text = compare(files, a, b)
    before = files.owners("a.yaml", a, KEYS)
    after = files.owners("b.yaml", b, KEYS)
    pairs = collections.Counter(zip(before, after))
    assert found["alike"] == sum(
        n for (x, y), n in pairs.items() if x == y)
    differ = {(x, y): n for (x, y), n in pairs.items() if x != y}
    assert {(one["server_a"], one["server_b"]): one["keys"]
            for one in found["differ"]} == differ
    counts = [one["keys"] for one in found["differ"]]
    assert counts == sorted(counts, reverse=True)
    for side, owners in (("a", before), ("b", after)):
        for one in found[side]["servers"]:
            assert one["keys"] == owners.count(one["name"])
            assert one["alike"] == pairs[one["name"], one["name"]]
        (pool,) = found[side]["pools"]
        assert pool == {"name": "main", "keys": COUNT,
                        "alike": found["alike"]}
    assert "%s (%s) have the same server" % (
        format(found["alike"], ","), percent(found["share_alike"])) in text
    for (x, y), n in differ.items():
        assert "%12s  main/%s -> main/%s\n" % (format(n, ","), x, y) in text
    worst = max(found["a"]["servers"],
                key=lambda one: one["keys"] - one["alike"])
    listed = text.split("whose keys differ most\n")[1].splitlines()[0]
    assert listed.startswith("  main/%s  " % worst["name"])


def test_a_preset_is_proven_against_another(files):
    """What docs/placements.md calls equal is equal, key by key."""
    rows = ["10.0.0.%d:11211" % i for i in range(1, 6)]
    twemproxy, libmemcached = (file_of({"main": {
        "placement": placement, "hash": "md5", "servers": rows}})
        for placement in ("twemproxy-ketama", "libmemcached-ketama-weighted"))
    found, _ = compare(files, twemproxy, libmemcached)
    assert found["alike"] == COUNT


def test_addresses_may_count_instead_of_names(files):
    a = file_of({"main": {"servers": servers(3)}})
    b = file_of({"main": {"servers": servers(3, cache_2={
        "name": "two"})}})
    # The same ring under other names, but for one.
    by_name, _ = compare(files, a, b)
    by_address, text = compare(files, a, b, "--by", "address")
    before = files.owners("a.yaml", a, KEYS)
    after = files.owners("b.yaml", b, KEYS)
    both = before.count("cache-2"), sum(
        (x, y) == ("cache-2", "two") for x, y in zip(before, after))
    assert both[1] > 0
    assert by_address["alike"] == by_name["alike"] + both[1]
    assert by_address["by"] == "address" and "by its address\n" in text


def test_routes_and_pools_count(files):
    pools = {"main": {"servers": servers(2)},
             "other": {"servers": servers(2, first=3)}}
    a, b = file_of(pools), file_of(pools)
    b["listeners"][0]["routes"] = [{"prefix": "user:1", "pool": "other"}]
    found, text = compare(files, a, b)
    moved = sum(key.startswith(b"user:1") for key in KEYS)
    assert found["keys"] - found["alike"] == moved > 0
    assert {one["name"]: one["keys"] for one in found["b"]["pools"]} == {
        "main": COUNT - moved, "other": moved}
    assert {(one["pool_a"], one["pool_b"]) for one in found["differ"]} == {
        ("main", "other")}
    assert "main/cache-1 -> other/cache-3" in text


def test_the_listener_may_be_named(files):
    pools = {"main": {"servers": servers(2)},
             "other": {"servers": servers(2, first=3)}}
    both = file_of(pools)
    both["listeners"].append({"listen": "127.0.0.1:2", "pool": "other"})
    found, _ = compare(files, both, both, "-l", "127.0.0.1:2")
    assert {one["name"]: one["keys"] for one in found["a"]["pools"]} == {
        "main": 0, "other": COUNT}


def test_lines_that_are_no_keys_are_left_out(files):
    same = file_of({"main": {"servers": servers(2)}})
    found, text = compare(files, same, same, keys=[
        b"good", b"", b"two words", b"x" * 250, b"x" * 251, b"\xff\x80",
        b"crlf\r"])
    assert (found["keys"], found["not_keys"]) == (4, 2)
    assert "2 lines are no keys" in text


def test_keys_come_from_a_file_too(files):
    a = files.write("a.yaml", file_of({"main": {"servers": servers(2)}}))
    keys = files.write("keys.txt", "one\ntwo\nthree")
    done = run("place", "compare", "--keys", keys, a, a, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["keys"] == 3


def test_refusals(files):
    good = files.write("good.yaml", file_of({"main": {
        "servers": servers(2)}}))
    bad = files.write("bad.yaml", "what: 1\n")
    empty = files.write("empty", "\n\n")
    for arguments, code, words in (
            ((), 64, b"usage"),
            (("compare", good, good), 64, b"usage"),
            (("compare", "-k", good, good), 64, b"usage"),
            (("else", "-k", good, good, good), 64, b"usage"),
            (("compare", "-k", good, good, good, "--by", "luck"), 64,
             b"luck"),
            (("compare", "-k", good, good, good, "-l", "none"), 64, b"none"),
            (("compare", "-k", "/nowhere", good, good), 66, b"/nowhere"),
            (("compare", "-k", "/", good, good), 66, b"/: "),
            (("compare", "-k", good, "/nowhere", good), 66, b"/nowhere"),
            (("compare", "-k", good, good, bad), 78, b"unknown key"),
            (("compare", "-k", empty, good, good), 65, b"no key")):
        done = run("place", *arguments)
        assert done.returncode == code, (arguments, done.stderr)
        assert words in done.stderr and done.stdout == b""
    assert run("place", "--help").returncode == 0
