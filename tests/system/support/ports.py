"""Free loopback ports.

They come from below the kernel's range for outgoing connections (32768 and
up), so that no client's own port can take one between choice and use. Test
runs beside each other have none in common: each holds the blocks of ports
that it gives from, by names of sockets that go when it ends.
"""

import os
import random
import socket

_FIRST, _LAST, _BLOCK = 12000, 32000, 50
_random = random.Random(os.getpid())
_held = []      # A socket for each block of ours.
_left = []      # The ports of the last of them that were not given yet.


def _hold_a_block():
    firsts = list(range(_FIRST, _LAST, _BLOCK))
    _random.shuffle(firsts)
    for first in firsts:
        holder = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            holder.bind("\0fairlead-test-ports-%d" % first)
        except OSError:
            holder.close()
            continue
        _held.append(holder)
        _left.extend(range(first, first + _BLOCK))
        return
    raise RuntimeError("no free port between %d and %d" % (_FIRST, _LAST))


def free_port(host="127.0.0.1"):
    """A TCP port of `host` that nothing listens on; never the same twice."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    while True:
        if not _left:
            _hold_a_block()
        port = _left.pop()
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            try:
                probe.bind((host, port))
            except OSError:
                continue
        return port
