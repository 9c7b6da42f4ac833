"""Speaks many conversations at once, each on its own connection.

One thread, one selector: the writes of all connections interleave, and every
segment goes out in pieces cut at random places.
"""

import random
import selectors
import socket

from support import replies
from support.clock import Deadline
from support.conversation import VERSION_OF
from support.wire import shown


class _Talk:
    """One conversation under way on one connection."""

    def __init__(self, conversation, address, mark, reply):
        self.conversation = conversation
        self.rng = random.Random(conversation.seed)
        self.mark = mark            # the command that ends a segment
        self.mark_reply = reply
        self.versions = {}
        self.transcript = bytearray()
        self.segment_start = 0
        self.next = 0
        self.pieces = []
        self.is_last = False
        self.is_done = False
        self.sock = socket.create_connection(address, 5)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock.setblocking(False)
        self._load()

    def _spoken(self, parts):
        # 0 is the version of no item.
        return b"".join(
            part if isinstance(part, bytes)
            else self.versions.get(part[1], b"0") for part in parts)

    def _load(self):
        """Prepares the next segment's bytes, or the ending's."""
        talk = self.conversation
        if self.next < len(talk.segments):
            data = b"".join(map(self._spoken, talk.segments[self.next]))
            data += self.mark
        elif talk.ending is None:
            self.is_done = True
            return
        else:
            data = b"quit\r\n" if talk.ending == "quit" else (
                self.mark + talk.cut)
            self.is_last = True
        self.next += 1
        self.segment_start = len(self.transcript)
        cuts = sorted(self.rng.randrange(len(data) + 1)
                      for _ in range(self.rng.choice((0, 0, 1, 3, 9))))
        self.pieces = [data[a:b] for a, b in zip([0] + cuts,
                                                 cuts + [len(data)]) if a < b]

    def wants_write(self):
        return bool(self.pieces)

    def write(self):
        sent = self.sock.send(self.pieces[0])
        self.pieces[0] = self.pieces[0][sent:]
        if not self.pieces[0]:
            del self.pieces[0]
        if not self.pieces and self.is_last and \
                self.conversation.ending != "quit":
            self.sock.shutdown(socket.SHUT_WR)

    def read(self):
        try:
            data = self.sock.recv(1 << 18)
        except ConnectionResetError:
            data = b""
        if not data:
            self.is_done = True
            return
        self.transcript += data
        if not self.pieces and not self.is_last and \
                self.transcript.endswith(self.mark_reply):
            self.versions.update(
                replies.versions(self.transcript[self.segment_start:]))
            self._load()


def speak(conversations, address, mark, mark_reply, timeout=20.0):
    """The transcripts of all `conversations`, in their order.

    `mark` is a get of a key that holds something no conversation ever says;
    `mark_reply` is its reply.
    """
    talks = [_Talk(c, address, mark, mark_reply) for c in conversations]
    deadline = Deadline(timeout)
    with selectors.DefaultSelector() as selector:
        for talk in talks:
            selector.register(talk.sock, selectors.EVENT_READ
                              | selectors.EVENT_WRITE, talk)
        left = len(talks)
        while left:
            events = selector.select(deadline.left())
            if not events and deadline.passed():
                break
            for entry, mask in events:
                talk = entry.data
                _turn(talk, mask)
                if talk.is_done:
                    selector.unregister(talk.sock)
                    left -= 1
                else:
                    selector.modify(talk.sock, selectors.EVENT_READ | (
                        selectors.EVENT_WRITE if talk.wants_write() else 0),
                        talk)
    for talk in talks:
        talk.sock.close()
    stuck = [talk for talk in talks if not talk.is_done]
    assert not stuck, "seed %s stuck in segment %d after %s" % (
        stuck[0].conversation.seed, stuck[0].next,
        shown(stuck[0].transcript[stuck[0].segment_start:]))
    return [bytes(talk.transcript) for talk in talks]


def _turn(talk, mask):
    if mask & selectors.EVENT_READ:
        talk.read()
    if mask & selectors.EVENT_WRITE and talk.wants_write() \
            and not talk.is_done:
        try:
            talk.write()
        except (BrokenPipeError, ConnectionResetError):
            # The peer closed; what it said before is still to be read.
            talk.pieces = []
