#!/usr/bin/env python3
"""The table of docs/metrics.md, from what /metrics answers.

    curl -s 'http://127.0.0.1:9211/metrics?scope=process,clients,pools,\
servers,server_times' | tools/metrics_reference.py
"""

import re
import sys

BEGIN = "<!-- reference: begin -->\n"
END = "<!-- reference: end -->\n"

_SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$")
_PARTS = ("_bucket", "_sum", "_count")


def _family_of(sample, families):
    """The family that a sample belongs to: a histogram's have endings."""
    for part in _PARTS:
        if sample.endswith(part) and sample[:-len(part)] in families:
            return sample[:-len(part)]
    return sample


def families(text):
    """{name: (type, help, labels)} in the order of the text."""
    found, labels = {}, {}
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, words = line[7:].split(" ", 1)
            found[name] = ["", words]
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ", 1)
            found[name][0] = kind
        else:
            name, inside = _SAMPLE.match(line).groups()
            names = re.findall(r'(\w+)="', inside or "")
            labels.setdefault(_family_of(name, found), [n for n in names
                                                       if n != "le"])
    return {name: (kind, words, labels.get(name, []))
            for name, (kind, words) in found.items()}


def table(text):
    """The rows, in Markdown."""
    rows = ["| metric | type | labels | meaning |\n", "|---|---|---|---|\n"]
    for name, (kind, words, labels) in families(text).items():
        rows.append("| %s | %s | %s | %s |\n" % (
            name, kind, ", ".join(labels), words))
    return "".join(rows)


if __name__ == "__main__":
    sys.stdout.write(table(sys.stdin.read()))
