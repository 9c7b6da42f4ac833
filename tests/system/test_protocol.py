"""Exact replies, where the grammar that Fairlead speaks is newer or stricter
than what test_differential.py can compare, and the answers it gives itself.

In each row `{k}` stands for a key of the test's own. Every row ends in step:
the next command gets its own answer.
"""

import base64

import pytest

BAD = b"CLIENT_ERROR bad command line format\r\n"
ERROR = b"ERROR\r\n"
BAD_TTL = b"CLIENT_ERROR invalid exptime argument\r\n"
BAD_DELTA = b"CLIENT_ERROR invalid numeric delta argument\r\n"
USAGE = b"CLIENT_ERROR bad command line format.  Usage: delete <key> " \
        b"[noreply]\r\n"
TOO_LARGE = b"SERVER_ERROR object too large for cache\r\n"
CHUNK = b"CLIENT_ERROR bad data chunk\r\n"

LONG = b"L" * 251

REPLIES = {
    "empty line": (b"\r\n", BAD),
    "bare line feed": (b"\n", BAD),
    "one letter": (b"a\r\n", BAD),
    "mn of three bytes": (b"mn\n", BAD),
    "mn with line feed and blank": (b"mn \n", b"MN\r\n"),
    "mn with arguments": (b"mn a b c\r\n", b"MN\r\n"),
    "blanks only": (b"     \r\n", ERROR),
    "leading blank": (b" get {k}\r\n", ERROR),
    "unknown command": (b"nosuchcommand x y\r\n", ERROR),
    "upper case": (b"GET {k}\r\n", ERROR),
    "HTTP without another word": (b"HTTP/1.1\r\n", ERROR),
    "tab is no blank": (b"get\t{k}\r\n", ERROR),

    "get without a key": (b"get\r\n", ERROR),
    "get of blanks": (b"get    \r\n", ERROR),
    "gets without a key": (b"gets\r\n", ERROR),
    "get of noreply": (b"get noreply\r\n", b"END\r\n"),
    "get of a long key": (b"get " + LONG + b"\r\n", BAD),
    "get with one long key": (b"get {k} " + LONG + b" {k}\r\n", BAD),
    "gat without a key": (b"gat 10\r\n", ERROR),
    "gat without anything": (b"gat\r\n", ERROR),
    "gat past 32 bits": (b"gat 2147483648 {k}\r\n", BAD_TTL),
    "gat below 32 bits": (b"gat -2147483649 {k}\r\n", BAD_TTL),
    "gat of a bad time and a long key": (b"gat x " + LONG + b"\r\n", BAD_TTL),
    "gat of a bad time and no key": (b"gat x\r\n", ERROR),
    "gat of a miss": (b"gat -2147483648 {k}\r\n", b"END\r\n"),

    "set without anything": (b"set\r\n", BAD),
    "set without a length": (b"set {k} 0 0\r\n", BAD),
    "set with noreply for a length": (b"set {k} 0 0 noreply\r\n", b""),
    "set with noreply for a time": (b"set {k} 0 noreply\r\n", BAD),
    "cas with noreply for a key": (b"cas noreply\r\n", BAD),
    "set of a length with a sign": (b"set {k} 0 0 +1\r\n", BAD),
    "set of a negative length": (b"set {k} 0 0 -1\r\n", BAD),
    "set past every length": (b"set {k} 0 0 2147483646\r\n", BAD),
    "set of a length past 32 bits": (b"set {k} 0 0 4294967297\r\n", BAD),
    "set with many words": (b"set {k} 0 0 1 a b c\r\nx\r\n",
                            b"STORED\r\n"),
    "set with noreply last of many": (b"set {k} 0 0 1 a b noreply\r\nx\r\n",
                                      b""),
    "set with noreply not last": (b"set {k} 0 0 1 noreply a\r\nx\r\n",
                                  b"STORED\r\n"),
    "set of a long key": (b"set " + LONG + b" 0 0 7\r\nget a\r\n\r\n", BAD),
    "set of bad flags": (b"set {k} abc 0 9\r\nflush_all\r\n", BAD),
    "set of negative flags": (b"set {k} -1 0 7\r\nversion\r\n", BAD),
    "set of flags past 64 bits": (
        b"set {k} 18446744073709551616 0 3\r\nabc\r\n", BAD),
    "set of a bad time": (b"set {k} 0 abc 7\r\nversion\r\n", BAD),
    "set of a time past 32 bits": (b"set {k} 0 2147483648 2\r\nmn\r\n", BAD),
    "set refused in silence": (b"set {k} abc 0 9 noreply\r\nflush_all\r\n",
                               b""),
    "long key refused in silence": (
        b"set " + LONG + b" 0 0 3 noreply\r\nabc\r\n", b""),
    "cas without a version": (b"cas {k} 0 0 7\r\nversion\r\n", BAD),
    "cas of a bad version": (b"cas {k} 0 0 7 abc\r\nversion\r\n", BAD),
    "cas of a negative version": (b"cas {k} 0 0 7 -1\r\nversion\r\n", BAD),
    "cas of a version past 64 bits": (
        b"cas {k} 0 0 2 18446744073709551616\r\nmn\r\n", BAD),
    "cas of the largest version": (
        b"cas {k} 0 0 2 18446744073709551615\r\nmn\r\n", b"NOT_FOUND\r\n"),
    "cas noreply and words": (b"cas {k} 0 0 1 5 a noreply\r\nx\r\n", b""),
    "bad chunk": (b"set {k} 0 0 3\r\nabcXYmn  \r\n", CHUNK + b"MN\r\n"),
    "bad chunk in silence": (b"set {k} 0 0 3 noreply\r\nabcXY", b""),
    "body longer than said": (b"set {k} 0 0 1\r\nxyzzy\r\n",
                              CHUNK + ERROR),

    "delete without a key": (b"delete\r\n", BAD),
    "delete of a long key": (b"delete " + LONG + b"\r\n", BAD),
    "delete with 0": (b"delete {k} 0\r\n", b"NOT_FOUND\r\n"),
    "delete with 10": (b"delete {k} 10\r\n", USAGE),
    "delete with words": (b"delete {k} a b\r\n", USAGE),
    "delete 0 noreply": (b"delete {k} 0 noreply\r\n", b""),
    "delete of noreply": (b"delete noreply\r\n", b""),
    "long key deleted in silence": (b"delete " + LONG + b" noreply\r\n",
                                    b""),
    "incr without a delta": (b"incr {k}\r\n", BAD),
    "incr with noreply for a delta": (b"incr {k} noreply\r\n", b""),
    "incr with noreply for a key": (b"incr noreply\r\n", BAD),
    "touch with noreply for a key": (b"touch noreply\r\n", BAD),
    "incr of a negative delta": (b"incr {k} -1\r\n", BAD_DELTA),
    "incr with words": (b"incr {k} 1 a\r\n", b"NOT_FOUND\r\n"),
    "decr past 64 bits": (b"decr {k} 18446744073709551616\r\n", BAD_DELTA),
    "bad delta in silence": (b"incr {k} abc noreply\r\n", b""),
    "touch without a time": (b"touch {k}\r\n", BAD),
    "touch with noreply for a time": (b"touch {k} noreply\r\n", b""),
    "touch past 32 bits": (b"touch {k} 2147483648\r\n", BAD_TTL),
    "bad touch in silence": (b"touch {k} abc noreply\r\n", b""),

    "verbosity": (b"verbosity 1\r\n", b"OK\r\n"),
    "verbosity in silence": (b"verbosity 1 noreply\r\n", b""),
    "verbosity without a number": (b"verbosity\r\n", BAD),
    "verbosity of words": (b"verbosity foo bar my\r\n", BAD),
    "verbosity noreply": (b"verbosity noreply\r\n", b""),
    "stats of noreply": (b"stats noreply\r\n", ERROR),
    "stats of the unknown": (b"stats nosuchthing\r\n", b"END\r\n"),
    "stats reset": (b"stats reset\r\n", b"RESET\r\n"),
    "stats that servers have": (b"stats cachedump 1 1\r\n", b"END\r\n"),

    "mg without a key": (b"mg\r\n", BAD),
    "ms without a key": (b"ms\r\n", BAD),
    "md without a key": (b"md\r\n", BAD),
    "ma without a key": (b"ma\r\n", BAD),
    "me without a key": (b"me\r\n", BAD),
    "ms without a length": (b"ms {k}\r\n", BAD),
    "ms of a long key": (b"ms " + LONG + b" 7\r\nversion\r\n", BAD),
    "mg of 21 words": (b"mg {k} " + b" ".join(
        b"%c" % c for c in b"abcdefghijlmnoprstu") + b"\r\n",
        b"CLIENT_ERROR options flags are too long\r\n"),
    # With 20 words memcached 1.6.18 would run the value.
    "ms of 20 words": (b"ms {k} 9 " + b" ".join(
        b"%c" % c for c in b"TNFIMSCcksOPLxhvt") + b"\r\nflush_all\r\n",
        b"CLIENT_ERROR options flags are too long\r\n"),
    "ms of 20 words, one of them q": (b"ms {k} 9 " + b" ".join(
        b"%c" % c for c in b"qTNFIMSCcksOPLxhv") + b"\r\nflush_all\r\n",
        b"CLIENT_ERROR options flags are too long\r\n"),
    "mg of a flag twice": (b"mg {k} v v\r\n",
                           b"CLIENT_ERROR duplicate flag\r\n"),
    "mg of an unknown flag, then one twice": (
        b"mg {k} m o o\r\n", b"CLIENT_ERROR invalid flag\r\n"),
    "mg of an unknown flag twice": (b"mg {k} o o\r\n",
                                    b"CLIENT_ERROR invalid flag\r\n"),
    "mg of a digit twice": (b"mg {k} v 1 1\r\n",
                            b"CLIENT_ERROR invalid flag\r\n"),
    "mg of a flag twice, then an unknown one": (
        b"mg {k} v v z\r\n", b"CLIENT_ERROR duplicate flag\r\n"),
    "ms of an unknown flag, then one twice": (
        b"ms {k} 2 z v v\r\nmn\r\n", b"CLIENT_ERROR invalid flag\r\n"),
    "ma of an unknown flag, then one twice": (
        b"ma {k} z v v\r\n", b"CLIENT_ERROR invalid or duplicate flag\r\n"),
    "mg of a sign for a flag": (b"mg {k} !\r\n", BAD),
    "mg of bad base64": (b"mg **** b\r\n",
                         b"CLIENT_ERROR error decoding key\r\n"),
    "ma of bad base64": (b"ma **** b\r\n",
                         b"CLIENT_ERROR invalid or duplicate flag\r\n"),
    "ma of 21 words": (b"ma {k} " + b" ".join(
        b"%c" % c for c in b"abcdefghijlmnoprstu") + b"\r\n",
        b"CLIENT_ERROR invalid or duplicate flag\r\n"),
    "mg of a long opaque": (b"mg {k} O" + b"1" * 32 + b"\r\n",
                            b"CLIENT_ERROR opaque token too long\r\n"),
    "mg of a long opaque, quiet": (b"mg {k} q O" + b"1" * 32 + b"\r\n",
                                   b"CLIENT_ERROR opaque token too long\r\n"),
    "ms with a bad chunk, quiet": (b"ms {k} 2 q\r\nabXY", CHUNK),
    "mg of a miss, quiet": (b"mg {k} v q\r\n", b""),
    "md of a miss, quiet": (b"md {k} q k\r\n", b"NF k{k}\r\n"),
    "ma that creates, quiet": (b"ma {k} N0 J5 q\r\n", b""),
    "ms, quiet": (b"ms {k} 1 q\r\nx\r\n", b""),
}


@pytest.mark.parametrize("name", list(REPLIES))
def test_reply(name, client, key):
    sent, reply = (part.replace(b"{k}", key()) for part in REPLIES[name])
    client.call(sent, reply)
    client.in_step()


def test_every_row_twice_in_one_pipeline(client, key):
    """No row leaves anything behind for the next one."""
    sent, wanted = bytearray(), bytearray()
    for i, (ask, reply) in enumerate(list(REPLIES.values()) * 2):
        name = key(b"p%d" % i)
        sent += ask.replace(b"{k}", name)
        wanted += reply.replace(b"{k}", name)
    client.call(bytes(sent) + b"mn\r\n", bytes(wanted) + b"MN\r\n")


def test_version_has_three_numbers_and_ignores_arguments(client):
    for ask in (b"version\r\n", b"version foo bar\r\n",
                b"version noreply\r\n"):
        client.send(ask)
        client.expect_line(rb"VERSION \d+\.\d+\.\d+.*")
        client.in_step()


REFUSED = [
    b"shutdown", b"shutdown graceful", b"cache_memlimit 64", b"slabs reassign"
    b" 1 2", b"lru tune 10 25 0.1 2.0", b"lru_crawler metadump all",
    b"lru_crawler enable", b"extstore free_memchunks 0 0", b"watch fetchers",
    b"watch", b"refresh_certs", b"debugtime p",
]


@pytest.mark.parametrize("command", REFUSED)
def test_commands_that_are_not_for_clients(command, client, key, servers):
    """A line that names the command; the connection and the servers go on.
    """
    client.call(b"set %s 0 0 1\r\nx\r\n" % key(), b"STORED\r\n")
    client.send(command + b"\r\n")
    client.expect_line(b"CLIENT_ERROR %s is not allowed through this proxy"
                       % command.split()[0] if not command.startswith(
                           b"debugtime") else b"ERROR")
    client.in_step()
    client.call(b"get %s\r\n" % key(),
                b"VALUE %s 0 1\r\nx\r\nEND\r\n" % key())
    assert all(one.process.poll() is None for one in servers)


def test_flush_all_is_off_unless_the_pool_allows_it(client, key):
    client.call(b"set %s 0 0 1\r\nx\r\n" % key(), b"STORED\r\n")
    for command in (b"flush_all", b"flush_all 0", b"flush_all 10"):
        client.call(command + b"\r\n",
                    b"CLIENT_ERROR flush_all not allowed\r\n")
    client.call(b"flush_all noreply\r\n", b"")
    client.call(b"get %s\r\n" % key(),
                b"VALUE %s 0 1\r\nx\r\nEND\r\n" % key())


def test_stats_are_lines_that_end(client):
    for ask in (b"stats\r\n", b"stats \r\n"):
        client.send(ask)
        rows = client.until(b"END\r\n").split(b"\r\n")[:-2]
        assert rows and all(
            len(row.split(b" ", 2)) == 3 and row.startswith(b"STAT ")
            for row in rows), rows
        client.in_step()


@pytest.mark.parametrize("greeting", [
    b"\x80\x0b" + b"\0" * 22, b"\x80\x01\0\1" + b"\xff" * 40,
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"POST /x HTTP/1.0\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 100,
])
def test_other_protocols_are_hung_up_on(greeting, proxy, client):
    client.send(greeting)
    client.expect_closed()
    with proxy.client() as other:
        other.in_step()


@pytest.mark.parametrize("line", [
    b"\x80\x0b\0\0\0\0\r\n", b"\x16\x03\x01\r\n"])
def test_their_first_bytes_mean_nothing_later(line, client, key):
    """As in what is left of a value that is longer than it was said to be.
    """
    client.call(b"mn\r\n" + line, b"MN\r\n" + ERROR)
    client.call(b"set %s 0 0 2\r\nabcd" % key() + line, CHUNK + ERROR)
    client.call(b"set %s abc 0 2\r\nab\r\n" % key() + line, BAD + ERROR)
    client.in_step()


def test_quiet_hits_and_an_ending_noop(client, key):
    client.call(b"set %s 0 0 1\r\nx\r\n" % key(b"a"), b"STORED\r\n")
    client.call(
        b"mg %s v q k Oa\r\nmg %s v q k Ob\r\nmg %s v q k Oc\r\nmn\r\n" % (
            key(b"no"), key(b"a"), key(b"none")),
        b"VA 1 k%s Ob\r\nx\r\nMN\r\n" % key(b"a"))


def test_base64_and_plain_spellings_are_one_key(client):
    """Whatever server the key is on: both spellings go there."""
    for i in range(50):
        name = b"b64.%d.%d" % (id(client), i)
        coded = base64.b64encode(name)
        client.call(b"ms %s 2 b\r\nhi\r\n" % coded, b"HD\r\n")
        client.call(b"get %s\r\n" % name,
                    b"VALUE %s 0 2\r\nhi\r\nEND\r\n" % name)
        client.call(b"md %s\r\nmg %s b v\r\n" % (name, coded),
                    b"HD\r\nEN\r\n")


# Of the last letter some bits do not count: three ways to write "fo".
@pytest.mark.parametrize("code", [b"Zm8=", b"Zm9=", b"Zm+="])
def test_a_key_in_base64_is_repeated_as_the_server_writes_it(code, client):
    for _ in range(10):
        client.call(b"ms %s 2 b k\r\nhi\r\nmg %s b k v\r\nmd %s b O1 k\r\n" % (
            code, code, code),
            b"HD kZm8= b\r\nVA 2 kZm8= b\r\nhi\r\nHD O1 kZm8= b\r\n")


# What a counter or a vivified item is called in replies: the decoded bytes.
@pytest.mark.parametrize("name", [
    b"a b", b" ", b"\n", b"a\r\nEN", b"a\r\nEN\r\nHD\r\n", b"\r\nVA 5\r\nMN"])
def test_a_key_that_a_server_repeats_undecoded(name, proxy, client):
    """Blanks, line ends and all: it is no other reply, and the others of
    that connection get theirs."""
    code = base64.b64encode(name)
    with proxy.client() as other:
        for _ in range(10):
            client.call(b"ma %s b N0 J7 v\r\n" % code, b"VA 1\r\n7\r\n")
            client.send(b"mg %s b O1 k v s\r\nmg %s b k\r\nme %s b x\r\n" % (
                code, code, code))
            other.in_step()
            client.expect(b"VA 1 O1 k%s s1\r\n7\r\nHD k%s\r\nME %s exp=" % (
                name, name, name))
            client.line()
            client.call(b"md %s b\r\nmg %s b N0 q\r\nmg %s b k v\r\nmd %s b\r\n"
                        % (code, code, code, code),
                        b"HD\r\nHD W\r\nVA 0 k%s Z\r\n\r\nHD\r\n" % name)


def test_a_failing_noreply_says_nothing(client, key):
    text, number = key(b"text"), key(b"n")
    client.call(b"set %s 0 0 3\r\nabc\r\nset %s 0 0 1\r\n7\r\n" % (
        text, number), b"STORED\r\nSTORED\r\n")
    client.call(
        b"add %s 0 0 1 noreply\r\nx\r\n" % text +
        b"replace %s 0 0 1 noreply\r\nx\r\n" % key(b"none") +
        b"append %s 0 0 1 noreply\r\nx\r\n" % key(b"none") +
        b"incr %s 1 noreply\r\n" % text +
        b"incr %s 1 noreply\r\n" % key(b"none") +
        b"cas %s 0 0 1 1 noreply\r\nx\r\n" % text +
        b"delete %s noreply\r\n" % key(b"none") +
        b"touch %s 0 noreply\r\n" % key(b"none") +
        b"incr %s 1 noreply\r\n" % number +
        b"get %s\r\n" % number,
        b"VALUE %s 0 1\r\n8\r\nEND\r\n" % number)
    client.in_step()


def test_noreply_writes_are_seen_by_the_next_get(client, key):
    name = key()
    for i in range(200):
        value = b"%04d" % i
        client.call(
            b"delete %s noreply\r\nset %s 0 0 4 noreply\r\n%s\r\n"
            b"get %s\r\n" % (name, name, value, name),
            b"VALUE %s 0 4\r\n%s\r\nEND\r\n" % (name, value))


def test_one_byte_at_a_time(proxy, key):
    """The same answers, whatever the proxy reads at once."""
    a, b = key(b"a"), key(b"b")
    script = (
        b"set %s 7 0 5\r\na\r\n\nb\r\nget %s %s\r\ngets\r\n\r\n"
        b"set %s 0 0 2 noreply\r\n10\r\nincr %s 5\r\nmg %s v q\r\n"
        b"mg %s v\r\nset %s 0 0 1\r\nxyzset %s 0 abc 3\r\nabc\r\n"
        b"delete %s\r\nmn\r\n" % (a, b, a, b, b, a + b, b, a, a, b))
    reply = (
        b"STORED\r\nVALUE %s 7 5\r\na\r\n\nb\r\nEND\r\n" % a + ERROR + BAD +
        b"15\r\nVA 2\r\n15\r\n" + CHUNK + BAD + b"DELETED\r\nMN\r\n")
    with proxy.client() as wire:
        wire.call(script, reply)
    with proxy.client() as wire:
        wire.send_read(script, 1)
        wire.expect(reply)
    for size in (2, 3, 7, 13):
        with proxy.client() as wire:
            wire.send_read(script, size)
            wire.expect(reply)


def test_replies_keep_the_order_of_the_requests(client, key):
    """Servers answer when they like; the client sees its own order."""
    ask, wanted = bytearray(), bytearray()
    for i in range(2000):
        name = key(b"%d" % i)
        ask += b"set %s 0 0 %d\r\n%s\r\n" % (name, len(name), name)
        wanted += b"STORED\r\n"
        if i % 3 == 0:
            ask += b"nosuchcommand\r\nmn\r\n"
            wanted += b"ERROR\r\nMN\r\n"
        ask += b"get %s\r\n" % name
        wanted += b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (
            name, len(name), name)
    client.call(bytes(ask), bytes(wanted), timeout=15)


def test_half_closed_clients_get_their_replies(proxy, key):
    name = key()
    with proxy.client() as wire:
        wire.send(b"set %s 0 0 1\r\nx\r\n" % name
                  + b"get %s none\r\n" % name * 50)
        wire.half_close()
        assert wire.read_to_end() == b"STORED\r\n" + (
            b"VALUE %s 0 1\r\nx\r\nEND\r\n" % name) * 50


@pytest.mark.parametrize("rest", [
    b"get abc", b"set abc 0 0 5\r\nab", b"set abc 0 0 2\r\nab\r", b"x"])
def test_an_unfinished_command_and_half_close_is_no_answer(rest, client):
    client.send(b"mn\r\n" + rest)
    client.half_close()
    assert client.read_to_end() == b"MN\r\n"


@pytest.mark.parametrize("words", [b"quit", b"quit now", b"quit noreply"])
def test_quit_closes_after_the_replies(words, proxy, key):
    name = key()
    with proxy.client() as wire:
        wire.send(b"set %s 0 0 1 noreply\r\nx\r\nget %s\r\n%s\r\n"
                  b"get ignored\r\n" % (name, name, words))
        assert wire.read_to_end() == b"VALUE %s 0 1\r\nx\r\nEND\r\n" % name
    with proxy.client() as wire:
        wire.call(b"get %s\r\n" % name,
                  b"VALUE %s 0 1\r\nx\r\nEND\r\n" % name)
