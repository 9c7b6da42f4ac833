"""A client that knows bytes only.

It sends what it is told and compares what arrives to the byte. Every wait has
a deadline, and a failure shows both sides.
"""

import re
import socket
import struct

from support.clock import Deadline, wait_until
from support.queues import unread_at


def shown(data, limit=300):
    """`data` for a message: its repr, the middle left out when long."""
    if len(data) <= limit:
        return repr(bytes(data))
    half = limit // 2
    return "%r ...%d bytes... %r" % (
        bytes(data[:half]), len(data) - 2 * half, bytes(data[-half:]))


def first_difference(got, wanted):
    """Where two byte strings part, in words."""
    end = min(len(got), len(wanted))
    at = next((i for i in range(end) if got[i] != wanted[i]), end)
    near = slice(max(0, at - 60), at + 100)
    return "at byte %d: got %r, wanted %r (%d bytes against %d)" % (
        at, bytes(got[near]), bytes(wanted[near]), len(got), len(wanted))


class Wire:
    """One connection. `got` holds what arrived and was not yet expected."""

    def __init__(self, address, timeout=5.0):
        if isinstance(address, str):
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.connect(address)
        else:
            self.sock = socket.create_connection(address, 5)
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.timeout = timeout
        self.got = bytearray()
        self.ended = False

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def send(self, data):
        self.sock.settimeout(Deadline(self.timeout).left())
        self.sock.sendall(data)

    def send_cut(self, data, sizes):
        """Sends `data` in writes of these sizes, what is left in one."""
        at = 0
        for size in sizes:
            self.send(data[at:at + size])
            at += size
        if at < len(data):
            self.send(data[at:])

    def send_read(self, data, size=1):
        """Sends in pieces, each only after the peer has read the one before.

        So the peer is certain to see every boundary.
        """
        for at in range(0, len(data), size):
            self.send(data[at:at + size])
            wait_until(self.is_read, "the peer to read %d bytes" % size,
                       step=0)

    def is_read(self):
        """Whether the peer took all that was sent, or closed (loopback)."""
        local = self.sock.getsockname()[1]
        remote = self.sock.getpeername()[1]
        return unread_at(remote, local) in (0, None)

    def _receive(self, deadline):
        """Takes what there is; False at the deadline or at the end."""
        if self.ended:
            return False
        self.sock.settimeout(max(0.001, deadline.left()))
        try:
            data = self.sock.recv(1 << 18)
        except socket.timeout:
            return False
        except ConnectionResetError:
            data = b""
        if not data:
            self.ended = True
            return False
        self.got += data
        return True

    def _until(self, is_enough, timeout):
        deadline = Deadline(timeout or self.timeout)
        while not is_enough():
            if not self._receive(deadline) and (
                    self.ended or deadline.passed()):
                return is_enough()
        return True

    def take(self, count, timeout=None):
        """Exactly `count` bytes, or fewer when the peer ends or stalls."""
        self._until(lambda: len(self.got) >= count, timeout)
        taken = bytes(self.got[:count])
        del self.got[:count]
        return taken

    def expect(self, wanted, timeout=None):
        """The next bytes are exactly these."""
        got = self.take(len(wanted), timeout)
        assert got == wanted, "%s%s, then %s" % (
            first_difference(got, wanted), "; closed" if self.ended else "",
            shown(self.got))

    def line_or_end(self, timeout=None):
        """The next line with its end, or what there is without one."""
        self._until(lambda: b"\n" in self.got, timeout)
        end = self.got.find(b"\n") + 1
        return self.take(end or len(self.got))

    def line(self, timeout=None):
        """The next line, with its end."""
        if not self._until(lambda: b"\n" in self.got, timeout):
            raise AssertionError("no whole line: %s%s" % (
                shown(self.got), ", closed" if self.ended else ""))
        return self.take(self.got.index(b"\n") + 1)

    def expect_line(self, pattern, timeout=None):
        """The next line matches `pattern`, a regex without the line end."""
        line = self.line(timeout)
        assert line.endswith(b"\r\n") and re.fullmatch(
            pattern, line[:-2], re.DOTALL), "%r is not %r" % (line, pattern)
        return line[:-2]

    def until(self, ending, timeout=None):
        """All bytes up to and with the first `ending`."""
        ok = self._until(lambda: ending in self.got, timeout)
        assert ok, "no %r in %s%s" % (
            ending, shown(self.got), ", closed" if self.ended else "")
        return self.take(self.got.index(ending) + len(ending))

    def until_or_end(self, ending, timeout=None):
        """All bytes until the last ones are `ending`, or the peer's end."""
        self._until(lambda: self.got.endswith(ending), timeout)
        return self.take(len(self.got))

    def value(self, key, timeout=None):
        """Reads one whole get reply of one key: its value or None.

        A reply of any other shape is an assertion failure.
        """
        line = self.line(timeout)
        if line == b"END\r\n":
            return None
        found = re.fullmatch(rb"VALUE (\S+) (\d+) (\d+)(?: \d+)?\r\n", line)
        assert found and found.group(1) == key, (key, line)
        body = self.take(int(found.group(3)) + 7, timeout)
        assert body.endswith(b"\r\nEND\r\n"), shown(body)
        return body[:-7]

    def ask(self, command, timeout=None):
        """Sends one command and returns its one-line reply without \\r\\n."""
        self.send(command)
        line = self.line(timeout)
        assert line.endswith(b"\r\n"), line
        return line[:-2]

    def call(self, command, wanted, timeout=None):
        """Sends `command`; the answer is exactly `wanted`."""
        self.send(command)
        try:
            self.expect(wanted, timeout)
        except AssertionError as why:
            raise AssertionError(
                "%s -> %s" % (shown(command), why)) from None

    def in_step(self):
        """The next reply is the one to the next request, nothing before."""
        self.call(b"mn\r\n", b"MN\r\n")

    def half_close(self):
        self.sock.shutdown(socket.SHUT_WR)

    def expect_closed(self, timeout=None):
        """The peer closes and nothing more arrives before."""
        self._until(lambda: self.ended, timeout)
        assert self.ended, "still open"
        assert not self.got, "bytes before the close: " + shown(self.got)

    def read_to_end(self, timeout=None):
        """Everything until the peer closes."""
        self._until(lambda: self.ended, timeout)
        assert self.ended, "still open after " + shown(self.got)
        return self.take(len(self.got))

    def close(self):
        self.sock.close()

    def reset(self):
        """Closes with RST, as a process that died with unread replies."""
        reset(self.sock)


def reset(sock):
    """Closes `sock` with RST instead of FIN."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))
    sock.close()
