#!/usr/bin/env python3
"""Writes the plays that fuzz_conversation starts from into corpus/.

A play that once broke something belongs here too, under a name that says
what it does.
"""
import pathlib

ACTS = ("SAY SAY_OTHER ASK TURN SETTLE REPLY ANSWER HONESTY BREAK DOOR TIME "
        "LEAVE SHUT FAIL BUDGET RELOAD DEAF").split()

# The settings of fuzz_conversation.c.
MISS, ERROR, NEXT, TIGHT = range(4)


def act(name, data=b"", server=0):
    """One act; what is longer than a length can say becomes several."""
    data = data.encode("latin1") if isinstance(data, str) else data
    head = ACTS.index(name) | server << 5
    parts = [data[i:i + 255] for i in range(0, len(data), 255)] or [b""]
    return b"".join(bytes([head, len(part)]) + part for part in parts)


def all_servers(name, data=b""):
    return b"".join(act(name, data, server) for server in range(3))


KEYS = "get a b c d e f g h i j\r\n"
ALONE = "".join("get %s\r\n" % key for key in "abcdefghijklmnop")

PLAYS = {
    "classic": (MISS, [
        act("SAY", "set a 0 0 1\r\nx\r\nget a b c\r\ngets a\r\nmn\r\n"
            "version\r\nincr a 1\r\ndelete a noreply\r\ngat 0 a b c\r\n"),
        act("SETTLE"), act("ASK", b"\0" * 20)]),
    "meta": (MISS, [
        act("SAY", "ms a 2 c O1\r\nxy\r\nmg a v k f q\r\nmd a q\r\nmn\r\n"
            "ms Zm9v 1 b\r\nx\r\nma a\r\nme a\r\n")]),
    "pieces": (ERROR, [
        act("SAY", "set a 0 0 10\r\n01234"), act("TURN"),
        act("SAY", "56789\r"), act("TURN"), act("SAY", "\nget a"),
        act("TURN"), act("SAY", "\r\n")]),
    "bad-lines": (NEXT, [
        act("SAY", "get\r\nset a b c d\r\nset a 0 0 1\r\nxx\r\nfoo\r\n\r\n"
            "mg\r\nms a b\r\nmg a v v\r\ncas a 0 0 1 2\r\nx\r\n"
            "set k 0 0 2000000\r\n"), act("ASK", b"\0")]),
    "lies": (MISS, [
        all_servers("HONESTY"),
        act("SAY", KEYS + "get a\r\nset a 0 0 1\r\nx\r\n"),
        act("ASK", b"\0" * 3), act("SETTLE"),
        act("REPLY", "VALUE a 0 1\r\nx\r\nEND\r\nVALUE b", 0),
        act("REPLY", "VALUE b 0 1\r\nx\r\nNONSENSE\r\n", 1),
        act("REPLY", "VALUE c 0 1\r\nx\r\nSERVER_ERROR no\r\n", 2),
        act("SETTLE"), all_servers("ANSWER")]),
    "shared-lines": (ERROR, [
        act("SAY", "set d 0 0 1\r\nx\r\n"), act("SETTLE"),
        act("SAY", ALONE + KEYS + ALONE), act("SAY_OTHER", ALONE + KEYS),
        act("SETTLE"), all_servers("HONESTY"),
        act("SAY", ALONE), act("SAY_OTHER", ALONE + "gets a\r\ngets b\r\n"),
        act("SETTLE"),
        act("REPLY", "VALUE a 0 1\r\nx\r\nVALUE c 0 1\r\n", 0),
        act("REPLY", "VALUE b 0 1\r\nx\r\nEND\r\n", 1),
        act("REPLY", "SERVER_ERROR no\r\n", 2),
        act("SETTLE"), act("BREAK", b"", 0), act("SETTLE"),
        all_servers("ANSWER")]),
    "late": (MISS, [
        all_servers("HONESTY"), act("SAY", KEYS + "mg a v\r\n"),
        act("SETTLE"), act("TIME", b"\x20"), act("BREAK", b"", 1),
        act("SETTLE"), act("TIME", b"\x20"), act("SETTLE"),
        all_servers("ANSWER"), act("SETTLE"), act("ASK", b"\0" * 8)]),
    "leaving": (TIGHT, [
        all_servers("HONESTY"), act("SAY", KEYS + "mn\r\n"),
        act("ASK", b"\0" * 5), act("TURN"), act("LEAVE"), act("TURN"),
        act("ANSWER", b"", 0), act("BREAK", b"", 1), act("DOOR", b"", 2),
        act("BREAK", b"", 2), act("SETTLE"), act("SAY", "get a\r\n")]),
    "no-memory": (TIGHT, [
        act("BUDGET", b"\x10"),
        act("SAY", "set a 0 0 9000\r\n" + "v" * 9000 + "\r\nget a\r\n"),
        act("SETTLE"), act("FAIL", b"\2"),
        act("SAY", "get a b c d\r\nmg a v\r\nmn\r\n"),
        act("ASK", b"\0" * 8)]),
    "reload": (NEXT, [
        act("ASK", b"\0" * 9), act("HONESTY", b"", 2), act("SAY", KEYS),
        act("TURN"), act("RELOAD"), act("TURN"), act("ANSWER", b"", 2),
        act("SETTLE"), act("RELOAD"), act("ASK", b"\0" * 9),
        act("SHUT")]),
    "slow-reader": (TIGHT, [
        act("SAY", "set a 0 0 16000\r\n" + "v" * 16000 + "\r\n"),
        act("SETTLE"), act("DEAF"), act("SAY", "get a a a a a a a a\r\n" * 9),
        act("SETTLE"), act("ASK", b"\0" * 9), act("SETTLE"),
        act("DEAF")]),
}


def main():
    folder = pathlib.Path(__file__).parent / "corpus" / "conversation"
    for name, (setting, acts) in PLAYS.items():
        (folder / name).write_bytes(bytes([setting]) + b"".join(acts))


if __name__ == "__main__":
    main()
