"""Servers that lie, talk out of turn, or send their replies in pieces.

One request pays with an error or a miss; nobody else notices.
"""

import re
import socket
import threading

import pytest

from support import rules
from support.clock import wait_until
from support.faults import hit, keys_of, lost_read, stored, works_again
from support.stats import turns


LOST = rb"(?:END\r\n|SERVER_ERROR [^\r]+\r\n)"

# -- a server lies -----------------------------------------------------------

LIES = {
    "says less than it sends": b"VALUE lie 0 3\r\n0123456789\r\nEND\r\n",
    "another key": b"VALUE other 0 5\r\nother\r\nEND\r\n",
    "another key of the same length": b"VALUE lia 0 3\r\nlia\r\nEND\r\n",
    "the key twice": b"VALUE lie 0 3\r\nlie\r\nVALUE lie 0 3\r\nlie\r\n"
                     b"END\r\n",
    "a reply to a set": b"STORED\r\n",
    "a counter": b"17\r\n",
    "a meta reply": b"HD\r\n",
    "nonsense": b"\x00\x01\x02\xff\r\n",
    "an empty line": b"\r\n",
    "a huge length": b"VALUE lie 0 99999999999999999999\r\n",
    "a length past every limit": b"VALUE lie 0 4294967296\r\n",
    "a negative length": b"VALUE lie 0 -1\r\nlie\r\nEND\r\n",
    "no length": b"VALUE lie 0\r\nEND\r\n",
    "letters for a length": b"VALUE lie 0 abc\r\nlie\r\nEND\r\n",
    "5000 digits of flags": b"VALUE lie " + b"1" * 5000 + b" 3\r\nlie\r\n"
                            b"END\r\n",
    "a line without end": b"V" * 100000,
    "binary protocol": b"\x81\x00" + b"\0" * 22,
    "http": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "tls": b"\x15\x03\x01\x00\x02\x02\x46",
    "a value without its end": b"VALUE lie 0 3\r\nlieEND\r\n",
}


@pytest.mark.parametrize("lie", list(LIES))
def test_a_lying_server_is_not_believed(lie, over, played):
    """One error (or miss) for who asked, nothing for anybody else."""
    server = played()
    daemon = over([server])
    a, b = daemon.client(), daemon.client()
    for name in (b"one", b"two", b"lie"):
        stored(a, name)
    server.on(b"lie", rules.say(LIES[lie]))
    a.send(b"get lie\r\n")
    got = a.line(timeout=3)
    if got.startswith(b"VALUE lie 0 3\r\n"):
        # It may have been believed up to where it became a lie; what was
        # begun cannot be unsaid, so the client is let go.
        rest = a.read_to_end()
        assert not rest or b"lie\r\n".startswith(rest[:5]) or lie == \
            "says less than it sends", rest
    else:
        assert got == b"END\r\n" or got.startswith(b"SERVER_ERROR "), got
        a.in_step()
    server.clear()
    for name in (b"one", b"two"):
        b.send(b"get %s\r\n" % name)
        lost_read(b, name)
    b.in_step()
    works_again(daemon, b"after")
    b.call(b"get one\r\nget two\r\n", hit(b"one") + hit(b"two"))


# A meta request, and what cannot be its answer.
META_LIES = {
    "another key": (b"mg lie v k", b"VA 3 klia\r\nlia\r\n"),
    "another key of a hit without its value": (b"mg lie k", b"HD klia\r\n"),
    "another opaque": (b"mg lie v O1", b"VA 3 O2\r\nlie\r\n"),
    "an opaque that nobody gave": (b"mg lie", b"EN O2\r\n"),
    "a value that nobody wanted": (b"mg lie t", b"VA 3 t0\r\nlie\r\n"),
    "another key of a miss": (b"mg lie k q", b"EN klia\r\n"),
    "a set's word": (b"mg lie v", b"NS\r\n"),
    "another key stored": (b"ms lie 1 k\r\nx", b"HD klia\r\n"),
    "another opaque stored": (b"ms lie 1 O1\r\nx", b"HD O2\r\n"),
    "another key deleted": (b"md lie k q", b"NF klia\r\n"),
    "another counter": (b"ma lie v k", b"VA 1 klia\r\n5\r\n"),
    "another item": (b"me lie", b"ME lia exp=-1 la=0 cas=1 fetch=no\r\n"),
    "a counter and more": (b"incr lie 1", b"5 6\r\n"),
}


@pytest.mark.parametrize("in_pieces", [False, True])
@pytest.mark.parametrize("lie", list(META_LIES))
def test_a_meta_reply_to_somebody_else(lie, in_pieces, over, played):
    """What repeats another key or opaque than the request's is not for it:
    that connection goes, and nobody sees it."""
    server = played()
    daemon = over([server], {"on_down": "error"})
    request, reply = META_LIES[lie]
    with daemon.client() as wire:
        stored(wire, b"one")
        server.on(b"lie", rules.say(reply))
        if in_pieces:
            wire.send_read(request + b"\r\n")
        else:
            wire.send(request + b"\r\n")
        wire.expect_line(rb"SERVER_ERROR s0: the server's reply .*")
        wire.in_step()
        wire.call(b"mg one v k O7\r\n", b"VA 3 kone O7\r\none\r\n")
    assert server.accepted == 2


# Replies to "mg {code} b k v" for a key that is "a", CR, LF, "EN".
@pytest.mark.parametrize("told", [b"VA 3 ka\r\nEN W\r\nlie\r\n",
                                  b"VA 3 kYQ0KRU4= b\r\nlie\r\n"])
def test_a_key_with_a_line_end_in_pieces(told, over, played):
    """A server may repeat it as it is; one byte at a time it takes the
    reader through each place where the line may seem to end."""
    server = played()
    daemon = over([server])
    with daemon.client() as wire:
        stored(wire, b"one")
        server.on(b"YQ0KRU4=", lambda peer, request, reply:
                  rules.drip(1)(peer, request, told))
        wire.call(b"mg YQ0KRU4= b k v\r\nget one\r\n", told + hit(b"one"))
    assert server.accepted == 1


@pytest.mark.parametrize("lie", [b"VA 3 ka\r\nEX\r\nlie\r\n", b"HD ka\r\n\r\n",
                                 b"EN ka\r\nENN\r\n"])
def test_another_key_with_a_line_end(lie, over, played):
    server = played()
    daemon = over([server], {"on_down": "error"})
    with daemon.client() as wire:
        stored(wire, b"one")
        server.on(b"YQ0KRU4=", rules.say(lie))
        wire.send(b"mg YQ0KRU4= b k v\r\n")
        wire.expect_line(rb"SERVER_ERROR s0: the server's reply .*")
        wire.call(b"get one\r\n", hit(b"one"))
    assert server.accepted == 2


# Replies to "get {a} {b} {c}".
MULTI_LIES = {
    "nonsense": b"VALUE {a} 0 1\r\na\r\nNONSENSE\r\n",
    "a set's reply": b"VALUE {a} 0 1\r\na\r\nSTORED\r\n",
    "an error": b"VALUE {a} 0 1\r\na\r\nSERVER_ERROR x\r\n",
    "a key that was not asked": b"VALUE {a} 0 1\r\na\r\nVALUE zz 0 1\r\nz\r\n"
                                b"END\r\n",
    "a key twice": b"VALUE {a} 0 1\r\na\r\nVALUE {a} 0 1\r\na\r\nEND\r\n",
    "another order": b"VALUE {c} 0 1\r\nc\r\nVALUE {a} 0 1\r\na\r\nEND\r\n",
    "half a value": b"VALUE {a} 0 1\r\na\r\nVALUE {b} 0 9\r\nbb",
    "a wrong end": b"VALUE {a} 0 1\r\na\r\nVALUE {b} 0 1\r\nbXXEND\r\n",
    "nothing more": b"VALUE {a} 0 1\r\na\r\n",
}


@pytest.mark.parametrize("in_pieces", [False, True])
@pytest.mark.parametrize("lie", list(MULTI_LIES))
def test_a_value_of_a_multi_get_and_then(lie, in_pieces, over, played):
    """The other server's value and misses, or one error line, or a hang-up
    within what was begun; never another shape."""
    liar, honest = played(), played()
    daemon = over([liar, honest])
    own, (other,) = keys_of(daemon, 0, 3), keys_of(daemon, 1, 1)
    text = MULTI_LIES[lie]
    for letter, name in zip((b"{a}", b"{b}", b"{c}"), own):
        text = text.replace(letter, name)

    def lying(peer, request, reply):
        size = 1 if in_pieces else len(text)
        for at in range(0, len(text), size):
            peer.send(text[at:at + size])
        peer.close()

    with daemon.client() as wire:
        stored(wire, other)
    liar.on(b"", lying)
    values = b"(VALUE %s 0 1\r\na\r\n)?(VALUE %s 0 %d\r\n%s\r\n)?" \
        b"(VALUE %s 0 1\r\nc\r\n)?" % (
            own[0], other, len(other), other, own[2])
    for _ in range(3):
        with daemon.client() as wire:
            wire.send(b"get %s %s %s %s\r\nmn\r\n" % (
                own[0], other, own[1], own[2]))
            got = wire.until_or_end(b"MN\r\n")
            if wire.ended:
                assert got and re.match(values, got), got
            else:
                assert re.fullmatch(
                    b"(%sEND|SERVER_ERROR [^\r]+)\r\nMN\r\n" % values,
                    got), got
    with daemon.client() as wire:
        wire.call(b"get %s\r\n" % other, hit(other))
    liar.clear()
    works_again(daemon, own[0])


@pytest.mark.parametrize("stray", [
    b"VALUE stray 0 1\r\nz\r\nEND\r\n", b"STORED\r\n", b"END\r\n",
    b"SERVER_ERROR out of memory\r\n", b"\r\n", b"x"])
def test_bytes_that_nobody_asked_for(stray, over, played):
    """In the same write as a reply, and out of the blue: that connection
    goes, nobody sees them, and nothing spins."""
    server = played()
    daemon = over([server])
    a, b = daemon.client(), daemon.client()
    for name in (b"talk", b"one", b"two"):
        stored(a, name)
    server.on(b"talk", rules.say_after(stray))
    a.send(b"get talk\r\n")
    lost_read(a, b"talk")
    a.send(b"get one\r\n")
    lost_read(a, b"one")
    server.clear()
    works_again(daemon, b"after")
    before = server.accepted
    server.say(stray)
    wait_until(lambda: server.open_connections() == 0 or
               server.accepted > before, "the connection to be dropped")
    b.call(b"get two\r\n", hit(b"two"))
    before = turns(a)
    for _ in range(100):
        a.call(b"get one\r\n", hit(b"one"))
    # Some a request; who spins has one in a few microseconds.
    assert turns(a) - before < 600
    b.in_step()


@pytest.mark.parametrize("cut", [0, 1, 7, 15, 16, 20, 5015, 5016, 5017,
                                 5018, 5019, 5021, 5022])
@pytest.mark.parametrize("kind", [rules.die_after, rules.reset_after],
                         ids=["closes", "resets"])
@pytest.mark.parametrize("times", [1, None], ids=["once", "each time"])
def test_a_server_that_dies_within_its_reply(times, kind, cut, over, played):
    """At any byte: no client takes what follows for its own. A read may be
    asked again of the server, and then the whole answer is right too."""
    server = played()
    daemon = over([server])
    value = b"x" * 5000         # the reply is 5023 bytes
    a, b = daemon.client(), daemon.client()
    stored(a, b"mid", value)
    stored(a, b"one")
    server.on(b"mid", kind(cut), times)
    whole = b"VALUE mid 0 5000\r\n" + value + b"\r\nEND\r\n"
    a.send(b"get mid\r\nget one\r\nmn\r\n")
    got = a.until_or_end(b"MN\r\n")
    if got == whole + hit(b"one") + b"MN\r\n":
        assert times == 1 or cut == 5023
    elif got.startswith(b"VALUE mid"):
        # What was begun can only be ended by hanging up.
        assert a.ended and whole.startswith(got), got[-100:]
    else:
        assert re.fullmatch(
            LOST + b"(%s|VALUE one 0 3\r\none\r\nEND\r\n)MN\r\n" % LOST,
            got), got
    b.send(b"get one\r\n")
    lost_read(b, b"one")
    works_again(daemon, b"after")
    with daemon.client() as wire:
        wire.call(b"get one\r\n", hit(b"one"))


@pytest.mark.parametrize("cut", [100000, 299990, 300020, 300021, 300024])
@pytest.mark.parametrize("kind", [rules.die_after, rules.reset_after],
                         ids=["closes", "resets"])
def test_a_server_that_dies_within_a_value_on_its_way(kind, cut, over,
                                                      played):
    """What was begun cannot be unsaid: that client is hung up on, and only
    that one."""
    server = played()
    daemon = over([server])
    value = b"x" * 300000       # the reply is 300025 bytes
    whole = b"VALUE mid 0 300000\r\n" + value + b"\r\nEND\r\n"
    a, b = daemon.client(), daemon.client()
    stored(a, b"mid", value)
    stored(a, b"one")
    server.on(b"mid", kind(cut))
    a.send(b"get mid\r\nget one\r\nmn\r\n")
    got = a.until_or_end(b"MN\r\n")
    if got.startswith(b"VALUE "):
        assert a.ended and whole.startswith(got) and len(got) <= cut
    else:
        assert kind is rules.reset_after, "a reset may lose what came before"
        assert re.fullmatch(
            LOST + b"(%s|VALUE one 0 3\r\none\r\nEND\r\n)MN\r\n" % LOST,
            got), got
    b.send(b"get one\r\n")
    lost_read(b, b"one")
    works_again(daemon, b"after")
    b.call(b"get one\r\n", hit(b"one"))


def test_a_server_that_stalls_within_a_value_on_its_way(over, played):
    server, release = played(), threading.Event()
    daemon = over([server])
    value = b"x" * 300000
    a, b = daemon.client(), daemon.client()
    stored(a, b"mid", value)
    server.on(b"mid", rules.hold_after(200000, release), times=1)
    a.send(b"get mid\r\nget other\r\n")
    got = a.read_to_end()
    assert got and (b"VALUE mid 0 300000\r\n" + value).startswith(got)
    release.set()
    works_again(daemon, b"after")
    b.call(b"get mid\r\n", b"VALUE mid 0 300000\r\n" + value +
           b"\r\nEND\r\n")


def test_a_client_that_leaves_within_its_value(over, played):
    """The rest is read and dropped; the next reply is the next client's."""
    server, release = played(), threading.Event()
    daemon = over([server], {"timeouts": {"request": "10s"}})
    value = b"x" * 300000
    b = daemon.client()
    stored(b, b"mid", value)
    stored(b, b"one")
    made = server.accepted
    for how in ("close", "reset"):
        release.clear()
        server.clear()
        server.on(b"mid", rules.hold_after(200000, release))
        a = daemon.client()
        a.send(b"get mid\r\n")
        a.take(100000)
        b.send(b"get one\r\n")
        getattr(a, how)()
        release.set()
        b.expect(hit(b"one"))
    assert server.accepted == made


def test_a_server_that_takes_no_more_connections(over, own_servers):
    """What memcached says then is no reply, and no success either."""
    server, = own_servers(1, options=["-c", "64"])
    # The place of one that is just leaving would be free after the crowd came.
    wait_until(lambda: server.connections_open() == 0, "nobody to be there")
    crowd = [socket.create_connection(server.address, 5) for _ in range(70)]
    # The last of them was too many: so it is full before we come.
    assert crowd[-1].recv(64).startswith(b"ERROR Too many")
    daemon = over([server])
    with daemon.client() as wire:
        wire.send(b"get a\r\nset a 0 0 1\r\nx\r\n")
        wire.expect(b"END\r\n")
        wire.expect_line(rb"SERVER_ERROR s0: the server takes no more .*")
        while not daemon.log.find("s0 is down: the server takes no more"):
            wire.call(b"get a\r\n", b"END\r\n")
    for sock in crowd:
        sock.close()
    works_again(daemon, b"b")


def test_idle_connections_of_ours_keep_no_server_down(over, own_servers):
    """A crowd wants more connections than the server takes, and leaves. The
    proxy has all of the server's places, and needs one for the probe."""
    server, = own_servers(1, options=["-c", "64"])
    daemon = over([server], {"server_connections": 64})
    crowd = [daemon.client() for _ in range(200)]
    while not daemon.log.find("s0 is down: the server takes no more"):
        for wire in crowd:
            wire.send(b"get a\r\n")
        for wire in crowd:
            wire.expect(b"END\r\n")
    for wire in crowd:
        wire.close()
    works_again(daemon, b"b")


def test_errors_of_a_healthy_server_are_passed_on(over, played):
    """They are replies: nothing is closed and no server goes down."""
    server = played()
    daemon = over([server], {"health": {"failures": 2}})
    errors = [b"SERVER_ERROR out of memory storing object\r\n",
              b"CLIENT_ERROR bad data chunk\r\n"]
    with daemon.client() as wire:
        stored(wire, b"one")
        made = server.accepted
        for error in errors:
            server.clear()
            server.on(b"bad", rules.say(error))
            for _ in range(5):
                wire.call(b"set bad 0 0 1\r\nx\r\n", error)
                wire.call(b"incr bad 1\r\n", error)
                wire.call(b"get bad\r\n", error)
        server.clear()
        server.on(b"bad", rules.say(b"ERROR\r\n"))
        wire.call(b"incr bad 1\r\nget bad\r\n", b"ERROR\r\nERROR\r\n")
        wire.call(b"get one\r\n", hit(b"one"))
    assert server.accepted == made


@pytest.mark.parametrize("request_line", [
    b"ms bad 22\r\n", b"set bad 0 0 22\r\n", b"cas bad 0 0 22 5\r\n"])
def test_a_server_that_runs_a_value_as_commands(request_line, over, played):
    """As one does that does not know the command. Nobody gets the answers
    to what stood in the value."""
    server = played()
    daemon = over([server])
    with daemon.client() as hostile, daemon.client() as wire:
        stored(wire, b"one")
        server.on(b"bad", rules.say(
            b"ERROR\r\nVALUE one 0 4\r\nevil\r\nEND\r\n"))
        hostile.send(request_line + b"set one 0 0 4\r\nevil\r\n.\r\n" +
                     b"get one\r\n")
        hostile.expect_line(rb"SERVER_ERROR s0: the server's reply .*")
        lost_read(hostile, b"one")
        wire.call(b"get one\r\n", hit(b"one"))


# -- replies in pieces -------------------------------------------------------

def test_replies_byte_by_byte(over, played):
    server = played()
    daemon = over([server], {"timeouts": {"request": "20s"}})
    with daemon.client(timeout=15) as wire:
        server.on(b"", rules.drip(1))
        stored(wire, b"a")
        wire.send(b"get a\r\nget none\r\nset b 0 0 1\r\nb\r\ndelete b\r\n")
        wire.expect(hit(b"a") + b"END\r\nSTORED\r\nDELETED\r\n")
        wire.call(b"mg a v\r\n", b"VA 1\r\na\r\n")


def test_replies_cut_at_every_offset_near_their_end(over, played):
    server = played()
    daemon = over([server], {"timeouts": {"request": "20s"}})
    value = b"v" * 20000
    with daemon.client(timeout=15) as wire:
        stored(wire, b"cut", value)
        whole = b"VALUE cut 0 20000\r\n" + value + b"\r\nEND\r\n"
        made = server.accepted
        for at in list(range(0, 30)) + list(range(
                len(whole) - 40, len(whole) + 1)):
            server.clear()
            server.on(b"cut", rules.cut_at(at))
            wire.call(b"get cut\r\n", whole)
        assert server.accepted == made
