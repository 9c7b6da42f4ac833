"""`fairlead locate` against the golden vectors, configured as
docs/placements.md says: every placement and option from YAML, end to end."""

import pytest

from support import vectors
from support.config import to_yaml
from support.fairlead import run
from support.program import is_sanitized, is_wrapped

MAPPING = vectors.Mapping()
FILES = sorted(path.name for path in vectors.FOLDER.glob("*.tsv"))

# Where the program is slow, this many cases a file.
FEW = 2 if is_wrapped() or is_sanitized() else None


def reaches_the_rule(case, key):
    """mcrouter's vectors have routing keys, which a router cuts once more."""
    return not case.file.startswith("mcrouter-") or not (
        b"|#|" in key or key.startswith(b"/") and key.count(b"/") >= 3)


def locate(path, keys, replicas):
    done = run("locate", "-c", path, "-n", replicas, "-",
               stdin=b"".join(key + b"\n" for key in keys))
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.split(b"\n")[:-1]
    assert len(lines) == len(keys)
    return [line.split(b"\t")[-2 * int(replicas)::2] for line in lines]


def compare(case, tmp_path):
    """How many answers agreed; all of them, or the test fails."""
    pool = MAPPING.pool(case)
    path = tmp_path / "vectors.yaml"
    path.write_text(to_yaml({
        "listeners": [{"listen": "unix:/run/vectors.sock"}],
        "pools": {"main": pool}}))
    names = [vectors.identity(one).encode() for one in pool["servers"]]
    wanted = [(key, answer) for key, answer in case.answers
              if answer != "-" and reaches_the_rule(case, key)]
    replicas = min(int(case.options.get("replicas", 1))
                   if case.file.startswith("consistent") else 1, len(names))
    found = locate(str(path), [key for key, _ in wanted], str(replicas))
    for (key, answer), servers in zip(wanted, found):
        assert servers == [names[int(i)] for i in answer.split(",")], (
            case.file, case.name, key)
    return len(wanted)


@pytest.mark.parametrize("file", FILES)
def test_each_case_is_reproduced_from_yaml(file, tmp_path):
    cases = [case for case in vectors.read(file)
             if not MAPPING.is_in_library_only(case)]
    # Weights of nothing are the library's only.
    cases = [case for case in cases if case.nodes is None or not (
        case.file == "mcrouter-weighted-ch3.tsv" and
        case.membership == "z4")]
    for case in cases[:FEW]:
        assert compare(case, tmp_path) > 300, (file, case.name)


def test_the_page_names_each_file_and_no_other():
    assert MAPPING.files() == set(FILES)


def test_each_row_has_a_case():
    """No row of the page is about nothing, or hidden behind another."""
    used = {id(MAPPING._row(case)) for file in FILES
            for case in vectors.read(file)}
    for row in MAPPING.rows:
        file = vectors.words(row[0])[0]
        assert id(row) in used or not vectors.read(file), row
