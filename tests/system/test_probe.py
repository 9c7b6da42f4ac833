"""`fairlead probe`, `wait` and `reload`, asking a running daemon."""

import os
import signal
import socket
import subprocess
import sys

import pytest

from support import config
from support.clock import seconds
from support.fairlead import Fairlead, program, run
from support.ports import free_port
from support.process import started

YES, NO = 0, 1
USAGE, NO_INPUT, UNAVAILABLE, PROTOCOL, NO_PERMISSION, CONFIG = \
    64, 66, 69, 76, 77, 78


@pytest.fixture(params=["tcp", "unix"])
def admin(request, tmp_path):
    """An address for the admin listener."""
    return "127.0.0.1:%d" % free_port() if request.param == "tcp" else \
        "unix:%s" % (tmp_path / "admin.sock")


@pytest.fixture
def daemon(start_basic, servers, admin):
    return start_basic(servers[:1], admin={"listen": admin, "actions": True})


@pytest.mark.parametrize("what", ["live", "ready", "startup"])
def test_yes_by_address_and_by_file(what, daemon, admin):
    assert run("probe", what, "--admin", admin).returncode == YES
    done = run("probe", what, "-c", str(daemon.path))
    assert (done.returncode, done.stdout, done.stderr) == (YES, b"", b"")


def test_no_without_a_daemon(admin):
    for what in ("live", "ready", "startup"):
        done = run("probe", what, "-a", admin)
        assert done.returncode == NO
        assert b"cannot connect" in done.stderr


def test_no_longer_ready_while_it_drains(daemon, admin):
    with daemon.client() as wire:
        wire.in_step()
        mark = daemon.log.mark()
        daemon.signal(signal.SIGTERM)
        daemon.log.wait("draining", mark)
        done = run("probe", "ready", "-a", admin)
        assert done.returncode == NO and b"draining" in done.stderr
        assert run("probe", "live", "-a", admin).returncode == YES


def test_a_daemon_that_hangs_is_not_live(daemon, admin):
    with daemon.paused():
        done = run("probe", "live", "-a", admin, "--max", "50ms")
        assert done.returncode == NO and b"in time" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGHUP])
def test_a_signal_ends_a_command(number):
    """Only the daemon has other plans with it."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(seconds(5))
        address = "127.0.0.1:%d" % silent.getsockname()[1]
        with started(program() + ["wait", "-m", "1h", "-a",
                                  address]) as process:
            asked, _ = silent.accept()
            with asked:
                process.send_signal(number)
                assert process.wait(seconds(5)) == -number


def test_a_file_that_broke_after_the_start_says_nothing(daemon):
    """Else a typo in the file would end the process that keeps serving."""
    daemon.write(text=daemon.path.read_text() + "nonsense: 1\n")
    assert run("probe", "live", "-c", str(daemon.path)).returncode == YES


# Loopback is down in a network of its own, until somebody says otherwise.
UP = "import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, " \
    "struct.pack('16sH14x', b'lo', 1))"

# Answers 10 and so on where something is not as it should be.
USUAL = """
"$0" -c "$1" || exit 10
shift; file=$1; shift
"$@" probe live 2>/dev/null && exit 11
"$@" -c "$file" 2>/dev/null &
trap "kill $! 2>/dev/null" EXIT
"$@" wait || exit 12
"$@" probe live || exit 13
kill $! && wait $!
"""


def test_without_an_address_it_is_the_usual_one(tmp_path):
    """In a network of its own: here, others may want that port as well."""
    try_it = subprocess.run(["unshare", "--net", "true"],
                            stderr=subprocess.PIPE, check=False)
    if try_it.returncode != 0:
        pytest.skip("no network namespace here: " + try_it.stderr.decode())
    path = tmp_path / "usual.yaml"
    path.write_text(config.to_yaml(config.basic(
        11211, ["127.0.0.1:1"], admin={"listen": "127.0.0.1:9211"})) + "\n")
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", USUAL, sys.executable, UP,
         str(path), *program()], timeout=seconds(30), check=False)
    assert done.returncode == 0


def test_wait_ends_with_the_daemon_s_start(tmp_path, servers, admin):
    top = config.basic(free_port(), [servers[0].text],
                       admin={"listen": admin})
    with started(program() + ["wait", "-a", admin]) as waiting, \
            Fairlead(top, tmp_path):
        assert waiting.wait(seconds(20)) == YES


def test_wait_gives_up(admin):
    done = run("wait", "-a", admin, "--max", "60ms")
    assert done.returncode == NO and b"not ready in time" in done.stderr


def test_reload_says_what_came_of_it(daemon, admin):
    mark = daemon.log.mark()
    done = run("reload", "-a", admin)
    assert done.returncode == YES and done.stdout, done
    daemon.log.wait("reload done", mark)
    daemon.write(text=daemon.path.read_text() + "nonsense: 1\n")
    done = run("reload", "-c", str(daemon.path))
    assert done.returncode == CONFIG and not done.stdout
    assert b'unknown key "nonsense"' in done.stderr


def test_reload_needs_leave(start_basic, servers, admin):
    start_basic(servers[:1], admin={"listen": admin})
    done = run("reload", "-a", admin)
    assert done.returncode == NO_PERMISSION and b"actions" in done.stderr


def test_reload_without_a_daemon(admin):
    assert run("reload", "-a", admin).returncode == UNAVAILABLE


@pytest.mark.parametrize("answer", [
    b"", b"VERSION 1.6\r\n", b"HTTP/1.1 ", b"HTTP/1.1 x y\r\n\r\n",
    b"HTTP/1.1 20", b"\0" * 100, b"HTTP/1.1 500 x\r\n\r\n" + b"x" * 200000],
    ids=range(7))
def test_whatever_answers_there(answer):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = "127.0.0.1:%d" % listener.getsockname()[1]
        with started(program() + ["reload", "-a", address],
                     stderr=subprocess.PIPE) as asking:
            peer, _ = listener.accept()
            with peer:
                assert peer.recv(1000).startswith(
                    b"POST /-/reload HTTP/1.0\r\n")
                peer.sendall(answer)
            _, text = asking.communicate(timeout=seconds(20))
    assert asking.returncode in (UNAVAILABLE, PROTOCOL), text
    assert text


@pytest.mark.parametrize("args, status", [
    (("probe",), USAGE), (("probe", "alive"), USAGE),
    (("probe", "live", "ready"), USAGE), (("wait", "x"), USAGE),
    (("reload", "-a", "x:1", "-c", "y"), USAGE),
    (("wait", "--max", "soon"), USAGE), (("wait", "-a", "nonsense"), USAGE),
    (("wait", "-a", "localhost:1"), USAGE),
    (("reload", "-c", "/no/such/file"), NO_INPUT)])
def test_wrong_usage(args, status):
    done = run(*args)
    assert done.returncode == status and done.stderr and not done.stdout


@pytest.mark.parametrize("text", ["", "pools: {}", "admin: 5", "admin: [",
                                  "admin: {listen: [1]}"])
def test_a_file_without_an_admin_listener(text, tmp_path):
    path = tmp_path / "none.yaml"
    path.write_text(text)
    done = run("probe", "live", "-c", str(path))
    assert done.returncode == CONFIG and b'no "listen"' in done.stderr


def test_variables_are_replaced_in_the_address(daemon, admin, tmp_path,
                                               monkeypatch):
    monkeypatch.setenv("FAIRLEAD_ADMIN", admin)
    path = tmp_path / "variable.yaml"
    path.write_text('admin: {listen: "${FAIRLEAD_ADMIN}"}\n')
    assert daemon.is_running() and os.path.exists(path)
    assert run("probe", "live", "-c", str(path)).returncode == YES
