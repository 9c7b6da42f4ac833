#!/usr/bin/env python3
"""Makes one HTML page of its parts, and a C header of the page.

    embed_page.py OUT.h page.html

`@name@` in the page stands for the file of that name beside it. The header
has the page's bytes and a content policy by which a browser runs the page's
own script and style, known by their hashes, and nothing else.
"""

import base64
import hashlib
import pathlib
import re
import sys

POLICY = ("default-src 'none'; script-src %s; style-src %s; "
          "connect-src 'self'; img-src data:; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'; "
          "require-trusted-types-for 'script'")


def page_of(path):
    """The page with its parts in their places."""
    return re.sub(r"@([\w.]+\.(?:css|js))@", lambda found: (
        path.parent / found.group(1)).read_text(encoding="utf-8"),
        path.read_text(encoding="utf-8"))


def hashes(page, tag):
    """The sources of a policy for all elements of that kind."""
    inside = re.findall("<%s>(.*?)</%s>" % (tag, tag), page, re.S)
    return " ".join("'sha256-%s'" % base64.b64encode(
        hashlib.sha256(text.encode()).digest()).decode()
        for text in inside)


def header(page):
    """The C header."""
    data = page.encode()
    rows = [", ".join("0x%02x" % byte for byte in data[at:at + 12]) + ","
            for at in range(0, len(data), 12)]
    policy = POLICY % (hashes(page, "script"), hashes(page, "style"))
    return ("/* Made by tools/embed_page.py. */\n"
            "static const unsigned char page_html[] = {\n\t%s\n};\n\n"
            "static const char page_policy[] =\n    \"%s\";\n" % (
                "\n\t".join(rows), policy))


def main():
    out, path = map(pathlib.Path, sys.argv[1:3])
    out.write_text(header(page_of(path)), encoding="utf-8")


if __name__ == "__main__":
    main()
