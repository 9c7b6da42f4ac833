"""`fairlead ring`: shares, points and what more points buy, in words and in
JSON."""

import json
import math
import random

import pytest

from support.fairlead import run
from support.offline import Files, file_of, percent, servers

TABLE = (1, 10, 50, 100, 200, 500)


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def ring(files, pools, *options):
    """The JSON's pools and the text of one configuration."""
    path = files.write("ring.yaml", file_of(pools))
    done = run("ring", "-c", path, "--json", *options)
    text = run("ring", "-c", path, *options)
    assert (done.returncode, text.returncode) == (0, 0), done.stderr
    assert json.loads(done.stdout)["path"] == path
    return json.loads(done.stdout)["pools"], text.stdout.decode()


def test_shares_are_those_of_keys(files):
    rows = servers(4, cache_2={"weight": 3})
    (pool,), text = ring(files, {"main": {"servers": rows}})
    rng = random.Random(7)
    keys = [b"%016x" % rng.getrandbits(64) for _ in range(100000)]
    owners = files.owners("a.yaml", file_of({"main": {"servers": rows}}),
                          keys)
    assert pool["exact"] is True and pool["sampled_keys"] == 0
    for one in pool["servers"]:
        share = owners.count(one["name"]) / len(keys)
        assert abs(one["share"] - share) < 5 * math.sqrt(
            share * (1 - share) / len(keys))
        assert one["ideal"] == (3 if one["name"] == "cache-2" else 1) / 6
        assert abs(one["share_over_ideal"]
                   - one["share"] / one["ideal"]) < 1e-12
        assert one["points"] == (384 if one["name"] == "cache-2" else 128)
    assert "exact, from the arcs of the ring" in text


@pytest.mark.parametrize("placement, exact", [
    ("ring", True), ("twemproxy-ketama", True), ("buckets", True),
    ("haproxy-consistent", True), ("rendezvous", False),
    ("memcached-jump", False), ("modula", False)])
def test_the_figures_belong_together(placement, exact, files):
    (pool,), text = ring(files, {"main": {
        "placement": placement, "servers": servers(7)}})
    ratios = [one["share_over_ideal"] for one in pool["servers"]]
    assert pool["exact"] is exact
    assert (pool["sampled_keys"] > 0) is not exact
    assert abs(sum(one["share"] for one in pool["servers"]) - 1) < 1e-9
    assert pool["max_over_mean"] == max(ratios)
    assert pool["min_over_mean"] == min(ratios)
    assert abs(pool["standard_deviation"] - math.sqrt(
        sum((ratio - 1) ** 2 for ratio in ratios) / 7)) < 1e-12
    assert pool["points"] == sum(one["points"] for one in pool["servers"])
    assert (pool["bytes"] > 0) == (pool["points"] > 0)
    assert "max over mean %.3f" % pool["max_over_mean"] in text
    assert "standard deviation %s" % percent(
        pool["standard_deviation"]) in text
    for one in pool["servers"]:
        (line,) = [row for row in text.splitlines()
                   if row.startswith("  " + one["name"] + " ")]
        assert percent(one["share"]) in line
        assert "%.3f" % one["share_over_ideal"] in line
    assert ("sampled: 1,048,576 made-up keys" in text) is not exact
    assert ("points_table" in pool) == (placement == "ring")


def test_more_points_buy_evenness(files):
    (pool,), text = ring(files, {"main": {"servers": servers(20)}})
    table = pool["points_table"]
    assert [row["points_per_weight"] for row in table] == list(TABLE)
    for row in table:
        points = row["points_per_weight"]
        assert row["points"] == 20 * points
        assert row["bytes"] == 16 * row["points"]
        # Theory: about one over the root of the points.
        assert 0.5 < row["standard_deviation"] * math.sqrt(points) < 1.6
        (line,) = [line for line in text.splitlines()
                   if line.split()[:1] == [str(points)]]
        assert "%.3f" % row["max_over_mean"] in line
        assert percent(row["standard_deviation"]) in line
    spreads = [row["standard_deviation"] for row in table]
    assert spreads[0] > 3 * spreads[3] > 3 * spreads[5]


def test_a_cap_is_a_row_that_says_so(files):
    (pool,), text = ring(files, {"main": {
        "servers": servers(3), "max_points": 400}})
    table = {row["points_per_weight"]: row for row in pool["points_table"]}
    assert "error" not in table[100] and table[100]["points"] == 300
    assert "max_points" in table[200]["error"]
    assert table[200]["error"] in text


def test_one_server_has_it_all(files):
    (pool,), text = ring(files, {"main": {"servers": servers(1)}})
    assert pool["servers"][0]["share"] == 1
    assert pool["standard_deviation"] == 0
    assert "100 %" in text


def test_pools_are_chosen_by_name(files):
    pools = {"main": {"servers": servers(2)},
             "other": {"servers": servers(3), "placement": "dalli"}}
    both, text = ring(files, pools)
    assert [pool["name"] for pool in both] == ["main", "other"]
    assert "pool main: ring, servers: 2, points: 256 in 4.0 KiB\n" in text
    assert "pool other: dalli, servers: 3, points: 480 in " in text
    (one,), text = ring(files, pools, "-p", "other")
    assert one == both[1]
    assert "pool main" not in text


def test_traps_are_warned_of(files):
    (pool,), text = ring(files, {"main": {
        "placement": "twemproxy-ketama", "hash": "crc32",
        "servers": servers(5)}})
    assert "15 bits" in pool["warning"]
    assert "  warning: " + pool["warning"] in text
    # Shares of the circle would be none of the keys.
    assert pool["exact"] is False
    assert max(one["share"] for one in pool["servers"]) > 0.99


def test_a_million_points_are_told_in_seconds(files):
    (pool,), text = ring(files, {"main": {
        "servers": servers(8), "points_per_weight": 131072}})
    assert pool["points"] == 1048576 and pool["bytes"] == 16 * 1048576
    assert "points: 1,048,576 in 16.0 MiB" in text
    assert pool["standard_deviation"] < 0.01


def test_refusals(files):
    good = files.write("good.yaml", file_of({"main": {
        "servers": servers(2)}}))
    bad = files.write("bad.yaml", "what: 1\n")
    for arguments, code in (
            ((), 64), (("-c", good, "more"), 64), (("-c", good, "-x"), 64),
            (("-c", good, "-p", "none"), 64), (("-c", bad), 78),
            (("-c", "/nowhere"), 66)):
        done = run("ring", *arguments)
        assert done.returncode == code and done.stderr, arguments
        assert done.stdout == b""
    assert run("ring", "--help").returncode == 0
