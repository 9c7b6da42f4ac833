"""Servers that misbehave at random, and a client that knows what it may be
told all the same.
"""

import random
import re
import threading

from support import replies, rules
from support.clock import seconds, wait_until
from support.wire import Wire, first_difference, shown

# -- servers -----------------------------------------------------------------


class Chaos:
    """A rule that does something else with every `rarity`-th reply.

    It may delay, cut, garble and lose a reply, but never forge a proper one
    for another request: that no proxy could tell.
    """

    def __init__(self, seed, stall, rarity=10):
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.stall = stall
        self.rarity = rarity
        self.done = {}
        self.active = 0     # replies under way

    def __call__(self, peer, request, reply):
        with self.lock:
            act = None
            if self.random.randrange(self.rarity) == 0:
                act = self.random.choice(_ACTS)
                self.done[act.__name__] = self.done.get(act.__name__, 0) + 1
            draw = random.Random(self.random.random())
            self.active += 1
        try:
            if act is None:
                peer.send(reply)
            else:
                act(self, peer, reply, draw)
        finally:
            with self.lock:
                self.active -= 1

    def stop(self):
        """Lets go whatever waits; all goes well from now on."""
        self.over.set()
        self.rarity = 1 << 60
        wait_until(lambda: self.active == 0, "the last misdeeds to be done")


def _in_pieces(chaos, peer, reply, draw):
    at = 0
    while at < len(reply):
        size = draw.choice((1, 3, 10, 1000))
        peer.send(reply[at:at + size])
        at += size


def _halves(chaos, peer, reply, draw):
    rules.cut_at(draw.randrange(len(reply) + 1))(peer, None, reply)


def _late(chaos, peer, reply, draw):
    chaos.over.wait(seconds(chaos.stall * draw.uniform(0.2, 3)))
    peer.send(reply)


def _late_in_the_middle(chaos, peer, reply, draw):
    at = draw.randrange(len(reply))
    peer.send(reply[:at])
    chaos.over.wait(seconds(chaos.stall * draw.uniform(0.2, 3)))
    peer.send(reply[at:])


def _trickling(chaos, peer, reply, draw):
    """Some bytes at a time, each soon enough to give hope."""
    for at in range(0, len(reply), 1 + len(reply) // 6):
        peer.send(reply[at:at + 1 + len(reply) // 6])
        chaos.over.wait(seconds(chaos.stall * 0.4))


def _no_reply(chaos, peer, reply, draw):
    """And none to what comes after it either, for a while; then the end."""
    chaos.over.wait(seconds(chaos.stall * 4))
    peer.close()


def _closed(chaos, peer, reply, draw):
    peer.close()


def _cut_off(chaos, peer, reply, draw):
    peer.send(reply[:draw.randrange(len(reply))])
    peer.close()


def _reset(chaos, peer, reply, draw):
    peer.send(reply[:draw.randrange(len(reply))])
    peer.reset()


def _garbled(chaos, peer, reply, draw):
    peer.send(draw.choice((
        b"\r\n", b"NONSENSE\r\n", b"\0\1\2\3\r\n", b"VALUE\r\n",
        b"VALUE x 0 -1\r\n", b"HTTP/1.1 200 OK\r\n\r\n",
        b"VALUE x 0 99999999999\r\n", b"VA\r\n", b"VA 3\r\nabcde")))


def _whole_then_garbled(chaos, peer, reply, draw):
    """Some whole values, and then nonsense instead of the rest."""
    whole, ends = 0, [0]
    for line, body in replies.split(reply):
        whole += len(line) + 2 + (0 if body is None else len(body) + 2)
        ends.append(whole)
    peer.send(reply[:draw.choice(ends)] + b"NONSENSE\r\n")


def _chattering(chaos, peer, reply, draw):
    peer.send(reply + draw.choice((
        b"STRAY\r\n", b"VALUE stray 0 1\r\nz\r\nEND\r\n", b"\r\n", b"x")))


def _another_key(chaos, peer, reply, draw):
    peer.send(re.sub(rb"^(VALUE |VA \d+ k|EN k)(\S+)",
                     lambda m: m.group(1) + m.group(2)[::-1], reply))


def _another_length(chaos, peer, reply, draw):
    peer.send(re.sub(rb"^(VALUE \S+ \d+) (\d+)",
                     lambda m: b"%s %d" % (m.group(1), int(m.group(2)) - 1),
                     reply))


def _in_trouble(chaos, peer, reply, draw):
    peer.send(b"SERVER_ERROR out of memory storing object\r\n")


_ACTS = (_in_pieces, _halves, _late, _late_in_the_middle, _trickling,
         _no_reply, _closed, _cut_off, _reset, _garbled, _whole_then_garbled,
         _chattering, _another_key, _another_length, _in_trouble)


# -- clients -----------------------------------------------------------------

class Broken(AssertionError):
    """A reply that no honest proxy gives."""


class Key:
    """What one key may hold, by what its only writer was told.

    A write whose answer was lost may still be done, even later.
    """

    def __init__(self, name):
        self.name = name
        self.number = 0
        self.last = None        # the number last confirmed; None: deleted
        self.unsure = set()

    def may_be(self, number):
        return number == self.last or number in self.unsure


class Client:
    """Writes and reads keys of its own, pipelined, and judges each reply.

    `trusts_order`: values may never be older than the last confirmed write;
    not so where a server's keys wander while it is down.
    `trusts_connections`: they end within a reply at most; not so where the
    daemon's own system calls fail.
    """

    def __init__(self, address, number, seed, trusts_order=True,
                 trusts_connections=True):
        self.address = address
        self.trusts_connections = trusts_connections
        self.random = random.Random(seed)
        self.trusts_order = trusts_order
        self.keys = [Key(b"c%d.%d." % (number, i)) for i in range(12)]
        self.wire = None
        self.counts = {"replies": 0, "hits": 0, "lost": 0, "reconnects": 0}

    def value(self, key, number):
        size = (number * 2654435761 + len(key.name)) % 997
        if number % 4 == 0:
            size *= 300
        return b"%s %d " % (key.name, number) + b"\r\nEND\r\n."[
            number % 9:] * (size // 8)

    # -- asking ----------------------------------------------------------

    def batch(self):
        """Sends one to eight requests, then takes their answers.

        The last one shows that there was no answer too many or too few.
        """
        if self.wire is None:
            self.wire = Wire(self.address, timeout=10)
        jobs = [self._make() for _ in range(self.random.randint(1, 8))]
        jobs.append((b"mn\r\n", self._no_more))
        try:
            self.wire.send(b"".join(ask for ask, _ in jobs))
        except (BrokenPipeError, ConnectionResetError):
            pass
        for ask, judge in jobs:
            try:
                judge()
            except EOFError as why:
                self._reconnect(ask, why)
                return
            except Broken as why:
                raise Broken("%s -> %s" % (shown(ask), why)) from None
            self.counts["replies"] += 1

    def _reconnect(self, ask, why):
        """A hang-up is honest only within a reply that was begun."""
        if why.args[0] == b"" and self.trusts_connections:
            raise Broken("closed before a reply to %s" % shown(ask))
        self.counts["reconnects"] += 1
        self.wire.close()
        self.wire = None

    def _make(self):
        """(the bytes of a request, a function that judges its answer)"""
        make = self.random.choice((
            self._get, self._get, self._get, self._multi_get, self._set,
            self._set, self._delete, self._meta_get, self._noreply,
            self._noreply_set, self._quiet_get, self._quiet_set,
            self._quiet_delete))
        return make()

    def _new_value(self):
        """A key, its next number, and the value of both.

        The number may be seen from now on: a read that is asked once more
        can come after the writes that were sent behind it.
        """
        key = self.random.choice(self.keys)
        key.number += 1
        key.unsure.add(key.number)
        return key, key.number, self.value(key, key.number)

    def _set(self):
        key, number, body = self._new_value()

        def judge():
            line = self._line()
            if line == b"STORED\r\n":
                key.last = number
                key.unsure.discard(number)
            else:
                self._failed(line)

        return b"set %s 0 0 %d\r\n%s\r\n" % (
            key.name, len(body), body), judge

    def _noreply_set(self):
        key, _, body = self._new_value()

        # Nobody says whether it was done: it stays unsure.
        return b"set %s 0 0 %d noreply\r\n%s\r\nmn\r\n" % (
            key.name, len(body), body), self._no_more

    def _noreply(self):
        return self.random.choice((
            b"delete %s noreply\r\nmn\r\n", b"touch %s 0 noreply\r\nmn\r\n",
            b"incr %s 1 noreply\r\nmn\r\n")) % (
                self.random.choice(self.keys).name), self._no_more

    def _delete(self):
        key = self.random.choice(self.keys)

        def judge():
            line = self._line()
            if line in (b"DELETED\r\n", b"NOT_FOUND\r\n"):
                key.last = None
            else:
                self._failed(line)

        return b"delete %s\r\n" % key.name, judge

    def _get(self):
        return self._get_of([self.random.choice(self.keys)])

    def _multi_get(self):
        return self._get_of(self.random.choices(
            self.keys, k=self.random.randint(2, 20)))

    def _get_of(self, keys):
        def judge():
            left = list(keys)
            line = self._line()
            if not line.startswith(b"VALUE ") and line != b"END\r\n":
                self._failed(line)
                return
            while line != b"END\r\n":
                self._value(line, left)
                line = self._line(begun=True)

        return b"get %s\r\n" % b" ".join(key.name for key in keys), judge

    def _meta_get(self):
        key = self.random.choice(self.keys)

        def judge():
            line = self._line()
            found = re.fullmatch(rb"VA (\d+) k(\S+) O7\r\n", line)
            if found and found.group(2) == key.name:
                self._judge_value(key, self._body(int(found.group(1))))
            elif not re.fullmatch(rb"EN( k\S+| O7)*\r\n", line):
                self._failed(line)

        return b"mg %s v k O7\r\n" % key.name, judge

    # In quiet mode an answer that may be none, and then that of mn.

    def _quiet_get(self):
        key = self.random.choice(self.keys)

        def judge():
            line = self._line()
            found = re.fullmatch(rb"VA (\d+) k(\S+)\r\n", line)
            if found and found.group(2) == key.name:
                self._judge_value(key, self._body(int(found.group(1))))
                self._no_more()
            elif line != b"MN\r\n":
                self._failed(line)
                self._no_more()

        return b"mg %s v k q\r\nmn\r\n" % key.name, judge

    def _quiet_set(self):
        key, number, body = self._new_value()

        def judge():
            line = self._line()
            if line == b"MN\r\n":
                key.last = number
                key.unsure.discard(number)
            else:
                self._failed(line)
                self._no_more()

        return b"ms %s %d q\r\n%s\r\nmn\r\n" % (
            key.name, len(body), body), judge

    def _quiet_delete(self):
        key = self.random.choice(self.keys)

        def judge():
            line = self._line()
            if line in (b"MN\r\n", b"NF\r\n"):
                key.last = None
            else:
                self._failed(line)
            if line != b"MN\r\n":
                self._no_more()

        return b"md %s q\r\nmn\r\n" % key.name, judge

    # -- judging ---------------------------------------------------------

    def _no_more(self):
        """What comes next is the answer to mn."""
        line = self._line()
        if line != b"MN\r\n":
            raise Broken("an answer too many: " + shown(line))

    def _line(self, begun=False):
        line = self.wire.line_or_end()
        if not line.endswith(b"\n"):
            if not self.wire.ended:
                raise Broken("no answer, only %s" % shown(line))
            raise EOFError(line or (b"begun" if begun else b""))
        return line

    def _body(self, length):
        body = self.wire.take(length + 2)
        if len(body) < length + 2:
            if not self.wire.ended:
                raise Broken("a value without its end")
            raise EOFError(b"begun")
        if not body.endswith(b"\r\n"):
            raise Broken("a value with a wrong end: " + shown(body))
        return body[:-2]

    def _value(self, line, left):
        """One VALUE of a get of the keys `left`, in their order."""
        found = re.fullmatch(rb"VALUE (\S+) 0 (\d+)\r\n", line)
        if not found:
            raise Broken("among values: " + shown(line))
        while left and left[0].name != found.group(1):
            del left[0]
        if not left:
            raise Broken("a value nobody asked for: " + shown(line))
        self._judge_value(left.pop(0), self._body(int(found.group(2))))

    def _judge_value(self, key, body):
        self.counts["hits"] += 1
        found = re.match(rb"(\S+) (\d+) ", body)
        if not found or found.group(1) != key.name:
            raise Broken("%r holds %s" % (key.name, shown(body)))
        number = int(found.group(2))
        wanted = self.value(key, number)
        if body != wanted:
            raise Broken("%r holds a damaged value %d: %s" % (
                key.name, number, first_difference(body, wanted)))
        if self.trusts_order and not key.may_be(number):
            raise Broken("%r holds value %d, confirmed was %s, unsure %s" % (
                key.name, number, key.last, sorted(key.unsure)[-9:]))

    def _failed(self, line):
        """An answer that owns up to a failure."""
        if not line.startswith(b"SERVER_ERROR "):
            raise Broken(shown(line))
        self.counts["lost"] += 1

    def close(self):
        if self.wire is not None:
            self.wire.close()
