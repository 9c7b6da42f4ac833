"""The shape of code: lengths of files and functions, and where they begin."""

import re

import tree

FILE_MAX = 500
FUNCTION_MAX = 80
COLUMNS = 80
TAB = 8

# Lines that cannot be shorter: one row of a table, a path, a pattern.
_LONG_BY_NATURE = re.compile(r"https?://")

_CODE = (".c", ".h")
_NAME_LINE = re.compile(r"^[A-Za-z_]\w*\(")
_ONE_LINE_HEAD = re.compile(
    r"^(?!typedef\b|return\b|else\b)[A-Za-z_][\w\s*]*[\s*]\w+\([^;]*\)?$")


def _source_files():
    return tree.files(".c", ".h", ".py", "meson.build", "run", "test", ".sh")


def files_are_short():
    """No file of code has more than 500 lines."""
    for file in _source_files():
        if len(file.lines) > FILE_MAX:
            yield file.at(len(file.lines), "the file has %d lines, more "
                          "than %d" % (len(file.lines), FILE_MAX))


def _functions(file):
    """(first line, last line, name) of each function's definition."""
    start, name = None, None
    for number, line in enumerate(file.lines, 1):
        if _NAME_LINE.match(line):
            start, name = number, line.split("(")[0]
        elif line == "}" and start:
            yield start, number, name
            start = None
        elif line and not line[0].isspace() and line[0] not in "{}#/*" \
                and not line.endswith(":") and start is None:
            name = None


def functions_are_short():
    """No function of C has more than 80 lines."""
    for file in tree.files(*_CODE):
        for first, last, name in _functions(file):
            if last - first > FUNCTION_MAX:
                yield file.at(first, "%s() has %d lines, more than %d" % (
                    name, last - first, FUNCTION_MAX))


def names_begin_lines():
    """C: the return type of a function stands on a line of its own."""
    for file in tree.files(*_CODE):
        for number, line in enumerate(file.lines[:-1], 1):
            if file.lines[number] == "{" and _ONE_LINE_HEAD.match(line):
                yield file.at(number, "its return type belongs on a line "
                              "of its own")


def lines_are_short():
    """C: no line has more than 80 columns, a tab being 8."""
    for file in tree.files(*_CODE):
        for number, line in enumerate(file.lines, 1):
            width = len(line.expandtabs(TAB))
            if width > COLUMNS and not _LONG_BY_NATURE.search(line):
                yield file.at(number, "%d columns" % width)


def indents_are_tabs():
    """C: lines are indented with tabs, and wrapped ones by 4 spaces more."""
    for file in tree.files(*_CODE):
        for number, line in enumerate(file.lines, 1):
            if re.match(r"\t* {8}|\t* +\t", line) and \
                    line.strip() != "\\":
                yield file.at(number, "indented with spaces")


def files_say_what_they_are():
    """Code begins with a comment that says what it is for."""
    start = {".c": "/*", ".h": "/*", ".py": '"""'}
    for file in tree.files(*start):
        suffix = file.path.suffix
        first = next((line for line in file.lines
                      if not line.startswith("#!")), "")
        if not first.startswith(start[suffix]) and \
                file.path.name != "__init__.py":
            yield file.at(1, "no comment at its head")


CHECKS = (files_are_short, functions_are_short, names_begin_lines,
          lines_are_short, indents_are_tabs, files_say_what_they_are)
