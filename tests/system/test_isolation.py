"""One party misbehaves; the others do not notice."""

import contextlib
import resource
import signal
import socket
import threading

import pytest

from support import config
from support.clock import Deadline, seconds, wait_until
from support.faults import (
    LOST_READ, QUICK, counters, hit, keys_of, stored, works_again)
from support.ports import free_port
from support.wire import Wire

MIB = 1 << 20


class Flood:
    """A client that sends one thing for ever and never reads."""

    def __init__(self, address, data):
        self.wire = Wire(address)
        self.data = data
        self.sent = 0
        self.is_held = threading.Event()    # the proxy takes no more
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._send, daemon=True)
        self.thread.start()

    def _send(self):
        sock, at = self.wire.sock, 0
        sock.settimeout(0.3)
        while not self.stop.is_set():
            try:
                sent = sock.send(self.data[at:])
            except socket.timeout:
                self.is_held.set()
                continue
            except OSError:
                self.is_held.set()
                return
            at = (at + sent) % len(self.data)
            self.sent += sent

    def end(self):
        self.stop.set()
        self.thread.join()
        self.wire.reset()


@pytest.mark.parametrize("ask", [
    b"get never\r\n", b"mn\r\n", b"nosuch\r\n", b"version\r\n",
    b"set tiny 0 0 1\r\nx\r\n", b"mg never v\r\n"])
def test_tiny_replies_that_are_never_read(ask, start_basic, servers):
    """Small replies once took a block of memory each."""
    daemon = start_basic(servers[:2], limits={
        "client_buffer": "256KiB", "value_size": "64KiB"})
    with daemon.client() as wire:
        stored(wire, b"isolated")
        before = daemon.rss()
        flood = Flood(daemon.address, ask * 5000)
        try:
            wait_until(flood.is_held.is_set, "the flood to be held back",
                       base=20)
            for _ in range(100):
                wire.call(b"get isolated\r\n", hit(b"isolated"))
            with daemon.client() as other:
                other.in_step()
        finally:
            flood.end()
    daemon.grew_at_most(before, 16 * MIB)


def test_large_sets_for_a_stopped_server(over, own_servers):
    """They wait at their own client's cost."""
    servers = own_servers(2)
    daemon = over(servers, {"on_down": "error",
                            "timeouts": {"request": "1s"}},
                  limits={"memory": "64MiB"})
    (good, *_), (dead, *_) = keys_of(daemon, 0, 1), keys_of(daemon, 1, 1)
    with daemon.client() as wire:
        stored(wire, dead)
        stored(wire, good, b"g" * 200000)
        servers[1].process.send_signal(signal.SIGSTOP)
        flood = Flood(daemon.address, b"set %s 0 0 1000000\r\n%s\r\n" % (
            dead, b"v" * 1000000))
        try:
            until = Deadline(1.5)
            while not until.passed():
                wire.call(b"set %s 0 0 200000\r\n%s\r\nget %s\r\n" % (
                    good, b"x" * 200000, good), b"STORED\r\n" +
                    b"VALUE %s 0 200000\r\n%s\r\nEND\r\n" % (
                        good, b"x" * 200000))
                with daemon.client() as other:
                    other.in_step()
        finally:
            servers[1].process.send_signal(signal.SIGCONT)
            flood.end()


def test_a_reply_that_trickles_shields_nobody(over, played):
    """Each byte came just in time, and those behind waited for ever."""
    server, over_with = played(), threading.Event()

    def trickle(peer, request, reply):
        peer.send(b"VALUE drip 0 100000\r\n")
        while not over_with.wait(0.05):
            peer.send(b"x")

    server.on(b"drip", trickle)
    daemon = over([server], {"on_down": "error"})
    try:
        a, b = daemon.client(), daemon.client()
        a.send(b"get drip\r\n")
        server.wait_seen(b"drip")
        for _ in range(3):
            b.send(b"get other\r\n")
            line = b.line(timeout=3)
            assert line == b"END\r\n" or line.startswith(b"SERVER_ERROR ")
        a.reset()

        def is_served():
            b.send(b"get other\r\n")
            return b.line(timeout=3) == b"END\r\n"

        wait_until(is_served, "the server to be usable again", step=0.02)
    finally:
        over_with.set()


def test_a_want_of_descriptors_is_no_servers_fault(start, own_servers):
    """One client too many took down every server."""
    top = config.basic(free_port(), [own_servers(1)[0].text],
                       config.merged(QUICK, {"on_down": "error"}))
    daemon = start(top, preexec=lambda: resource.setrlimit(
        resource.RLIMIT_NOFILE, (40, 40)))
    crowd = [Wire(daemon.address) for _ in range(60)]
    try:
        wait_until(lambda: daemon.descriptors() >= 38, "all descriptors "
                   "to be in use")
        first = crowd[0]
        for _ in range(6):
            first.send(b"get a\r\n")
            first.expect_line(LOST_READ)
    finally:
        for wire in crowd:
            wire.close()
    works_again(daemon, b"a")
    assert not daemon.log.find(r"\bis down\b"), daemon.log.lines


def test_a_probe_that_cannot_be_made_speaks_against_nobody(start,
                                                           own_servers):
    """A server that is back is not kept out for longer, as after a probe
    that failed."""
    (server,) = own_servers(1)
    top = config.basic(free_port(), [server.text], config.merged(QUICK, {
        "health": {"failures": 1, "retry": "200ms", "retry_max": "1h"}}))
    daemon = start(top, preexec=lambda: resource.setrlimit(
        resource.RLIMIT_NOFILE, (40, 40)))
    server.stop()
    with daemon.client() as wire:
        wire.send(b"get a\r\n")
        wire.line()
        daemon.log.wait(r"\bis down\b")
    crowd = [Wire(daemon.address) for _ in range(60)]
    try:
        for _ in range(3):
            daemon.log.wait("cannot be probed: Too many open files",
                            daemon.log.mark())
        failed = daemon.log.count("is still down")
        server.start()
    finally:
        for wire in crowd:
            wire.close()
    works_again(daemon, b"a")
    assert daemon.log.count("is still down") == failed


def test_what_was_closed_while_idle_is_replaced(over, played):
    """The request comes in the same turn as the news of the close; not a
    byte of it was sent, so nothing is lost, and nobody is to blame."""
    server = played()
    daemon = over([server], {"on_down": "error",
                             "health": {"failures": 2, "retry": "5s",
                                        "retry_max": "5s"}})
    with daemon.client() as wire:
        stored(wire, b"idle")
        for _ in range(6):
            with daemon.paused():
                wire.send(b"set idle 0 0 4\r\nidle\r\n")
                server.hang_up()
                wait_until(lambda: server.open_connections() == 0,
                           "the played server to hang up")
            wire.expect(b"STORED\r\n")
            wire.call(b"get idle\r\n", hit(b"idle"))


def test_a_slow_reader_delays_nobody_at_its_server(start_basic, servers):
    """A large reply to who does not read; others' small ones from the same
    server, over the same connection."""
    # Eighty megabytes go over that connection first, on a busy machine.
    daemon = start_basic(servers[:1], {"on_down": "error",
                                       "timeouts": {"request": "10s"}})
    with daemon.client() as wire:
        stored(wire, b"large", b"L" * 1000000)
        stored(wire, b"small")
        slow = [daemon.client() for _ in range(4)]
        for one in slow:
            one.send(b"get large\r\n" * 20)
        for _ in range(300):
            wire.call(b"get small\r\n", hit(b"small"), timeout=10)
        whole = b"VALUE large 0 1000000\r\n" + b"L" * 1000000 + \
            b"\r\nEND\r\n"
        for one in slow:
            for _ in range(20):
                one.expect(whole, timeout=20)
            one.in_step()


def test_long_pipelines_of_one_client(start_basic, servers):
    """Two hundred thousand gets at once; others are served meanwhile."""
    daemon = start_basic(servers[:3])
    count, got = 200000, bytearray()
    with daemon.client(timeout=60) as wire, daemon.client() as other:
        sender = threading.Thread(
            target=wire.send, args=(b"get none\r\n" * count,), daemon=True)
        sender.start()
        served = 0
        while len(got) < 5 * count:
            got += wire.take(min(50000, 5 * count - len(got)))
            other.call(b"mn\r\nget none\r\n", b"MN\r\nEND\r\n",
                       timeout=seconds(3))
            served += 1
        sender.join()
        assert got == b"END\r\n" * count
        wire.in_step()
    assert served >= 20


def silent_on(peers):
    """Nothing is said any more on the connections of `peers`."""
    def rule(peer, request, reply):
        if peer not in peers:
            peer.send(reply)
    return rule


def test_a_dead_connection_does_not_spoil_the_trial(over, played):
    """A firewall forgot the connection; over a new one all is well."""
    server = played()
    daemon = over([server], {"on_down": "error"})
    with daemon.client() as wire:
        stored(wire, b"a")
        server.on(b"", silent_on(server.peers()))
        wire.send(b"get a\r\n" * 4)
        for _ in range(4):
            wire.expect_line(rb"SERVER_ERROR .+")
    works_again(daemon, b"b")
    assert daemon.log.count("is down") == 1


def test_slow_readers_go_before_others_have_to_do_without(start_basic,
                                                          servers):
    """Together they hold all memory; those that read are served."""
    daemon = start_basic(servers[:1], limits={"memory": "16MiB"})
    crowd = []
    with daemon.client() as wire:
        stored(wire, b"shed.large", b"x" * 900000)
        stored(wire, b"shed.small", b"y" * 30000)
    while not daemon.log.find("closed: the client reads too slowly"):
        assert len(crowd) < 200, "nobody was shed"
        crowd.append(daemon.client())
        crowd[-1].sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        crowd[-1].send(b"get shed.large\r\n" * 20)
        with daemon.client() as wire:
            wire.send(b"get shed.small\r\n")
            assert wire.value(b"shed.small") == b"y" * 30000
    assert counters(daemon)["clients_shed"] >= 1


@pytest.mark.parametrize("half", [
    b"set shed.half 0 0 400000\r\n" + b"x" * 300000,
    b"get" + b" shed.half" * 30000], ids=["set", "get"])
def test_those_who_stopped_within_a_command_go_too(start_basic, servers,
                                                   half):
    """They hold all memory, and the rest of their commands never comes."""
    daemon = start_basic(servers[:1], limits={"memory": "16MiB"})
    for _ in range(60):
        one = daemon.client()
        # Once memory is full they are hung up on.
        with contextlib.suppress(OSError):
            one.send(half)
            wait_until(one.is_read, "half a command to be read", step=0)

    def is_stored():
        with daemon.client() as wire:
            with contextlib.suppress(OSError):
                wire.send(b"set shed.whole 0 0 900000\r\n%s\r\n" %
                          (b"y" * 900000))
            return wire.line_or_end() == b"STORED\r\n"

    wait_until(is_stored, "somebody else's value to be stored", step=0.1)
    daemon.log.wait("client closed: the client stopped within a command, and "
                    "memory is short listener=")
    assert counters(daemon)["clients_shed"] >= 1


def test_slow_readers_of_a_worker_that_rests_go_too(start_basic, servers):
    """It had no turns, and so did not see that memory was short.

    The second client goes to the worker that has none.
    """
    daemon = start_basic(servers[:1], workers=2, limits={
        "memory": "16MiB", "client_buffer": "12MiB", "value_size": "12MiB"})
    first, slow = daemon.client(), daemon.client()
    stored(first, b"rest.large", b"x" * 1000000)
    slow.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.send(b"get rest.large\r\n" * 9)
    wait_until(lambda: counters(daemon)["server_bytes_read"] > 9000000,
               "all replies to be there", step=0.02)
    sent = 0
    first.send(b"set rest.body 0 0 12000000\r\n")
    while not daemon.log.find("closed: the client reads too slowly"):
        assert sent < 11500000, "nobody was shed"
        first.send(b"b" * 100000)
        sent += 100000
        wait_until(first.is_read, "the proxy to read", step=0)
    first.send(b"b" * (12000000 - sent) + b"\r\nmn\r\n")
    first.expect(b"SERVER_ERROR object too large for cache\r\nMN\r\n")
    assert counters(daemon)["clients_shed"] == 1
