"""The files that are looked at: the checkout less what git ignores."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

_IGNORED = (".git", "build", "__pycache__", ".pytest_cache")


class File:
    """One text file by its name below the root; its lines have no ends."""

    def __init__(self, name, text):
        self.path = ROOT / name
        self.name = name
        self.text = text
        self.lines = text.split("\n")
        if self.lines[-1] == "":
            self.lines.pop()

    @property
    def folder(self):
        """The folder below src or tests/unit, or ""."""
        parts = self.name.split("/")
        if parts[0] == "src" and len(parts) > 2:
            return parts[1]
        if parts[:2] == ["tests", "unit"] and len(parts) > 3:
            return parts[2]
        return ""

    def at(self, number, message):
        """A complaint about a line, counted from 1."""
        return "%s:%d: %s" % (self.name, number, message)


def _is_ignored(path):
    return any(part in _IGNORED or part.startswith("build-")
               for part in path.relative_to(ROOT).parts)


def _is_text(path):
    with open(path, "rb") as file:
        return b"\0" not in file.read(8192)


def _read():
    found = []
    for path in sorted(ROOT.rglob("*")):
        if path.is_file() and not path.is_symlink() and \
                not _is_ignored(path) and _is_text(path):
            found.append(File(
                str(path.relative_to(ROOT)),
                path.read_text(encoding="utf-8", errors="replace")))
    return found


_files = []


def use(instead):
    """Looks at these files in the place of the checkout's."""
    _files[:] = instead


def files(*suffixes, under=""):
    """The text files below `under` whose names end so."""
    if not _files:
        use(_read())
    return [f for f in _files if f.name.startswith(under) and
            (not suffixes or f.name.endswith(suffixes))]
