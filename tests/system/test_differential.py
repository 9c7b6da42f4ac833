"""Fairlead answers as memcached does, byte for byte.

Thousands of random conversations are held with Fairlead and with a memcached
directly, and the transcripts compared. What may differ:

- version numbers of items (cas): each server counts its own; a cas command is
  sent with the number that the same side gave for the key before;
- the text after VERSION;
- counters of time: times to live, seconds since the last access.

Everything else, to the last byte of every value, is equal; cases in which
Fairlead speaks a newer grammar than memcached 1.6.18 are in test_protocol.py.
"""

import pytest

from support import config
from support.conversation import KINDS, Conversation, shorter
from support.fairlead import Fairlead
from support.player import speak
from support.ports import free_port
from support.replies import comparable
from support.wire import Wire, shown

MARK_KEY = b"end-of-segment"
MARK_VALUE = b"0b9f2d7c53e84a61 said by no conversation"
MARK = b"get %s\r\n" % MARK_KEY
MARK_REPLY = b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (
    MARK_KEY, len(MARK_VALUE), MARK_VALUE)

AT_ONCE = 16        # conversations under way at the same time

MEMBERSHIPS = {
    "one server": [1],
    "three servers": [1, 1, 1],
    "four of unequal weight": [1, 2, 1, 4],
}


@pytest.fixture(scope="module", params=list(MEMBERSHIPS))
def both(request, servers, reference, tmp_path_factory):
    """The addresses of Fairlead and of the reference."""
    weights = MEMBERSHIPS[request.param]
    rows = [{"name": "s%d" % i, "address": one.text, "weight": weight}
            for i, (one, weight) in enumerate(zip(servers, weights))]
    with Fairlead(config.basic(free_port(), rows),
                  tmp_path_factory.mktemp("differential")) as daemon:
        yield daemon.address, reference.address


def put_mark(addresses):
    """Anew for each batch: in a long run it would be evicted."""
    for address in addresses:
        with Wire(address) as wire:
            wire.call(b"set %s 0 0 %d\r\n%s\r\n" % (
                MARK_KEY, len(MARK_VALUE), MARK_VALUE), b"STORED\r\n")


def differs(talks, addresses, prefix):
    """The index of the first conversation that differs, and how; or None.
    """
    for talk in talks:
        assert talk.prefix.startswith(prefix)
    ours, theirs = (speak(talks, address, MARK, MARK_REPLY)
                    for address in addresses)
    for i, (our, their) in enumerate(zip(ours, theirs)):
        if comparable(our) != comparable(their):
            return i, our, their
    return None


def narrowed(talk, addresses):
    """The shortest variant found that still differs, and how it differs.

    Every try begins with the conversation's keys deleted.
    """
    def clean():
        for address in addresses:
            with Wire(address) as wire:
                for key in keys:
                    wire.send(b"delete %s noreply\r\n" % key)
                wire.in_step()

    keys = {word for segment in talk.segments for command in segment
            for part in command if isinstance(part, bytes)
            for word in part.split()
            if word.startswith(talk.prefix) and len(word) <= 250}
    clean()
    found = differs([talk], addresses, talk.prefix)
    if found is None:
        return talk, None
    shrinking = True
    while shrinking:
        shrinking = False
        for candidate in shorter(talk):
            clean()
            again = differs([candidate], addresses, talk.prefix)
            if again is not None:
                talk, found, shrinking = candidate, again, True
                break
    return talk, found


def explained(talk, found):
    """Words for a failure: what was said, and where the answers part."""
    said = ["  %s" % " + ".join(
        shown(part) if isinstance(part, bytes) else "<version of %r>"
        % part[1] for part in command)
        for segment in talk.segments for command in segment]
    ours, theirs = comparable(found[1]), comparable(found[2])
    at = next((i for i, pair in enumerate(zip(ours, theirs))
               if pair[0] != pair[1]), min(len(ours), len(theirs)))
    return "seed %s\nsaid:\n%s\nending: %s\nreply %d: Fairlead %s, " \
        "memcached %s" % (
            talk.seed, "\n".join(said), talk.ending, at,
            shown(repr(ours[at:at + 2]).encode()),
            shown(repr(theirs[at:at + 2]).encode()))


@pytest.mark.parametrize("kind", list(KINDS))
def test_answers_equal_memcacheds(kind, both, seed, request):
    print("seed", seed)
    for batch in range(request.config.getoption("--batches")):
        talks = []
        for i in range(AT_ONCE):
            name = "%s/%s/%d/%d" % (seed, kind, batch, i)
            prefix = b"d%x.%s%d.%d." % (both[0][1], kind[:2].encode(),
                                        batch, i)
            talks.append(Conversation(name, prefix, KINDS[kind]))
        put_mark(both)
        found = differs(talks, both, b"d")
        if found is not None:
            talk, how = narrowed(talks[found[0]], both)
            pytest.fail(explained(talk, how or found))
