"""Clients that judge every reply while something disturbs the daemon's servers.
"""

import random
import threading

from support import soak
from support.chaos import Client
from support.clock import Deadline, seconds
from support.faults import works_again


def run(client, is_over, failures, leaves=False):
    """`leaves`: now and then, so that clients are accepted all the time."""
    try:
        while not is_over() and not failures:
            client.batch()
            if leaves and client.random.randrange(10) == 0:
                client.close()
                client.wire = None
    except Exception as why:
        failures.append("%s: %s" % (type(why).__name__, why))
    finally:
        client.close()


def total(clients):
    """What they counted, together."""
    return {name: sum(one.counts[name] for one in clients)
            for name in clients[0].counts}


def is_enough(clients, loses=True):
    """Whether there was something to judge. `loses`: some was lost, too."""
    counts = total(clients)
    return counts["hits"] > 20 and (counts["lost"] > 0 or not loses)


def until_enough(clients, length, loses=True):
    """A function that tells the clients when to end: after `length` real
    seconds, and some more if there was too little to judge."""
    usual = Deadline.real(length)
    at_most = Deadline.real(length + seconds(20))
    return lambda: usual.passed() and (
        is_enough(clients, loses) or at_most.passed())


def disturb(disturbances, is_over, draw):
    """One of them after another, some of them at a time."""
    rest = threading.Event()
    while not is_over():
        undo = [draw.choice(disturbances)()
                for _ in range(draw.randint(1, 2))]
        rest.wait(seconds(soak.HASTE * draw.uniform(0.05, 0.5)))
        for one in undo:
            one()
        rest.wait(seconds(soak.HASTE * draw.uniform(0.05, 0.3)))


def judge(daemon, length, seed, disturbances, loses=True):
    """Clients for `length` real seconds, with disturbances; then all is well.

    Each disturbance begins when it is called, and returns what ends it.
    `loses`: some requests are lost by them.
    """
    print("seed", seed)
    failures = []
    clients = [Client(daemon.address, i, "%s/%d" % (seed, i))
               for i in range(6)]
    is_over = until_enough(clients, length, loses)
    threads = [threading.Thread(target=run, args=(one, is_over, failures))
               for one in clients]
    for one in threads:
        one.start()
    disturb(disturbances, is_over, random.Random(seed))
    for one in threads:
        one.join()
    assert not failures, "seed %s: %s" % (seed, "\n".join(failures))
    print(total(clients))
    assert is_enough(clients, loses), total(clients)
    for i in range(30):
        works_again(daemon, b"mended%d" % i)
    daemon.check_log()
