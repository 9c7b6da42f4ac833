"""stats.backend_totals: what only servers know, summed over the servers."""

import socket

import pytest

from support import config, stats
from support.clock import seconds, wait_until
from support.ports import free_port

ON = {"backend_totals": True}
NAMES = ("limit_maxbytes", "bytes", "curr_items", "total_items", "evictions",
         "reclaimed", "expired_unfetched", "evicted_unfetched",
         "get_expired", "get_flushed")

# Two rounds, with one server that is waited for in each.
TWO_ROUNDS = 20


def fill(server, count):
    """Stores `count` items at the server itself."""
    for i in range(count):
        server.admin().call(b"set totals%d 0 0 10\r\n0123456789\r\n" % i,
                            b"STORED\r\n")


def sums_of(servers):
    """What the servers say themselves, added up."""
    found = [stats.read(one.admin()) for one in servers]
    return {name: sum(int(one[name]) for one in found) for name in NAMES}


def shown(wire):
    found = stats.read(wire)
    return {name: int(found[name]) for name in NAMES}


def counted(wire):
    return int(stats.read(wire, b"proxy")["backend_totals_servers"])


def wait_counted(wire, count):
    wait_until(lambda: counted(wire) == count,
               lambda: "%d servers in the totals, not %d" % (
                   count, counted(wire)), base=TWO_ROUNDS)


@pytest.fixture
def deaf():
    """The address of a server that never says anything."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        yield "127.0.0.1:%d" % listener.getsockname()[1]


def test_sums_are_of_the_servers_that_answer(
        start_basic, own_servers, played, deaf):
    servers = own_servers(3)
    dead = servers[2]
    fill(servers[0], 5)
    fill(servers[1], 20)
    dead.stop()
    silly = played()
    daemon = start_basic([*servers, silly, deaf], stats=ON,
                         log={"level": "debug"})
    with daemon.client() as wire:
        wait_counted(wire, 2)
        for text, why in ((dead.text, "no connection"),
                          (silly.text, "its reply makes no sense"),
                          (deaf, "no reply in time")):
            assert daemon.log.wait("server %s is left out of the totals: %s"
                                   % (text, why)), why
        assert shown(wire) == sums_of(servers[:2])
        assert shown(wire)["curr_items"] == 25
        # The next round has it, and what was stored since.
        fill(servers[0], 8)
        dead.start()
        fill(dead, 100)
        wait_until(lambda: shown(wire)["curr_items"] == 128,
                   "the items of all three", base=TWO_ROUNDS)
        assert shown(wire) == sums_of(servers)
        assert counted(wire) == 3


def test_a_server_of_two_pools_is_counted_once(start, own_servers):
    (server,) = own_servers(1)
    fill(server, 7)
    both = config.basic(free_port(), [server.text], stats=ON)
    both["pools"]["other"] = both["pools"]["main"]
    daemon = start(both)
    with daemon.client() as wire:
        wait_counted(wire, 1)
        assert shown(wire) == sums_of([server])


def test_unset_asks_nobody_and_shows_zeroes(start_basic, played):
    server = played()
    daemon = start_basic([server])
    with daemon.client() as wire:
        assert set(shown(wire).values()) == {0}
        assert counted(wire) == 0
        wire.call(b"get a\r\n", b"END\r\n")
        assert not server.seen(b"^stats")
        daemon.reload({**daemon.config, "stats": ON})
        server.wait_seen(b"^stats$")


def test_a_reload_that_unsets_it_shows_zeroes_again(start_basic, own_servers):
    (server,) = own_servers(1)
    fill(server, 3)
    daemon = start_basic([server], stats=ON)
    with daemon.client() as wire:
        wait_counted(wire, 1)
        assert shown(wire)["curr_items"] == 3
        daemon.reload({**daemon.config, "stats": {"backend_totals": False}})
        assert counted(wire) == 0
        assert set(shown(wire).values()) == {0}


def test_replies_that_never_end_are_left_out(start_basic, own_servers):
    """A torrent of lines is cut off, and does no harm."""
    (server,) = own_servers(1)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        endless = "127.0.0.1:%d" % listener.getsockname()[1]
        daemon = start_basic([server, endless], stats=ON,
                             log={"level": "debug"})
        peer, _ = listener.accept()
        peer.settimeout(seconds(20))
        with peer, pytest.raises(ConnectionError):
            while True:
                peer.sendall(b"STAT bytes 1\r\n" * 100)
    assert daemon.log.wait("%s is left out of the totals: its reply is too "
                           "long" % endless)
    with daemon.client() as wire:
        wait_counted(wire, 1)
        assert shown(wire) == sums_of([server])
