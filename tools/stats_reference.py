#!/usr/bin/env python3
"""The tables of docs/man/fairlead-stats.7, from the counters' own tables.

    tools/stats_reference.py

writes what stands between the marks there, from the X-macros of src/stats.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/man/fairlead-stats.7"

_WORDS = re.compile(r'"((?:[^"\\]|\\.)*)"')


def rows(header, macro):
    """Lists of the words of each row of a table: (name, ..., help)."""
    text = (ROOT / "src/stats" / header).read_text(encoding="utf-8")
    body = text[text.index("#define %s(X)" % macro):]
    chunks = body.split("\n\n")[0].split("\tX(")[1:]
    return [_WORDS.findall(chunk) for chunk in chunks]


def _items(pairs):
    out = []
    for name, words in pairs:
        out.append(".It Cm %s\n%s.\n" % (
            name, words[0].upper() + words[1:].rstrip(".")))
    return "".join(out)


def tables():
    """{mark: mdoc} of each table."""
    histograms = []
    for name, of, _, words in rows("stats.h", "STATS_HISTOGRAMS"):
        histograms.append((name + ("_" + of if of else ""), words))
    return {
        "counters": _items((row[0], row[-1]) for row in
                           rows("stats.h", "STATS_COUNTERS")),
        "histograms": _items(histograms),
        "servers": _items((row[0], row[-1]) for row in
                          rows("server_stats.h", "SERVER_COUNTERS")),
    }


def renewed(text):
    """The page with its tables as they are now."""
    for mark, table in tables().items():
        begin, end = (".\\\" %s: %s\n" % (mark, word)
                      for word in ("begin", "end"))
        head, rest = text.split(begin)
        text = head + begin + table + end + rest.split(end)[1]
    return text


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")),
                    encoding="utf-8")
