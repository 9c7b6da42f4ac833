"""The network between the daemon and its servers loses, delays and tears.

Clients judge every reply meanwhile: whole, of its own key, in order, and never
older than the last write that was confirmed. When it is mended all is well.
--soak makes it long.
"""

import random
import threading

import pytest

from support.chaos import Client
from support.clock import Deadline, seconds
from support.faults import works_again
from support.island import Impossible, Island
from support.middleman import Middleman


def run(client, is_over, failures):
    try:
        while not is_over() and not failures:
            client.batch()
    except (AssertionError, OSError) as why:
        failures.append("%s: %s" % (type(why).__name__, why))
    finally:
        client.close()


def disturb(disturbances, is_over, draw):
    """One of them after another, some of them at a time."""
    rest = threading.Event()
    while not is_over():
        undo = [draw.choice(disturbances)()
                for _ in range(draw.randint(1, 2))]
        rest.wait(seconds(draw.uniform(0.05, 0.5)))
        for one in undo:
            one()
        rest.wait(seconds(draw.uniform(0.05, 0.3)))


def judge(request, daemon, seed, disturbances, loses=True):
    """Clients, while the network is disturbed; then all is well again.

    `loses`: not before some requests were lost.
    """
    print("seed", seed)
    length = 300 if request.config.getoption("--soak") else 2.5
    enough, at_most, failures = Deadline(length), Deadline(length + 20), []
    clients = [Client(daemon.address, i, "%s/%d" % (seed, i))
               for i in range(6)]

    def is_over():
        lost = sum(one.counts["lost"] for one in clients)
        return enough.passed() and (lost > 0 or not loses or at_most.passed())

    threads = [threading.Thread(target=run, args=(one, is_over, failures))
               for one in clients]
    for one in threads:
        one.start()
    disturb(disturbances, is_over, random.Random(seed))
    for one in threads:
        one.join()
    assert not failures, "seed %s: %s" % (seed, "\n".join(failures))
    counts = {name: sum(one.counts[name] for one in clients)
              for name in clients[0].counts}
    print(counts)
    assert counts["hits"] > 20 and (counts["lost"] > 0 or not loses), counts
    for i in range(30):
        works_again(daemon, b"mended%d" % i)
    daemon.check_log()


def test_a_cable_that_is_held_slowed_and_torn(request, over, own_servers,
                                              seed):
    men = [Middleman(one.address, "%s/%d" % (seed, i))
           for i, one in enumerate(own_servers(3))]
    daemon = over(men)
    draw = random.Random("%s/which" % seed)

    def hold():
        man = draw.choice(men)
        man.hold(*draw.choice([(True, True), (True, False), (False, True)]))
        return draw.choice([man.release, man.release, man.tear])

    def slow():
        man = draw.choice(men)
        man.delay = seconds(draw.uniform(0.005, 0.2))
        return man.release

    def tear():
        man = draw.choice(men)
        man.tear()
        return man.release

    try:
        judge(request, daemon, seed, [hold, hold, slow, tear])
    finally:
        for man in men:
            man.stop()


@pytest.fixture
def islands():
    """Three servers, each in a network namespace of its own."""
    made = []
    try:
        for _ in range(3):
            made.append(Island())
    except Impossible as why:
        for one in made:
            one.stop()
        pytest.skip("no network namespaces on this machine: %s" % why)
    yield made
    for one in made:
        one.stop()


def test_packets_that_are_dropped(request, over, islands, seed):
    """On the way there, on the way back, or both; TCP sends them again."""
    daemon = over(islands)
    draw = random.Random("%s/which" % seed)

    def drop():
        island = draw.choice(islands)
        island.drop(*draw.choice([(True, True), (True, False),
                                  (False, True)]))
        return island.mend

    judge(request, daemon, seed, [drop])


def test_packets_that_are_delayed_lost_and_reordered(request, over, islands,
                                                     seed):
    try:
        for one in islands:
            one.disturb("delay", "5ms", "5ms", "loss", "3%", "duplicate",
                        "2%", "reorder", "20%")
    except Impossible as why:
        pytest.skip("the kernel cannot do it: %s" % why)
    judge(request, over(islands), seed, [lambda: lambda: None],
          loses=False)
