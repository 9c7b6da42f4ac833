"""What the tests of misbehaving servers share."""

import re

from support import stats
from support.clock import wait_until
from support.wire import Wire

# Either is a right answer to a read that a server failed; a write fails.
LOST_READ = rb"(END|SERVER_ERROR .+)"
LOST_WRITE = rb"SERVER_ERROR .+"

QUICK = {"timeouts": {"connect": "200ms", "request": "300ms"},
         "health": {"failures": 3, "retry": "100ms", "retry_max": "200ms"}}


def stored(wire, name, value=None):
    value = name if value is None else value
    wire.call(b"set %s 0 0 %d\r\n%s\r\n" % (name, len(value), value),
              b"STORED\r\n")


def value_of(name):
    return b"VALUE %s 0 %d\r\n%s\r\n" % (name, len(name), name)


def hit(name):
    return value_of(name) + b"END\r\n"


def lost_read(wire, name):
    """Takes the answer to a get that may have failed: its value or None."""
    line = wire.line()
    if re.fullmatch(b"VALUE %s 0 %d(?: \\d+)?\r\n" % (
            re.escape(name), len(name)), line):
        wire.expect(name + b"\r\nEND\r\n")
        return name
    assert line == b"END\r\n" or line.startswith(b"SERVER_ERROR "), line
    return None


def works_again(daemon, name):
    """Waits until `name` can be stored and read.

    Both at once: its owner may come back between the two, empty.
    """
    def does():
        with daemon.client() as wire:
            wire.send(b"set %s 0 0 %d\r\n%s\r\n" % (name, len(name), name))
            if wire.line() != b"STORED\r\n":
                return False
            wire.send(b"get %s\r\n" % name)
            return wire.line().startswith(b"VALUE ")
    wait_until(does, "%r to work again" % name, step=0.02)


def counters(daemon, of=b"proxy"):
    """What `stats proxy`, or another one, counts by name; words are left
    out."""
    with daemon.client() as wire:
        found = stats.read(wire, of)
    return {name: int(value) for name, value in found.items()
            if value.isdigit()}


def serves(daemon):
    """Whether a new client has a place, and its answer soon."""
    with Wire(daemon.address) as wire:
        try:
            wire.send(b"mn\r\n")
            return wire.take(4, timeout=1) == b"MN\r\n"
        except (BrokenPipeError, ConnectionResetError):
            return False


def keys_of(daemon, index, count, tag=b"k"):
    """`count` keys whose server is s<index>."""
    names = [tag + b"%d" % i for i in range(count * 40)]
    located = daemon.locate(names)
    mine = [n for n in names if located[n][1] == "s%d" % index]
    return mine[:count]
