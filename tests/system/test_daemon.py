"""The process: command line, exit codes, signals, listeners."""

import os
import re
import resource
import signal
import socket
import stat
import subprocess
import time

import pytest

from support import config
from support.clock import seconds, wait_until
from support.config import to_yaml
from support.fairlead import Fairlead, bad_lines, program, run
from support.faults import serves
from support.ports import free_port
from support.process import started
from support.stats import read as read_stats
from support.wire import Wire

OK, USAGE, NO_INPUT, UNAVAILABLE, CONFIG = 0, 64, 66, 69, 78


def written(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.fixture
def good(tmp_path, servers):
    """A file that is fine."""
    return written(tmp_path / "good.yaml", to_yaml(config.basic(
        free_port(), [servers[0].text])) + "\n")


# -- the command line --------------------------------------------------------

def test_version():
    done = run("--version")
    assert done.returncode == OK and not done.stderr
    assert re.fullmatch(rb"fairlead \d+\.\d+\.\d+.*\n", done.stdout)


def test_help_names_every_option():
    done = run("--help")
    assert done.returncode == OK and not done.stderr
    for word in (b"-c", b"-t", b"locate", b"--version", b"--help"):
        assert word in done.stdout, word


@pytest.mark.parametrize("args", [
    ("--nonsense",), ("-z",), ("-c",), ("nonsense",), ("locate",),
    ("-c", "a", "b", "c"), ("locate", "-c")])
def test_wrong_usage(args):
    done = run(*args)
    assert done.returncode == USAGE, done
    assert done.stderr and not done.stdout
    assert not bad_lines(done.stderr.decode().splitlines())


@pytest.mark.parametrize("how", [("-c",), ("-t", "-c"), ("locate", "-c")])
def test_no_such_file(how, tmp_path):
    args = (*how, str(tmp_path / "none.yaml"))
    if how[0] == "locate":
        args += ("key",)
    done = run(*args)
    assert done.returncode == NO_INPUT, done
    assert b"none.yaml" in done.stderr
    assert b"No such file" in done.stderr


def test_the_check_says_nothing_about_a_good_file(good):
    done = run("-t", "-c", good)
    assert done.returncode == OK, done.stderr
    assert not bad_lines(done.stderr.decode().splitlines())


def test_the_check_binds_nothing(tmp_path, servers):
    """It also passes while the daemon runs on the same file."""
    text = to_yaml(config.basic(servers[1].port, [servers[0].text]))
    done = run("-t", "-c", written(tmp_path / "taken.yaml", text))
    assert done.returncode == OK, done.stderr


def test_all_errors_are_told_at_once_with_their_places(tmp_path):
    path = written(tmp_path / "bad.yaml", "\n".join([
        "config_version: 1",
        "listeners:",
        "  - listen: 127.0.0.1:notaport",
        "    pool: main",
        "pools:",
        "  main:",
        "    servers:",
        "      - 127.0.0.1:11211",
        "    timouts: {connect: 1s}",
        "    on_down: maybe",
        ""]))
    for args in (("-t", "-c", path), ("-c", path)):
        done = run(*args)
        assert done.returncode == CONFIG, done
        text = done.stderr.decode()
        for line, what in ((3, "notaport"), (9, "timouts"), (10, "maybe")):
            assert re.search(r"%s:%d:\d+: .*%s" % (
                re.escape(path), line, what), text), (line, text)
        assert "timeouts" in text, "the suggestion"


@pytest.mark.parametrize("text", [
    "", "{ a: [1, ", "\tx: 1\n", "a: 1\na: 1\n", b"\xff\xfe\x00", "- 1\n",
    "config_version: 1\n", "a: &x [*x]\n", "[" * 5000,
    "config_version: 2\n"])
def test_broken_files_exit_78(text, tmp_path):
    path = written(tmp_path / "bad.yaml", text)
    done = run("-t", "-c", path)
    assert done.returncode == CONFIG, done
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    assert re.match(re.escape(path) + r"(:\d+:\d+)?: .+", lines[0]), lines
    assert not bad_lines(lines)


def test_a_good_file_cut_at_every_byte_never_crashes(tmp_path, servers):
    whole = to_yaml(config.basic(free_port(), [
        {"name": "a", "address": servers[0].text, "weight": 3}],
        {"timeouts": {"connect": "1s"}})).encode()
    for end in range(0, len(whole), 7):
        done = run("-t", "-c", written(tmp_path / "cut.yaml", whole[:end]))
        assert done.returncode in (OK, CONFIG), (end, done)


def test_an_unreadable_directory_is_said(tmp_path):
    done = run("-t", "-c", str(tmp_path))
    assert done.returncode == NO_INPUT, done
    assert b"directory" in done.stderr


# -- start -------------------------------------------------------------------

def test_listening_is_said_and_then_ready(start_basic, servers):
    daemon = start_basic(servers[:1])
    lines = daemon.log.lines
    port = daemon.address[1]
    listening = next(i for i, line in enumerate(lines)
                     if "listening on 127.0.0.1:%d" % port in line)
    ready = next(i for i, line in enumerate(lines)
                 if re.search(r"\bready\b", line))
    assert listening < ready


def test_a_port_that_is_taken(tmp_path, servers):
    one = Fairlead(config.basic(servers[0].port, [servers[1].text]),
                   tmp_path, wait=False)
    assert one.wait_exit() == UNAVAILABLE
    assert one.log.find(re.escape(servers[0].text)), one.log.lines
    one.check_log()


def test_several_listeners_and_pools(start, servers, tmp_path):
    """IPv4, IPv6 and a unix socket with its mode, one pool each."""
    path = str(tmp_path / "s.sock")
    top = config.basic(free_port(), [servers[0].text])
    six = free_port("::1")
    top["pools"]["b"] = {"servers": [servers[1].text]}
    top["pools"]["c"] = {"servers": [servers[2].text]}
    top["listeners"] += [
        {"listen": "[::1]:%d" % six, "pool": "b"},
        {"listen": "unix:" + path, "mode": "0640", "pool": "c"}]
    old = os.umask(0o077)
    try:
        daemon = start(top)
    finally:
        os.umask(old)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    name = b"which%d" % six
    for i, address in enumerate((daemon.address, ("::1", six), path)):
        with daemon.client(address) as wire:
            wire.call(b"set %s 0 0 1\r\n%d\r\n" % (name, i), b"STORED\r\n")
    for i in range(3):
        assert servers[i].get(name) == b"%d" % i
    daemon.stop()
    assert not os.path.exists(path), "the socket is left over"


def test_a_reload_changes_the_mode_of_a_socket(start, servers, tmp_path):
    path = str(tmp_path / "s.sock")
    top = config.basic(free_port(), [servers[0].text])
    top["listeners"].append(
        {"listen": "unix:" + path, "mode": "0600", "pool": "main"})
    daemon = start(top)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with daemon.client(path) as wire:
        top["listeners"][1]["mode"] = "0660"
        daemon.reload(top)
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o660
        wire.in_step()
    os.unlink(path)
    top["listeners"][1]["mode"] = "0666"
    daemon.reload(top)
    daemon.log.wait("keeps its mode: No such file")


def test_a_socket_left_by_a_crash_is_taken_over(start, servers, tmp_path):
    path = str(tmp_path / "s.sock")
    left = socket.socket(socket.AF_UNIX)
    left.bind(path)
    left.close()
    top = config.basic(free_port(), [servers[0].text])
    top["listeners"] = [{"listen": "unix:" + path, "pool": "main"}]
    daemon = start(top)
    with daemon.client(path) as wire:
        wire.in_step()


def test_servers_over_unix_sockets_and_ipv6(start_basic, own_servers,
                                            tmp_path):
    from support.memcached import memcached_path
    path = str(tmp_path / "m.sock")
    six = free_port("::1")
    common = [memcached_path(), "-u", "root", "-U", "0"]
    with started([*common, "-s", path]), \
            started([*common, "-l", "::1", "-p", str(six)]):
        wait_until(lambda: os.path.exists(path), "the unix socket")
        wait_until(lambda: _connects(("::1", six)), "memcached on ::1")
        daemon = start_basic(["unix:" + path, "[::1]:%d" % six],
                             stats={"backend_totals": True})
        with daemon.client() as wire:
            for i in range(50):
                wire.call(b"set k%d 0 0 1\r\nx\r\n" % i, b"STORED\r\n")
            wait_until(lambda: read_stats(wire, b"proxy")[
                "backend_totals_servers"] == "2", "the servers' totals")


def _connects(address):
    try:
        socket.create_connection(address, 1).close()
        return True
    except OSError:
        return False


def test_several_workers_serve(start_basic, servers, key):
    daemon = start_basic(servers[:3], workers=3)
    clients = [daemon.client() for _ in range(24)]
    for i, wire in enumerate(clients):
        wire.call(b"set %s 0 0 1\r\nx\r\n" % key(b"%d" % i), b"STORED\r\n")
    for i, wire in enumerate(clients[::-1]):
        wire.call(b"get %s\r\n" % key(b"%d" % i),
                  b"VALUE %s 0 1\r\nx\r\nEND\r\n" % key(b"%d" % i))


def test_a_name_that_does_not_resolve_is_a_server_that_is_down(
        start_basic, servers):
    daemon = start_basic([
        {"name": "here", "address": servers[0].text},
        {"name": "nowhere", "address": "nosuch.invalid:11211"}],
        {"on_down": "error"})
    located = daemon.locate([b"k%d" % i for i in range(60)])
    with daemon.client() as wire:
        for name, (_, owner, _) in located.items():
            wire.send(b"get %s\r\n" % name)
            wire.expect_line(b"END" if owner == "here"
                             else rb"SERVER_ERROR nowhere\b.*")


def test_no_port_beyond_the_listeners(start_basic, servers):
    """No UDP, no default port."""
    daemon = start_basic(servers[:1])
    inodes = set()
    for fd in os.listdir("/proc/%d/fd" % daemon.pid):
        try:
            link = os.readlink("/proc/%d/fd/%s" % (daemon.pid, fd))
        except FileNotFoundError:
            continue    # closed meanwhile: the client that saw it ready
        if link.startswith("socket:["):
            inodes.add(link[8:-1])
    for table in ("udp", "udp6"):
        with open("/proc/net/" + table, encoding="ascii") as rows:
            assert not [row for row in rows if row.split()[9] in inodes]
    listening = []
    for table in ("tcp", "tcp6"):
        with open("/proc/net/" + table, encoding="ascii") as rows:
            listening += [row for row in rows if row.split()[3] == "0A"
                          and row.split()[9] in inodes]
    assert len(listening) == 1


# -- signals -----------------------------------------------------------------

def test_term_while_idle_ends_at_once(start_basic, servers):
    start_basic(servers[:1], shutdown_timeout="1h").stop()


def test_term_keeps_serving_until_the_last_client_leaves(start_basic,
                                                         servers, key):
    daemon = start_basic(servers[:2])
    a, b = daemon.client(), daemon.client()
    a.in_step()
    mark = daemon.log.mark()
    daemon.signal(signal.SIGTERM)
    daemon.log.wait(r"(?i)term|shut|drain|stop", mark)
    for wire in (a, b):
        wire.call(b"set %s 0 0 1\r\nx\r\nget %s\r\n" % (key(), key()),
                  b"STORED\r\nVALUE %s 0 1\r\nx\r\nEND\r\n" % key())
    a.close()
    b.in_step()
    assert daemon.is_running()
    b.close()
    assert daemon.wait_exit(3) == OK
    daemon.check_log()


def test_term_ends_at_the_shutdown_timeout(start_basic, servers):
    daemon = start_basic(servers[:1], shutdown_timeout="300ms")
    wire = daemon.client()
    wire.in_step()
    begun = time.monotonic()
    daemon.signal(signal.SIGTERM)
    wire.expect_closed(timeout=5)
    assert daemon.wait_exit(3) == OK
    assert time.monotonic() - begun >= 0.25
    daemon.check_log()


@pytest.mark.parametrize("first,second", [
    (signal.SIGTERM, signal.SIGTERM), (signal.SIGTERM, signal.SIGINT),
    (signal.SIGTERM, signal.SIGQUIT), (signal.SIGINT, None),
    (signal.SIGQUIT, None)])
def test_ending_at_once(first, second, start_basic, servers):
    daemon = start_basic(servers[:1], shutdown_timeout="1h")
    wire = daemon.client()
    wire.in_step()
    mark = daemon.log.mark()
    daemon.signal(first)
    if second is not None:
        daemon.log.wait(r"(?i)term|shut|drain|stop", mark)
        assert daemon.is_running()
        daemon.signal(second)
    assert daemon.wait_exit(3) == OK
    daemon.check_log()


def test_other_signals_change_nothing(start_basic, servers):
    daemon = start_basic(servers[:1])
    with daemon.client() as wire:
        for number in (signal.SIGPIPE, signal.SIGUSR1, signal.SIGUSR2,
                       signal.SIGHUP):
            daemon.signal(number)
            wire.in_step()
    assert daemon.is_running()
    daemon.log.wait(r"trigger=SIGHUP")
    daemon.stop()
    assert daemon.log.count(r"trigger=SIGHUP") == 1


def test_hup_during_shutdown_is_survived(start_basic, servers):
    daemon = start_basic(servers[:1])
    wire = daemon.client()
    wire.in_step()
    daemon.signal(signal.SIGTERM)
    for _ in range(5):
        daemon.signal(signal.SIGHUP)
        wire.in_step()
    wire.close()
    assert daemon.wait_exit(3) == OK
    daemon.check_log()


def test_signals_at_the_very_start_never_kill(start, servers):
    """Once the port is open the handlers are there."""
    for _ in range(10):
        one = start(config.basic(free_port(), [servers[0].text]), wait=False)
        one.log.wait(r"listening on")
        one.signal(signal.SIGHUP)
        one.wait_ready()
        with one.client() as wire:
            wire.in_step()
        one.stop()


def _children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid),
              encoding="ascii") as text:
        return [int(word) for word in text.read().split()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_as_pid_1(number, start, servers):
    """The kernel gives PID 1 no default action: it must have handlers."""
    probe = subprocess.run(["unshare", "--pid", "--fork", "true"],
                           stderr=subprocess.PIPE, check=False)
    if probe.returncode != 0:
        pytest.skip("no pid namespace here: " + probe.stderr.decode())
    one = start(config.basic(free_port(), [servers[0].text],
                             shutdown_timeout="1h"),
                prefix=("unshare", "--pid", "--fork", "--kill-child"))
    inner = wait_until(lambda: _children(one.pid), "the daemon")[0]
    with one.client() as wire:
        wire.in_step()
        os.kill(inner, signal.SIGHUP)
        wire.in_step()
    os.kill(inner, number)
    assert one.wait_exit(5) == OK
    one.check_log()


def test_it_leaves_no_child_and_no_file(start_basic, servers, tmp_path):
    before = set(os.listdir(tmp_path))
    daemon = start_basic(servers[:1])
    with daemon.client() as wire:
        wire.in_step()
    assert _children(daemon.pid) == []
    daemon.stop()
    left = set(os.listdir(tmp_path)) - before
    assert left <= {daemon.path.name}, left


def test_a_log_whose_reader_is_gone_kills_nothing(tmp_path, servers):
    path = written(tmp_path / "f.yaml", to_yaml(config.basic(
        free_port(), [servers[0].text])))
    with started(program() + ["-c", path], stderr=subprocess.PIPE,
                 stdout=subprocess.DEVNULL) as process:
        for line in process.stderr:
            if re.search(rb"\bready\b", line):
                break
        process.stderr.close()
        for _ in range(3):
            process.send_signal(signal.SIGHUP)
        port = int(re.search(r"127.0.0.1:(\d+)",
                             open(path, encoding="ascii").read()).group(1))
        with Wire(("127.0.0.1", port)) as wire:
            wire.in_step()
        process.send_signal(signal.SIGTERM)
        assert process.wait(seconds(5)) == OK


# -- running out of descriptors ----------------------------------------------

def test_the_end_of_descriptors_is_survived(start, servers):
    """Clients that find none wait; those there are served; when they leave,
    new ones are served at once; and nobody tries again and again."""
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))

    daemon = start(config.basic(free_port(), [servers[0].text]), preexec=few)
    first = daemon.client()
    first.call(b"get a\r\n", b"END\r\n")
    mark = daemon.log.mark()
    crowd = [Wire(daemon.address) for _ in range(200)]
    # One line tells of those of a second: ten tries, not thousands.
    line = daemon.log.wait(r"accepts nobody for 100 ms: Too many open files "
                           r"similar_lines_dropped=[1-9]", mark)
    assert int(line.rsplit("=", 1)[1]) < 100, line
    for i in range(50):
        first.call(b"get a%d\r\n" % i, b"END\r\n")
    for wire in crowd:
        wire.close()
    wait_until(lambda: serves(daemon), "a new client to be served")
    first.in_step()
