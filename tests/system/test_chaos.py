"""Everything at once: servers that fail in every way at random, clients that
pipeline, and clients that vanish.

Each reply is judged: whole, to its own request, in order, of its own key, and
never older than the last write that was confirmed. At the end all is well
again. Short by default; --soak makes it long.
"""

import random
import threading

import pytest

from support import soak
from support.chaos import Chaos, Client
from support.clock import wait_until
from support.faults import lost_read
from support.judge import is_enough, run, total, until_enough
from support.wire import Wire

STALL_S = 0.08      # the request timeout, about which servers stall
BRIEF_S = 4.5       # real seconds a case, of the soak's

POOLS = {
    "miss": {"on_down": "miss"},
    "error": {"on_down": "error"},
    "next": {"on_down": "next"},
    "more connections": {"on_down": "miss", "server_connections": 3},
}


def vanish(address, seed, is_over):
    """Clients that ask for much, of everybody's keys, and are gone."""
    draw = random.Random(seed)
    while not is_over():
        try:
            wire = Wire(address)
        except OSError:
            return
        keys = [b"c%d.%d." % (draw.randrange(6), draw.randrange(12))
                for _ in range(30)]
        try:
            for _ in range(draw.randint(1, 40)):
                wire.send(draw.choice((
                    b"get %s\r\n" % b" ".join(keys),
                    b"get %s\r\n" % draw.choice(keys),
                    b"set gone 0 0 5000\r\n" + b"x" * draw.randint(0, 5002),
                    b"mg %s v\r\n" % draw.choice(keys))))
            if draw.random() < 0.5:
                wire.take(draw.randint(1, 3000), timeout=0.1)
        except OSError:
            pass
        if draw.random() < 0.5:
            wire.reset()
        else:
            wire.close()


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("pool", list(POOLS))
def test_chaos(pool, workers, request, over, played, seed):
    print("seed", seed)
    servers = [played() for _ in range(3)]
    chaos = Chaos(seed, STALL_S * soak.HASTE)
    daemon = over(servers, {
        "timeouts": soak.timeouts(200, 1000 * STALL_S),
        "health": {"failures": 20, "retry": "20ms", "retry_max": "50ms"},
        **POOLS[pool]}, workers=workers)
    for one in servers:
        one.on(b"", chaos)
    failures = []
    clients = [Client(daemon.address, i, "%s/%d" % (seed, i),
                      trusts_order=pool != "next") for i in range(6)]
    is_over = until_enough(clients, soak.length(request, BRIEF_S))
    threads = [threading.Thread(target=run, args=(one, is_over, failures))
               for one in clients]
    threads += [threading.Thread(target=vanish, args=(
        daemon.address, "%s/v%d" % (seed, i), is_over)) for i in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    chaos.stop()
    daemon.check_log()
    assert not failures, "seed %s: %s" % (seed, "\n".join(failures))
    print(total(clients), chaos.done)
    assert is_enough(clients), total(clients)
    is_well_again(daemon, servers)


def is_well_again(daemon, servers):
    """Every server serves its own keys, and nothing of the trouble is left.

    That takes a moment: what still waits at the servers comes first.
    """
    located = daemon.locate([b"well%d" % i for i in range(60)])
    home = {one.text: one for one in servers}

    def is_well(wire, name):
        wire.send(b"delete %s\r\nset %s 0 0 %d\r\n%s\r\n" % (
            name, name, len(name), name))
        wire.line()
        return wire.line() == b"STORED\r\n" and \
            name in home[located[name][2]].store

    def are_all_well():
        with daemon.client() as wire:
            for name in located:
                if not is_well(wire, name):
                    return False
                wire.send(b"get %s\r\n" % name)
                if lost_read(wire, name) != name:
                    return False
            wire.in_step()
        return True

    wait_until(are_all_well, "all servers to be well again", step=0.02)
    wait_until(lambda: daemon.descriptors() < 80, "few descriptors")
    wait_until(lambda: all(one.open_connections() <= 12 for one in servers),
               "few connections")
