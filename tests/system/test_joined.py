"""Gets that wait to be sent to one server share a line.

Each client still gets what it would have got alone.
"""

import threading

import pytest

from support import rules
from support.faults import (LOST_READ, counters, hit, keys_of, lost_read,
                            stored, value_of, works_again)

NAMES = [b"k%d" % i for i in range(8)]


def with_names(over, server, pool=None):
    """A played server that has NAMES, and the daemon before it."""
    daemon = over([server], pool)
    with daemon.client() as wire:
        for name in NAMES:
            stored(wire, name)
    return server, daemon


@pytest.fixture
def alone(over, played):
    return with_names(over, played())


@pytest.fixture
def patient(over, played):
    """One that waits for as long as replies take that come in pieces."""
    return with_names(over, played(), {"timeouts": {"request": "20s"}})


def lines(server):
    """The get lines that the server has seen."""
    return server.seen(rb"^gets? ")


def together(daemon, *texts):
    """A client for each text, all of which the daemon reads in one turn."""
    wires = [daemon.client() for _ in texts]
    for wire in wires:
        wire.in_step()
    with daemon.paused():
        for wire, text in zip(wires, texts):
            wire.send(text)
    return wires


def get(*names):
    return b"".join(b"get %s\r\n" % name for name in names)


# -- what is joined ----------------------------------------------------------

def test_many_gets_of_one_client_are_one_line(alone):
    server, daemon = alone
    with daemon.client() as wire:
        wire.call(get(*NAMES), b"".join(map(hit, NAMES)))
    assert lines(server) == [b"get " + b" ".join(NAMES)]


def test_a_few_of_one_client_keep_their_lines(alone):
    """The first answer does not wait for the last."""
    server, daemon = alone
    held = threading.Event()
    server.on(NAMES[2], rules.hold(held))
    with daemon.client() as wire:
        wire.send(get(*NAMES[:3]))
        wire.expect(hit(NAMES[0]) + hit(NAMES[1]))
        held.set()
        wire.expect(hit(NAMES[2]))
    assert lines(server) == [b"get " + name for name in NAMES[:3]]


def test_two_clients_share_a_line(alone):
    server, daemon = alone
    one, two = together(daemon, get(NAMES[0]), get(NAMES[1]))
    one.expect(hit(NAMES[0]))
    two.expect(hit(NAMES[1]))
    assert sorted(lines(server)[-1].split()) == [b"get"] + NAMES[:2]
    one.in_step()
    two.in_step()


def test_not_where_the_pool_forbids_it(over, played):
    server = played()
    daemon = over([server], {"join_gets": False})
    with daemon.client() as wire:
        wire.call(get(*NAMES), b"END\r\n" * len(NAMES))
    assert lines(server) == [b"get " + name for name in NAMES]


def test_a_reload_decides_anew(alone):
    server, daemon = alone
    daemon.config["pools"]["main"]["join_gets"] = False
    daemon.reload(daemon.config)
    with daemon.client() as wire:
        wire.call(get(*NAMES), b"".join(map(hit, NAMES)))
    assert lines(server) == [b"get " + name for name in NAMES]


def test_get_and_gets_are_not_mixed(alone):
    server, daemon = alone
    with daemon.client() as wire:
        wire.send(get(*NAMES[:4]) +
                  b"".join(b"gets %s\r\n" % name for name in NAMES[4:]))
        for name in NAMES[:4]:
            wire.expect(hit(name))
        for name in NAMES[4:]:
            wire.expect_line(rb"VALUE %s 0 2 \d+" % name)
            wire.expect(name + b"\r\nEND\r\n")
    assert lines(server) == [b"get " + b" ".join(NAMES[:4]),
                             b"gets " + b" ".join(NAMES[4:])]


def test_what_stands_between_ends_the_line(alone):
    """A client reads what it has written itself."""
    server, daemon = alone
    with daemon.client() as wire:
        wire.call(get(*NAMES[:4]) + b"set k0 0 0 3\r\nnew\r\n" +
                  get(*NAMES[:4]),
                  b"".join(map(hit, NAMES[:4])) + b"STORED\r\n" +
                  b"VALUE k0 0 3\r\nnew\r\nEND\r\n" +
                  b"".join(map(hit, NAMES[1:4])))
    line = b"get " + b" ".join(NAMES[:4])
    assert lines(server) == [line, line]


def test_multi_gets_share_lines_too(alone):
    server, daemon = alone
    first, second, third = together(
        daemon, b"get k0 no k1 no k0\r\n", b"get k0 k2\r\n", b"get no no\r\n")
    first.expect(value_of(b"k0") + value_of(b"k1") + hit(b"k0"))
    second.expect(value_of(b"k0") + hit(b"k2"))
    third.expect(b"END\r\n")
    assert len(lines(server)) == 1


@pytest.mark.parametrize("length", [1, 200, 250])
def test_lines_stay_short(length, alone):
    """What any server takes: 2,000 bytes."""
    server, daemon = alone
    names = [b"%03d" % i + b"x" * (length - 3) for i in range(700)]
    with daemon.client() as wire:
        wire.call(get(*names), b"END\r\n" * len(names))
    seen = lines(server)
    assert [name for line in seen for name in line.split()[1:]] == names
    assert max(map(len, seen)) + 2 <= 2000
    assert len(seen) < len(names) / 4


# -- who gets what -----------------------------------------------------------

MISSES = [[], [0], [7], [0, 1, 2], [6, 7], [1, 3, 5], list(range(8))]


@pytest.mark.parametrize("piece", [None, 1, 7])
@pytest.mark.parametrize("missing", MISSES, ids=str)
def test_hits_and_misses(missing, piece, patient):
    """Also where the reply comes in pieces."""
    server, daemon = patient
    for i in missing:
        del server.store[NAMES[i]]
    if piece is not None:
        server.on(b"k", rules.drip(piece))
    wanted = [b"END\r\n" if i in missing else hit(name)
              for i, name in enumerate(NAMES)]
    with daemon.client() as wire:
        wire.call(get(*NAMES), b"".join(wanted))
    wires = together(daemon, *map(get, NAMES))
    for wire, one in zip(wires, wanted):
        wire.expect(one)
        wire.in_step()


def test_the_same_key_for_all(alone):
    server, daemon = alone
    for wire in together(daemon, *[get(b"k0")] * 6):
        wire.expect(hit(b"k0"))
        wire.in_step()
    assert lines(server)[-1] == b"get" + b" k0" * 6


def test_long_values_among_short_ones(alone):
    server, daemon = alone
    long = {b"k1": b"x" * 1000, b"k3": b"y" * 70000, b"k4": b"z" * 900000}
    with daemon.client() as wire:
        for name, value in long.items():
            stored(wire, name, value)
    wires = together(daemon, *map(get, NAMES))
    for wire, name in zip(wires, NAMES):
        value = long.get(name, name)
        wire.expect(b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (
            name, len(value), value))
        wire.in_step()


def test_one_that_leaves_takes_nothing_from_the_others(alone):
    server, daemon = alone
    held = threading.Event()
    server.on(b"k0", rules.hold(held), times=1)
    wires = together(daemon, *map(get, NAMES))
    server.wait_seen(rb"^get k0")
    for wire in wires[::2]:
        wire.reset()
    held.set()
    for wire, name in list(zip(wires, NAMES))[1::2]:
        wire.expect(hit(name))
        wire.in_step()


def test_each_is_counted(alone):
    server, daemon = alone
    del server.store[b"k5"]
    before = counters(daemon, b"")
    with daemon.client() as wire:
        wire.call(get(*NAMES), b"".join(
            b"END\r\n" if name == b"k5" else hit(name) for name in NAMES))
    after = counters(daemon, b"")
    assert [after[name] - before[name] for name in (
        "cmd_get", "get_hits", "get_misses")] == [8, 7, 1]
    assert counters(daemon)["gets_joined"] == 7


# -- a server that fails -----------------------------------------------------

def test_its_error_is_everybodys(alone):
    server, daemon = alone
    server.on(b"k0", rules.say(b"SERVER_ERROR out of memory\r\n"))
    wires = together(daemon, *map(get, NAMES))
    for wire in wires:
        wire.expect(b"SERVER_ERROR out of memory\r\n")
        wire.in_step()


@pytest.mark.parametrize("end", [rules.die_after, rules.reset_after])
@pytest.mark.parametrize("count", [0, 1, 20, 45, 60, 100])
def test_it_dies_within_the_line(count, end, alone):
    """The rest is asked again, each by itself, and found."""
    server, daemon = alone
    server.on(b"k0", end(count), times=1)
    wires = together(daemon, *map(get, NAMES))
    for wire, name in zip(wires, NAMES):
        wire.expect(hit(name))
        wire.in_step()
    again = lines(server)[1:]
    assert all(len(line.split()) == 2 for line in again)


def test_a_key_that_kills_the_server_kills_nothing_else(alone):
    server, daemon = alone
    server.on(b"k3", rules.hang_up)
    wires = together(daemon, *map(get, NAMES))
    for wire, name in zip(wires, NAMES):
        wire.expect_line(LOST_READ) if name == b"k3" else \
            lost_read(wire, name)
    # Its followers were asked again with it. Those before it were not lost.
    server.clear()
    works_again(daemon, b"k1")


def test_it_stalls(alone):
    """Everybody's time-out; the late reply is nobody's."""
    server, daemon = alone
    held = threading.Event()
    server.on(b"k0", rules.hold(held), times=1)
    wires = together(daemon, *map(get, NAMES))
    for wire in wires:
        wire.expect_line(LOST_READ)
    held.set()
    for wire, name in zip(wires, NAMES):
        wire.send(get(name))
        lost_read(wire, name)
        wire.in_step()


LIES = {
    "in another order": value_of(b"k1") + hit(b"k0"),
    "a key that nobody asked for": value_of(b"k0") + hit(b"zz"),
    "a key too often": value_of(b"k0") * 9 + b"END\r\n",
    "an error after a value": value_of(b"k0") + b"SERVER_ERROR x\r\n",
    "an error after misses": value_of(b"k7") + b"SERVER_ERROR x\r\n",
    "two ends": b"END\r\nEND\r\n",
    "another reply": value_of(b"k0") + b"STORED\r\n",
    "a value without its end": value_of(b"k0")[:-2] + hit(b"k1"),
}


@pytest.mark.parametrize("lie", list(LIES))
def test_it_lies(lie, alone):
    """Each has its own value, a miss or an error, and all are in step."""
    server, daemon = alone
    server.on(b"k0", rules.say(LIES[lie]), times=1)
    wires = together(daemon, *map(get, NAMES))
    for wire, name in zip(wires, NAMES):
        lost_read(wire, name)
        wire.in_step()
    server.clear()
    works_again(daemon, b"k1")


def test_a_value_that_nobody_asked_for_makes_no_misses(over, played):
    """The line failed for all of them, and none may take it for a miss."""
    server = played()
    daemon = over([server], {"on_down": "error"})
    works_again(daemon, b"up")
    server.on(b"k0", rules.say(hit(b"zz")))
    wires = together(daemon, *map(get, NAMES))
    for wire in wires:
        wire.expect_line(rb"SERVER_ERROR s0: the server's reply .*")
        wire.in_step()


def test_a_reply_to_what_was_not_sent_yet(alone):
    """It came before the question, so it is no answer to it."""
    server, daemon = alone
    with daemon.client() as wire, daemon.client() as other:
        wire.in_step()
        other.in_step()
        with daemon.paused():
            wire.send(get(*NAMES))
            server.say(b"END\r\n" * 8)
        for name in NAMES:
            line = wire.line()
            if line == b"END\r\n":
                daemon.log.wait("connection closed")
            if line.startswith(b"VALUE "):
                wire.expect(name + b"\r\nEND\r\n")
    works_again(daemon, b"k1")


def test_the_other_server_of_a_multi_get(over, played):
    """A line's failure is a failure of its part of each multi-get."""
    servers = [played(), played()]
    daemon = over(servers)
    mine, (other,) = keys_of(daemon, 0, 2), keys_of(daemon, 1, 1)
    with daemon.client() as wire:
        for name in mine + [other]:
            stored(wire, name)
    servers[0].on(mine[0], rules.say(b"STORED\r\n"), times=1)
    both = b"get %s %s\r\n"
    wires = together(daemon, both % (mine[0], other), both % (other, mine[1]))
    for wire in wires:
        got = wire.until(b"\r\n")
        if got.startswith(b"VALUE"):
            got += wire.until(b"END\r\n")
        assert got in (hit(other), hit(mine[1]),
                       value_of(other) + hit(mine[1])) or \
            got.startswith(b"SERVER_ERROR "), got
        wire.in_step()
