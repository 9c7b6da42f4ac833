"""./run, the first command of somebody new: a fleet, and its end."""

import os
import pathlib
import pty
import re
import select
import signal
import socket
import subprocess
import tempfile
import threading

import pytest

from support.admin import Admin
from support.clock import seconds, wait_until
from support.fairlead import Log, program
from support.memcached import memcached_path

ROOT = pathlib.Path(__file__).resolve().parents[2]
HELLO_END = r"stats proxy"


def the_program():
    return str(pathlib.Path(program()[-1]).resolve())


def environment(**more):
    """That of ./run: it starts the program under test, and builds none."""
    return dict(os.environ, **{"FAIRLEAD": the_program(), **more})


def descendants(pid):
    """All processes below `pid`."""
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid),
                  encoding="ascii") as text:
            children = [int(word) for word in text.read().split()]
    except OSError:
        return []
    return children + [d for child in children for d in descendants(child)]


def is_alive(pid):
    """Whether it runs; a zombie does not."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def heed_signals():
    """Who was started in the background may have inherited that they are
    ignored, and a shell cannot trap such."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


class Run:
    """A running ./run, from somewhere else than its folder."""

    def __init__(self, directory, stdin=subprocess.DEVNULL, more=(),
                 **options):
        self.directory = directory
        options.setdefault("preexec_fn", heed_signals)
        self.process = subprocess.Popen(
            [str(ROOT / "run")], cwd="/", stdin=stdin,
            env=environment(TMPDIR=str(directory), **dict(more)),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        self.log = Log(self.process.stdout)
        self.children = []
        try:
            self._wait_hello()
        except BaseException:
            self.kill()
            raise
        self.file = pathlib.Path(
            re.search(r"(/\S+/fairlead\.yaml)", self.text()).group(1))

    def _wait_hello(self):
        wait_until(lambda: self.log.find(HELLO_END) or
                   self.process.poll() is not None,
                   lambda: "its hello; it said:\n" + self.text(), 30)
        assert self.process.poll() is None, self.text()
        self.children = wait_until(self._fleet, "four children")

    def _fleet(self):
        """Three servers and Fairlead; printing took others for a moment."""
        found = descendants(self.process.pid)
        return found if len(found) == 4 else None

    def text(self):
        return "\n".join(self.log.lines)

    @property
    def port(self):
        return int(re.search(r"Fairlead listens on 127\.0\.0\.1:(\d+)",
                             self.text()).group(1))

    def commands(self):
        """The three lines to try."""
        lines = self.log.lines
        start = next(i for i, line in enumerate(lines)
                     if line.startswith("Three lines to try"))
        return [line for line in lines[start + 1:] if line][:3]

    def child(self, word):
        """The process below it whose command line has `word`."""
        for pid in self.children:
            with open("/proc/%d/cmdline" % pid, "rb") as words:
                if words.read().split(b"\0")[0].endswith(word):
                    return pid
        raise AssertionError("no child %r" % word)

    def wait_exit(self):
        code = self.process.wait(seconds(15))
        self.log.join()
        return code

    def nothing_is_left(self):
        wait_until(lambda: not any(is_alive(pid) for pid in self.children),
                   "the end of all that it started")
        assert os.listdir(self.directory) == []

    def kill(self):
        for pid in [self.process.pid] + (
                self.children or descendants(self.process.pid)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()


@pytest.fixture
def run(tmp_path):
    """Starts ./run; whatever the test does, nothing of it stays."""
    started = []

    def go(**options):
        started.append(Run(tmp_path, **options))
        return started[-1]

    yield go
    for one in started:
        one.kill()


def shell(line):
    done = subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=seconds(10),
                          check=False)
    assert done.returncode == 0, done
    return done.stdout


def test_the_three_lines_do_what_they_promise(run):
    one = run()
    talk, locate, stats = one.commands()
    assert shell(talk) == (b"STORED\r\nVALUE greeting 0 5\r\nhello\r\n"
                           b"END\r\n")
    rows = [row.split(b"\t") for row in shell(locate).splitlines()]
    assert [row[0] for row in rows] == [b"greeting", b"user:1", b"user:2"]
    assert all(row[1] == b"main" and row[2].startswith(b"cache-")
               for row in rows)
    assert b"STAT cmd_set 1\r\n" in shell(stats)
    page = re.search(r"in a browser: http://(127\.0\.0\.1):(\d+)/", one.text())
    answer = Admin((page.group(1), int(page.group(2)))).get("/")
    assert answer.status == 200 and "<h1>Fairlead</h1>" in answer.text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT,
                                    signal.SIGQUIT])
def test_a_signal_ends_all_of_it(run, number):
    one = run()
    one.process.send_signal(number)
    assert one.wait_exit() == 0
    one.nothing_is_left()


def test_hangup_reloads(run):
    one = run()
    mark = one.log.mark()
    with open(one.file, "a", encoding="ascii") as file:
        file.write("    hash_tag: \"{}\"\n")
    one.process.send_signal(signal.SIGHUP)
    one.log.wait(r"reload done.*generation=2", mark)
    one.process.send_signal(signal.SIGTERM)
    assert one.wait_exit() == 0
    one.nothing_is_left()


def test_the_fleet_ends_when_fairlead_dies(run):
    one = run()
    os.kill(one.child(b"/fairlead"), signal.SIGKILL)
    assert one.wait_exit() == 128 + signal.SIGKILL
    one.nothing_is_left()


def test_a_server_that_dies_ends_nothing(run):
    one = run()
    os.kill(one.child(b"memcached"), signal.SIGKILL)
    with socket.create_connection(("127.0.0.1", one.port)) as sock:
        sock.sendall(b"version\r\n")
        assert sock.recv(100).startswith(b"VERSION ")
    one.process.send_signal(signal.SIGTERM)
    assert one.wait_exit() == 0
    one.nothing_is_left()


def test_no_process_outlives_it_when_it_is_killed(run):
    one = run()
    one.process.kill()
    one.process.wait()
    wait_until(lambda: not any(is_alive(pid) for pid in one.children),
               "the end of its children")


def test_a_taken_port_is_said_and_another_one_chosen(run):
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        is_ours = True
        try:
            holder.bind(("127.0.0.1", 11211))
            holder.listen()
        except OSError:
            is_ours = False     # Somebody else has it, which is as good.
        one = run()
        if one.port == 11211 and not is_ours:
            return              # He let go of it meanwhile.
        assert "port 11211 is taken" in one.text()
        assert one.port != 11211
        with socket.create_connection(("127.0.0.1", one.port)) as sock:
            sock.sendall(b"version\r\n")
            assert b"fairlead" in sock.recv(100)


class Overtaken:
    """A program whose first start finds its port gone: somebody was there
    between ./run's look and its own. It is what ./run finds as `name`."""

    _PROGRAM = """#!/bin/sh
    if [ -p '{0}/asked' ]; then
            echo "$@" >'{0}/asked'
            read -r go <'{0}/go'
    fi
    exec {1} "$@"
    """

    def __init__(self, directory, name, real, port_of):
        self.directory, self.port_of = directory, port_of
        self.rival = socket.socket()
        self.rival.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.path = directory / name
        self.path.write_text(self._PROGRAM.format(directory, real))
        self.path.chmod(0o755)
        directory.chmod(0o755)          # The servers run as another user.
        for name in ("asked", "go"):
            os.mkfifo(directory / name)
            (directory / name).chmod(0o666)
        self._thread = threading.Thread(target=self._overtake, daemon=True)
        self._thread.start()

    def _overtake(self):
        asked = (self.directory / "asked").read_text()
        (self.directory / "asked").unlink()
        self.port = int(self.port_of(asked))
        self.rival.bind(("127.0.0.1", self.port))
        self.rival.listen()
        # It goes on once the rival was looked at, or was not.
        select.select([self.rival], [], [], 0.3)
        (self.directory / "go").write_text("\n")

    def close(self):
        """It waits without end where ./run did not come so far."""
        self._thread.join(seconds(5))
        self.rival.close()


def port_of_server(words):
    return re.search(r"-p (\d+)", words).group(1)


def port_of_fairlead(words):
    with open(words.split()[1], encoding="ascii") as text:
        return re.search(r"- listen: 127\.0\.0\.1:(\d+)",
                         text.read()).group(1)


@pytest.fixture
def overtaken():
    """In a folder that other users may look into."""
    with tempfile.TemporaryDirectory() as directory:
        made = []

        def go(*args):
            made.append(Overtaken(pathlib.Path(directory), *args))
            return made[-1]

        yield go
        for one in made:
            one.close()


def test_another_ones_server_is_not_taken_for_its_own(run, overtaken):
    first = overtaken("memcached", memcached_path(), port_of_server)
    one = run(more={"PATH": "%s:%s" % (first.directory, os.environ["PATH"])})
    text = one.text()
    assert "memcached does not start on port %d" % first.port in text
    assert "127.0.0.1:%d\n" % first.port not in text
    assert shell(one.commands()[0]).count(b"hello") == 1


def test_another_ones_listener_is_not_taken_for_its_own(run, overtaken):
    first = overtaken("fairlead", the_program(), port_of_fairlead)
    one = run(more={"FAIRLEAD": str(first.path)})
    assert one.port != first.port
    assert shell(one.commands()[0]).count(b"hello") == 1


def on_a_terminal(run):
    """./run as a shell in a terminal window has it; and the terminal."""
    ours, theirs = pty.openpty()

    def control():
        heed_signals()
        os.setsid()
        os.close(os.open(os.ttyname(0), os.O_RDWR))

    one = run(stdin=theirs, preexec_fn=control)
    os.close(theirs)
    return one, ours


def test_ctrl_c_ends_all_of_it(run):
    one, terminal = on_a_terminal(run)
    os.write(terminal, b"\x03")
    assert one.wait_exit() == 0
    one.nothing_is_left()
    os.close(terminal)


def test_a_terminal_that_is_closed_ends_all_of_it(run):
    one, terminal = on_a_terminal(run)
    os.close(terminal)
    assert one.wait_exit() == 0
    one.nothing_is_left()


# -- a file of one's own -----------------------------------------------------

def run_with(*args, cwd="/"):
    return subprocess.run([str(ROOT / "run")] + list(args), cwd=cwd,
                          env=environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=seconds(20), check=False)


def test_arguments_are_passed_on(tmp_path):
    assert re.match(rb"fairlead \d", run_with("--version").stdout)
    (tmp_path / "bad.yaml").write_text("nonsense: 1\n", encoding="ascii")
    done = run_with("-t", "-c", "bad.yaml", cwd=str(tmp_path))
    assert done.returncode == 78
    assert b"bad.yaml:1:1: " in done.stderr
