"""`fairlead plan`: what a reload would do, in words and in JSON, and that it
is true of up to a million keys."""

import collections
import json
import math
import random

import pytest

from support.fairlead import run
from support.offline import Files, file_of, percent, servers
from support.program import is_sanitized, is_wrapped

# Keys that are looked up by both files; of some changes, many more.
SLOW = is_wrapped() or is_sanitized()
KEYS = 20000 if SLOW else 100000
MANY = 20000 if SLOW else 1000000
WITH_MANY = ("newcomer", "another divisor", "rendezvous")

# Made-up keys that a plan asks about where rules have no ring.
SAMPLE = 65536


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


@pytest.fixture(scope="module")
def all_keys():
    rng = random.Random(4711)
    return [b"%016x" % rng.getrandbits(64) for _ in range(MANY)]


def weighted(*weights):
    return servers(len(weights), **{
        "cache_%d" % (i + 1): {"weight": weight}
        for i, weight in enumerate(weights)})


# What changes, from which pool to which, and why more moves than must.
MOVES = {
    "newcomer": ({"servers": servers(3)}, {"servers": servers(4)}, []),
    "leaver": ({"servers": servers(4)}, {"servers": servers(3)}, []),
    "leaver in the middle": (
        {"servers": servers(5)},
        {"servers": servers(2) + servers(2, first=4)}, []),
    "nothing but weights doubled": (
        {"servers": weighted(1, 2)}, {"servers": weighted(2, 4)}, []),
    "a weight": ({"servers": weighted(1, 1, 1)},
                 {"servers": weighted(1, 1, 2)}, []),
    "another divisor": ({"servers": weighted(2, 2, 2)},
                        {"servers": weighted(2, 2, 3)}, ["divisor"]),
    "two weights": ({"servers": weighted(1, 1, 1)},
                    {"servers": weighted(2, 2, 1)}, ["exchange"]),
    "one for another": ({"servers": servers(4)},
                        {"servers": servers(4, first=2)}, ["exchange"]),
    "more points": ({"servers": servers(3)},
                    {"servers": servers(3), "points_per_weight": 200},
                    ["settings"]),
    "another hash": ({"servers": servers(3)},
                     {"servers": servers(3), "hash": "xxh3"}, ["settings"]),
    "another rule": ({"servers": servers(3)},
                     {"servers": servers(3), "placement": "rendezvous"},
                     ["settings"]),
    "normalised": (
        {"placement": "twemproxy-ketama", "servers": weighted(1, 1, 5)},
        {"placement": "twemproxy-ketama", "servers": weighted(1, 1, 4)},
        ["normalised"]),
    "switched": (
        {"placement": "libmemcached-ketama", "servers": weighted(1, 1, 1)},
        {"placement": "libmemcached-ketama", "servers": weighted(1, 1, 2)},
        ["switched"]),
    "jump, at the end": (
        {"placement": "memcached-jump", "servers": servers(4)},
        {"placement": "memcached-jump", "servers": servers(5)}, []),
    "jump, in the middle": (
        {"placement": "memcached-jump", "servers": servers(4)},
        {"placement": "memcached-jump",
         "servers": servers(1) + servers(2, first=3)}, ["position"]),
    "jump, another order": (
        {"placement": "memcached-jump", "servers": servers(3)},
        {"placement": "memcached-jump", "servers": servers(3)[::-1]},
        ["position"]),
    "modula": ({"placement": "modula", "servers": servers(4)},
               {"placement": "modula", "servers": servers(5)},
               ["position"]),
    "rendezvous": ({"placement": "rendezvous", "servers": servers(4)},
                   {"placement": "rendezvous", "servers": servers(5)}, []),
    "15 bits": (
        {"placement": "twemproxy-modula", "hash": "crc32",
         "servers": servers(4)},
        {"placement": "twemproxy-modula", "hash": "crc32",
         "servers": servers(5)}, ["position"]),
}


def tolerance(pool, share, count):
    """Five standard errors of our keys, and of the plan's where it has."""
    squares = share * (1 - share)
    error = squares / count + (0 if pool["exact"] else squares / SAMPLE)
    return 5 * math.sqrt(error) + 1e-9


@pytest.mark.parametrize("what", MOVES)
def test_the_share_is_that_of_many_keys(what, files, all_keys):
    old, new, reasons = MOVES[what]
    count = MANY if what in WITH_MANY else KEYS
    keys = all_keys[:count]
    pool, _ = files.plan_pool(old, new)
    before = files.owners("a.yaml", file_of({"main": old}), keys)
    after = files.owners("b.yaml", file_of({"main": new}), keys)
    pairs = collections.Counter(zip(before, after))
    moved = sum(n for (a, b), n in pairs.items() if a != b) / count
    assert abs(pool["moved"] - moved) <= tolerance(pool, moved, count), moved
    for flow in pool["flows"]:
        share = pairs.pop((flow["from"], flow["to"]), 0) / count
        assert abs(flow["share"] - share) <= tolerance(
            pool, flow["share"], count)
    # What is left did not move, or hardly at all.
    for (a, b), n in pairs.items():
        assert a == b or n / count < 0.0002, (a, b, n)
    assert [one["reason"] for one in pool["reasons"]] == reasons
    assert (pool["needless"] > 0) == bool(reasons)
    assert pool["exact"] == (what not in (
        "another hash", "another rule", "rendezvous", "modula", "15 bits")
        and not what.startswith("jump"))


@pytest.mark.parametrize("what", MOVES)
def test_the_figures_belong_together(what, files):
    old, new, _ = MOVES[what]
    pool, text = files.plan_pool(old, new)
    assert abs(sum(one["share"] for one in pool["flows"])
               - pool["moved"]) < 1e-12
    assert pool["moved"] - pool["needless"] >= -1e-12
    shares = [one["share"] for one in pool["flows"]]
    assert shares == sorted(shares, reverse=True)
    for side in ("old", "new"):
        assert abs(sum(one[side + "_share"] for one in pool["servers"])
                   - 1) < 1e-9
    # What each lost and won accounts for its two shares.
    for one in pool["servers"]:
        won = sum(flow["share"] for flow in pool["flows"]
                  if flow["to"] == one["name"])
        lost = sum(flow["share"] for flow in pool["flows"]
                   if flow["from"] == one["name"])
        assert abs(one["old_share"] + won - lost - one["new_share"]) < 1e-9
    # The text has the same.
    assert "moves        %s of the hash space" % percent(
        pool["moved"]) in text or pool["change"] == "none"
    if pool["change"] != "none":
        assert "ideal        %s is" % percent(pool["ideal"]) in text
        assert (pool["old_membership"] == pool["new_membership"]) != (
            "membership   %s -> %s\n" % (
                pool["old_membership"], pool["new_membership"]) in text)
        assert "needless     %s moves" % percent(pool["needless"]) in text
        for one in pool["reasons"]:
            assert one["text"] in text
        for flow in pool["flows"]:
            assert "%9s  %s -> %s\n" % (percent(flow["share"]),
                                        flow["from"], flow["to"]) in text


@pytest.mark.parametrize("weights, ideal", [
    (((1, 1, 1), (1, 1, 1, 1)), 1 / 4),
    (((1, 1, 1, 1), (1, 1, 1)), 1 / 4),
    (((1, 3), (1, 1)), 1 / 4),
    (((1, 3), (100, 300)), 0),
    (((5, 1), (1, 5)), 4 / 6),
])
def test_the_ideal_is_what_weights_ask_for(weights, ideal, files):
    pool, _ = files.plan_pool({"servers": weighted(*weights[0])},
                              {"servers": weighted(*weights[1])})
    assert abs(pool["ideal"] - ideal) < 1e-12


def test_a_newcomer_takes_and_nobody_else(files):
    pool, text = files.plan_pool({"servers": servers(3)},
                                 {"servers": servers(4)})
    assert pool["needless"] == 0 and pool["exact"] is True
    assert {flow["to"] for flow in pool["flows"]} == {"cache-4"}
    assert pool["elsewhere"] == pool["moved"]
    (new,) = [one for one in pool["servers"] if one["change"] == "added"]
    assert (new["name"], new["address"]) == ("cache-4", "10.0.0.4:11211")
    assert new["old_address"] is None and new["old_weight"] == 0
    assert abs(new["new_share"] - pool["moved"]) < 1e-12
    assert "pool main: ring, servers: 3 -> 4\n" in text
    assert "  added        cache-4 (10.0.0.4:11211), weight 1\n" in text
    assert "elsewhere" not in text


def change(pool, name):
    """What is true of one server."""
    (one,) = [one for one in pool["servers"] if one["name"] == name]
    flags = {key for key in ("renamed", "readdressed", "reweighted",
                             "reordered") if one[key]}
    return flags | ({one["change"]} - {"kept"}), one


def test_servers_are_told_apart(files):
    old = servers(6)
    new = servers(6, cache_2={"address": "10.9.9.2:1"},
                  cache_3={"weight": 2}, cache_4={"name": "cache-four"},
                  cache_5={"name": "cache-new", "address": "10.0.0.99:1"})
    new = [new[5]] + new[:5]
    pool, text = files.plan_pool({"servers": old}, {"servers": new})
    # Five of six keep their order; the sixth comes first now.
    for name, flags in (("cache-2", {"readdressed"}),
                        ("cache-3", {"reweighted"}),
                        ("cache-four", {"renamed"}),
                        ("cache-new", {"added"}),
                        ("cache-5", {"removed"})):
        assert change(pool, name)[0] - {"reordered"} == flags, name
    assert "reordered" in change(pool, "cache-6")[0]
    assert change(pool, "cache-2")[1]["old_address"] == "10.0.0.2:11211"
    assert change(pool, "cache-four")[1]["old_name"] == "cache-4"
    for line in (
            "  added        cache-new (10.0.0.99:1), weight 1\n",
            "  removed      cache-5 (10.0.0.5:11211), weight 1\n",
            "  renamed      cache-4 -> cache-four (10.0.0.4:11211)\n",
            "  readdressed  cache-2: 10.0.0.2:11211 -> 10.9.9.2:1\n",
            "  reweighted   cache-3: 1 -> 2\n",
            "  reordered    cache-6\n"):
        assert line in text, text


def test_another_address_moves_no_key_but_sends_it_elsewhere(files):
    pool, text = files.plan_pool(
        {"servers": servers(3)},
        {"servers": servers(3, cache_2={"address": "10.9.9.2:1"})})
    assert pool["moved"] == 0 and pool["flows"] == []
    assert pool["elsewhere"] == change(pool, "cache-2")[1]["old_share"] > 0.2
    assert "  elsewhere    %s of the keys" % percent(
        pool["elsewhere"]) in text


def test_what_stays_and_what_moves_go_elsewhere(files):
    """The newcomer takes a part of the server that gets a new address."""
    pool, _ = files.plan_pool(
        {"servers": servers(3)},
        {"servers": servers(4, cache_2={"address": "10.9.9.2:1"})})
    lost = sum(flow["share"] for flow in pool["flows"]
               if flow["from"] == "cache-2")
    stays = change(pool, "cache-2")[1]["old_share"] - lost
    assert lost > 0.01 and stays > 0.1
    assert abs(pool["elsewhere"] - pool["moved"] - stays) < 1e-12


def test_another_name_moves_what_its_address_keeps(files, all_keys):
    """A renamed server is one server: what returns to it did not move."""
    old = {"servers": servers(4)}
    new = {"servers": servers(4, cache_2={"name": "two"})}
    keys = all_keys[:KEYS]
    pool, text = files.plan_pool(old, new)
    before = files.owners("a.yaml", file_of({"main": old}), keys)
    after = files.owners("b.yaml", file_of({"main": new}), keys)
    moved = sum(a != b and (a, b) != ("cache-2", "two")
                for a, b in zip(before, after)) / KEYS
    assert abs(pool["moved"] - moved) <= tolerance(pool, moved, KEYS)
    assert pool["ideal"] == 0
    assert pool["needless"] > 0.2
    assert [one["reason"] for one in pool["reasons"]] == ["renamed"]
    assert "cache-2 is called two now" in text


def test_names_do_not_count_where_positions_do(files):
    pool, _ = files.plan_pool(
        {"placement": "memcached-jump", "servers": servers(4)},
        {"placement": "memcached-jump",
         "servers": servers(4, cache_2={"name": "two"})})
    assert pool["moved"] == pool["elsewhere"] == pool["needless"] == 0
    assert pool["reasons"] == []
    # Nor are they a reason when something else moves keys.
    pool, _ = files.plan_pool(
        {"placement": "memcached-jump", "servers": servers(4)},
        {"placement": "memcached-jump", "servers": servers(
            4, cache_2={"name": "two"})[1:]})
    assert [one["reason"] for one in pool["reasons"]] == ["position"]


def test_many_pairs_are_cut_in_text_only(files):
    pool, text = files.plan_pool(
        {"placement": "modula", "servers": servers(12)},
        {"placement": "modula", "servers": servers(13)})
    assert len(pool["flows"]) > 100
    assert "and %d pairs more (--json has all)" % (
        len(pool["flows"]) - 20) in text


# -- everything but placement ------------------------------------------------

def test_the_same_is_nothing(files):
    old = file_of({"main": {"servers": servers(3)}})
    code, plan, text = files.plan(old, old)
    assert (code, plan["accepted"], plan["same"]) == (0, True, True)
    assert plan["pools"][0]["change"] == "none"
    assert "both mean the same, and nothing would be done" in text


def test_settings_pools_and_listeners(files):
    old = file_of({"main": {"servers": servers(3)},
                   "second": {"servers": servers(2)},
                   "gone": {"servers": servers(2)}},
                  limits={"clients": 100})
    new = file_of({"main": {"servers": servers(3), "on_down": "next",
                            "timeouts": {"request": "2s"}},
                   "second": {"servers": servers(2)},
                   "fresh": {"servers": servers(5)}})
    old["listeners"] = [
        {"listen": "127.0.0.1:1", "pool": "main", "routes": [
            {"prefix": "a:", "pool": "second"},
            {"prefix": "b:", "pool": "gone"}]},
        {"listen": "127.0.0.1:2", "pool": "main"},
        {"listen": "127.0.0.1:3", "pool": "second"}]
    new["listeners"] = [
        {"listen": "127.0.0.1:1", "pool": "main", "routes": [
            {"prefix": "a:", "pool": "fresh"},
            {"prefix": "c:", "pool": "second"}]},
        {"listen": "127.0.0.1:3", "pool": "fresh"},
        {"listen": "127.0.0.1:4", "pool": "main"}]
    code, plan, text = files.plan(old, new)
    assert code == 0 and plan["accepted"]
    assert {one["path"]: (one["old"], one["new"])
            for one in plan["settings"]} == {
        "limits.clients": ("100", "16384"),
        "pools.main.on_down": ("miss", "next"),
        "pools.main.timeouts.request": ("1s", "2s")}
    assert {one["name"]: one["change"] for one in plan["pools"]} == {
        "main": "none", "second": "none", "fresh": "added",
        "gone": "removed"}
    changed, third, opened, closed = plan["listeners"]
    assert [one["change"] for one in plan["listeners"]] == [
        "changed", "changed", "opened", "closed"]
    assert {(one["prefix"], one["old_pool"], one["new_pool"])
            for one in changed["routes"]} == {
        ("a:", "second", "fresh"), ("b:", "gone", None),
        ("c:", None, "second")}
    assert (third["old_pool"], third["new_pool"]) == ("second", "fresh")
    assert (opened["listen"], closed["listen"]) == (
        "127.0.0.1:4", "127.0.0.1:2")
    for words in ("pools.main.on_down", "miss -> next",
                  '    keys that start with "b:": pool gone -> main\n',
                  "  opened       127.0.0.1:4, pool main\n",
                  "  closed       127.0.0.1:2, pool main\n",
                  "pool fresh: added, servers: 5\n",
                  "pool gone: removed, servers: 2\n",
                  "pool main: no key moves, servers: 3\n"):
        assert words in text, text


def test_a_listener_that_takes_logins(files):
    old = file_of({"main": {"servers": servers(3)}})
    new = file_of({"main": {"servers": servers(3)}})
    new["listeners"][0]["auth"] = "accept"
    code, plan, text = files.plan(old, new)
    assert code == 0 and not plan["same"]
    changed, = plan["listeners"]
    assert changed["change"] == "changed" and changed["auth_changed"]
    assert not changed["mode_changed"]
    assert "  changed      127.0.0.1:21211, auth none -> accept\n" in text


def test_secrets_are_not_shown(files):
    pool = {"servers": servers(2), "hash": "siphash"}
    code, plan, text = files.plan(
        file_of({"main": {**pool, "hash_key": "ab" * 16}}),
        file_of({"main": {**pool, "hash_key": "cd" * 16}}))
    assert code == 0
    assert plan["settings"] == [{
        "path": "pools.main.hash_key", "old": "a secret",
        "new": "another secret", "restart_only": False}]
    assert "abab" not in text and "cdcd" not in text
    assert plan["pools"][0]["reasons"][0]["reason"] == "settings"


# -- refusals ----------------------------------------------------------------

def test_what_needs_a_restart_is_told_with_what_it_would_do(files):
    code, plan, text = files.plan(
        file_of({"main": {"servers": servers(3)}}),
        file_of({"main": {"servers": servers(4)}}, workers=2))
    assert code == 78 and plan["accepted"] is False and plan["errors"] == []
    (line,) = plan["restart_only"]
    assert line.endswith('"workers" changes from 1 to 2, which needs a '
                         'restart')
    assert plan["settings"][0]["restart_only"] is True
    assert plan["pools"][0]["moved"] > 0.2
    assert "the reload would be refused" in text
    assert "a restart would do this" in text


@pytest.mark.parametrize("new, complaint", [
    ("pools: [", "new.yaml:"),
    ("what: 1\n", "unknown key"),
    (file_of({"main": {"servers": servers(2), "placement": "ketama",
                       "points_per_weight": 3}}), "points_per_weight"),
    (file_of({"main": {"servers": servers(2), "max_points": 100}}),
     "StateCapacityExceeded"),
])
def test_a_wrong_new_file_is_refused(new, complaint, files):
    code, plan, text = files.plan(file_of({"main": {"servers": servers(2)}}),
                                  new)
    assert code == 78 and plan["accepted"] is False
    assert complaint in "\n".join(plan["errors"])
    assert "pools" not in plan
    assert "the reload would be refused" in text
    done = run("plan", str(files.directory / "old.yaml"),
               str(files.directory / "new.yaml"))
    assert done.stderr.decode().splitlines() == plan["errors"]


def test_a_wrong_old_file_is_said(files):
    code, plan, text = files.plan("what: 1\n",
                                  file_of({"main": {"servers": servers(2)}}))
    assert code == 78 and plan["accepted"] is False
    assert any("unknown key" in line for line in plan["errors"])
    assert "is wrong itself" in text


def test_a_missing_file_is_66(files):
    good = files.write("good.yaml", file_of({"main": {
        "servers": servers(2)}}))
    for pair in ((good, "/nowhere"), ("/nowhere", good)):
        done = run("plan", *pair, "--json")
        assert done.returncode == 66
        assert b"/nowhere" in done.stderr
        assert json.loads(done.stdout)["accepted"] is False


@pytest.mark.parametrize("arguments", [
    (), ("one",), ("a", "b", "c"), ("--what", "a", "b")])
def test_misuse_is_64(arguments):
    done = run("plan", *arguments)
    assert done.returncode == 64 and b"usage: fairlead plan" in done.stderr
    assert done.stdout == b""


def test_help_goes_to_standard_output():
    done = run("plan", "--help")
    assert done.returncode == 0 and b"usage: fairlead plan" in done.stdout


def test_a_full_disk_is_told(files):
    path = files.write("a.yaml", file_of({"main": {"servers": servers(2)}}))
    for options in ((), ("--json",)):
        with open("/dev/full", "wb") as full:
            done = run("plan", path, path, *options, stdout=full)
        assert done.returncode == 74
        assert b"standard output" in done.stderr
