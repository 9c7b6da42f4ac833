"""Random conversations in memcached's text protocol, made from a seed.

Only what memcached 1.6.18 and the later grammar that Fairlead speaks answer
alike is made here; where they differ, test_protocol.py has the exact answer.
Times to live stay far from any moment at which they could matter, so that a
slow machine changes nothing. Counters stay below 2^63, and no value is blank
only: counting, 1.6.18 would look beyond the end of such a value, into
whatever memory follows.
"""

import base64
import random

# Where a version of a key, as its last gets told, is to be put in.
VERSION_OF = "version-of"

_TTLS = (0, 0, 0, 0, 500, 3600, 2592000, 2147483647, -1, -100, 2592001)
_FLAGS = (0, 0, 1, 42, 65535, 4294967295, 4294967297)
_DELTAS = (0, 1, 5, 999, 4294967296)
_BAD_NUMBERS = (b"abc", b"-1", b"1.5", b"18446744073709551616", b"1x")
_BAD_TTLS = (b"abc", b"1.5", b"0x10", b"12abc")
_BASE64 = (b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
           b"0123456789+/")


class Conversation:
    """What one client says.

    `segments` are lists of commands, each a list of parts: bytes, or
    (VERSION_OF, key). A segment is sent once all replies to the one before
    are there. `ending` is None, "quit", "half-close" or "cut": the last is
    an unfinished command, then half a close.
    """

    def __init__(self, seed, prefix, makers):
        self.seed = seed
        self.prefix = prefix
        rng = random.Random(seed)
        speaker = Speaker(rng, prefix)
        self.segments = []
        for _ in range(rng.randint(1, 4)):
            self._add_segment(speaker, makers)
        if rng.random() < 0.1:
            # In a segment of its own: memcached 1.6.18 forgets the replies
            # to what stands before a refused get in the same read.
            at = rng.randrange(len(self.segments) + 1)
            self.segments[at:at] = [[speaker.store_unfetched()],
                                    [speaker.refused_get()]]
        self.ending = rng.choices(
            (None, "quit", "half-close", "cut"), (12, 1, 1, 1))[0]
        self.cut = speaker.unfinished() if self.ending == "cut" else b""

    def _add_segment(self, speaker, makers):
        """One to thirteen commands; one that counts begins a segment.

        memcached counts in place, padding the value, only while no reply
        with the old value is waiting to be sent.
        """
        segment = []
        for _ in range(speaker.rng.choice((1, 1, 2, 3, 5, 8, 13))):
            maker = speaker.rng.choices([m for m, _ in makers],
                                        [w for _, w in makers])[0]
            if maker in COUNTING and segment:
                self.segments.append(segment)
                segment = []
            segment.append(maker(speaker))
        self.segments.append(segment)


def shorter(conversation):
    """Conversations with one command fewer, for narrowing a failure."""
    for i, segment in enumerate(conversation.segments):
        for j in range(len(segment)):
            copy = object.__new__(Conversation)
            copy.__dict__.update(conversation.__dict__)
            copy.segments = [list(s) for s in conversation.segments]
            del copy.segments[i][j]
            copy.segments = [s for s in copy.segments if s]
            yield copy


class Speaker:
    """Makes commands about a few keys that belong to one conversation."""

    def __init__(self, rng, prefix):
        self.rng = rng
        self.prefix = prefix
        self.keys = [prefix + self._tail() for _ in range(rng.randint(2, 7))]

    def _tail(self):
        rng = self.rng
        kind = rng.randrange(8)
        if kind == 0:
            return b"k" * (250 - len(self.prefix))
        if kind == 1:
            return bytes(rng.choice(range(128, 256)) for _ in range(9))
        if kind == 2:
            return b"\t\x01\x7f" + b"%d" % rng.randrange(100)
        if kind == 3:
            return b"{tag}" + b"%d" % rng.randrange(100)
        return b"%d" % rng.randrange(10 ** rng.randint(1, 12))

    # -- pieces ----------------------------------------------------------

    def key(self):
        return self.rng.choice(self.keys)

    def some_keys(self):
        count = self.rng.choice((1, 1, 2, 3, 6, 12, 40))
        return [self.key() if self.rng.random() < 0.8
                else self.prefix + b"none%d" % self.rng.randrange(99)
                for _ in range(count)]

    def value(self):
        rng = self.rng
        kind = rng.randrange(12)
        if kind < 2:
            return b"%d" % rng.choice(
                (0, 7, 10, 99, 1000, 10 ** 15, 10 ** 25))
        if kind == 2:
            return b""
        if kind == 3:
            return b"x\r\nEND\r\nVALUE q 0 1\r\nz\r\nSTORED\r\n"
        if kind == 4:
            return rng.choice((b"SERVER_ERROR no", b"ERROR", b"VA 2 s2",
                               b"-5", b"99 ", b"\0\r\n", b"\0", b"1.5"))
        if kind == 5:
            return rng.randbytes(rng.choice((1023, 4096, 16384, 20000)))
        if kind == 6 and rng.random() < 0.3:
            return rng.randbytes(rng.randint(60000, 140000))
        noise = rng.randbytes(rng.randint(1, 300))
        return noise if noise.strip() else b"not blank"

    def noreply(self, chance=0.2):
        return b" noreply" if self.rng.random() < chance else b""

    def number(self, choices):
        return b"%d" % self.rng.choice(choices)

    def blanks(self):
        """Between words: mostly one blank."""
        return b" " if self.rng.random() < 0.95 else b"   "

    def line(self, *words):
        """A line of words; now and then more blanks, or a bare LF."""
        rng = self.rng
        text = words[0]
        for word in words[1:]:
            text += self.blanks() + word
        if rng.random() < 0.03:
            text += b"  "
        return text + (b"\n" if rng.random() < 0.03 else b"\r\n")

    def store_unfetched(self):
        return [b"set %sunfetched 0 0 1\r\nx\r\n" % self.prefix]

    def refused_get(self):
        """A get with an over-long key: one error line, no value, no END.

        Its good key is used nowhere else: memcached counts it as fetched.
        """
        bad, key = self.prefix + b"L" * 251, self.prefix + b"unfetched"
        return [self.rng.choice((
            b"get %s\r\n" % bad, b"gets %s %s\r\n" % (bad, key),
            b"get %s %s %s\r\n" % (key, bad, key),
            b"gat 0 %s %s\r\n" % (key, bad)))]

    def unfinished(self):
        """The beginning of a command that never gets its end."""
        key = self.key()
        return self.rng.choice((
            b"get %s" % key, b"set %s 0 0 10\r\nabc" % key, b"se",
            b"set %s 0 0 3\r\nabc" % key, b"set %s 0 0 3\r\nabc\r" % key,
            b"delete %s" % key, b"\r"))


# -- the classic commands ----------------------------------------------------

def _get(s):
    return [s.line(s.rng.choice((b"get", b"gets")), *s.some_keys())]


def _gat(s):
    verb = s.rng.choice((b"gat", b"gats"))
    # 1.6.18 hangs up on a gat line of more than 2048 bytes.
    return [s.line(verb, s.number(_TTLS), *s.some_keys()[:7])]


def _store(s):
    verb = s.rng.choice((b"set", b"set", b"set", b"add", b"replace",
                         b"append", b"prepend"))
    value = s.value()
    words = [verb, s.key(), s.number(_FLAGS), s.number(_TTLS),
             b"%d" % len(value)]
    if s.rng.random() < 0.2:
        words.append(b"noreply")
    elif s.rng.random() < 0.02:
        words.append(b"foo")  # any other sixth word is ignored
    return [s.line(*words) + value + b"\r\n"]


def _cas(s):
    key, value = s.key(), s.value()
    token = s.rng.choice((
        (VERSION_OF, key), (VERSION_OF, key), (VERSION_OF, key),
        b"0", b"18446744073709551615", b"77777777"))
    return [b"cas %s %s %s %d " % (
        key, s.number(_FLAGS), s.number(_TTLS), len(value)),
        token, s.noreply() + b"\r\n" + value + b"\r\n"]


def _gets_then_cas(s):
    """The version must be known before the cas is sent: a gets alone."""
    return [b"gets %s\r\n" % s.key()]


def _delete(s):
    words = [b"delete", s.key()]
    if s.rng.random() < 0.1:
        words.append(b"0")
    if s.rng.random() < 0.2:
        words.append(b"noreply")
    return [s.line(*words)]


def _count(s):
    verb = s.rng.choice((b"incr", b"decr"))
    delta = s.number(_DELTAS)
    if verb == b"decr" and s.rng.random() < 0.1:
        delta = b"18446744073709551615"
    if s.rng.random() < 0.1:
        delta = s.rng.choice(_BAD_NUMBERS)
    words = [verb, s.key(), delta]
    if s.rng.random() < 0.2:
        words.append(b"noreply")
    return [s.line(*words)]


def _touch(s):
    ttl = s.number(_TTLS)
    if s.rng.random() < 0.1:
        ttl = s.rng.choice(_BAD_TTLS)
    words = [b"touch", s.key(), ttl]
    if s.rng.random() < 0.2:
        words.append(b"noreply")
    return [s.line(*words)]


def _number_then_count(s):
    key = s.key()
    value = s.number((0, 1, 9, 10, 99, 100, 10 ** 18))
    return [b"set %s 5 0 %d\r\n%s\r\nincr %s %d\r\ndecr %s %d\r\nget %s\r\n"
            % (key, len(value), value, key, s.rng.randint(0, 9),
               key, s.rng.randint(0, 200), key)]


def _version(s):
    return [s.rng.choice((b"version\r\n", b"version foo bar\r\n"))]


def _verbosity(s):
    return [s.rng.choice((b"verbosity 0\r\n", b"verbosity 0 noreply\r\n",
                          b"verbosity abc\r\n"))]


def _unknown(s):
    return [s.rng.choice((
        b"GET a\r\n", b"nosuchcommand x y\r\n", b"   \r\n", b"gett\r\n",
        b"Set a 0 0 1\r\n", b"foobar" * 50 + b"\r\n", b"set\tk\r\n"))]


def _bad_line(s):
    """Lines that both grammars refuse with the same bytes."""
    long_key = s.prefix + b"L" * 251
    key = s.key()
    return [s.rng.choice((
        b"delete %s\r\n" % long_key,
        b"incr %s 1\r\n" % long_key,
        b"touch %s 0\r\n" % long_key,
        b"gat abc %s\r\n" % key,
        b"set %s 0 0 abc\r\n" % key,
        b"set %s 0 0 -1\r\n" % key,
        b"add %s 0 0 1x\r\n" % key,
        # And in silence.
        b"delete %s noreply\r\n" % long_key,
        b"incr %s 1 noreply\r\n" % long_key,
        b"delete %s x noreply\r\n" % key,
        b"incr %s x noreply\r\n" % key,
        b"decr %s noreply\r\n" % key,
        b"touch %s x noreply\r\n" % key,
        b"touch %s noreply\r\n" % key,
        b"set %s 0 0 -1 noreply\r\n" % key,
        b"replace %s 0 0 x noreply\r\n" % key))]


def _bad_chunk(s):
    """A body whose end is wrong, of exactly the announced length."""
    body = s.rng.randbytes(s.rng.randint(0, 50))
    verb = s.rng.choice((b"set", b"add", b"append"))
    return [b"%s %s 0 0 %d%s\r\n%sXY" % (
        verb, s.key(), len(body), s.noreply(), body)]


def _wrong_length(s):
    """A body longer or shorter than announced, and a whole line after it:
    what is left over is an unknown command of four bytes or more."""
    length, rest = s.rng.choice((
        (2, b"abcdefgh\r\n"), (0, b"abcdefgh\r\n"),
        (7, b"abc\r\nfoobar\r\n"), (3, b"a\r\nabcdefg\r\n")))
    return [s.rng.choice((
        b"set %s 0 0 %d\r\n%s" % (s.key(), length, rest),
        b"add %s 0 0 %d noreply\r\n%s" % (s.key(), length, rest),
        b"cas %s 0 0 %d 5\r\n%s" % (s.key(), length, rest),
        b"ms %s %d\r\n%s" % (s.key(), length, rest),
        b"ms %s %d q k\r\n%s" % (s.key(), length, rest)))]


def _too_large(s):
    """Around the limits: memcached's own is a little below a mebibyte, and
    what set and ms would have replaced is gone."""
    size = s.rng.choice((1 << 20, (1 << 20) + 1, 1200000, 1048400, 1040000))
    return [s.rng.choice((
        b"set %s 0 0 %d" % (s.key(), size), b"ms %s %d" % (s.key(), size),
        b"set %s 0 0 %d noreply" % (s.key(), size),
        b"ms %s %d q O1" % (s.key(), size))) + b"\r\n" + b"x" * size
        + b"\r\n"]


CLASSIC = [
    (_get, 10), (_gat, 3), (_store, 12), (_cas, 4), (_gets_then_cas, 3),
    (_delete, 3), (_count, 4), (_touch, 2), (_number_then_count, 2),
    (_version, 1), (_verbosity, 1), (_unknown, 1), (_bad_line, 1),
    (_bad_chunk, 1), (_wrong_length, 1), (_too_large, 0.1),
]


# -- the meta commands -------------------------------------------------------

def _flags(s, choices, most=5):
    """Some of `choices`, no letter twice, in any order."""
    out, letters = [], set()
    for flag in s.rng.sample(choices, min(len(choices),
                                          s.rng.randint(0, most))):
        if flag[:1] not in letters:
            letters.add(flag[:1])
            out.append(flag)
    return out


def _respelled(code):
    """Another base64 of the same bytes, where there is one: a last letter
    before padding has bits that do not count."""
    letters = code.rstrip(b"=")
    if letters == code:
        return code
    last = _BASE64.index(letters[-1:]) | 1
    return letters[:-1] + _BASE64[last:last + 1] + code[len(letters):]


def _meta_key(s):
    """A key and the flag that its spelling needs: now and then base64. Such
    a key may hold blanks and line ends, which replies may repeat as they are.
    """
    key = s.key()
    if len(key) < 180 and s.rng.random() < 0.15:
        code = base64.b64encode(
            key + s.rng.choice((b"", b"", b"", b" x", b"\nEN", b" \n")))
        return (_respelled(code) if s.rng.random() < 0.3 else code), [b"b"]
    return key, []


def _opaque(s):
    return b"O" + b"%d" % s.rng.randrange(10 ** s.rng.randint(1, 30))


def _mg(s):
    key, extra = _meta_key(s)
    if s.rng.random() < 0.1:
        key, extra = s.prefix + b"gone%d" % s.rng.randrange(9), []
    flags = _flags(s, [b"v", b"v", b"s", b"t", b"f", b"c", b"h", b"k",
                       b"q", _opaque(s), b"u", b"T3600", b"N500", b"R1000",
                       b"R30", b"l", b"Phint", b"L"], 7)
    if s.rng.random() < 0.03:
        flags.append(s.rng.choice((b"E77", b"x", b"I", b"S5", b"J5", b"D",
                                   b"T", b"N", b"Rx", b"F9", b"C1")))
    return [s.line(b"mg", key, *(extra + flags))]


def _ms(s):
    key, extra = _meta_key(s)
    value = s.value()
    flags = _flags(s, [b"k", b"q", _opaque(s), b"c", b"s", b"T0", b"T3600",
                       b"F42", b"I", b"C18446744073709551615", b"MS", b"ME",
                       b"MA", b"MP", b"MR", b"Ms", b"T-1", b"F4294967295",
                       b"f", b"t", b"P1", b"C0"])
    if s.rng.random() < 0.03:
        flags.append(s.rng.choice((b"E77", b"v", b"J5", b"x", b"2", b"N500",
                                   b"h")))
    return [s.line(b"ms", key, b"%d" % len(value), *(extra + flags))
            + value + b"\r\n"]


def _ms_version(s):
    key, value = s.key(), s.value()
    flags = _flags(s, [b"k", b"q", _opaque(s), b"I", b"T0"])
    return [b"ms %s %d C" % (key, len(value)), (VERSION_OF, key),
            b"".join(b" " + f for f in flags) + b"\r\n" + value + b"\r\n"]


def _md(s):
    key, extra = _meta_key(s)
    flags = _flags(s, [b"k", b"q", _opaque(s), b"I", b"T500", b"C0",
                       b"C18446744073709551615", b"v"], 4)
    if s.rng.random() < 0.03:
        flags.append(s.rng.choice((b"E77", b"x", b"J5", b"z")))
    return [s.line(b"md", key, *(extra + flags))]


def _md_version(s):
    key = s.key()
    flags = _flags(s, [b"k", b"q", _opaque(s), b"I"], 3)
    return [b"md %s C" % key, (VERSION_OF, key),
            b"".join(b" " + f for f in flags) + b"\r\n"]


def _ma(s):
    key, extra = _meta_key(s)
    flags = _flags(s, [b"k", _opaque(s), b"v", b"t", b"c", b"N500", b"J7",
                       b"D3", b"MI", b"MD", b"T3600", b"M+", b"M-", b"C0",
                       b"D18446744073709551615"])
    if not {b"MD", b"M-"} & set(flags):
        flags = [f for f in flags if f != b"D18446744073709551615"]
    if s.rng.random() < 0.03:
        flags.append(s.rng.choice((b"E77", b"x", b"Dx", b"z", b"J-1")))
    # A quiet ma that creates its item is answered by 1.6.18 only.
    if not any(f[:1] == b"N" for f in flags) and s.rng.random() < 0.3:
        flags.append(b"q")
    return [s.line(b"ma", key, *(extra + flags))]


def _me(s):
    return [b"me %s%s\r\n" % (s.key(), s.rng.choice((b"", b"", b" q")))]


def _mn(s):
    return [s.rng.choice((b"mn\r\n", b"mn q k\r\n"))]


def _bad_meta(s):
    # memcached counts a refused mg as a fetch of its key, so not one of ours.
    key = s.prefix + b"bad"
    return [s.rng.choice((
        b"mg %s v v\r\n" % key,
        b"ma %s v v\r\n" % key,
        b"ma %s z\r\n" % key,
        b"md %s z\r\n" % key,
        b"mg %s z q\r\n" % key,
        b"mg %s O%s\r\n" % (key, b"o" * 32),
        b"mg %s\r\n" % (b"L" * 251),
        b"md %s\r\n" % (b"L" * 251),
        b"md %s q\r\n" % (b"L" * 251),
        b"mg %%%% b\r\n",
        b"ms %%%% 2 b\r\nab\r\n",
        b"ma %%%% q b\r\n",
        b"mg %s m o o\r\n" % key,
        b"ms %s 2 z c c\r\nab\r\n" % key,
        b"ms %s 4294967296x\r\n" % key,
        b"mg %s C\r\n" % key,
        b"ms %s 2 T\r\nab\r\n" % key,
        b"ms %s 2 Fx\r\nab\r\n" % key,
        b"ms %s 2 Cx q\r\nab\r\n" % key,
        b"ms %s abc\r\n" % key,
        b"ms %s -1\r\n" % key,
        b"ms %s 2 Mx\r\nab\r\n" % key,
        b"ms %s 2 q Mx\r\nab\r\n" % key,
        b"ms %s 2 c c\r\nab\r\n" % key,
        b"ms %s 2\r\nabXY" % key,
        b"ms %s 2 q\r\nabXY" % key,
        b"ma %s D1x\r\n" % key,
        b"ma %s Mx\r\n" % key,
        b"mg %s TabcX\r\n" % key,
        b"mg %s %s\r\n" % (key, b" ".join([b"v"] * 25))))]


META = [
    (_mg, 12), (_ms, 10), (_ms_version, 2), (_md, 3), (_ma, 4), (_me, 1),
    (_mn, 2), (_bad_meta, 1), (_gets_then_cas, 2), (_md_version, 1),
    (_wrong_length, 0.5),
]

COUNTING = (_count, _number_then_count, _ma)

# The kinds that test_differential.py runs: name -> makers with weights.
KINDS = {"classic": CLASSIC, "meta": META, "mixed": CLASSIC + META}
