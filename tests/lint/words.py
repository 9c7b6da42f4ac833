"""Words and bytes that may not stand in a file."""

import re

import tree

_PLACE = "tests/lint/words.py"

# (what it matches, which files, what is wrong with it)
FORBIDDEN = (
    (r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))", (".c", ".h", ".py", "meson.build"),
     "", "an open end without a ticket: TODO(#12)"),
    (r"(?<![\w.$}~-])/(home|root|Users|w[o]rk)/", (), "",
     "a path of somebody's machine"),
    (r"\.\./shar[e]d\b|shared vect[o]rs", (), "",
     "a path outside the repository"),
    (r"\b(malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|"
     r"alloca)\s*\(", (".c", ".h"), "src/",
     "allocate through base/mem.h, where failure can be tried"),
    (r"\b(strcpy|strcat|sprintf|vsprintf|gets)\s*\(", (".c", ".h"), "src/",
     "does not know the size of what it writes to"),
    (r"^\s*typedef\s+(struct|enum)\b", (".c", ".h"), "",
     "no typedef for structs and enums"),
    (r"\bvolatile\b", (".c", ".h"), "src/",
     "neither a lock nor an atomic"),
    (r"\b(u?sleep|nanosleep)\s*\(", (".c", ".h"), "",
     "wait for a condition, or pass the time"),
)

# Where the rules above do not hold, each with its reason.
ALLOWED = {
    "src/base/mem.c": ("malloc|calloc|realloc", "it is base/mem.h"),
    "src/daemon/signals.c": ("volatile", "a handler's sig_atomic_t"),
}

_SLEEP = re.compile(r"\btime\.sleep\(|\bsleep\(")


def _is_allowed(file, found):
    word, _ = ALLOWED.get(file.name, (None, None))
    return word is not None and re.search(word, found.group(0)) is not None


def nothing_forbidden_is_said():
    """No words that have no place here."""
    for pattern, suffixes, under, why in FORBIDDEN:
        for file in tree.files(*suffixes, under=under):
            if file.name == _PLACE:
                continue
            for number, line in enumerate(file.lines, 1):
                found = re.search(pattern, line)
                if found and not _is_allowed(file, found):
                    yield file.at(number, "%r: %s" % (found.group(0), why))


def tests_do_not_sleep():
    """Tests wait for conditions; only the wait itself may pause."""
    for file in tree.files(".py", under="tests/"):
        for number, line in enumerate(file.lines, 1):
            if _SLEEP.search(line) and file.name != _PLACE and \
                    not _has_reason(file, number):
                yield file.at(number, "a sleep without a reason")


def _has_reason(file, number):
    """A comment on the line or above it, in the support folder only."""
    return "/support/" in file.name and (
        "#" in file.lines[number - 1] or
        file.lines[number - 2].strip().startswith("#"))


def lines_end_cleanly():
    """No blanks at line ends, no CR, a newline at the end of the file."""
    for file in tree.files():
        if file.name.startswith(("tests/vectors/", "tests/fuzz/corpus/")):
            continue
        for number, line in enumerate(file.lines, 1):
            if line != line.rstrip():
                yield file.at(number, "blanks at the end")
        if file.text and not file.text.endswith("\n"):
            yield file.at(len(file.lines), "no newline at the end")


CHECKS = (nothing_forbidden_is_said, tests_do_not_sleep, lines_end_cleanly)
