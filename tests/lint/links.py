"""The links of the documents: to files that are there, and their headings."""

import re

import tree

_LINK = re.compile(r"\]\(([^()\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
_OUTSIDE = re.compile(r"^[a-z]+:")


def _slug(heading):
    """The anchor that a heading gets when it is shown."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def _anchors(path):
    text = _FENCED.sub("", path.read_text(encoding="utf-8"))
    return {_slug(found) for found in re.findall(r"^#+ (.*)$", text, re.M)}


def links_lead_somewhere():
    """Documents: links lead to files, and to headings, that are there."""
    for file in tree.files(".md"):
        for number, line in enumerate(file.lines, 1):
            for link in _LINK.findall(line):
                if _OUTSIDE.match(link):
                    continue
                name, _, anchor = link.partition("#")
                target = file.path.parent / name if name else file.path
                if not target.exists():
                    yield file.at(number, "nothing is at %s" % link)
                elif anchor and target.suffix == ".md" and \
                        anchor not in _anchors(target):
                    yield file.at(number, "no heading for %s" % link)


CHECKS = (links_lead_somewhere,)
