"""One who misbehaves harms himself only: a trickling server, a client that
never reads, a flood for a stopped server, descriptors that run out.
"""

import resource
import signal
import socket
import threading

from support import config
from support.faults import LOST_WRITE, keys_of, stored, works_again
from support.ports import free_port


def trickle(stop):
    """Announces a large value, then says a byte now and then for ever."""
    def rule(peer, request, reply):
        peer.send(b"VALUE %s 0 1000000\r\n" % request.keys[0])
        while not stop.wait(0.02):
            peer.send(b"x")
    return rule


def test_a_reply_that_trickles_holds_up_nobody_for_ever(over, played):
    server = played()
    daemon = over([server], {"on_down": "error",
                             "health": {"failures": 1000}})
    stop = threading.Event()
    server.on(b"trickle", trickle(stop), times=1)
    try:
        with daemon.client() as left, daemon.client() as wire:
            stored(wire, b"a")
            left.send(b"get trickle\r\n")
            server.wait_seen(b"trickle")
            wire.send(b"get a\r\n")
            wire.expect_line(LOST_WRITE)
            left.close()
            # The connection goes too, whoever has left meanwhile.
            works_again(daemon, b"b")
    finally:
        stop.set()


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))


def test_a_want_of_descriptors_is_no_fault_of_a_server(servers, start):
    daemon = start(config.basic(free_port(), [servers[0].text],
                                {"on_down": "error"}),
                   preexec=few_descriptors)
    crowd = [daemon.client() for _ in range(60)]
    daemon.log.wait("accepts nobody")
    # More often than the failures in a row that would open the breaker.
    for _ in range(5):
        crowd[0].send(b"set a 0 0 1\r\nx\r\n")
        crowd[0].expect_line(rb"SERVER_ERROR .*: no file descriptor is left")
    assert not daemon.log.find("is down")
    for wire in crowd:
        wire.close()
    works_again(daemon, b"a")


def test_an_idle_connection_closed_as_a_request_comes(over, played):
    """Nothing of it was sent, so even a write goes over another one."""
    server = played()
    daemon = over([server])
    with daemon.client() as wire:
        stored(wire, b"a")
        for n in range(5):
            # Stopped, so that it finds both in one turn, in this order.
            daemon.signal(signal.SIGSTOP)
            wire.send(b"set b%d 0 0 1\r\nx\r\n" % n)
            server.hang_up()
            daemon.signal(signal.SIGCONT)
            wire.expect(b"STORED\r\n")
    assert server.accepted == 6
    assert not daemon.log.find("closed the connection")


def test_a_flood_for_a_stopped_server_is_held_back(own_servers, over):
    """What one client sends is bounded, also once it waits at a server."""
    fine, stopped = own_servers(2)
    daemon = over([fine, stopped], {"timeouts": {"request": "1s"}},
                  limits={"memory": "16MiB"})
    good = keys_of(daemon, 0, 1)[0]
    bad = keys_of(daemon, 1, 1)[0]
    with daemon.client() as wire:
        stored(wire, bad)
    stopped.process.send_signal(signal.SIGSTOP)
    ends = threading.Event()
    flood = threading.Thread(target=flood_with, daemon=True, args=(
        daemon, b"set %s 0 0 1000000\r\n%s\r\n" % (bad, b"x" * 1000000),
        ends))
    flood.start()
    try:
        while not daemon.log.find("s1 is down"):
            with daemon.client() as wire:
                stored(wire, good, b"y" * 200000)
                wire.send(b"get %s\r\n" % good)
                assert wire.value(good) == b"y" * 200000
    finally:
        stopped.process.send_signal(signal.SIGCONT)
        ends.set()
        flood.join()


def flood_with(daemon, message, ends):
    """Sends `message` again and again, reading nothing."""
    wire = daemon.client(timeout=0.2)
    while not ends.is_set():
        try:
            wire.send(message)
        except socket.timeout:
            return                  # held back, as it should be
        except OSError:
            wire = daemon.client(timeout=0.2)
