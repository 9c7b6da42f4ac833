"""The network between the daemon and its servers loses, delays and tears.

Clients judge every reply meanwhile: whole, of its own key, in order, and never
older than the last write that was confirmed. When it is mended all is well.
--soak makes it long. And firewalls forget.
"""

import contextlib
import random

import pytest

from support import soak
from support.clock import Deadline, seconds, wait_until
from support.faults import hit, keys_of, stored
from support.island import Impossible, Island
from support.judge import judge
from support.middleman import Middleman

# Real seconds a case, of the soak's.
BRIEF_S = 4

# The same as QUICK's, at the soak's pace.
HASTY = {"timeouts": soak.timeouts(200, 300)}


def test_a_cable_that_is_held_slowed_and_torn(request, over, own_servers,
                                              seed):
    men = [Middleman(one.address, "%s/%d" % (seed, i))
           for i, one in enumerate(own_servers(3))]
    daemon = over(men, HASTY)
    draw = random.Random("%s/which" % seed)

    def hold():
        man = draw.choice(men)
        man.hold(*draw.choice([(True, True), (True, False), (False, True)]))
        return draw.choice([man.release, man.release, man.tear])

    def slow():
        man = draw.choice(men)
        man.delay = seconds(soak.HASTE * draw.uniform(0.005, 0.2))
        return man.release

    def tear():
        man = draw.choice(men)
        man.tear()
        return man.release

    try:
        judge(daemon, soak.length(request, BRIEF_S), seed,
              [hold, hold, slow, tear])
    finally:
        for man in men:
            man.stop()


@pytest.fixture
def islands():
    """Three servers, each in a network namespace of its own."""
    made = []
    with contextlib.ExitStack() as ends:
        try:
            for _ in range(3):
                made.append(Island())
                ends.callback(made[-1].stop)
        except Impossible as why:
            pytest.skip("no network namespaces on this machine: %s" % why)
        yield made


def test_packets_that_are_dropped(request, over, islands, seed):
    """On the way there, on the way back, or both; TCP sends them again."""
    daemon = over(islands, HASTY)
    draw = random.Random("%s/which" % seed)

    def drop():
        island = draw.choice(islands)
        island.drop(*draw.choice([(True, True), (True, False),
                                  (False, True)]))
        return island.mend

    judge(daemon, soak.length(request, BRIEF_S), seed, [drop])


def test_packets_that_are_delayed_lost_and_reordered(request, over, islands,
                                                     seed):
    try:
        for one in islands:
            one.disturb("delay", "5ms", "5ms", "loss", "3%", "duplicate",
                        "2%", "reorder", "20%")
    except Impossible as why:
        pytest.skip("the kernel cannot do it: %s" % why)
    judge(over(islands, HASTY), soak.length(request, BRIEF_S), seed,
          [lambda: lambda: None], loses=False)


# Seconds; the daemon trusts a connection that was silent for less.
SILENCE = 5


def test_a_firewall_that_forgot_the_connections(over, islands):
    """Nothing comes back from it, not even a reset. Whatever is asked first
    after the silence is answered, also what may not be asked twice."""
    daemon = over(islands, {"on_down": "error"})
    read, written, added = (keys_of(daemon, i, 1)[0] for i in range(3))
    with daemon.client() as wire:
        for name in (read, written):
            stored(wire, name)
        stored(wire, added, b"1")
        silence = Deadline.real(SILENCE + 0.1)
        for one in islands:
            one.forget()
        wait_until(silence.passed, "the silence", base=SILENCE + 1)
        wire.call(b"get %s\r\n" % read, hit(read))
        stored(wire, written, b"new")
        wire.call(b"incr %s 1\r\n" % added, b"2\r\n")
    assert not daemon.log.find(r" warn server "), daemon.log.lines
