"""A stream of replies, split by memcached's framing and made comparable.

Two servers that behave alike still differ in what is theirs alone: version
numbers of items (cas), the text of VERSION, and clocks. `comparable` blanks
exactly these, and nothing inside a value.
"""

import re

_META_CODES = {b"HD", b"VA", b"EN", b"NF", b"NS", b"EX"}

# cas; a time to live that counts down (t-1, "never", is compared); the time
# since the last access.
_OWN_META = re.compile(rb"(?:c\d+|t\d+|l\d+)\Z")
_OWN_INFO = re.compile(rb"(?:(?:cas=|la=)\d+|exp=(?!-1\Z)-?\d+)\Z")


class Truncated(Exception):
    """The stream ends within a reply."""


def split(stream):
    """Yields (line, body) pairs; body is None where there is none."""
    at = 0
    while at < len(stream):
        end = stream.find(b"\r\n", at)
        if end < 0:
            raise Truncated(stream[at:at + 80])
        line = bytes(stream[at:end])
        at = end + 2
        words = line.split(b" ")
        length = None
        if words[0] == b"VALUE" and len(words) >= 4:
            length = int(words[3])
        elif words[0] == b"VA" and len(words) >= 2:
            length = int(words[1])
        if length is None:
            yield line, None
            continue
        if stream[at + length:at + length + 2] != b"\r\n":
            raise Truncated(line)
        yield line, bytes(stream[at:at + length])
        at += length + 2


def _comparable_line(line):
    words = line.split(b" ")
    if words[0] == b"VALUE" and len(words) == 5:
        words[4] = b"c*"
    elif words[0] == b"VERSION":
        words[1:] = [b"*"]
    elif words[0] in _META_CODES:
        first = 2 if words[0] == b"VA" else 1
        words[first:] = [
            word[:1] + b"*" if _OWN_META.fullmatch(word) else word
            for word in words[first:]]
    elif words[0] == b"ME":
        words[2:] = [
            word.split(b"=")[0] + b"=*" if _OWN_INFO.fullmatch(word)
            else word for word in words[2:]]
    return b" ".join(words)


def comparable(stream):
    """The replies as a list of (line, body), own numbers blanked."""
    return [(_comparable_line(line), body) for line, body in split(stream)]


def versions(stream):
    """{key: cas} as the VALUE lines of gets and gats in `stream` say."""
    found = {}
    for line, body in split(stream):
        words = line.split(b" ")
        if body is not None and words[0] == b"VALUE" and len(words) == 5:
            found[words[1]] = words[4]
    return found
