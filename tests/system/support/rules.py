"""What a played server may do with a request, as rules for Played.on().

Each function is a rule, or makes one: rule(peer, request, reply), in which
`reply` is what a well-behaved server would have said.
"""

from support.clock import seconds, wait_until
from support.queues import unread_at


def say_nothing(peer, request, reply):
    """The request is read and never answered; the connection goes on."""


def hang_up(peer, request, reply):
    peer.close()


def reset_connection(peer, request, reply):
    peer.reset()


def say(data):
    """Sends `data` instead of the reply."""
    def rule(peer, request, reply):
        peer.send(data)
    return rule


def say_after(extra):
    """Sends the proper reply, then `extra` in the same write."""
    def rule(peer, request, reply):
        peer.send(reply + extra)
    return rule


def die_after(count):
    """Sends the first `count` bytes of the reply, then closes."""
    def rule(peer, request, reply):
        peer.send(reply[:count])
        peer.close()
    return rule


def reset_after(count):
    """Sends the first `count` bytes of the reply, then resets."""
    def rule(peer, request, reply):
        peer.send(reply[:count])
        peer.reset()
    return rule


def hold(event):
    """Waits for `event` before the proper reply, as a stalled server."""
    def rule(peer, request, reply):
        event.wait(seconds(20))
        peer.send(reply)
    return rule


def hold_after(count, event):
    """Sends `count` bytes of the reply, the rest after `event`."""
    def rule(peer, request, reply):
        peer.send(reply[:count])
        event.wait(seconds(20))
        peer.send(reply[count:])
    return rule


def drip(size):
    """The proper reply in writes of `size` bytes, each one read by the
    proxy before the next is sent."""
    def rule(peer, request, reply):
        wait = _Read(peer.sock)
        for at in range(0, len(reply), size):
            peer.send(reply[at:at + size])
            wait.until_read()
    return rule


def cut_at(offset):
    """The proper reply in two writes, the second after the first was read.
    """
    def rule(peer, request, reply):
        peer.send(reply[:offset])
        _Read(peer.sock).until_read()
        peer.send(reply[offset:])
    return rule


class _Read:
    """Waits until the peer of a socket has read all that was sent."""

    def __init__(self, sock):
        self.local = sock.getsockname()[1]
        self.remote = sock.getpeername()[1]

    def until_read(self):
        wait_until(lambda: unread_at(self.remote, self.local) in (0, None),
                   "the proxy to read", step=0)
