"""docs/protocol.md is right: every row of its tables is tried.

A table whose first columns are request, way and reply is a matrix; its head
in the document says how rows are to be read.
"""

import pathlib
import re

import pytest

from support import config, stats
from support.fairlead import Fairlead
from support.memcached import fleet
from support.ports import free_port
from support.wire import Wire, shown

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "protocol.md"
VERBS = ROOT / "src" / "proto" / "verb.h"

MARK = b"mg end-of-row k\r\n"
MARK_REPLY = b"EN kend-of-row\r\n"
CLOSED = "<closed>"

_ESCAPES = {"r": b"\r", "n": b"\n", "t": b"\t", "0": b"\0"}
_PATTERNS = {"n": rb"\d+", "any": rb"[^\r\n]*", "lines": rb"(?:[^\n]*\r\n)*"}


class Row:
    def __init__(self, number, heading, cells):
        self.where = "%s:%d" % (DOCUMENT.name, number)
        self.is_flushable = "`flush_all: true`" in heading
        self.request = spans(cells[0])[0]
        self.way = cells[1].strip()
        self.replies = spans(cells[2]) or [""]
        assert spans(cells[2]) or cells[2].strip() == "nothing", self.where

    def name(self):
        return "%s-%s" % (self.where.split(":")[1],
                          self.request[:40].replace("\\", "/"))

    def sent(self):
        data = unescaped(self.request)
        return data if data.endswith(b"\n") else data + b"\r\n"

    def closes(self):
        return self.replies[0].endswith(CLOSED)

    def is_matched_by(self, got):
        return any(re.fullmatch(pattern(reply), got, re.DOTALL)
                   for reply in self.replies)


def spans(cell):
    """What stands in code marks."""
    return re.findall(r"`([^`]*)`", cell.replace("\\|", "|"))


def unescaped(text):
    """The bytes that a request's text stands for."""
    out = b""
    for part in re.split(r"(\\x[0-9a-f]{2}|\\[rnt0]|<\d+>)", text):
        if part.startswith("\\x"):
            out += bytes([int(part[2:], 16)])
        elif re.fullmatch(r"\\[rnt0]", part):
            out += _ESCAPES[part[1]]
        elif re.fullmatch(r"<\d+>", part):
            out += b"L" * int(part[1:-1])
        else:
            out += part.encode()
    return out


def pattern(reply):
    """A regex for a reply's text."""
    out = b""
    text = reply.removesuffix(CLOSED)
    for part in re.split(r"(<n>|<any>|<lines>)", text):
        if part[1:-1] in _PATTERNS and part.startswith("<"):
            out += _PATTERNS[part[1:-1]]
        else:
            out += re.escape(unescaped(part))
    if text and not (reply.endswith(CLOSED) and text.endswith("\\n")):
        out += rb"\r\n"
    return out


def matrix():
    rows, heading, is_matrix = [], "", False
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            heading = line
        if not line.startswith("|"):
            is_matrix = False
            continue
        cells = re.split(r"(?<!\\)\|", line)[1:-1]
        words = [cell.strip() for cell in cells]
        if words[:3] == ["request", "way", "reply"]:
            is_matrix = True
        elif is_matrix and not set(line) <= set("|-"):
            rows.append(Row(number, heading, cells))
    return rows


ROWS = matrix()


@pytest.fixture(scope="module")
def servers():
    """Three of its own, for some rows empty them."""
    with fleet() as make:
        yield make(3)


@pytest.fixture(scope="module")
def daemons(servers, tmp_path_factory):
    """Of rows without and with flush_all, over the same three servers."""
    def over(pool):
        return Fairlead(
            config.basic(free_port(), [one.text for one in servers], pool),
            tmp_path_factory.mktemp("matrix"))

    with over({}) as plain, over({"flush_all": True}) as flushable:
        yield plain, flushable


def clean(servers):
    """No key of a row is left by another."""
    for one in servers:
        for key in (b"k", b"n", b"a", b"b", b"foo", b"noreply"):
            one.admin().send(b"md %s\r\n" % key)
            assert one.admin().line() in (b"HD\r\n", b"NF\r\n")


def requests_sent(watch):
    return int(stats.read(watch, b"proxy")["server_requests"])


def answer(row, address, size=None):
    """What the daemon says to a row, without the mark that ends it. `size`:
    it sees no more bytes than that at once."""
    with Wire(address) as wire:
        if size is not None:
            wire.send_read(row.sent(), size)
        else:
            wire.send(row.sent())
        if row.closes():
            return wire.read_to_end()
        wire.send(MARK)
        got = wire.until(MARK_REPLY)
        wire.in_step()
        return got[:-len(MARK_REPLY)]


@pytest.mark.parametrize("row", ROWS, ids=Row.name)
def test_row(row, daemons, servers):
    clean(servers)
    daemon = daemons[row.is_flushable]
    with Wire(daemon.address) as watch:
        before = requests_sent(watch)
        if row.request == "stats reset":
            before = 0
        got = answer(row, daemon.address)
        sent = requests_sent(watch) - before - (not row.closes())
    assert row.is_matched_by(got), "%s: %s -> %s, not %s" % (
        row.where, row.request, shown(got), " or ".join(row.replies))
    if row.way == "routed":
        assert sent >= 1, row.where
    elif row.way == "broadcast":
        assert sent >= 3, row.where
    else:
        assert row.way in ("answered", "refused"), row.where
        assert sent == 0, "%s: %d requests sent" % (row.where, sent)


@pytest.mark.parametrize("size", [1, 3])
def test_rows_in_pieces(size, daemons, servers):
    """The same replies where each piece is read before the next is sent."""
    tried = 0
    for row in ROWS:
        if len(row.sent()) > 300 or row.closes():
            continue
        clean(servers)
        got = answer(row, daemons[row.is_flushable].address, size)
        assert row.is_matched_by(got), "%s: %s -> %s" % (
            row.where, row.request, shown(got))
        tried += 1
    assert tried > 200


def test_every_command_is_there():
    """Each verb that the parser knows, and each flag of the meta commands.
    """
    said = {word for row in ROWS for word in
            re.split(r"\\r\\n|\\n|\s", row.request)}
    verbs = re.findall(r'X\([A-Z_]+, "([a-z_]+)"',
                       VERBS.read_text(encoding="ascii"))
    assert len(verbs) > 30
    assert not [verb for verb in verbs if verb not in said]
    for verb, flags in (("mg", "bcfhklqstuvCEINRTxPLMOFJD"),
                        ("ms", "bckqsCEFIMNOTPL"), ("md", "bkqxCEIOTPL"),
                        ("ma", "bkqtcvCEDJMNOTPL")):
        there = {word[0] for row in ROWS
                 for line in row.request.split("\\r\\n")
                 if line.startswith(verb + " ")
                 for word in line.split()[2 + (verb == "ms"):]}
        assert set(flags) <= there, (verb, set(flags) - there)
