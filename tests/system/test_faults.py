"""Servers that die or stall, and clients that vanish.

Whatever they do costs only their own keys, and no reply is ever handed to
another request than its own.
"""

import os
import signal
import threading

import pytest

from support import rules
from support.clock import Deadline, wait_until
from support.faults import (
    LOST_READ, LOST_WRITE, hit, keys_of, lost_read, stored, value_of,
    works_again)
from support.played import BlackHole
from support.ports import free_port
from support.wire import Wire


# -- a server dies -----------------------------------------------------------

@pytest.mark.parametrize("end", [rules.hang_up, rules.reset_connection],
                         ids=["closes", "resets"])
def test_a_connection_lost_in_a_pipeline(end, over, played):
    """The first reply is right, the lost ones fail, the next ones work."""
    server = played()
    daemon = over([server])
    names = [b"a", b"die", b"c", b"d"]
    with daemon.client() as wire:
        for name in names:
            stored(wire, name)
        server.on(b"die", end)
        wire.send(b"get a\r\nget die\r\nget c\r\nget d\r\n")
        wire.expect(hit(b"a"))
        assert lost_read(wire, b"die") is None
        lost_read(wire, b"c")
        lost_read(wire, b"d")
        wire.in_step()
    server.clear()
    works_again(daemon, b"e")


@pytest.mark.parametrize("end", [rules.hang_up, rules.reset_connection],
                         ids=["closes", "resets"])
@pytest.mark.parametrize("verb", [b"get", b"gets"])
def test_a_read_without_a_byte_of_reply_is_asked_once_more(verb, end, over,
                                                           played):
    server = played()
    daemon = over([server], {"on_down": "error"})
    with daemon.client() as wire:
        stored(wire, b"once")
        stored(wire, b"twice")
        server.on(b"once", end, times=1)
        server.on(b"twice", end)
        wire.send(b"%s once\r\n" % verb)
        assert lost_read(wire, b"once") == b"once"
        wire.send(b"%s twice\r\n" % verb)
        wire.expect_line(LOST_WRITE)
        wire.in_step()
    assert len(server.seen(rb"^gets? once")) == 2
    assert len(server.seen(rb"^gets? twice")) == 2


def test_an_error_in_answer_to_the_rest_is_an_error(over, played):
    """The first value came, then the connection was lost; who is asked for
    the others may fail, and that is no reply that makes no sense."""
    server = played()
    daemon = over([server], {"on_down": "error"})
    with daemon.client() as wire:
        for name in (b"a1", b"b2", b"c3"):
            stored(wire, name)
        server.on(b"a1", rules.die_after(len(value_of(b"a1"))), times=1)
        server.on(b"b2", rules.say(b"SERVER_ERROR out of memory\r\n"))
        made = server.accepted
        wire.call(b"get a1 b2 c3\r\n", b"SERVER_ERROR out of memory\r\n")
        assert server.seen(rb"^get b2 c3$")
        wire.call(b"get a1 c3\r\n", value_of(b"a1") + hit(b"c3"))
    assert server.accepted == made + 1


@pytest.mark.parametrize("ask", [
    b"set die 0 0 1\r\nx\r\n", b"add die 0 0 1\r\nx\r\n",
    b"append die 0 0 1\r\nx\r\n", b"cas die 0 0 1 1\r\nx\r\n",
    b"delete die\r\n", b"incr die 1\r\n", b"touch die 0\r\n",
    b"ms die 1\r\nx\r\n", b"md die\r\n", b"ma die\r\n"])
def test_a_write_is_never_repeated(ask, over, played):
    """It may have been done before the connection was lost."""
    server = played()
    daemon = over([server])
    with daemon.client() as wire:
        stored(wire, b"warm")
        server.on(b"die", rules.hang_up)
        wire.send(ask)
        wire.expect_line(LOST_WRITE)
        wire.in_step()
    assert len(server.seen(rb"\bdie\b")) == 1


def test_two_clients_share_the_loss_and_no_reply(over, played):
    server = played()
    daemon = over([server])
    a, b = daemon.client(), daemon.client()
    for name in (b"die", b"mine", b"yours"):
        stored(a, name)
    release = threading.Event()
    server.on(b"die", lambda peer, request, reply: (
        release.wait(10), peer.close()), times=1)
    a.send(b"get die\r\nget mine\r\n")
    server.wait_seen(rb"die")
    b.send(b"get yours\r\n")
    release.set()
    for name in (b"die", b"mine"):
        lost_read(a, name)
    lost_read(b, b"yours")
    a.in_step()
    b.call(b"get yours\r\n", hit(b"yours"))


def test_a_server_killed_in_the_middle_of_the_load(over, own_servers):
    """Many clients, one of three servers dies: its keys fail, the others'
    never do; restarted, it is used again."""
    servers = own_servers(3)
    daemon = over(servers)
    own = keys_of(daemon, 1, 50)
    others = keys_of(daemon, 0, 50) + keys_of(daemon, 2, 50)
    clients = [daemon.client() for _ in range(8)]
    with daemon.client() as wire:
        for name in own + others:
            stored(wire, name)
    mixed = [name for pair in zip(own, others) for name in pair]
    for turn in range(20):
        if turn == 8:
            servers[1].kill()
        for wire in clients:
            wire.send(b"".join(b"get %s\r\n" % n for n in mixed))
        for wire in clients:
            for i, name in enumerate(mixed):
                got = lost_read(wire, name)
                assert got == name or (i % 2 == 0 and turn >= 8), (
                    turn, name, got)
    servers[1].start()
    works_again(daemon, own[0])
    for wire in clients:
        wire.call(b"get %s\r\n" % others[0], hit(others[0]))


def test_a_connection_found_dead_is_replaced_unnoticed(over, played):
    """The server closed it while idle, as a restart does."""
    server = played()
    daemon = over([server])
    with daemon.client() as wire:
        stored(wire, b"a")
        for _ in range(5):
            server.hang_up()
            wait_until(lambda: server.open_connections() == 0,
                       "the played server to see the end")
            wire.call(b"get a\r\n", hit(b"a"))


# -- a server stalls ---------------------------------------------------------

def test_a_late_stored_answers_no_get(over, played):
    """A set times out; its STORED comes later, among gets."""
    server, release = played(), threading.Event()
    daemon = over([server])
    with daemon.client() as wire:
        for i in range(5):
            stored(wire, b"k%d" % i)
        server.on(b"slow", rules.hold(release))
        wire.send(b"set slow 0 0 1\r\nx\r\n")
        wire.expect_line(LOST_WRITE)
        wire.send(b"".join(b"get k%d\r\n" % i for i in range(5)))
        release.set()
        for i in range(5):
            lost_read(wire, b"k%d" % i)
        wire.in_step()
    works_again(daemon, b"after")
    with daemon.client() as wire:
        for i in range(5):
            wire.call(b"get k%d\r\n" % i, hit(b"k%d" % i))


def test_late_values_are_dropped_whole(over, played):
    server, release = played(), threading.Event()
    daemon = over([server])
    big = b"B" * 300000
    with daemon.client() as wire:
        stored(wire, b"slow", big)
        stored(wire, b"next")
        server.on(b"slow", rules.hold(release), times=1)
        wire.send(b"get slow\r\n")
        wire.expect_line(LOST_READ)
        wire.send(b"get next\r\n")
        release.set()
        lost_read(wire, b"next")
        wire.in_step()
    works_again(daemon, b"after")
    with daemon.client() as wire:
        wire.call(b"get next\r\n", hit(b"next"))


def test_a_stall_within_a_value(over, played):
    """Half a value, then nothing: the client is not left with half a reply
    and another's bytes behind it."""
    server, release = played(), threading.Event()
    daemon = over([server])
    with daemon.client() as wire:
        stored(wire, b"half", b"H" * 5000)
        server.on(b"half", rules.hold_after(2500, release))
        wire.send(b"get half\r\nmn\r\n")
        # What was begun can only be ended by closing; what was not, by an
        # error or a miss.
        got = wire.until_or_end(b"MN\r\n")
        if got.startswith(b"VALUE"):
            assert wire.ended and len(got) < 5000, got[-80:]
        else:
            assert got == b"END\r\nMN\r\n" or got.startswith(
                b"SERVER_ERROR "), got
        release.set()
    works_again(daemon, b"after")


def test_a_pause_of_the_proxy_is_no_fault_of_its_servers(over, played):
    """A host that is moved, a container that is frozen: what was answered
    meanwhile is read before anybody looks for time-outs."""
    server = played()
    daemon = over([server], {"timeouts": {"request": "500ms"},
                             "health": {"failures": 1}})
    release = threading.Event()
    with daemon.client() as wire:
        stored(wire, b"slow")
        server.on(b"slow", rules.hold(release))
        wire.send(b"get slow\r\n" * 3)
        server.wait_seen(rb"get slow")
        with daemon.paused():
            release.set()
            end = Deadline(0.7)
            wait_until(end.passed, "the time-out to be over")
        wire.expect(hit(b"slow") * 3)
    assert not daemon.log.find("is down")


def test_a_pause_of_the_proxy_makes_no_client_idle(over, own_servers):
    """What they asked meanwhile is read before anybody looks how long they
    have been silent."""
    daemon = over(own_servers(1), limits={"client_idle": "400ms"})
    for _ in range(2):
        # Whoever is late twice in a row is believed.
        with daemon.client() as wire:
            wire.expect_closed()
        wires = [daemon.client() for _ in range(10)]
        for wire in wires:
            wire.in_step()
        with daemon.paused():
            for wire in wires:
                wire.send(b"mn\r\n")
            wait_until(Deadline.real(0.8).passed, "the time to be over")
        for wire in wires:
            wire.expect(b"MN\r\n")
            wire.close()


def test_a_stopped_server_costs_its_own_keys_only(over, own_servers):
    """SIGSTOP: everything of its keys fails in time, nothing else waits."""
    servers = own_servers(3)
    daemon = over(servers, {"timeouts": {"request": "700ms"}})
    own, other = keys_of(daemon, 1, 20), keys_of(daemon, 0, 20)
    with daemon.client() as wire:
        for name in own + other:
            stored(wire, name)
    servers[1].process.send_signal(signal.SIGSTOP)
    try:
        waiting = [daemon.client() for _ in range(4)]
        for wire in waiting:
            wire.send(b"".join(b"get %s\r\n" % n for n in own))
        with daemon.client(timeout=0.6) as wire:
            for name in other * 10:
                wire.call(b"get %s\r\n" % name, hit(name))
        for wire in waiting:
            for name in own:
                lost_read(wire, name)
            wire.in_step()
        with daemon.client() as wire:
            wire.send(b"get %s %s\r\n" % (other[0], own[0]))
            line = wire.line()
            if line.startswith(b"VALUE "):
                wire.expect(hit(other[0])[len(line):])
            else:
                assert line.startswith(b"SERVER_ERROR "), line
            wire.in_step()
    finally:
        servers[1].process.send_signal(signal.SIGCONT)
    works_again(daemon, own[0])
    with daemon.client() as wire:
        for name in own[1:] + other:
            wire.call(b"get %s\r\n" % name, hit(name))


def test_timeouts_leave_no_connections_behind(over, played):
    server = played()
    daemon = over([server], {"timeouts": {"request": "50ms"},
                             "on_down": "error"})
    server.on(b"", rules.say_nothing)
    with daemon.client() as wire:
        for i in range(60):
            wire.send(b"get k%d\r\n" % i)
            wire.expect_line(LOST_READ)
    wait_until(lambda: server.open_connections() <= 2,
               lambda: "connections to be closed: %d are open"
               % server.open_connections())
    assert daemon.descriptors() < 60
    server.clear()
    works_again(daemon, b"after")


def test_a_server_that_accepts_no_connection(over, own_servers):
    """Its SYNs are dropped: its keys fail after the connect timeout."""
    hole, servers = BlackHole(), own_servers(1)
    try:
        daemon = over([servers[0], hole], {"on_down": "error",
                                           "timeouts": {"connect": "500ms"},
                                           "health": {"failures": 2}})
        lost, fine = keys_of(daemon, 1, 5), keys_of(daemon, 0, 5)
        a, b = daemon.client(), daemon.client(timeout=0.45)
        for name in lost:
            a.send(b"get %s\r\n" % name)
            for other in fine:
                stored(b, other)
                b.call(b"get %s\r\n" % other, hit(other))
            a.expect_line(rb"SERVER_ERROR s1\b.*")
    finally:
        hole.stop()


def test_a_server_that_comes_up_later(over, own_servers, played):
    port = free_port()

    class Absent:
        text = "127.0.0.1:%d" % port

    daemon = over(own_servers(1) + [Absent], {"on_down": "error"})
    own = keys_of(daemon, 1, 3)
    with daemon.client() as wire:
        for name in own:
            wire.send(b"get %s\r\n" % name)
            wire.expect_line(rb"SERVER_ERROR s1\b.*")
    played(port=port)
    works_again(daemon, own[0])


# -- clients that vanish -----------------------------------------------------

def test_replies_of_a_client_that_left_go_to_nobody(over, own_servers):
    """It asked for much and reset without reading; others share the server
    connections and get their own."""
    servers = own_servers(2)
    daemon = over(servers, {"timeouts": {"request": "10s"}})
    names = [b"big%d" % i for i in range(50)]
    with daemon.client() as wire:
        for name in names:
            stored(wire, name, name * 2000)
        stored(wire, b"mine")
        base = daemon.descriptors()
        for _ in range(40):
            gone = Wire(daemon.address)
            gone.send(b"".join(b"get %s\r\n" % n for n in names) * 2)
            gone.reset()
            wire.call(b"get mine\r\nget none\r\n", hit(b"mine") + b"END\r\n")
            wire.call(b"get %s\r\n" % names[3], b"VALUE %s 0 %d\r\n%s\r\n"
                      b"END\r\n" % (names[3], 2000 * len(names[3]),
                                    names[3] * 2000))
        wait_until(lambda: daemon.descriptors() <= base,
                   "the descriptors of those who left")


@pytest.mark.parametrize("last", [
    b"get half", b"set k 0 0 100\r\nabc", b"set k 0 0 2000000\r\n" +
    b"x" * 100000, b"", b"get a b c d e f\r\n"])
def test_clients_that_leave_in_the_middle(last, over, own_servers):
    servers = own_servers(2)
    daemon = over(servers)
    with daemon.client() as wire:
        wire.call(b"get a b c d e f g h\r\n", b"END\r\n")
        base = daemon.descriptors()
    for how in ("close", "reset"):
        for _ in range(30):
            gone = Wire(daemon.address)
            gone.send(last)
            getattr(gone, how)()
    wait_until(lambda: daemon.descriptors() <= base,
               "the descriptors of those who left")
    with daemon.client() as wire:
        stored(wire, b"k")
        wire.call(b"get k\r\n", hit(b"k"))


def test_connections_that_are_reset_at_once(over, own_servers):
    """As health checks do; the listener survives, and nothing is logged as
    an error."""
    daemon = over(own_servers(1))
    with daemon.client() as wire:
        wire.in_step()
    mark = daemon.log.mark()
    for _ in range(600):
        Wire(daemon.address).reset()
    for _ in range(600):
        Wire(daemon.address).close()
    with daemon.client() as wire:
        wire.in_step()
    assert len(daemon.log.lines) - mark < 20, daemon.log.lines[mark:][:30]


def keepalive_s(local_port, remote_port):
    """Seconds until the kernel asks whether the other side is still there;
    None if it never does."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        for row in list(table)[1:]:
            local, remote, _, _, timer = row.split()[1:6]
            if (int(local.split(":")[1], 16) == local_port and
                    int(remote.split(":")[1], 16) == remote_port):
                kind, ticks = (int(part, 16) for part in timer.split(":"))
                return ticks / os.sysconf("SC_CLK_TCK") if kind == 2 else None
    return None


def test_a_client_whose_host_vanished_is_missed_soon(over, own_servers):
    """Else those of a rack without power keep their places for two hours,
    and limits.clients may keep out the same when they are back."""
    daemon = over(own_servers(1))
    with daemon.client() as wire:
        wire.in_step()
        remote = wire.sock.getsockname()[1]
        wait_until(lambda: keepalive_s(daemon.address[1], remote) is not None,
                   "the keepalive timer")
        assert keepalive_s(daemon.address[1], remote) <= 60
