"""systemd: notifications and passed sockets, by the real protocols."""

import os
import signal
import time

import pytest

from support import config
from support.fairlead import Fairlead
from support.manager import AS_ITSELF, Manager
from support.ports import free_port


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
    assert done["STATUS"] == \
        "reload done: generation 2, 1 pools, 2 servers"


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
