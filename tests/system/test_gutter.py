"""Another pool takes the keys of a server that is down."""

import re
import time

import pytest

from support.clock import wait_until
from support.faults import (
    QUICK, counters, hit, keys_of, stored, value_of, works_again)

TTL = 40


@pytest.fixture
def guttered(over, own_servers):
    """A daemon over three servers, two more as their gutter."""
    def go(**pool):
        mine, spare = own_servers(3), own_servers(2)
        rows = [{"name": "g%d" % i, "address": one.text}
                for i, one in enumerate(spare)]
        daemon = over(
            mine, dict({"on_down": "gutter", "gutter": "spare",
                        "gutter_ttl": "%ds" % TTL}, **pool),
            pools={"spare": dict(QUICK, servers=rows)})
        return daemon, mine, spare
    return go


def left(server, name):
    """The seconds that an item has left at the server; None: no item."""
    wire = server.admin()
    wire.send(b"mg %s t\r\n" % name)
    match = re.fullmatch(rb"HD t(-?\d+)[ WXZ]*\r\n|EN\r\n", wire.line())
    return match[1] and int(match[1])


def where(servers, name):
    """The only one of the servers that has the item."""
    found = [one for one in servers if left(one, name) is not None]
    assert len(found) == 1, (name, len(found))
    return found[0]


def test_the_gutter_takes_over_and_hands_back(guttered):
    daemon, mine, spare = guttered()
    dead, alive = keys_of(daemon, 1, 20), keys_of(daemon, 0, 20)
    with daemon.client() as wire:
        for name in dead + alive:
            stored(wire, name)
        mine[1].kill()
        works_again(daemon, dead[0])
        # It has none of them at first, and then all.
        wire.call(b"get %s\r\n" % dead[1], b"END\r\n")
        for name in dead:
            stored(wire, name)
        wire.call(b"get %s %s %s\r\n" % (dead[0], alive[0], dead[1]),
                  value_of(dead[0]) + value_of(alive[0]) + hit(dead[1]))
        for name in alive:
            wire.call(b"get %s\r\n" % name, hit(name))
    assert spare[0].has(dead) | spare[1].has(dead) == set(dead)
    assert spare[0].has(dead) and spare[1].has(dead)
    assert not spare[0].has(alive) | spare[1].has(alive)
    assert counters(daemon)["gutter_keys"] > len(dead)
    mine[1].start()
    with daemon.client() as wire:
        def is_back():
            wire.send(b"get %s\r\n" % dead[0])
            return wire.value(dead[0]) is None
        wait_until(is_back, "the restarted server to get its keys back",
                   step=0.02)
        for name in dead:
            stored(wire, name)
    assert mine[1].has(dead) == set(dead)


def test_deletes_and_counts_follow_the_keys(guttered):
    daemon, mine, spare = guttered()
    gone, count = keys_of(daemon, 1, 2)
    mine[1].kill()
    works_again(daemon, gone)
    with daemon.client() as wire:
        stored(wire, gone)
        stored(wire, count, b"7")
        wire.call(b"delete %s\r\n" % gone, b"DELETED\r\n")
        wire.call(b"incr %s 1\r\n" % count, b"8\r\n")
        wire.call(b"md %s\r\n" % count, b"HD\r\n")
        wire.call(b"get %s %s\r\n" % (gone, count), b"END\r\n")
    assert not any(one.has([gone, count]) for one in spare)


# What makes or touches an item, and the most and least it then has left.
LIVES = [
    (b"set %s 0 0 1\r\nx\r\n", TTL),
    (b"set %s 0 10 1\r\nx\r\n", 10),
    (b"set %s 0 2000000000 1\r\nx\r\n", TTL),
    (b"add %s 0 3000 1\r\nx\r\n", TTL),
    (b"ms %s 1\r\nx\r\n", TTL),
    (b"ms %s 1 T0\r\nx\r\n", TTL),
    (b"ms %s 1 T9\r\nx\r\n", 9),
    (b"ms %s 1 q\r\nx\r\n", TTL),
    (b"ma %s N0\r\n", TTL),
    (b"ma %s N8 J5\r\n", 8),
    (b"mg %s N0 v\r\n", TTL),
    (b"set %s 0 5 1\r\nx\r\ntouch %s 0\r\n", TTL),
    (b"set %s 0 5 1\r\nx\r\ngat 0 %s\r\n", TTL),
    (b"set %s 0 5 1\r\nx\r\ngat 0 %s none\r\n", TTL),
    (b"set %s 0 5 1\r\nx\r\nmg %s T0 v\r\n", TTL),
    (b"set %s 0 5 1\r\n1\r\nma %s T0\r\n", TTL),
    (b"set %s 0 5 1\r\nx\r\nappend %s 0 0 1\r\nx\r\n", 5),
]


def test_no_item_outlives_gutter_ttl(guttered):
    """As the gutter's own servers say."""
    daemon, mine, spare = guttered()
    mine[1].kill()
    names = keys_of(daemon, 1, len(LIVES) + 3)
    works_again(daemon, names[-1])
    with daemon.client() as wire:
        for name, (ask, most) in zip(names, LIVES):
            wire.send(ask.replace(b"%s", name) + b"mn\r\n")
            assert b"ERROR" not in wire.until(b"MN\r\n"), ask
            seconds = left(where(spare, name), name)
            # Time goes on, and memcached's clock has whole seconds.
            assert most - 4 <= seconds <= most, (ask, seconds)
        # By the wall clock, too, and no life is made longer.
        soon = int(time.time()) + 20
        wire.call(b"set %s 0 %d 1\r\nx\r\n" % (names[-2], soon),
                  b"STORED\r\n")
        assert 14 <= left(where(spare, names[-2]), names[-2]) <= 21
        wire.call(b"set %s 0 -1 1\r\nx\r\n" % names[-3], b"STORED\r\n")
        wire.call(b"get %s\r\n" % names[-3], b"END\r\n")


def test_what_only_some_servers_take_for_a_time(guttered):
    """It is no time in a gutter, lest an item live there for ever."""
    daemon, mine, spare = guttered()
    mine[1].kill()
    name, other = keys_of(daemon, 1, 2)
    works_again(daemon, other)
    with daemon.client() as wire:
        for time_ in (b"0\t", b"\t0", b"4294967296", b"-2147483649"):
            wire.call(b"mg %s N%s v\r\n" % (name, time_),
                      b"CLIENT_ERROR bad token in command line format\r\n")
            wire.call(b"ms %s 1 T%s\r\nx\r\n" % (name, time_),
                      b"CLIENT_ERROR bad token in command line format\r\n")
        wire.call(b"mg %s\r\n" % name, b"EN\r\n")


def test_with_the_gutter_down_too_reads_miss_and_writes_fail(guttered):
    daemon, mine, spare = guttered()
    mine[1].kill()
    for one in spare:
        one.kill()
    name = keys_of(daemon, 1, 1)[0]
    with daemon.client() as wire:
        for _ in range(8):
            wire.send(b"get %s\r\n" % name)
            assert wire.line() == b"END\r\n"
            wire.send(b"delete %s\r\n" % name)
            wire.expect_line(rb"SERVER_ERROR (s1|g\d): .*")
        wire.send(b"delete %s\r\n" % name)
        wire.expect_line(rb"SERVER_ERROR g\d: .*")


def test_a_reload_gives_and_takes_the_gutter(guttered):
    daemon, mine, spare = guttered()
    mine[1].kill()
    name = keys_of(daemon, 1, 1)[0]
    works_again(daemon, name)
    taken = dict(daemon.config, pools=dict(daemon.config["pools"]))
    main = dict(taken["pools"]["main"], on_down="miss")
    del main["gutter"], main["gutter_ttl"]
    taken["pools"]["main"] = main
    given = daemon.config
    with daemon.client() as wire:
        daemon.reload(taken)
        wire.send(b"delete %s\r\n" % name)
        wire.expect_line(rb"SERVER_ERROR s1: the server is down")
        daemon.reload(given)
        wire.call(b"delete %s\r\n" % name, b"DELETED\r\n")
