"""Situations in which proxies, routers and clients of memcached have failed
before, each told in a line: what went wrong there must not here.
"""

import random
import threading

import pytest

from support import config
from support.clock import wait_until
from support.faults import hit, keys_of, stored, works_again
from support.ports import free_port
from support.wire import Wire

MIB = 1 << 20

NON_NUMERIC = b"CLIENT_ERROR cannot increment or decrement non-numeric " \
              b"value\r\n"

# name: (what is sent, what is answered); {a} {b} {c} are fresh keys.
TALKS = {
    # A value that holds the end of a reply was cut there.
    "end of reply within a value": (
        b"set {a} 0 0 25\r\nx\r\nEND\r\nVALUE q 0 1\r\nz\r\ny\r\n"
        b"set {b} 0 0 1\r\nb\r\nget {a} {b}\r\n",
        b"STORED\r\nSTORED\r\nVALUE {a} 0 25\r\nx\r\nEND\r\nVALUE q 0 1\r\n"
        b"z\r\ny\r\nVALUE {b} 0 1\r\nb\r\nEND\r\n"),
    # Values that begin like replies were taken for them.
    "values that look like replies": (
        b"set {a} 0 0 22\r\nSERVER_ERROR no\r\nEND\r\n\r\nset {b} 0 0 5\r\n"
        b"ERROR\r\nset {c} 0 0 2\r\nOK\r\nget {a}\r\nget {b}\r\nget {c}\r\n",
        b"STORED\r\nSTORED\r\nSTORED\r\nVALUE {a} 0 22\r\nSERVER_ERROR no\r\n"
        b"END\r\n\r\nEND\r\nVALUE {b} 0 5\r\nERROR\r\nEND\r\n"
        b"VALUE {c} 0 2\r\nOK\r\nEND\r\n"),
    # Replies to the good commands vanished with the bad one.
    "a bad command between good ones": (
        b"set {a} 0 0 1\r\na\r\nnosuchcommand x y\r\nget {a}\r\n",
        b"STORED\r\nERROR\r\nVALUE {a} 0 1\r\na\r\nEND\r\n"),
    # An empty value was taken for a miss.
    "an empty value": (
        b"set {a} 7 0 0\r\n\r\nget {a}\r\nmg {a} v f s\r\n",
        b"STORED\r\nVALUE {a} 7 0\r\n\r\nEND\r\nVA 0 f7 s0\r\n\r\n"),
    # More keys than a fixed table had room for.
    "nine keys, the last one there": (
        b"set {a} 0 0 1\r\ni\r\nget 1 2 3 4 5 6 7 8 {a}\r\n",
        b"STORED\r\nVALUE {a} 0 1\r\ni\r\nEND\r\n"),
    # The server's CLIENT_ERROR became NOT_FOUND, or closed the connection.
    "counting a text": (
        b"set {a} 0 0 1\r\na\r\nincr {a} 1\r\nincr {b} 1\r\nincr {a} 0.2\r\n"
        b"touch {a} 0.2\r\n",
        b"STORED\r\n" + NON_NUMERIC + b"NOT_FOUND\r\n"
        b"CLIENT_ERROR invalid numeric delta argument\r\n"
        b"CLIENT_ERROR invalid exptime argument\r\n"),
    # Old clients give delete a time; the proxy hung up.
    "delete with a time": (
        b"set {a} 0 0 1\r\na\r\ndelete {a} 0\r\ndelete {a} 0\r\n",
        b"STORED\r\nDELETED\r\nNOT_FOUND\r\n"),
    # A negative time was refused.
    "a time in the past": (
        b"set {a} 0 -1 1\r\na\r\nget {a}\r\nset {b} 0 0 1\r\nb\r\n"
        b"touch {b} -1\r\nget {b}\r\n",
        b"STORED\r\nEND\r\nSTORED\r\nTOUCHED\r\nEND\r\n"),
    # gat was routed by its first word, which is a time.
    "gat of several keys": (
        b"set {a} 0 0 1\r\na\r\nset {b} 0 0 1\r\nb\r\ngat 0 {a}\r\n"
        b"gat 100 {b} {c} {a}\r\n",
        b"STORED\r\nSTORED\r\nVALUE {a} 0 1\r\na\r\nEND\r\n"
        b"VALUE {b} 0 1\r\nb\r\nVALUE {a} 0 1\r\na\r\nEND\r\n"),
    # Versions were read as signed or as 32 bits.
    "the largest version": (
        b"set {a} 0 0 1\r\na\r\ncas {a} 0 0 1 18446744073709551615\r\nb\r\n"
        b"cas {b} 0 0 1 1\r\nb\r\nget {a}\r\n",
        b"STORED\r\nEXISTS\r\nNOT_FOUND\r\nVALUE {a} 0 1\r\na\r\nEND\r\n"),
    # The blank that decr leaves upset a length.
    "a counter that shrinks": (
        b"set {a} 0 0 2\r\n10\r\ndecr {a} 1\r\nget {a}\r\n",
        b"STORED\r\n9\r\nVALUE {a} 0 2\r\n9 \r\nEND\r\n"),
    # Numbers among values in one packet were taken for something else.
    "counters in a pipeline": (
        b"set {a} 0 0 1\r\n1\r\nset {b} 0 0 1\r\n5\r\nincr {a} 1\r\n"
        b"get {b}\r\ndecr {b} 1\r\nincr {c} 1\r\nget {a}\r\nincr {a} 40\r\n",
        b"STORED\r\nSTORED\r\n2\r\nVALUE {b} 0 1\r\n5\r\nEND\r\n4\r\n"
        b"NOT_FOUND\r\nVALUE {a} 0 1\r\n2\r\nEND\r\n42\r\n"),
    # Blanks that real clients send were refused.
    "more blanks than needed": (
        b"set {a} 0 0 1 \r\na\r\nget {a} \r\nget  {a}  {b}\r\n",
        b"STORED\r\nVALUE {a} 0 1\r\na\r\nEND\r\nVALUE {a} 0 1\r\na\r\n"
        b"END\r\n"),
    # A meta get of nothing but a key was refused.
    "a meta get without flags": (
        b"set {a} 0 0 1\r\na\r\nmg {a}\r\nmg {b}\r\nmg {a} v k O12\r\nmn\r\n",
        b"STORED\r\nHD\r\nEN\r\nVA 1 k{a} O12\r\na\r\nMN\r\n"),
    # Lengths in other spellings crashed the server.
    "lengths that are none": (
        b"set {a} 0 0 -2147483648\r\nset {a} 0 0 0x10\r\nset {a} 0 0 1e3\r\n"
        b"set {a} 0 0\r\n",
        b"CLIENT_ERROR bad command line format\r\n" * 4),
    "a length with zeroes before it": (
        b"set {a} 0 0 00005\r\nabcde\r\nget {a}\r\n",
        b"STORED\r\nVALUE {a} 0 5\r\nabcde\r\nEND\r\n"),
}


@pytest.mark.parametrize("name", list(TALKS))
def test_talk(name, client, key):
    sent, wanted = TALKS[name]
    for letter in (b"a", b"b", b"c"):
        sent = sent.replace(b"{%s}" % letter, key(letter))
        wanted = wanted.replace(b"{%s}" % letter, key(letter))
    client.call(sent, wanted)
    client.in_step()


def test_counters_of_64_bits(start_basic, own_servers):
    """Above 2^63 they went wrong. (On fresh servers: there memcached's own
    reading of so large a number is sound.)"""
    daemon = start_basic(own_servers(2))
    with daemon.client() as wire:
        wire.call(b"set a 0 0 20\r\n18446744073709551614\r\nincr a 1\r\n"
                  b"incr a 1\r\nset b 0 0 1\r\n5\r\n"
                  b"decr b 18446744073709551615\r\n",
                  b"STORED\r\n18446744073709551615\r\n0\r\nSTORED\r\n0\r\n")


def test_values_of_every_byte_and_many_sizes(client, key):
    """Binary values came back short."""
    rng = random.Random(18)
    name = key()
    values = [bytes(range(256))] + [
        rng.randbytes(rng.randint(1, 200000)) for _ in range(60)]
    for value in values:
        stored(client, name, value)
        client.call(b"get %s\r\n" % name, b"VALUE %s 0 %d\r\n%s\r\nEND\r\n"
                    % (name, len(value), value))


def test_large_values_among_small_traffic_all_arrive(
        start_basic, own_servers):
    """Sets and deletes of large values were dropped for minutes: what the
    servers counted is what the clients sent."""
    servers = own_servers(2, megabytes=512)
    daemon = start_basic(servers)
    big, rounds, clients = b"v" * 831500, 12, 6
    failures = []

    def one_client(number):
        try:
            with Wire(daemon.address, timeout=20) as wire:
                for i in range(rounds):
                    name = b"big%d.%d" % (number, i)
                    stored(wire, name, big)
                    wire.call(b"get small\r\n", b"END\r\n")
                    wire.call(b"get %s\r\n" % name,
                              b"VALUE %s 0 831500\r\n%s\r\nEND\r\n"
                              % (name, big))
                    wire.call(b"delete %s\r\n" % name, b"DELETED\r\n")
        except AssertionError as why:
            failures.append(str(why)[:300])

    threads = [threading.Thread(target=one_client, args=(n,))
               for n in range(clients)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures, failures
    counted = [one.stats() for one in servers]
    for stat, times in (("cmd_set", 1), ("delete_hits", 1), ("cmd_get", 2)):
        assert sum(int(c[stat]) for c in counted) == \
            rounds * clients * times, stat


def test_a_long_pipeline_is_answered_as_it_goes(start_basic, servers, key):
    """All 250 MB of a pipeline's replies were kept before the first byte
    went out."""
    daemon = start_basic(servers[:3])
    name, value, count = key(), b"v" * 500000, 300
    with daemon.client() as wire:
        stored(wire, name, value)
    before = daemon.rss()
    one = b"VALUE %s 0 500000\r\n%s\r\nEND\r\n" % (name, value)
    wire = daemon.client(timeout=20)
    wire.send(b"get %s\r\n" % name * count)
    for _ in range(count):
        wire.expect(one)
        daemon.grew_at_most(before, 32 * MIB)


def test_time_grows_with_the_keys_not_with_their_square(
        start_basic, servers):
    """Get of ten times the keys took a hundred times as long."""
    daemon = start_basic(servers[:3])

    def cpu_of(count):
        line = b"get " + b" ".join(
            b"linear%d" % i for i in range(count)) + b"\r\n"
        with daemon.client(timeout=20) as wire:
            wire.call(line, b"END\r\n")
            begun = daemon.cpu_seconds()
            for _ in range(200000 // count):
                wire.call(line, b"END\r\n")
            return daemon.cpu_seconds() - begun

    # The same keys in all, in larger and larger portions.
    small, large = cpu_of(500), cpu_of(20000)
    assert large < 4 * small + 0.3, (small, large)


def test_memory_of_giant_gets_comes_back(start_basic, servers):
    """Buffers that one giant get had grown stayed for ever."""
    daemon = start_basic(servers[:3], limits={"request_line": "4MiB"})

    def giants():
        for count in (30000, 60000):
            wires = [daemon.client(timeout=20) for _ in range(2)]
            line = b"get " + b"x" * 20 + b" " + b" ".join(
                b"giant%d" % i for i in range(count)) + b"\r\n"
            for wire in wires:
                wire.send(line)
            for wire in wires:
                wire.expect(b"END\r\n", timeout=20)
                wire.close()

    with daemon.client() as wire:
        wire.in_step()
    start = daemon.rss()
    giants()
    once = daemon.rss()
    for _ in range(4):
        giants()
    daemon.grew_at_most(once, 8 * MIB)
    daemon.grew_at_most(start, 24 * MIB)


def test_memory_levels_off(start_basic, servers, start_load):
    """It grew for hours in a normal mixture."""
    daemon = start_basic(servers[:3])
    warm = 0
    for seed in range(6):
        load = start_load(daemon.address[1], requests=20000, conns=30,
                          seed=seed)
        load.finish()
        warm = daemon.rss() if seed == 1 else warm
    daemon.grew_at_most(warm, 6 * MIB)


def test_noreply_order_over_many_server_connections(start_basic, servers,
                                                    key):
    """A get overtook the noreply writes before it, which went over another
    of several connections to the server."""
    daemon = start_basic(servers[:2], {"server_connections": 8})
    names = [key(b"%d" % i) for i in range(20)]
    with daemon.client() as wire:
        for i in range(40):
            value = b"%02d" % i
            wire.call(b"".join(
                b"delete %s noreply\r\nset %s 0 0 2 noreply\r\n%s\r\n"
                b"get %s\r\n" % (n, n, value, n) for n in names),
                b"".join(b"VALUE %s 0 2\r\n%s\r\nEND\r\n" % (n, value)
                         for n in names))


def test_a_version_is_asked_and_checked_at_one_server(start_basic,
                                                      servers, key):
    """gets went to one server and cas to another."""
    daemon = start_basic(servers[:4], {"server_connections": 4})
    with daemon.client() as wire:
        for i in range(100):
            name = key(b"%d" % i)
            stored(wire, name)
            wire.send(b"gets %s\r\n" % name)
            version = wire.line().split()[-1]
            wire.until(b"END\r\n")
            wire.call(b"cas %s 0 0 1 %s\r\nx\r\n" % (name, version),
                      b"STORED\r\n")
            wire.call(b"cas %s 0 0 1 %s\r\ny\r\n" % (name, version),
                      b"EXISTS\r\n")


# -- flush_all and stats -----------------------------------------------------

@pytest.fixture
def flushable(start_basic, own_servers):
    """A daemon that lets clients flush, and its three servers."""
    servers = own_servers(3)
    return start_basic(servers, {
        "flush_all": True, "on_down": "miss",
        "health": {"failures": 1, "retry": "100ms", "retry_max": "200ms"},
        "timeouts": {"connect": "200ms", "request": "500ms"}}), servers


@pytest.mark.parametrize("words", [b"", b" 0", b" noreply", b" 0 noreply"])
def test_flush_all_reaches_every_server(words, flushable):
    """It said OK and did nothing, or only a part."""
    daemon, servers = flushable
    names = [b"f%d" % i for i in range(60)]
    with daemon.client() as wire:
        for name in names:
            stored(wire, name)
        wire.call(b"flush_all%s\r\n" % words,
                  b"" if b"noreply" in words else b"OK\r\n")
        wire.call(b"get %s\r\n" % b" ".join(names), b"END\r\n")
    assert not any(one.has(names) for one in servers)


def test_flush_all_is_not_ok_when_a_server_did_not(flushable):
    daemon, servers = flushable
    servers[1].kill()
    with daemon.client() as wire:
        wire.send(b"flush_all\r\n")
        wire.expect_line(rb"SERVER_ERROR .+")
        wire.call(b"flush_all noreply\r\n", b"")
        wire.in_step()
        wire.call(b"flush_all abc\r\n",
                  b"CLIENT_ERROR invalid exptime argument\r\n")


@pytest.mark.parametrize("form", [
    b"stats", b"stats ", b"stats settings", b"stats items", b"stats slabs",
    b"stats conns", b"stats sizes"])
def test_stats_forms(form, client):
    """Forms that exporters ask for broke the connection."""
    client.send(form + b"\r\n")
    line = client.line()
    while line.startswith(b"STAT "):
        line = client.line()
    assert line in (b"END\r\n", b"ERROR\r\n") or line.startswith(
        (b"CLIENT_ERROR ", b"SERVER_ERROR ")), line
    client.in_step()


# -- clients -----------------------------------------------------------------

def test_no_connection_is_left_in_close_wait(start_basic, servers):
    """Clients that had gone stayed until the limit was reached."""
    daemon = start_basic(servers[:1])
    for i in range(500):
        wire = Wire(daemon.address)
        wire.send((b"get a\r\n", b"set half 0 0 10\r\nab", b"mn\r\n")[i % 3])
        if i % 4 == 0:
            wire.half_close()
        wire.close()

    def in_close_wait():
        with open("/proc/net/tcp", encoding="ascii") as table:
            return sum(1 for row in table if row.split()[3] == "08" and
                       row.split()[1].endswith(":%04X" % daemon.address[1]))

    wait_until(lambda: in_close_wait() == 0,
               lambda: "%d in CLOSE_WAIT" % in_close_wait())


def test_random_bytes_from_clients(start_basic, servers):
    """Crafted headers crashed the server."""
    daemon = start_basic(servers[:1])
    rng = random.Random(130)
    for _ in range(150):
        wire = Wire(daemon.address)
        try:
            wire.send(rng.randbytes(rng.choice((10, 300, 5000, 60000))))
            wire.send(b"\r\nget a\r\n")
            wire.half_close()
            wire.read_to_end(timeout=5)
        except OSError:
            pass    # it has hung up already
        wire.close()
    with daemon.client() as wire:
        wire.in_step()


# -- servers -----------------------------------------------------------------

def test_idle_closes_are_no_failures(over, played):
    """Several idle connections closed at once counted as so many failures,
    and a healthy server was taken out."""
    server = played()
    daemon = over([server], {"server_connections": 8, "on_down": "error",
                             "health": {"failures": 2, "retry": "5s",
                                        "retry_max": "5s"}})
    with daemon.client() as wire:
        for i in range(64):
            stored(wire, b"k%d" % i)
        for _ in range(5):
            server.hang_up()
            wait_until(lambda: server.open_connections() == 0,
                       "the played server to see the end")
            for i in range(16):
                wire.call(b"get k%d\r\n" % i, hit(b"k%d" % i))


def test_failures_far_between_are_forgotten(over, played):
    """Single timeouts with good traffic between them added up."""
    from support import rules
    server = played()
    daemon = over([server], {"on_down": "error",
                             "health": {"failures": 3, "retry": "5s",
                                        "retry_max": "5s"}})
    with daemon.client() as wire:
        stored(wire, b"good")
        release = threading.Event()
        for i in range(4):
            release.clear()
            server.clear()
            server.on(b"slow", rules.hold(release))
            wire.send(b"get slow%d\r\n" % i)
            wire.expect_line(rb"SERVER_ERROR .+")
            release.set()
            wire.call(b"get good\r\n", hit(b"good"))


def test_a_dead_server_costs_no_client_again_and_again(over, own_servers):
    """Each time the retry period ended a client's request was sacrificed to
    find out: with `next`, reads and writes go on."""
    servers = own_servers(3)
    daemon = over(servers, {"on_down": "next"})
    names = keys_of(daemon, 1, 20)
    servers[1].kill()
    works_again(daemon, names[0])
    errors = 0
    with daemon.client() as wire:
        # 2000 requests, over many retry periods of 100 to 200 ms.
        mark = daemon.log.mark()
        for _ in range(100):
            for name in names:
                wire.send(b"set %s 0 0 1\r\nx\r\n" % name)
                errors += wire.line() != b"STORED\r\n"
        assert errors <= 3, errors
    assert len(daemon.log.lines) - mark < 60


def test_a_server_without_traffic_comes_back_by_itself(over, own_servers):
    """One that was down stayed suspect for as long as nobody asked."""
    servers = own_servers(2)
    daemon = over(servers, {"on_down": "error"})
    names = keys_of(daemon, 1, 3)
    servers[1].kill()
    with daemon.client() as wire:
        for _ in range(4):
            wire.send(b"get %s\r\n" % names[0])
            wire.expect_line(rb"SERVER_ERROR .+")
    servers[1].start()
    made = servers[1].connections_made()
    wait_until(lambda: servers[1].connections_made() > made,
               "a probe, without a request")

    def is_up():
        with daemon.client() as wire:
            wire.send(b"get %s\r\n" % names[0])
            return wire.line() == b"END\r\n"

    # The probe's verdict travels; the request is not what finds out.
    wait_until(is_up, "the first request to be answered")


def test_a_server_that_wants_a_password(over, own_servers, tmp_path):
    """Its refusal is an answer like another: passed on, and no reason to
    drop it."""
    (tmp_path / "auth").write_text("user:secret\n")
    locked = own_servers(1, options=("-Y", str(tmp_path / "auth")))
    daemon = over(locked)
    with daemon.client() as wire:
        for _ in range(5):
            wire.call(b"get a\r\n", b"CLIENT_ERROR unauthenticated\r\n")
            wire.send(b"set a 0 0 1\r\nx\r\n")
            wire.expect_line(rb"CLIENT_ERROR .*authentication.*")
        wire.in_step()


def test_many_clients_and_reloads_near_the_descriptor_limit(
        start, servers):
    """Reloads crashed when descriptors ran out."""
    import resource
    daemon = start(config.basic(free_port(), [servers[0].text],
                                limits={"clients": 400}),
                   preexec=lambda: resource.setrlimit(
                       resource.RLIMIT_NOFILE, (512, 512)))
    idle = [daemon.client() for _ in range(400)]
    for wire in idle:
        wire.in_step()
    before = daemon.descriptors()
    for i in range(30):
        top = config.merged(daemon.config, {})
        top["pools"]["main"]["servers"] = [
            one.text for one in servers[:1 + i % 4]]
        daemon.reload(top)
    for wire in idle:
        wire.in_step()
    assert abs(daemon.descriptors() - before) <= 4
