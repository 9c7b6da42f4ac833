"""The tools that people watch memcached with, pointed at the daemon: each
must run and show what really happened."""

import os
import re
import subprocess

import pytest

from support import stats
from support.clock import seconds, wait_until
from support.faults import stored

MEMCACHED_TOOL = "/usr/share/memcached/scripts/memcached-tool"
MUNIN = "/usr/share/munin/plugins/memcached_"

HITS, MISSES, SETS, ITEMS = 40, 7, 5, 13
TRUTH = {"get_hits": HITS, "get_misses": MISSES, "cmd_get": HITS + MISSES,
         "cmd_set": SETS, "curr_items": ITEMS}


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, timeout=seconds(30),
                          text=True, check=False,
                          env={**os.environ, **environment})
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


@pytest.fixture(name="watched")
def _watched(start_basic, own_servers):
    """A daemon with known traffic, and its client, which is connected.

    The items are there before the daemon first asks its servers for them.
    """
    servers = own_servers(2)
    for i in range(ITEMS - 2):
        stored(servers[i % 2].admin(), b"own%d" % i)
    for one in servers:
        # Whoever is to have it: what is stored below makes no more items.
        stored(one.admin(), b"mine")
    daemon = start_basic(servers, stats={"backend_totals": True})
    with daemon.client() as wire:
        wait_until(lambda: stats.read(wire, b"proxy")[
            "backend_totals_servers"] == "2", "the servers' own figures", 20)
        for _ in range(SETS):
            wire.call(b"set mine 0 0 5\r\nhello\r\n", b"STORED\r\n")
        for _ in range(HITS):
            wire.call(b"get mine\r\n", b"VALUE mine 0 5\r\nhello\r\nEND\r\n")
        for _ in range(MISSES):
            wire.call(b"get none\r\n", b"END\r\n")
        yield daemon, wire


def assert_true(found):
    """Figures by memcached's names, against what was done."""
    assert {name: int(found[name]) for name in TRUTH} == TRUTH
    # The tool's own connection is one of them.
    assert int(found["curr_connections"]) == 2
    assert int(found["total_connections"]) >= 2
    assert int(found["bytes_written"]) > HITS * len("VALUE mine 0 5")


def test_memcached_tool(watched):
    daemon, _ = watched
    at = "127.0.0.1:%d" % daemon.address[1]
    assert_true(dict(re.findall(r"^\s*(\S+)\s+(\S+)$",
                                run(MEMCACHED_TOOL, at, "stats"), re.M)))
    settings = run(MEMCACHED_TOOL, at, "settings")
    assert re.search(r"^\s*tcpport\s+%d$" % daemon.address[1], settings, re.M)
    # What only servers have: a heading, and no row.
    for mode in ("display", "sizes"):
        assert run(MEMCACHED_TOOL, at, mode).count("\n") == 1


def test_memcstat(watched):
    daemon, _ = watched
    at = "--servers=127.0.0.1:%d" % daemon.address[1]
    assert_true(dict(re.findall(r"^\s*(\S+): (\S+)$", run("memcstat", at),
                                re.M)))
    assert "num_threads" in run("memcstat", at, "--args=settings")
    # It divides the servers' bytes by their items.
    assert re.search(r"Average Item Size .* : [1-9]\d+ bytes$",
                     run("memcstat", at, "--analyze"), re.M)


# What the plugin calls it, by which of its graphs, and memcached's name.
GRAPHS = {
    "rates": {"memcache_cache_hits": "get_hits",
              "memcache_cache_misses": "get_misses",
              "memcache_cmd_get": "cmd_get",
              "memcache_cmd_set": "cmd_set",
              "memcache_total_items": "total_items",
              "memcache_total_connections": "total_connections"},
    "bytes": {"memcache_bytes_read": "bytes_read",
              "memcache_bytes_written": "bytes_written"},
    "counters": {"memcache_curr_items": "curr_items",
                 "memcache_curr_connections": "curr_connections",
                 "memcache_bytes_allocated": "bytes"},
}


def test_munin_s_plugin(watched, tmp_path):
    daemon, wire = watched
    where = {"host": "127.0.0.1", "port": str(daemon.address[1])}
    found = {}
    for graph, names in GRAPHS.items():
        plugin = tmp_path / ("memcached_" + graph)
        plugin.symlink_to(MUNIN)
        assert "graph_title Memcached" in run(plugin, "config", **where)
        wait_until(lambda: stats.read(wire)["curr_connections"] == "1",
                   "the plugin's connections to be closed")
        values = dict(re.findall(r"^(\S+)\.value (\d+)$",
                                 run(plugin, **where), re.M))
        assert set(values) == set(names)
        found.update((names[name], n) for name, n in values.items())
    assert_true(found)
    assert int(found["total_items"]) >= ITEMS
    assert int(found["bytes"]) > ITEMS
