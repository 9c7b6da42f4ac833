"""One who misbehaves harms himself only: a trickling server, a client that
never reads, a flood for a stopped server, descriptors that run out.
"""

import threading

from support.faults import LOST_WRITE, stored, works_again


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
