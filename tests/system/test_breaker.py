"""A server is stopped and goes on: its breaker, as clients see it."""

import signal
import threading

from support import config
from support import rules
from support.clock import Deadline, seconds, wait_until
from support.faults import (
    LOST_READ, LOST_WRITE, counters, hit, keys_of, lost_read, stored)


def ask_all(clients, names):
    """Each client gets each name, which it has."""
    for wire in clients:
        wire.send(b"".join(b"get %s\r\n" % name for name in names))
    for wire in clients:
        for name in names:
            wire.expect(hit(name))


def until_down(daemon, clients, dead, alive):
    """Asks for both until s1 is down; what is alive never fails."""
    for _ in range(50):
        for wire in clients:
            wire.send(b"get %s\r\nget %s\r\n" % (dead[0], alive[0]))
        for wire in clients:
            lost_read(wire, dead[0])
            wire.expect(hit(alive[0]))
        if daemon.log.find(r"server s1 is down"):
            return
    raise AssertionError("s1 was never found down")


def test_a_shorter_retry_holds_from_the_reload_on(start_basic, played):
    """Also for the probe that was planned by the longer one."""
    server = played()
    health = {"failures": 1, "retry": "1h", "retry_max": "1h"}
    daemon = start_basic([server.text], {"health": health})
    server.stop()
    with daemon.client() as wire:
        wire.call(b"get k\r\n", b"END\r\n")
    daemon.log.wait("is down: cannot connect")
    server.start()
    daemon.reload(config.merged(daemon.config, {"pools": {"main": {
        "health": {"retry": "100ms", "retry_max": "100ms"}}}}))
    daemon.log.wait("answers again: on trial")


def test_a_stopped_server_costs_its_keys_and_comes_back_clean(over,
                                                              own_servers):
    """All workers fail fast once one of them knows; after the probe that is
    answered nothing fails, though each had a connection from before."""
    servers = own_servers(3)
    daemon = over(servers, {"health": {"failures": 3, "retry": "100ms",
                                       "retry_max": "200ms"},
                            "timeouts": {"request": "1s"}}, workers=2)
    dead = keys_of(daemon, 1, 5)
    alive = keys_of(daemon, 0, 5) + keys_of(daemon, 2, 5)
    clients = [daemon.client() for _ in range(6)]
    for name in dead + alive:
        stored(clients[0], name)
    ask_all(clients, dead + alive)
    servers[1].process.send_signal(signal.SIGSTOP)
    try:
        until_down(daemon, clients, dead, alive)
        before = counters(daemon, b"servers")
        for wire in clients:
            wire.send(b"".join(b"get %s\r\ndelete %s\r\n" % (name, name)
                               for name in dead))
        for wire in clients:
            for _ in dead:
                wire.expect_line(LOST_READ)
                wire.expect_line(LOST_WRITE)
        ask_all(clients, alive)
        after = counters(daemon, b"servers")
    finally:
        servers[1].process.send_signal(signal.SIGCONT)
    asked = 2 * len(dead) * len(clients)
    assert after["main/s1:requests"] == before["main/s1:requests"]
    assert (after["main/s1:failed_down"] - before["main/s1:failed_down"]
            == asked)
    for server in ("s0", "s2"):
        assert after["main/%s:openings" % server] == 0
        assert after["main/%s:failures" % server] == 0
    daemon.log.wait(r"server s1 answers again")
    ask_all(clients, dead + alive)
    for wire in clients:
        for name in dead:
            wire.call(b"touch %s 0\r\n" % name, b"TOUCHED\r\n")
    daemon.log.wait(r"server s1 is up again")
    ask_all(clients, dead + alive)
    end = counters(daemon, b"servers")
    assert end["main/s1:openings"] == end["main/s1:recoveries"] == 1
    assert end["main/s1:relapses"] == 0
    assert end["main/s1:trials"] == 1


def test_the_last_servers_are_used_on_and_work_at_once(over, own_servers):
    """All of five stop: four are down, and the fifth needs no probe."""
    servers = own_servers(5)
    daemon = over(servers, {"health": {"failures": 2, "retry": "1h",
                                       "retry_max": "1h"}})
    names = [keys_of(daemon, i, 1)[0] for i in range(5)]
    with daemon.client() as wire:
        for name in names:
            stored(wire, name)
        for one in servers:
            one.process.send_signal(signal.SIGSTOP)
        try:
            for _ in range(3):
                wire.send(b"".join(b"get %s\r\n" % n for n in names))
                for name in names:
                    lost_read(wire, name)
        finally:
            for one in servers:
                one.process.send_signal(signal.SIGCONT)
        daemon.log.wait(r"looks down \(request timed out\), but stays in use")
        assert daemon.log.count(r"is down: ") == 4

        def found():
            wire.send(b"".join(b"get %s\r\n" % n for n in names))
            return [n for n in names if lost_read(wire, n)]
        wait_until(lambda: len(found()) == 1, "the fifth to answer")


# What a probe is told, and what the log says of that.
PROBED = [(b"", "the probe timed out"),
          (b"ERROR what?\r\n", "the probe's answer makes no sense"),
          (b"ERROR Too many open connections\r\n",
           "it takes no more connections"),
          (b"VERS", "the probe timed out")]


def go_down(server, daemon):
    """By a request that the server hangs up on; its probes begin."""
    server.on(b"bad", rules.hang_up)
    with daemon.client() as wire:
        wire.send(b"delete bad\r\n")
        wire.expect_line(LOST_WRITE)


def test_a_probe_answered_during_a_pause_of_the_proxy_succeeds(over, played):
    server = played()
    daemon = over([server], {
        "timeouts": {"request": "300ms"},
        "health": {"failures": 1, "retry": "20ms", "retry_max": "20ms"}})
    answer, release = server.answer, threading.Event()

    def late_to_probes(request):
        if request.verb == b"version":
            release.wait(seconds(20))
        return answer(request)
    server.answer = late_to_probes
    go_down(server, daemon)
    daemon.log.wait("still down: the probe timed out")
    wait_until(lambda: len(server.seen(rb"^version")) == 1 +
               daemon.log.count("is still down"), "the next probe")
    with daemon.paused():
        failed = daemon.log.count("is still down")
        release.set()
        wait_until(Deadline(0.4).passed, "the time-out to be over")
    daemon.log.wait("server s0 answers again")
    assert daemon.log.count("is still down") == failed


def test_a_probe_needs_the_answer_to_its_question(over, played):
    server = played()
    daemon = over([server], {
        "timeouts": {"request": "100ms"},
        "health": {"failures": 1, "retry": "20ms", "retry_max": "20ms"}})
    answer, told = server.answer, [said for said, _ in PROBED]

    def mostly_wrong(request):
        if request.verb == b"version" and told:
            return told.pop(0)
        return answer(request)
    server.answer = mostly_wrong
    go_down(server, daemon)
    with daemon.client() as wire:
        daemon.log.wait(r"server s0 answers again")
        # One at a time, each as long as it takes.
        found = [line for line in daemon.log.lines if "is still down" in line]
        assert len(server.seen(rb"^version")) == len(found) + 1
        assert len(found) >= len(PROBED)
        for line, (_, words) in zip(found, PROBED):
            assert "server s0 is still down: %s pool=main" % words in line
        stored(wire, b"good")


def test_a_probe_of_a_server_that_was_removed_ends(over, played):
    server, other = played(), played()
    daemon = over([server], {"timeouts": {"request": "100ms"},
                             "health": {"failures": 1}})
    answer = server.answer
    server.answer = lambda request: (
        b"" if request.verb == b"version" else answer(request))
    go_down(server, daemon)
    server.wait_seen(rb"^version")
    daemon.config["pools"]["main"]["servers"] = [
        {"name": "s1", "address": other.text}]
    daemon.reload(daemon.config)
    wait_until(lambda: server.open_connections() == 0, "the probe to end")


def test_a_reload_changes_what_a_breaker_forgives(over, played):
    server = played()
    daemon = over([server], {"health": {"failures": 1000}})
    daemon.config["pools"]["main"]["health"]["failures"] = 1
    daemon.reload(daemon.config)
    go_down(server, daemon)
    daemon.log.wait(r"server s0 is down")
