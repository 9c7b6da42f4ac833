"""A played service manager: the socket that systemd would listen on."""

import contextlib
import os
import pathlib
import select
import socket
import sys

from support.clock import seconds
from support.ports import free_port

_ACTIVATE = pathlib.Path(__file__).with_name("activate.py")

# Says to the program that it is the one the watchdog is for: its own process,
# which the shell becomes.
AS_ITSELF = ("sh", "-c", "export WATCHDOG_PID=$$; exec \"$@\"", "sh")


@contextlib.contextmanager
def listening(path=None):
    """A socket that listens on loopback, or on a path; its address."""
    sock = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
    sock.bind(path or ("127.0.0.1", free_port()))
    sock.listen(100)
    try:
        yield sock, sock.getsockname()
    finally:
        sock.close()


def passing(**sockets):
    """What a daemon is started with to get these sockets by their names."""
    words = ["%s=%d" % (name.replace("_", "-"), one.fileno())
             for name, one in sockets.items()]
    return {"prefix": (sys.executable, str(_ACTIVATE), *words, "--"),
            "pass_fds": [one.fileno() for one in sockets.values()]}


class Manager:
    """Receives notifications, in order, as {"READY": "1", ...}."""

    def __init__(self, address):
        self.address = address
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._sock.bind("\0" + address[1:] if address[0] == "@" else address)
        self._sock.settimeout(seconds(10))

    def prefix(self, **more):
        """What to put before the program's command line."""
        words = ["%s=%s" % item for item in more.items()]
        return ("env", "NOTIFY_SOCKET=" + self.address, *words, *AS_ITSELF)

    def next(self):
        """The next notification."""
        rows = self._sock.recv(65536).decode().split("\n")
        return dict(row.split("=", 1) for row in rows)

    def is_quiet(self):
        """Whether nothing more has come; what has is gone then."""
        if not select.select([self._sock], [], [], 0)[0]:
            return True
        self._sock.recv(65536)
        return False

    def close(self):
        self._sock.close()
        if self.address[0] != "@":
            os.unlink(self.address)
