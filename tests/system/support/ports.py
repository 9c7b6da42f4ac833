"""Free loopback ports.

They come from below the kernel's range for outgoing connections (32768 and
up), so that no client's own port can take one between choice and use.
"""

import os
import random
import socket

_FIRST, _LAST = 20000, 32000
_random = random.Random(os.getpid())
_given = set()


def free_port(host="127.0.0.1"):
    """A TCP port of `host` that nothing listens on; never the same twice."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for _ in range(2000):
        port = _random.randrange(_FIRST, _LAST)
        if port in _given:
            continue
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            try:
                probe.bind((host, port))
            except OSError:
                continue
        _given.add(port)
        return port
    raise RuntimeError("no free port between %d and %d" % (_FIRST, _LAST))
