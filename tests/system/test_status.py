"""What the admin listener shows: /status.json, /ring.json, /locate and
/-/config."""

import pathlib
import re
import socket

import pytest

from support import config
from support.admin import Admin
from support.clock import wait_until
from support.ports import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(name="run")
def _run(start, servers):
    """Starts a daemon over three named servers: (daemon, its client)."""
    def go(pool=None, rows=None, **top):
        port = free_port()
        rows = rows or [{"name": "s%d" % i, "address": s.text,
                         "weight": i + 1}
                        for i, s in enumerate(servers[:3])]
        one = start(config.basic(
            free_port(), rows, pool,
            **{"admin": {"listen": "127.0.0.1:%d" % port}, **top}))
        return one, Admin(("127.0.0.1", port))
    return go


def status(admin):
    answer = admin.get("/status.json")
    assert answer.status == 200, answer.text
    assert answer.headers["Content-Type"] == "application/json"
    return answer.json()


def paths(node, at=""):
    """Every member's path, lists as []."""
    if isinstance(node, dict):
        for name, value in node.items():
            yield from paths(value, at + "." + name if at else name)
    elif isinstance(node, list):
        yield at
        for value in node[:1]:
            if isinstance(value, dict):
                yield from paths(value, at + "[]")
    else:
        yield at


def test_it_says_what_runs(run):
    one, admin = run()
    told = status(admin)
    assert told["schema"] == 1
    assert told["pid"] == one.pid
    assert told["generation"] == 1
    assert told["config"] == str(one.path)
    assert told["is_draining"] is False
    assert told["workers"] == [{"silent_ms": told["workers"][0]["silent_ms"],
                                "is_stuck": False}]
    assert [row["listen"] for row in told["listeners"]] == [
        one.config["listeners"][0]["listen"]]


def test_shares_stand_beside_their_ideals(run):
    _, admin = run()
    (pool,) = status(admin)["pools"]
    servers = pool["servers"]
    assert [s["name"] for s in servers] == ["s0", "s1", "s2"]
    assert [s["ideal"] for s in servers] == pytest.approx([1/6, 2/6, 3/6])
    assert sum(s["share"] for s in servers) == pytest.approx(1)
    assert all(abs(s["share"] - s["ideal"]) < 0.1 for s in servers)
    assert sum(s["points"] for s in servers) == pool["points"] == 768


def test_shares_of_a_placement_without_a_circle(run):
    _, admin = run({"placement": "weighted-rendezvous"})
    (pool,) = status(admin)["pools"]
    assert sum(s["share"] for s in pool["servers"]) == pytest.approx(1)
    ring = admin.get("/ring.json?pool=main").json()
    assert (ring["ends"], ring["owners"]) == ([], [])


def test_requests_show_in_counters_and_times(run, key):
    one, admin = run()
    wire = one.client()
    for i in range(50):
        wire.call(b"get %s%d\r\n" % (key(), i), b"END\r\n")
    told = status(admin)
    assert told["requests"]["buckets"] == sorted(told["requests"]["buckets"])
    assert told["clients"]["connected"] == 1
    assert told["counters"]["get_misses"] == 50
    assert told["requests"]["count"] == 50
    assert told["requests"]["buckets"][-1] == 50
    assert len(told["requests"]["buckets"]) == len(told["bounds_us"])
    servers = told["pools"][0]["servers"]
    assert sum(s["counters"]["requests"] for s in servers) == 50
    assert sum(s["times"]["count"] for s in servers) == 50


def test_each_listener_counts_its_clients(run, tmp_path):
    one, admin = run()
    path, plain = tmp_path / "in", one.config
    one.reload({**plain, "listeners": [
        *plain["listeners"],
        {"listen": "unix:%s" % path, "pool": "main"}]})

    def counts():
        return [(row["clients"], row["accepted"], row["is_removed"])
                for row in status(admin)["listeners"]]

    assert counts() == [(0, 0, False), (0, 0, False)]
    first, second = one.client(), one.client()
    with socket.socket(socket.AF_UNIX) as local:
        local.connect(str(path))
        local.sendall(b"mn\r\n")
        assert local.recv(4) == b"MN\r\n"
        for wire in (first, second):
            wire.in_step()
        assert counts() == [(2, 2, False), (1, 1, False)]
        second.close()
        one.reload(plain)
        wait_until(lambda: counts() == [(1, 2, False), (1, 1, True)],
                   "the client of the removed listener to be left")
    wait_until(lambda: counts() == [(1, 2, False), (0, 1, True)],
               "the last client to be gone")


def test_hot_keys_are_named(run, key):
    one, admin = run()
    wire = one.client()
    for i in range(300):
        wire.call(b"get %s\r\n" % key(b"hot" if i % 3 else b"%d" % i),
                  b"END\r\n")
    hottest = status(admin)["hot_keys"][0]
    assert hottest["key"] == key(b"hot").decode()
    assert 0.5 < hottest["share"] < 0.75
    assert hottest["is_hidden"] is False


def test_a_dead_server_says_why(run, own_servers):
    (server,) = own_servers(1)
    one, admin = run(rows=[{"name": "s0", "address": server.text}])
    told = status(admin)["pools"][0]["servers"][0]
    assert (told["state"], told["last_failure"]) == ("up", None)
    assert told["has_answered"] is False
    server.stop()
    wire = one.client()
    for _ in range(3):
        wire.send(b"get a\r\n")
        wire.line()
    one.log.wait("server s0 is down")
    told = status(admin)["pools"][0]["servers"][0]
    assert told["state"] == "down"
    assert told["last_failure"] == "cannot connect"
    assert told["down_seconds"] >= 0
    assert told["health"]["openings"] == 1
    assert told["has_answered"] is False
    # A probe is an answer too.
    server.start()
    one.log.wait("server s0 answers again")
    assert status(admin)["pools"][0]["servers"][0]["has_answered"] is True


def test_a_server_is_proven_by_its_first_answer(run, key):
    one, admin = run()
    name = key(b"a")
    owner = one.locate([name])[name][1]
    one.client().call(b"get %s\r\n" % name, b"END\r\n")
    proven = {row["name"] for row in status(admin)["pools"][0]["servers"]
              if row["has_answered"]}
    assert proven == {owner}


def test_reloads_are_told_with_their_errors(run, servers):
    one, admin = run()
    one.config["pools"]["main"]["servers"].append(servers[3].text)
    one.reload(one.config)
    one.reload_refused("listeners: []\npols: {}\n")
    bad, good, first = status(admin)["reloads"]
    assert (first["trigger"], first["result"]) == ("start", "done")
    assert (good["trigger"], good["result"]) == ("SIGHUP", "done")
    assert good["generation"] == 2
    (pool,) = good["pools"]
    assert (pool["name"], pool["added"], pool["removed"]) == ("main", 1, 0)
    assert 0 < pool["moved"] < 0.5
    assert bad["is_success"] is False
    assert any(re.search(r':2:1: unknown key "pols"', line)
               for line in bad["errors"])


def test_the_ring_has_arcs(run):
    _, admin = run()
    ring = admin.get("/ring.json").json()
    assert ring["servers"] == ["s0", "s1", "s2"]
    assert ring["ends"] == sorted(ring["ends"])
    assert ring["ends"][-1] == 1
    assert len(ring["ends"]) == len(ring["owners"])
    shares, last = [0, 0, 0], 0
    for end, owner in zip(ring["ends"], ring["owners"]):
        shares[int(owner)] += end - last
        last = end
    assert shares == pytest.approx(
        [s["share"] for s in status(admin)["pools"][0]["servers"]], abs=1e-6)
    assert admin.get("/ring.json?pool=none").status == 404


def test_a_ring_of_many_points_is_shown_in_slices(run):
    _, admin = run({"points_per_weight": 20000})
    ring = admin.get("/ring.json").json()
    assert len(ring["ends"]) == 4096
    assert set(ring["owners"]) == {0, 1, 2}


def test_locate_says_what_routing_does(run, key):
    one, admin = run()
    names = [key(b"%d" % i) for i in range(50)]
    wanted = one.locate(names)
    ring = admin.get("/ring.json").json()
    for name in names:
        told = admin.get("/locate?key=" + name.decode()).json()
        assert told["owners"][0]["server"] == wanted[name][1]
        assert told["owners"][0]["address"] == wanted[name][2]
        assert len(told["owners"]) == 3
        assert 0 <= told["at"] < 1
        index = next(i for i, end in enumerate(ring["ends"])
                     if end > told["at"])
        assert ring["servers"][int(ring["owners"][index])] == \
            told["owners"][0]["server"]
        assert told["point"] >= told["at"] or \
            told["at"] > ring["ends"][-2] - 1e-9


@pytest.mark.parametrize("query, code", [
    ("", 400), ("key=", 400), ("key=a%20b", 400), ("key=a%00b", 400),
    ("key=" + "a" * 251, 400), ("key=" + "a" * 250, 200),
    ("key=%ff%fe", 200), ("key=a%2fb%26c%3d", 200), ("key=a&pool=none", 404),
    ("key=a&listener=127.0.0.1:1", 404), ("key=a&pool=main", 200),
])
def test_locate_takes_keys_and_nothing_else(run, query, code):
    _, admin = run()
    assert admin.get("/locate?" + query).status == code


def test_locate_goes_by_routes(run, servers):
    other = {"servers": [{"name": "other", "address": servers[3].text}]}
    one, admin = run()
    one.config["pools"]["second"] = other
    one.config["listeners"][0]["routes"] = [
        {"prefix": "x:", "pool": "second"}]
    one.reload(one.config)
    assert admin.get("/locate?key=x:1").json()["pool"] == "second"
    assert admin.get("/locate?key=y:1").json()["pool"] == "main"


def test_the_configuration_is_shown_without_secrets(run):
    secret = "0123456789abcdef0123456789abcdef"
    _, admin = run({"hash": "siphash", "hash_key": secret})
    answer = admin.get("/-/config")
    assert answer.status == 200
    assert "a secret, not shown" in answer.text
    assert secret not in answer.text
    assert "request_line: 1MiB" in answer.text


def test_each_member_is_in_the_docs(run, servers):
    one, admin = run()
    one.config["pools"]["main"]["servers"].append(servers[3].text)
    one.reload(one.config)
    one.reload_refused("pols: {}\n")
    one.client().call(b"get a\r\n", b"END\r\n")
    told = status(admin)
    told["reloads"] = [dict(told["reloads"][1],
                            errors=told["reloads"][0]["errors"])]
    docs = (ROOT / "docs/status.md").read_text()
    described = set(re.findall(r"^\| `([^`]+)` \|", docs, re.M))
    for path in paths(told):
        assert path in described or path.rsplit(".", 1)[0] + ".*" in \
            described, path
