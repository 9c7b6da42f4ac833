"""Real memcacheds on loopback ports, and what they say when asked."""

import contextlib
import shutil
import socket
import subprocess

from support import stats
from support.clock import wait_until
from support.ports import free_port
from support.wire import Wire


def memcached_path():
    """Where memcached is; its absence is an error, never a skip."""
    path = shutil.which("memcached", path="/usr/bin:/usr/local/bin:/bin")
    if path is None:
        raise RuntimeError("memcached is not installed")
    return path


class Memcached:
    """One server. Stopped and started again it keeps its port, not its data.
    """

    def __init__(self, megabytes=64, port=None, options=(),
                 host="127.0.0.1", prefix=()):
        self.port = port or free_port(host)
        self.address = (host, self.port)
        self.text = "%s:%d" % self.address
        self.megabytes = megabytes
        self.options = list(options)
        self.prefix = list(prefix)
        self.process = None
        self._admin = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.prefix + [
                memcached_path(), "-l", self.address[0], "-p", str(self.port),
                "-U", "0", "-u", "root", "-m", str(self.megabytes), "-t", "1",
                "-c", "2048"] + self.options,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        try:
            wait_until(self._answers, "memcached on %s" % self.text, base=10)
        except BaseException:
            self.kill()
            raise

    def _answers(self):
        if self.process.poll() is not None:
            raise RuntimeError("memcached on %s ended with %s" % (
                self.text, self.process.returncode))
        try:
            with socket.create_connection(self.address, 1) as sock:
                sock.sendall(b"version\r\n")
                return sock.recv(100) != b""
        except OSError:
            return False

    def kill(self):
        """As a crash: at once, connections reset by the kernel."""
        self._forget_admin()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    stop = kill

    def _forget_admin(self):
        if self._admin is not None:
            self._admin.close()
            self._admin = None

    def admin(self):
        """The one connection these tests keep for questions of their own."""
        if self._admin is None:
            self._admin = Wire(self.address)
        return self._admin

    def get(self, key):
        """The value it holds under `key`, asked directly; None if none."""
        wire = self.admin()
        wire.send(b"get %s\r\n" % key)
        return wire.value(key)

    def has(self, keys):
        """Which of `keys` it holds."""
        found = set()
        wire = self.admin()
        for at in range(0, len(keys), 500):
            wire.send(b"get %s\r\n" % b" ".join(keys[at:at + 500]))
            line = wire.line()
            while line != b"END\r\n":
                _, key, _, length = line.split()
                wire.take(int(length) + 2)
                found.add(key)
                line = wire.line()
        return found

    def set(self, key, value):
        self.admin().call(b"set %s 0 0 %d\r\n%s\r\n" % (
            key, len(value), value), b"STORED\r\n")

    def flush(self):
        self.admin().call(b"flush_all\r\n", b"OK\r\n")

    def stats(self):
        return stats.read(self.admin())

    def connections_made(self):
        """Connections others opened since the start."""
        return int(self.stats()["total_connections"])

    def connections_open(self):
        """Connections open now, ours not counted."""
        return int(self.stats()["curr_connections"]) - 1


@contextlib.contextmanager
def fleet():
    """A function that makes servers, all of which are gone at the end."""
    started = []

    def make(count=3, **options):
        for _ in range(count):
            started.append(Memcached(**options))
        return started[-count:]

    try:
        yield make
    finally:
        for one in started:
            one.stop()
