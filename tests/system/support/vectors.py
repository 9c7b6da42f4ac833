"""The golden vectors of tests/vectors, and how docs/placements.md says that
each case of them is configured."""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "tests" / "vectors"
PAGE = ROOT / "docs" / "placements.md"


@dataclasses.dataclass
class Case:
    """One set of answers: a membership under a rule with options."""

    file: str
    name: str
    membership: str
    options: dict
    nodes: list                     # of (name, host, port, weight) as texts
    answers: list                   # of (key, answer as written)


def _key(text):
    return re.sub(rb"%([0-9A-F]{2})",
                  lambda found: bytes([int(found.group(1), 16)]),
                  text.encode("latin-1"))


def read(file):
    """The cases of a look-up file; none for the files of other forms."""
    nodes, cases, columns, rows = {}, [], [], []
    for line in (FOLDER / file).read_text("latin-1").splitlines():
        fields = line.split("\t")
        if fields[0] == "#!node":
            nodes.setdefault(fields[1], []).append(tuple(fields[3:7]))
        elif fields[0] == "#!case":
            cases.append(Case(
                file, fields[1], fields[2],
                dict(option.split("=", 1) for option in fields[3:]),
                None, []))
        elif fields[0] == "#!columns":
            columns = fields[1:]
        elif not line.startswith("#"):
            rows.append(fields)
    for case in cases if columns else []:
        at = columns.index(case.name)
        case.nodes = nodes.get(case.membership)
        case.answers = [(_key(row[0]), row[at]) for row in rows]
    return [case for case in cases if case.answers]


def table(name):
    """The rows of a table of the page, each a list of cells as written."""
    text = PAGE.read_text()
    begin, end = "<!-- %s: begin -->" % name, "<!-- %s: end -->" % name
    lines = text[text.index(begin):text.index(end)].strip().splitlines()[3:]
    return [[cell.strip() for cell in line.strip("|").split("|")]
            for line in (re.sub(r"`[^`]*`", lambda f: f.group().replace(
                "|", "\0"), one) for one in lines)]


def words(cell):
    """What stands between backquotes in a cell."""
    return [word.replace("\0", "|") for word in re.findall("`([^`]*)`", cell)]


class Mapping:
    """The page's table of vectors."""

    def __init__(self):
        self.rows = table("vectors")

    def files(self):
        return {words(row[0])[0] for row in self.rows}

    def _row(self, case):
        for row in self.rows:
            wanted = dict(option.split("=", 1) for cell in words(row[1])
                          for option in cell.split())
            if words(row[0])[0] == case.file and all(
                    case.options.get(name) == value
                    for name, value in wanted.items()):
                return row
        raise AssertionError("no row for %s, case %s" % (
            case.file, case.name))

    def is_in_library_only(self, case):
        return self._row(case)[2].startswith("library:")

    def pool(self, case):
        """The settings of a pool that reproduces the case."""
        row = self._row(case)
        pool = {}
        for setting in words(row[2])[0].split(", "):
            name, value = setting.split(": ", 1)
            option = re.fullmatch("<(.*)>", value)
            if option is None:
                pool[name] = value
            elif option.group(1) in case.options:
                # A dollar sign is one if doubled.
                pool[name] = case.options[option.group(1)].replace("$", "$$")
        assert row[3] in ("as listed", "unweighted"), row
        pool["servers"] = [
            _server(i, node, row[3] == "as listed")
            for i, node in enumerate(case.nodes)]
        return pool


def _server(i, node, has_weight):
    name, host, port, weight = node
    server = {"address": "%s:%s" % (host, port)}
    if host == "-":
        server["address"] = "127.0.0.1:%d" % (1000 + i)
    elif port == "0":
        server = {"name": host, "address": "%s:1" % host}
    if name != "-":
        server["name"] = name
    if has_weight:
        server["weight"] = weight
    return server


def identity(server):
    return server.get("name", server["address"])
