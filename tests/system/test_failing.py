"""System calls and allocations of the daemon fail: what they were for fails
with them, and nothing else. Each kind in turn, then all together.

No reply is ever crossed, damaged or stale, nothing crashes, leaks or spins,
and when it is over everybody is served. --soak makes it long.
"""

import signal
import threading

import pytest

from support import config, failing, judge, soak, stats
from support.chaos import Client
from support.clock import Deadline, wait_until
from support.fairlead import Fairlead
from support.faults import QUICK, works_again
from support.ports import free_port
from support.program import is_sanitized, is_wrapped

# One call of so many fails: about as often as requests go wrong, for all of a
# turn's requests share its calls.
RARITY = {"accept": 3, "read": 40, "write": 40, "socket": 2, "connect": 2,
          "epoll": 5, "alloc": 8}

BRIEF_S = 1.5       # real seconds a case, of the soak's

no_allocations = pytest.mark.skipif(
    is_sanitized() or is_wrapped(),
    reason="the sanitizer's allocator stands before ours; there the unit "
           "tests make each allocation fail")


@pytest.fixture(scope="module")
def library():
    return failing.build()


@pytest.fixture
def start_failing(library, own_servers, tmp_path, seed):
    """Starts a daemon over three servers whose calls can be made to fail."""
    running = []

    def go(**options):
        steer = failing.Failing(library, tmp_path, seed)
        servers = own_servers(3)
        top = config.basic(free_port(), [one.text for one in servers],
                           QUICK, workers=2)
        daemon = Fairlead(top, tmp_path, prefix=steer.prefix, **options)
        running.append((steer, daemon))
        return steer, daemon

    yield go
    for steer, daemon in running:
        steer.stop()
        daemon.stop()


def load(daemon, seed, length, first=0):
    """Judged requests for `length` real seconds; what the clients counted.

    They are numbered from `first`, and nobody else may have their keys.
    """
    until, failures = Deadline.real(length), []
    clients = [Client(daemon.address, i, "%s/%d" % (seed, i),
                      trusts_connections=False)
               for i in range(first, first + 4)]
    threads = [threading.Thread(target=judge.run, args=(
        one, until.passed, failures, True)) for one in clients]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures, "seed %s: %s" % (seed, "\n".join(failures))
    return judge.total(clients)


def is_as_before(daemon, descriptors):
    """All keys are served again, nothing is kept open and nobody spins."""
    for i in range(20):
        works_again(daemon, b"again%d" % i)
    wait_until(lambda: daemon.descriptors() <= descriptors,
               lambda: "descriptors to be closed: %d, once %d" % (
                   daemon.descriptors(), descriptors))
    with daemon.client() as wire:
        before = stats.turns(wire)
        for _ in range(200):
            wire.in_step()
        # One a request, and some for the clock.
        assert stats.turns(wire) - before < 600
    daemon.check_log()


@pytest.mark.parametrize("kind", [
    "accept", "read", "write", "socket", "connect", "epoll",
    pytest.param("alloc", marks=no_allocations), "all"])
def test_calls_fail_at_random(kind, request, start_failing, seed):
    print("seed", seed)
    kinds = [kind] if kind != "all" else [
        one for one in RARITY if one != "alloc" or not is_sanitized()]
    steer, daemon = start_failing()
    load(daemon, seed, 0.1, first=4)
    is_as_before(daemon, 64)
    descriptors = daemon.descriptors() + 2
    steer.at_random(kinds, RARITY.get(kind, 20))
    if kind in ("socket", "connect"):
        # Else there would be no more of these.
        steer.at_random(kinds + ["read"], RARITY[kind])
    counts = load(daemon, seed, soak.length(request, BRIEF_S))
    failed = {one: steer.failed(one) for one in kinds}
    print(counts, failed)
    steer.stop()
    assert sum(failed.values()) > 5 if kind == "all" else failed[kind], failed
    assert counts["replies"] > 20, counts
    is_as_before(daemon, descriptors)


def test_probes_that_cannot_be_registered(library, own_servers, tmp_path,
                                          seed):
    """One that did not hear of its answer was waited for without end."""
    print("seed", seed)
    steer, server = failing.Failing(library, tmp_path, seed), own_servers(1)[0]
    top = config.basic(free_port(), [server.text], {
        "timeouts": soak.timeouts(200, 50),
        "health": {"failures": 1, "retry": "10ms", "retry_max": "20ms"}})
    with Fairlead(top, tmp_path, prefix=steer.prefix) as daemon:
        server.process.send_signal(signal.SIGSTOP)
        with daemon.client() as wire:
            wire.call(b"get a\r\n", b"END\r\n")
        daemon.log.wait("is down")
        steer.at_random(["epoll"], 2)
        wait_until(lambda: steer.failed("epoll") > 30, "probes to be made",
                   base=20)
        steer.stop()
        server.process.send_signal(signal.SIGCONT)
        works_again(daemon, b"a")


def is_served(daemon):
    """Whether a new client is; the one call may have cost it its life."""
    with daemon.client() as wire:
        try:
            wire.send(b"get start\r\n")
            return wire.line_or_end() == b"END\r\n"
        except OSError:
            return False


def ending(daemon, steer):
    """How a daemon ends that may or may not have started: its exit code."""
    wait_until(lambda: daemon.log.find(r"\bready\b") or
               not daemon.is_running(), "it to start or to end")
    if daemon.log.find(r"\bready\b"):
        wait_until(lambda: is_served(daemon), "a client to be served")
        steer.stop()
        daemon.stop()
        return 0
    code = daemon.wait_exit()
    assert code in (69, 71, 78), daemon.log.lines
    assert daemon.log.find("cannot start"), daemon.log.lines
    daemon.check_log()
    return code


@pytest.mark.parametrize("kind", [
    "socket", "epoll", "eventfd", pytest.param("alloc", marks=no_allocations)])
def test_a_call_fails_at_the_start(kind, request, library, servers, tmp_path,
                                   seed):
    """It does not start, and says so, or starts and serves."""
    step = 1 if kind != "alloc" or request.config.getoption("--soak") else 9
    steer = failing.Failing(library, tmp_path, seed)
    endings = []
    for nth in range(1, 5000, step):
        steer.nth(kind, nth)
        daemon = Fairlead(
            config.basic(free_port(), [s.text for s in servers[:2]]),
            tmp_path, prefix=steer.prefix, wait=False)
        try:
            endings.append(ending(daemon, steer))
        finally:
            daemon.kill()
        if not steer.failed(kind):
            break
    else:
        pytest.fail("so many calls of one kind?")
    print(endings)
    assert len(endings) > 1
