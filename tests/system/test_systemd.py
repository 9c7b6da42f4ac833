"""systemd: notifications and passed sockets, by the real protocols."""

import os
import signal
import stat
import subprocess
import time

import pytest

from support import config
from support.clock import seconds
from support.fairlead import Fairlead, program
from support.manager import Manager, listening, passing
from support.ports import free_port
from support.process import started
from support.wire import Wire


@pytest.fixture(params=["path", "abstract"])
def manager(request, tmp_path):
    """One that listens on a path, or on an abstract socket."""
    one = Manager(str(tmp_path / "notify") if request.param == "path"
                  else "@fairlead-test-%d" % free_port())
    yield one
    one.close()


def managed(start, manager, servers, **environment):
    """A daemon under `manager`, and its first notification."""
    daemon = start(config.basic(free_port(), [servers[0].text]),
                   prefix=manager.prefix(**environment))
    return daemon, manager.next()


# -- notifications -----------------------------------------------------------

def test_ready_comes_after_the_listeners(start, servers, manager):
    daemon, first = managed(start, manager, servers)
    assert first == {"READY": "1",
                     "STATUS": "serving: generation 1, 1 pools, 1 servers"}
    with daemon.client() as wire:
        wire.in_step()
    assert manager.is_quiet()


def test_a_reload_is_told_with_its_time(start, servers, manager):
    daemon, _ = managed(start, manager, servers)
    before = time.monotonic_ns() // 1000
    daemon.reload(config.basic(daemon.address[1], [
        one.text for one in servers[:2]]))
    begun, done = manager.next(), manager.next()
    assert begun.keys() == {"RELOADING", "MONOTONIC_USEC"}
    assert before <= int(begun["MONOTONIC_USEC"]) <= \
        time.monotonic_ns() // 1000
    assert done["READY"] == "1"
    assert done["STATUS"].startswith(
        "reload done by SIGHUP: generation 2, servers +1 -0, ")


def test_a_refused_reload_is_told_with_its_reason(start, servers, manager):
    daemon, _ = managed(start, manager, servers)
    daemon.reload_refused("pools: {}\nlisteners: 3\n")
    assert manager.next()["RELOADING"] == "1"
    done = manager.next()
    assert done["READY"] == "1", "or the unit would hang in reloading"
    assert done["STATUS"].startswith(
        "reload refused, generation 1 stays: %s:1:" % daemon.path)
    assert manager.is_quiet()


def test_a_reload_that_changes_nothing_ends_as_well(start, servers, manager):
    daemon, _ = managed(start, manager, servers)
    daemon.reload()
    assert manager.next()["RELOADING"] == "1"
    assert manager.next()["READY"] == "1"


def test_why_it_did_not_start_is_told(tmp_path, manager):
    one = Fairlead(None, tmp_path, text="listeners: 3\n",
                   prefix=manager.prefix(), wait=False)
    assert one.wait_exit() == 78
    only = manager.next()
    assert only.keys() == {"STATUS"}
    assert only["STATUS"].startswith("cannot start: %s:1:" % one.path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_end_is_told(start, servers, manager, number):
    daemon, _ = managed(start, manager, servers)
    daemon.signal(number)
    assert daemon.wait_exit() == 0
    assert manager.next()["STOPPING"] == "1"


def test_the_watchdog_is_fed_while_the_loop_turns(start, servers, manager):
    daemon, _ = managed(start, manager, servers, WATCHDOG_USEC="20000")
    for _ in range(3):
        assert manager.next() == {"WATCHDOG": "1"}
    with daemon.paused():
        while not manager.is_quiet():
            pass
        assert manager.is_quiet(), "fed by one that does not turn"
    assert manager.next() == {"WATCHDOG": "1"}


def test_another_process_s_watchdog_is_not_fed(start, servers, manager):
    daemon = start(
        config.basic(free_port(), [servers[0].text]),
        prefix=("env", "NOTIFY_SOCKET=" + manager.address,
                "WATCHDOG_USEC=2000", "WATCHDOG_PID=1"))
    assert manager.next()["READY"] == "1"
    daemon.reload()
    assert manager.next()["RELOADING"] == "1"
    assert manager.next()["READY"] == "1"
    assert manager.is_quiet()


@pytest.mark.parametrize("address", ["relative", "", "@", "vsock:2:1234",
                                     "/" + "x" * 200, "/nobody/listens"])
def test_a_socket_that_cannot_be_told_stops_nothing(start, servers, address):
    daemon = start(config.basic(free_port(), [servers[0].text]),
                   prefix=("env", "NOTIFY_SOCKET=" + address))
    daemon.reload()
    assert bool(daemon.log.find("NOTIFY_SOCKET=")) == \
        (address != "/nobody/listens")


# -- sockets that are passed -------------------------------------------------

def listeners(*rows, servers):
    """A configuration of these listeners over one pool."""
    top = config.basic(free_port(), [servers[0].text])
    top["listeners"] = [dict(row, pool="main") for row in rows]
    return top


def address_of(name):
    return "127.0.0.1:%d" % name[1]


def test_a_socket_is_found_by_its_address(start, servers):
    with listening() as (one, name):
        daemon = start(listeners({"listen": address_of(name)},
                                 servers=servers), **passing(main=one))
        assert daemon.log.find("listening on %s: a socket that was passed"
                               % address_of(name))
        with daemon.client(name) as wire:
            wire.in_step()


def test_a_socket_is_found_by_its_name(start, servers):
    """Whatever it is bound to, and though another would fit the address."""
    with listening() as (one, name), listening() as (two, other):
        daemon = start(
            listeners({"listen": address_of(other), "socket": "the-one"},
                      {"listen": address_of(name), "socket": "not-passed"},
                      servers=servers),
            **passing(two=two, the_one=one))
        assert daemon.log.count("a socket that was passed") == 2
        daemon.log.wait('socket "two" that was passed .* no listener')
        with daemon.client(name) as wire:
            wire.in_step()


def test_without_sockets_its_own_are_opened(start, servers):
    port = free_port()
    daemon = start(listeners(
        {"listen": "127.0.0.1:%d" % port, "socket": "main"},
        servers=servers))
    with daemon.client() as wire:
        wire.in_step()
    assert not daemon.log.find("passed")


def test_sockets_for_another_process_are_not_taken(start, servers):
    with listening() as (one, name):
        port = free_port()
        daemon = start(
            listeners({"listen": "127.0.0.1:%d" % port, "socket": "main"},
                      servers=servers),
            prefix=("env", "LISTEN_PID=1", "LISTEN_FDS=1",
                    "LISTEN_FDNAMES=main"))
        assert name[1] != port and not daemon.log.find("passed")


def test_what_is_no_listening_socket_is_not_taken(start, servers, tmp_path):
    with open(tmp_path / "file", "wb") as file:
        port = free_port()
        daemon = start(
            listeners({"listen": "127.0.0.1:%d" % port, "socket": "main"},
                      servers=servers), **passing(main=file))
        daemon.log.wait("descriptor 3 .* no stream socket")
        with daemon.client() as wire:
            wire.in_step()


def test_the_file_of_a_passed_unix_socket_is_left_alone(start, servers,
                                                        tmp_path):
    path = str(tmp_path / "s.sock")
    with listening(path) as (one, _):
        os.chmod(path, 0o604)
        daemon = start(
            listeners({"listen": "unix:" + path, "mode": "0660"},
                      servers=servers), **passing(main=one))
        with daemon.client(path) as wire:
            wire.in_step()
        daemon.reload(listeners({"listen": "unix:" + path, "mode": "0666"},
                                servers=servers))
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o604
        daemon.stop()
        assert os.path.exists(path)


def test_a_reload_takes_it_away_and_brings_it_back(start, servers):
    with listening() as (one, name):
        with_it = listeners({"listen": address_of(name)}, servers=servers)
        daemon = start(with_it, **passing(main=one))
        daemon.reload(listeners({"listen": "127.0.0.1:%d" % free_port()},
                                servers=servers))
        daemon.reload(with_it)
        with daemon.client(name) as wire:
            wire.in_step()


def test_a_restart_refuses_nobody(start, servers):
    """While nobody runs, those who connect wait; the next one has them."""
    with listening() as (one, name):
        top = listeners({"listen": address_of(name)}, servers=servers)
        for _ in range(2):
            with Wire(name) as waiting:
                waiting.send(b"mn\r\n")
                daemon = start(top, **passing(main=one))
                waiting.expect(b"MN\r\n")
            daemon.stop()


def test_systemd_itself_passes_it(servers, tmp_path):
    """Its own tool opens the socket and waits for somebody to connect."""
    port = free_port()
    path = tmp_path / "activated.yaml"
    path.write_text(config.to_yaml(listeners(
        {"listen": "0.0.0.0:%d" % free_port(), "socket": "main"},
        servers=servers)) + "\n")
    with started(
            ["systemd-socket-activate", "-l", "127.0.0.1:%d" % port,
             "--fdname=main", *program(), "-c", str(path)],
            stderr=subprocess.PIPE) as process:
        assert b"Listening on" in process.stderr.readline()
        with Wire(("127.0.0.1", port)) as wire:
            wire.call(b"mn\r\n", b"MN\r\n")
        process.send_signal(signal.SIGTERM)
        _, text = process.communicate(timeout=seconds(10))
    assert process.returncode == 0, text
    assert b"a socket that was passed" in text
