"""Limits: each has an error for who meets it, and leaves the stream in step.
"""

import threading

import pytest

from support import config
from support.clock import wait_until
from support.faults import serves

BAD = b"CLIENT_ERROR bad command line format\r\n"
TOO_LARGE = b"SERVER_ERROR object too large for cache\r\n"
MIB = 1 << 20


def test_keys_of_250_bytes_work_and_251_are_refused(client, key):
    good = key() + b"k" * (250 - len(key()))
    bad = good + b"k"
    client.call(b"set %s 0 0 2\r\nok\r\nget %s\r\nincr %s 1\r\n"
                b"mg %s v k\r\ntouch %s 0\r\ndelete %s\r\n" % ((good,) * 6),
                b"STORED\r\nVALUE %s 0 2\r\nok\r\nEND\r\n" % good +
                b"CLIENT_ERROR cannot increment or decrement non-numeric "
                b"value\r\nVA 2 k%s\r\nok\r\nTOUCHED\r\nDELETED\r\n" % good)
    client.call(b"set %s 0 0 2\r\nok\r\nget %s\r\nincr %s 1\r\n"
                b"mg %s v k\r\ntouch %s 0\r\ndelete %s\r\n" % ((bad,) * 6),
                BAD * 6)
    client.in_step()


def test_key_limit_counts_bytes_not_characters(client):
    client.call("get {}\r\n".format("ñ" * 125).encode(), b"END\r\n")
    client.call("get {}\r\n".format("ñ" * 126).encode(), BAD)


@pytest.fixture
def small(start_basic, servers):
    """A daemon whose values end at 1 KiB."""
    return start_basic(servers[:3], limits={"value_size": "1KiB"})


def put(verb, name, size, extra=b""):
    if verb == b"ms":
        return b"ms %s %d%s\r\n%s\r\n" % (name, size, extra, b"v" * size)
    return b"%s %s 0 0 %d%s\r\n%s\r\n" % (
        verb, name, size, extra, b"v" * size)


def test_value_limit_is_exact(small, key):
    with small.client() as wire:
        wire.call(put(b"set", key(), 1024), b"STORED\r\n")
        wire.call(b"get %s\r\n" % key(), b"VALUE %s 0 1024\r\n%s\r\nEND\r\n"
                  % (key(), b"v" * 1024))
        wire.call(put(b"set", key(), 1025), TOO_LARGE)
        wire.in_step()


@pytest.mark.parametrize("verb,extra,survives", [
    (b"set", b"", False), (b"ms", b"", False), (b"ms", b" ME", False),
    (b"add", b"", True), (b"replace", b"", True), (b"append", b"", True),
    (b"prepend", b"", True), (b"cas", b" 99", True)])
def test_too_large_a_value_is_swallowed(verb, extra, survives, small, key):
    """A set or ms that is too large leaves no old value to be believed."""
    name = key()
    left = b"VALUE %s 0 3\r\nold\r\nEND\r\n" % name if survives else b"END\r\n"
    with small.client() as wire:
        wire.call(b"set %s 0 0 3\r\nold\r\n" % name, b"STORED\r\n")
        wire.call(put(verb, name, 5000, extra) + b"get %s\r\n" % name,
                  TOO_LARGE + left)
        wire.in_step()


@pytest.mark.parametrize("verb,extra,reply", [
    (b"set", b" noreply", b""), (b"ms", b" q", TOO_LARGE)])
def test_too_large_in_silence(verb, extra, reply, small, key):
    name = key()
    with small.client() as wire:
        wire.call(b"set %s 0 0 3\r\nold\r\n" % name, b"STORED\r\n")
        wire.call(put(verb, name, 5000, extra) + b"get %s\r\n" % name,
                  reply + b"END\r\n")
        wire.in_step()


def test_too_large_body_without_its_end_is_swallowed_too(small, key):
    with small.client() as wire:
        wire.call(b"set %s 0 0 5000\r\n%s??mn\r\n" % (key(), b"v" * 5000),
                  TOO_LARGE + b"MN\r\n")


def test_values_up_to_what_memcached_takes(client, key):
    """Between memcached's limit and ours memcached's word is passed on."""
    name = key()
    for size in (0, 1, 65535, 65536, 1000000, 1048300):
        client.call(put(b"set", name, size), b"STORED\r\n", timeout=10)
        client.call(b"get %s\r\n" % name, b"VALUE %s 0 %d\r\n%s\r\nEND\r\n"
                    % (name, size, b"v" * size), timeout=10)
    client.call(put(b"set", name, MIB) + b"get %s\r\n" % name,
                TOO_LARGE + b"END\r\n", timeout=10)
    client.call(put(b"set", name, 2 * MIB) + b"get %s\r\n" % name,
                TOO_LARGE + b"END\r\n", timeout=10)
    client.in_step()


@pytest.mark.parametrize("length", (16384, 32768, 65536))
def test_sizes_around_buffer_boundaries(length, client, key):
    """Replies that end at, before and behind every likely boundary."""
    name = key()
    header = len(b"VALUE %s 0 %d\r\n" % (name, length))
    for around in (length, length - header, length - header - 7):
        for size in range(around - 8, around + 9):
            client.call(
                put(b"set", name, size) + b"get %s\r\n" % name,
                b"STORED\r\nVALUE %s 0 %d\r\n%s\r\nEND\r\n" % (
                    name, size, b"v" * size))


def test_a_line_without_end_is_closed_at_a_small_limit(proxy):
    with proxy.client() as wire:
        wire.send(b"a" * 4096)
        wire.expect_closed()
    with proxy.client() as wire:
        wire.call(b"a" * 2000 + b"\r\n", b"ERROR\r\n")


def test_an_endless_line_costs_no_memory(start_basic, servers):
    daemon = start_basic(servers[:1])
    with daemon.client() as wire:
        wire.in_step()
    before = daemon.rss()
    for head in (b"set ", b"get ", b""):
        wire = daemon.client(timeout=20)
        chunk = b"a" * (1 << 16)
        try:
            wire.send(head)
            for _ in range(1600):       # 100 MB, if it were taken
                wire.send(chunk)
        except (BrokenPipeError, ConnectionResetError):
            pass
        else:
            pytest.fail("it read 100 MB of one line that begins %r" % head)
        wire.close()
    daemon.grew_at_most(before, 16 * MIB)


@pytest.mark.parametrize("pieces", ("at once", "1400 bytes", "cut keys"))
def test_very_long_get_lines(pieces, client, key):
    """8000 keys, 150 kB: the one that exists is found, every time."""
    name = key(b"present")
    client.call(b"set %s 0 0 3\r\nyes\r\n" % name, b"STORED\r\n")
    line = b"get " + b"".join(
        key(b"miss%05d" % i) + b" " for i in range(8000)) + name + b"\r\n"
    sizes = {"at once": [], "1400 bytes": [1400] * (len(line) // 1400),
             "cut keys": [4097] * (len(line) // 4097)}[pieces]
    for _ in range(2):
        client.send_cut(line, sizes)
        client.expect(b"VALUE %s 0 3\r\nyes\r\nEND\r\n" % name, timeout=10)
    client.in_step()


def test_thousands_of_hits_in_one_get(client, key):
    names = [key(b"%d" % i) for i in range(5000)]
    client.call(b"".join(b"set %s 0 0 3 noreply\r\n%03d\r\n" % (n, i % 1000)
                         for i, n in enumerate(names)) + b"mn\r\n",
                b"MN\r\n", timeout=10)
    client.call(b"get %s\r\n" % b" ".join(names), b"".join(
        b"VALUE %s 0 3\r\n%03d\r\n" % (n, i % 1000)
        for i, n in enumerate(names)) + b"END\r\n", timeout=10)


def test_one_key_many_times_is_answered_as_often(client, key):
    a, b = key(b"a"), key(b"b")
    client.call(b"set %s 0 0 1\r\nA\r\nset %s 0 0 1\r\nB\r\n" % (a, b),
                b"STORED\r\n" * 2)
    client.call(b"get" + b" %s %s" % (a, b) * 300 + b"\r\n",
                b"VALUE %s 0 1\r\nA\r\nVALUE %s 0 1\r\nB\r\n" % (a, b) * 300
                + b"END\r\n")


def test_gat_of_many_keys(client, key):
    names = [key(b"gat%d" % i) for i in range(400)]
    for name in names:
        client.send(b"set %s 0 0 1 noreply\r\nx\r\n" % name)
    client.call(b"gat 0 %s\r\n" % b" ".join(names), b"".join(
        b"VALUE %s 0 1\r\nx\r\n" % n for n in names) + b"END\r\n")


def test_get_lines_end_at_a_limit(start_basic, servers):
    daemon = start_basic(servers[:1], limits={"request_line": "64KiB"})
    with daemon.client() as wire:
        wire.call(b"get %s\r\n" % b" ".join([b"k%05d" % i
                                             for i in range(5000)]),
                  b"END\r\n")
        wire.in_step()
    with daemon.client() as wire:
        try:
            wire.send(b"get " + b"kkkkkkk " * 20000)
        except (BrokenPipeError, ConnectionResetError):
            pass
        # It may say why, but then it hangs up.
        assert wire.read_to_end()[-2:] in (b"", b"\r\n")
    with daemon.client() as wire:
        wire.in_step()


def test_more_clients_than_allowed_are_told(start_basic, servers):
    daemon = start_basic(servers[:1], limits={"clients": 4})
    kept = [daemon.client() for _ in range(4)]
    for wire in kept:
        wire.in_step()
    with daemon.paused():       # it has asked by the time it is accepted
        extra = daemon.client()
        extra.send(b"get a\r\n")
    assert extra.read_to_end() == b"ERROR Too many open connections\r\n"
    daemon.log.wait("client refused: limits.clients are connected")
    for wire in kept:
        wire.in_step()
    kept[0].close()
    wait_until(lambda: serves(daemon), "a place for a new client")


def test_a_client_that_does_not_read_is_held_back(start_basic, servers, key):
    """Its replies stay bounded by client_buffer; others are served; once it
    reads, it gets every byte."""
    daemon = start_basic(servers[:3], limits={"client_buffer": "1MiB"})
    name, size, count = key(), 100000, 1000
    with daemon.client() as wire:
        wire.call(put(b"set", name, size), b"STORED\r\n")
    before = daemon.rss()
    slow = daemon.client(timeout=30)
    asked = threading.Thread(
        target=slow.send, args=(b"get %s\r\n" % name * count,), daemon=True)
    asked.start()
    with daemon.client() as other:
        for _ in range(200):
            other.call(b"get %s\r\n" % name, b"VALUE %s 0 %d\r\n%s\r\nEND\r\n"
                       % (name, size, b"v" * size))
    daemon.grew_at_most(before, 24 * MIB)     # 100 MB were asked
    one = b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (name, size, b"v" * size)
    for _ in range(count):
        slow.expect(one, timeout=20)
    asked.join()
    slow.in_step()


def test_the_memory_limit_costs_who_meets_it_and_nobody_else(
        over, played, own_servers):
    """Slow readers use it all up, some of their requests fail, also those
    for a dead server; when they are gone all is as before."""
    alive = own_servers(1)[0]
    dead = played()
    daemon = over([alive, dead], {"on_down": "error"},
                  limits={"memory": "16MiB", "client_buffer": "1MiB"})
    located = daemon.locate([b"big%d" % i for i in range(200)])
    big = [n for n, row in located.items() if row[1] == "s0"][:20]
    lost = [n for n, row in located.items() if row[1] == "s1"][:20]
    with daemon.client() as wire:
        for name in big:
            wire.call(put(b"set", name, 200000), b"STORED\r\n")
    dead.stop()
    slow = [daemon.client() for _ in range(60)]
    for wire in slow:
        wire.send(b"".join(b"get %s\r\nget %s %s\r\n" % (
            name, name, gone) for name, gone in zip(big, lost)) * 3)
    for _ in range(50):
        # New ones are answered or told so or closed, never left waiting.
        with daemon.client() as wire:
            try:
                wire.send(b"get %s\r\nmn\r\n" % lost[0])
                got = wire.until_or_end(b"MN\r\n")
            except OSError:
                continue
            assert wire.ended or got.startswith(b"SERVER_ERROR"), got
    for wire in slow:
        wire.reset()

    def is_as_before():
        with daemon.client() as wire:
            try:
                wire.send(b"get %s\r\n" % big[0])
                return wire.line().startswith(b"VALUE ")
            except (OSError, AssertionError):
                return False

    wait_until(is_as_before, "memory to be free again", step=0.02)
    with daemon.client() as wire:
        for name in big:
            wire.call(b"get %s\r\n" % name,
                      b"VALUE %s 0 200000\r\n%s\r\nEND\r\n" % (
                          name, b"v" * 200000))


def test_idle_clients_are_closed_where_that_is_asked_for(start_basic,
                                                         servers):
    daemon = start_basic(servers[:1], limits={"client_idle": "300ms"})
    silent, once = daemon.client(), daemon.client()
    once.in_step()
    silent.expect_closed()
    once.expect_closed()
    with daemon.client() as wire:
        wire.send(b"stats proxy\r\n")
        assert b"STAT clients_idle_closed 2\r\n" in wire.until(b"END\r\n")


def test_a_shorter_idle_time_counts_from_the_reload_on(start_basic, servers):
    daemon = start_basic(servers[:1], limits={"client_idle": "1h"})
    wire = daemon.client()
    wire.in_step()
    daemon.reload(config.merged(daemon.config, {
        "limits": {"client_idle": "300ms"}}))
    wire.expect_closed()
