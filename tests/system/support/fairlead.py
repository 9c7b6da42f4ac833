"""The daemon under test: start, log, reload, stop, and the offline commands.
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import threading

from support.clock import Deadline, seconds, wait_until
from support.config import scaled, to_yaml
from support.ports import free_port
from support.program import (
    is_sanitized, is_thread_sanitized, is_wrapped, program)
from support.wire import Wire

# The line that ends every reload, good or refused.
RELOADED = r"reload (done|staged|refused)\b.*\bgeneration=\d+"

# What never may stand in a log, whatever a test does.
_FORBIDDEN = re.compile(
    r"bug:|AddressSanitizer|LeakSanitizer|ThreadSanitizer|"
    r"MemorySanitizer|runtime error:|^==\d+==")


def run(*args, stdin=b"", cwd=None, stdout=subprocess.PIPE):
    """Runs one offline command to its end: CompletedProcess with bytes."""
    return subprocess.run(program() + list(args), input=stdin, cwd=cwd,
                          stdout=stdout, stderr=subprocess.PIPE,
                          timeout=seconds(20), check=False)


def bad_lines(lines):
    """The lines that tell of a defect in the program itself."""
    return [line for line in lines if _FORBIDDEN.search(line)]


class Log:
    """The daemon's standard error, line by line as it comes."""

    def __init__(self, stream):
        self.lines = []
        self.ended = False
        self._stream = stream
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        for line in self._stream:
            self.lines.append(line.decode("utf-8", "replace").rstrip("\n"))
        self.ended = True

    def join(self):
        self._thread.join(seconds(5))

    def mark(self):
        """A place in the log: wait(since=...) looks only after it."""
        return len(self.lines)

    def find(self, pattern, since=0):
        """The first line from `since` on that matches, or None."""
        for line in self.lines[since:]:
            if re.search(pattern, line):
                return line
        return None

    def count(self, pattern, since=0):
        return sum(1 for line in self.lines[since:]
                   if re.search(pattern, line))

    def wait(self, pattern, since=0, base=10.0):
        """Waits for a matching line and returns it."""
        return wait_until(
            lambda: self.find(pattern, since),
            lambda: "log line %r; log:\n%s" % (
                pattern, "\n".join(self.lines[since:][-30:])), base)


class Fairlead:
    """One running daemon over one configuration file."""

    def __init__(self, config, directory, text=None, prefix=(), cwd=None,
                 preexec=None, wait=True, pass_fds=()):
        self.path = pathlib.Path(directory) / ("fairlead-%d.yaml" %
                                               free_port())
        self.config = config
        self.write(config, text)
        self.clients = []
        self.process = subprocess.Popen(
            list(prefix) + program() + ["-c", str(self.path)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, cwd=cwd, preexec_fn=preexec,
            pass_fds=pass_fds)
        self.log = Log(self.process.stderr)
        self.pid = self.process.pid
        if wait:
            try:
                self.wait_ready()
            except BaseException:
                self.kill()
                raise

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            self.kill()

    # -- the configuration file ------------------------------------------

    def write(self, config=None, text=None):
        """Replaces the file in one step, as `mv new old` does."""
        new = self.path.with_suffix(".new")
        if text is None:
            self.config = config
            text = to_yaml(scaled(config)) + "\n"
        if isinstance(text, str):
            text = text.encode()
        new.write_bytes(text)
        os.replace(new, self.path)

    def reload(self, config=None, text=None):
        """Writes the file and waits for a successful reload; its log line.
        """
        if config is not None or text is not None:
            self.write(config, text)
        line = self.hang_up()
        assert "refused" not in line, "\n".join(self.log.lines[-30:])
        return line

    def reload_refused(self, text):
        """Writes a bad file and waits for the refusal; its log line."""
        self.write(text=text)
        line = self.hang_up()
        assert "refused" in line, "taken: " + line
        return line

    def hang_up(self):
        """Sends SIGHUP and waits for what comes of it; its log line.

        By then the workers go by the new table: what is asked from here on is
        routed by it.

        The thread sanitizer's runtime now and then keeps a signal to itself
        until another one comes; only there it is sent again.
        """
        mark = self.log.mark()
        for _ in range(5 if is_thread_sanitized() else 0):
            self.signal(signal.SIGHUP)
            with contextlib.suppress(AssertionError):
                return self._reloaded(mark, 1.0)
        self.signal(signal.SIGHUP)
        return self._reloaded(mark, 10.0)

    def _reloaded(self, mark, base):
        """Before the line is written the workers are woken to take the table:
        whoever rests has done so. Who never does is too busy to be waited for.
        """
        line = self.log.wait(RELOADED, mark, base)
        deadline = Deadline(1)
        for thread in os.listdir("/proc/%d/task" % self.pid):
            while self._state(thread) != "S" and not deadline.passed():
                os.sched_yield()
        return line

    # -- the process -----------------------------------------------------

    def wait_ready(self):
        wait_until(
            lambda: self.log.find(r"\bready\b") or self._gone(),
            lambda: "ready; log:\n" + "\n".join(self.log.lines), 15)

    def _gone(self):
        if self.process.poll() is not None:
            self.log.join()
            raise AssertionError("it ended with %s:\n%s" % (
                self.process.returncode, "\n".join(self.log.lines)))
        return False

    def signal(self, number):
        os.kill(self.pid, number)

    def _state(self, thread):
        """A letter of proc(5): R is running, S sleeps, T is stopped."""
        with open("/proc/%d/task/%s/stat" % (self.pid, thread),
                  encoding="ascii") as stat_file:
            return stat_file.read().rsplit(")", 1)[1].split()[0]

    def _is_stopped(self):
        return self._state(self.pid) == "T"

    @contextlib.contextmanager
    def paused(self):
        """Stopped as long as this lasts: what happens meanwhile it will see
        all at once."""
        self.signal(signal.SIGSTOP)
        try:
            wait_until(self._is_stopped, "the daemon to stop")
            yield
        finally:
            self.signal(signal.SIGCONT)

    def is_running(self):
        return self.process.poll() is None

    def wait_exit(self, base=10.0):
        """Waits for the end; the exit code. It is killed if there is none."""
        try:
            code = self.process.wait(seconds(base))
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("it does not end:\n" + "\n".join(
                self.log.lines[-30:])) from None
        self.log.join()
        return code

    def stop(self):
        """All clients leave, and SIGTERM; it must end by itself with 0 and a
        clean log."""
        for client in self.clients:
            client.close()
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        code = self.wait_exit(6.0)
        self.check_log()
        assert code == 0, "exit code %s:\n%s" % (
            code, "\n".join(self.log.lines[-30:]))

    def check_log(self):
        bad = bad_lines(self.log.lines)
        assert not bad, "\n".join(bad[:50])

    def kill(self):
        """For tests that ended it otherwise; nothing is checked."""
        for client in self.clients:
            client.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.log.join()

    # -- its clients -----------------------------------------------------

    @property
    def address(self):
        """(host, port) of the first listener."""
        host, port = self.config["listeners"][0]["listen"].rsplit(":", 1)
        return (host.strip("[]"), int(port))

    def client(self, address=None, **options):
        """A new connection, closed at the latest when the daemon stops."""
        wire = Wire(address or self.address, **options)
        self.clients.append(wire)
        return wire

    # -- what /proc says -------------------------------------------------

    def descriptors(self):
        """How many file descriptors it has open."""
        return len(os.listdir("/proc/%d/fd" % self.pid))

    def rss(self):
        """Resident bytes."""
        with open("/proc/%d/statm" % self.pid, encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def grew_at_most(self, before, limit):
        """Asserts that resident memory is at most `limit` above `before`.

        Sanitizers and valgrind keep what was freed, so under them the number
        means nothing; what led up to it was tested all the same.
        """
        grown = self.rss() - before
        assert is_wrapped() or is_sanitized() or grown <= limit, \
            "grown by %d KiB, at most %d" % (grown >> 10, limit >> 10)

    def cpu_seconds(self):
        """User and system time used so far."""
        with open("/proc/%d/stat" % self.pid, encoding="ascii") as stat:
            field = stat.read().rsplit(")", 1)[1].split()
        return (int(field[11]) + int(field[12])) / os.sysconf("SC_CLK_TCK")

    # -- placement -------------------------------------------------------

    def locate(self, keys):
        """{key: (pool, server name, address)} as the offline command says.
        """
        done = run("locate", "-c", str(self.path), "-",
                   stdin=b"".join(key + b"\n" for key in keys))
        assert done.returncode == 0, done.stderr.decode()
        rows = {}
        for line in done.stdout.splitlines():
            key, pool, name, address = line.rsplit(b"\t", 3)
            rows[key] = (pool.decode(), name.decode(), address.decode())
        return rows
