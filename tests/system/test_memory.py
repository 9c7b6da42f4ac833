"""What has broken other proxies' memory: it stays below limits.memory, and
comes back when the load goes.

Read from the resident size, so on plain builds only: sanitizers and valgrind
keep what was freed, and there the figure means nothing. What leads up to it
is tested under them by test_isolation.py and test_limits.py.
"""

import resource
import signal
import socket
import threading

import pytest

from support import config
from support.clock import wait_until
from support.faults import works_again
from support.ports import free_port
from support.program import is_sanitized, is_wrapped

pytestmark = pytest.mark.skipif(
    is_sanitized() or is_wrapped(),
    reason="resident memory means nothing where freed memory is kept")

MIB = 1 << 20
LIMIT = 64          # MiB: limits.memory of all these
NEAR_IDLE = 4       # MiB: what may be left of it when all is over


class Watch:
    """Reads the resident size all the time, and keeps the largest."""

    def __init__(self, daemon):
        self.daemon = daemon
        with daemon.client() as wire:
            wire.call(b"get idle\r\n", b"END\r\n")
        self.idle = self.peak = daemon.rss()
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self):
        while not self.stop.wait(0.005):
            self.peak = max(self.peak, self.daemon.rss())

    def end(self):
        """The peak was below the limit, and the memory comes back."""
        self.stop.set()
        self.thread.join()
        grown = (self.peak - self.idle) / MIB
        assert grown <= LIMIT, "grown by %.1f MiB" % grown
        wait_until(
            lambda: self.daemon.rss() <= self.idle + NEAR_IDLE * MIB,
            lambda: "memory to come back: %.1f MiB are left, %.1f at most" % (
                (self.daemon.rss() - self.idle) / MIB, grown),
            base=15, step=0.05)
        print("at most %.1f MiB above idle" % grown)


@pytest.fixture
def watched(start_basic, own_servers):
    """A daemon over one server of its own, and the watch over its memory."""
    servers = own_servers(1, megabytes=512)
    daemon = start_basic(servers, {"timeouts": {"request": "1s"}}, limits={
        "memory": "%dMiB" % LIMIT})
    return daemon, servers[0], Watch(daemon)


@pytest.mark.parametrize("head", [b"", b"get ", b"set "])
def test_one_line_of_200_megabytes(head, watched):
    daemon, _, watch = watched
    wire = daemon.client(timeout=30)
    with pytest.raises(OSError):
        wire.send(head)
        for _ in range(200):
            wire.send(b"x" * MIB)
    watch.end()


@pytest.mark.parametrize("ends", ["is read", "is left"])
def test_500_unread_gets_of_900_kilobytes(ends, watched):
    daemon, _, watch = watched
    value = b"z" * 900000
    slow = daemon.client(timeout=60)
    slow.call(b"set big 0 0 900000\r\n%s\r\n" % value, b"STORED\r\n")
    slow.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 18)
    slow.send(b"get big\r\n" * 500)
    one = b"VALUE big 0 900000\r\n" + value + b"\r\nEND\r\n"
    with daemon.client() as other:
        for _ in range(20):
            other.call(b"get big\r\n", one, timeout=10)
    if ends == "is read":
        for _ in range(500):
            slow.expect(one, timeout=20)
    slow.reset()
    watch.end()


def test_200000_pipelined_gets(watched):
    daemon, _, watch = watched
    count, one = 200000, b"VALUE small 0 10\r\n0123456789\r\nEND\r\n"
    wire = daemon.client(timeout=60)
    wire.call(b"set small 0 0 10\r\n0123456789\r\n", b"STORED\r\n")
    sender = threading.Thread(
        target=wire.send, args=(b"get small\r\n" * count,), daemon=True)
    sender.start()
    left = count
    while left > 0:
        some = min(left, 5000)
        wire.expect(one * some, timeout=20)
        left -= some
    sender.join()
    wire.close()
    watch.end()


def fill(daemon, sent):
    """A client that sends 30 values of a megabyte, read or not."""
    with daemon.client(timeout=30) as wire:
        for _ in range(30):
            wire.send(b"set stopped 0 0 1000000\r\n%s\r\n" % (b"q" * 1000000))
            sent.append(1)
        for _ in range(30):
            line = wire.line(timeout=30)
            assert line.startswith(b"SERVER_ERROR "), line
    sent.append("judged")


def test_a_stopped_server_under_300_megabytes_of_sets(watched):
    daemon, server, watch = watched
    sent = []
    server.process.send_signal(signal.SIGSTOP)
    try:
        writers = [threading.Thread(target=fill, args=(daemon, sent))
                   for _ in range(10)]
        for one in writers:
            one.start()
        for one in writers:
            one.join()
    finally:
        server.process.send_signal(signal.SIGCONT)
    assert sent.count(1) == 300 and sent.count("judged") == 10, sent[-3:]
    works_again(daemon, b"after")
    watch.end()


def test_nothing_is_sized_by_the_limit_of_descriptors(start, servers):
    """It may be a billion in a container."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    sizes = []
    for limit in (256, min(most, 1 << 20)):
        daemon = start(
            config.basic(free_port(), [servers[0].text],
                         limits={"clients": 50}),
            preexec=lambda limit=limit: resource.setrlimit(
                resource.RLIMIT_NOFILE, (limit, limit)))
        with daemon.client() as wire:
            wire.in_step()
            sizes.append(daemon.rss())
    assert abs(sizes[1] - sizes[0]) < MIB, sizes
