"""The log: formats, file, levels, slow requests."""

import fcntl
import json
import os
import re
import resource
import signal

import pytest

from support import config
from support.clock import seconds, wait_until
from support.config import to_yaml
from support.ports import free_port
from support.process import started
from support.program import program
from support.wire import Wire


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def logged(start_basic, servers, tmp_path):
    """Makes a daemon log to a file, by a reload."""
    def go(**log):
        path = tmp_path / "fairlead.log"
        daemon = start_basic(servers[:1])
        daemon.write({**daemon.config, "log": {"file": str(path), **log}})
        daemon.signal(signal.SIGHUP)
        wait_until(lambda: path.exists() and lines_of(path),
                   "the reload to be logged to the file")
        return daemon, path
    return go


def test_json_lines_are_objects_with_the_fields_of_the_message(over, played):
    server = played()
    daemon = over([server], log={"format": "json"})
    with daemon.client() as wire:
        server.stop()
        wire.send(b"get a\r\n")
        wire.until(b"\r\n")
    daemon.log.wait("connection closed")
    for line in daemon.log.lines:
        if not line.startswith("{"):
            assert "\"level\"" not in line
            continue
        entry = json.loads(line)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
                            entry["time"])
        assert entry["level"] in ("error", "warn", "info", "debug")
        if "connection closed" in entry["msg"]:
            assert entry["pool"] == "main"
            assert int(entry["pending"]) >= 0


def test_a_file_is_written_to_and_opened_anew_on_a_signal(logged):
    daemon, path = logged(format="logfmt")
    assert re.search(r'level=info msg="reload done.*" .*generation=2',
                     path.read_text())
    moved = path.with_suffix(".1")
    os.rename(path, moved)
    daemon.signal(signal.SIGTTIN)
    wait_until(lambda: "level is now debug" in moved.read_text(),
               "the renamed file to be written on")
    daemon.signal(signal.SIGUSR1)
    wait_until(path.exists, "the file to be opened anew")
    daemon.signal(signal.SIGTTOU)
    wait_until(lambda: any("level is now info" in line
                           for line in lines_of(path)),
               "the new file to be written to")
    assert "level is now info" not in moved.read_text()


def test_a_reload_changes_format_and_file(logged, tmp_path):
    daemon, path = logged(format="json")
    other = tmp_path / "other.log"
    daemon.write({**daemon.config, "log": {"file": str(other)}})
    daemon.signal(signal.SIGHUP)
    wait_until(lambda: other.exists() and any(
        re.match(r"\d{4}-\S+Z info reload", line)
        for line in lines_of(other)), "the reload to be logged elsewhere")
    json.loads(lines_of(path)[-1])


def test_a_file_that_cannot_be_opened_refuses_the_reload(start_basic,
                                                         servers):
    daemon = start_basic(servers[:1])
    line = daemon.reload_refused(to_yaml(
        {**daemon.config, "log": {"file": "/nonexistent/fairlead.log"}}))
    assert line
    assert daemon.log.find("log.file: cannot open /nonexistent/fairlead.log: "
                           "No such file or directory")


def test_a_file_that_is_full_costs_lines_and_no_more(logged):
    """What is written later begins a line of its own, and says how many."""
    daemon, path = logged(format="json", level="debug")
    full = path.stat().st_size + 5000
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE,
                     (full, resource.RLIM_INFINITY))
    for _ in range(100):
        with daemon.client() as wire:
            wire.in_step()
    wait_until(lambda: path.stat().st_size == full, "the file to be full")
    assert not path.read_text().endswith("\n")
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE,
                     (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    daemon.signal(signal.SIGTTOU)
    wait_until(lambda: "level is now" in path.read_text(),
               "the file to be written on")
    *whole, lost, after = lines_of(path)
    assert '"lines of the log were lost' in lost, lost
    assert int(json.loads(lost)["lines"]) > 1
    assert "level is now info" in json.loads(after)["msg"]
    for line in whole[:-1]:
        assert not line.startswith("{") or json.loads(line)


def test_signals_raise_and_lower_the_level(start_basic, servers):
    daemon = start_basic(servers[:1])
    for number, level in ((signal.SIGTTIN, "debug"),
                          (signal.SIGTTIN, "debug"),
                          (signal.SIGTTOU, "info"),
                          (signal.SIGTTOU, "warn")):
        mark = daemon.log.mark()
        daemon.signal(number)
        daemon.log.wait("the log's level is now %s" % level, mark)


def test_lines_for_the_journal_have_priorities(servers, tmp_path):
    """A socket stands for the journal's; it is named by device and inode."""
    path = tmp_path / "fairlead.yaml"
    path.write_text(to_yaml(config.basic(free_port(), [servers[0].text])))
    out, into = os.pipe()
    stat = os.fstat(into)
    environment = {**os.environ, "JOURNAL_STREAM": "%d:%d" % (
        stat.st_dev, stat.st_ino)}
    with started([*program(), "-c", str(path)], stderr=into,
                 env=environment) as process:
        os.close(into)
        with os.fdopen(out) as log:
            for line in log:
                if "ready: " in line:
                    break
            assert line.startswith("<6>ready: "), line
            process.send_signal(signal.SIGINT)
            assert log.readline().startswith("<6>exiting at once")
        assert process.wait(seconds(10)) == 0


def test_a_reader_that_stops_holds_up_nobody(servers, tmp_path):
    """A stalled logging driver, or less(1): lines are lost, and counted."""
    port = free_port()
    path = tmp_path / "fairlead.yaml"
    path.write_text(to_yaml(config.basic(port, [servers[0].text])))
    out, into = os.pipe()
    fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, 16384)
    with started([*program(), "-v", "-c", str(path)],
                 stderr=into) as process:
        os.close(into)
        with os.fdopen(out, "rb") as log:
            for line in log:
                if b"ready: " in line:
                    break
            for _ in range(200):
                with Wire(("127.0.0.1", port)) as wire:
                    wire.in_step()
            process.send_signal(signal.SIGHUP)
            with Wire(("127.0.0.1", port)) as wire:
                wire.in_step()
            # Told of before the first line that finds room again, which may
            # come while the pipe is being emptied.
            os.set_blocking(out, False)
            told = b"".join(iter(log.read1, b""))
            os.set_blocking(out, True)
            process.send_signal(signal.SIGTTOU)
            while b"level is now" not in told:
                told += log.readline()
            assert re.search(rb" warn lines of the log were lost.* "
                             rb"lines=\d+\n", told)
            process.send_signal(signal.SIGTERM)
            assert b"shutting down" in log.read()
        assert process.wait(seconds(5)) == 0
