"""docs/placements.md against the program: every placement with the hashes,
weights and options that it takes and refuses, every hash, and figures."""

import collections
import json
import pathlib
import re
import tempfile

import pytest

from support import vectors
from support.config import to_yaml
from support.fairlead import run
from support.offline import Files, file_of
from support.program import is_sanitized, is_wrapped

ROWS = {vectors.words(row[0])[0]: row for row in vectors.table("placements")}
HASHES = vectors.table("hashes")
SECRET = "0102030405060708090a0b0c0d0e0f10"

# A value for each option of some placements.
OPTIONS = {
    "points_per_weight": 40, "hash_tag": "{}", "hash_seed": "s",
    "hash_stop": "|#|", "hash_avalanche": True, "unsigned_chars": True,
    "ring_size_min": 100, "ring_size_max": 100000,
}

# Where the program is slow, every so many-th refusal.
STEP = 25 if is_wrapped() or is_sanitized() else 1


def known(key):
    """The words that the program takes for a key of a pool."""
    return re.search("it is one of (.*)", check([{key: "?"}])[1]).group(
        1).split(", ")


def ask(pools, *command):
    """Runs a command on a file of pools, the first one in use."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(to_yaml({
            "listeners": [{"listen": "unix:/run/page.sock", "pool": "p0"}],
            "pools": {"p%d" % i: {"servers": ["10.0.0.1:1"], **one}
                      for i, one in enumerate(pools)}}))
        file.flush()
        return run(command[0], "-c", file.name, *command[1:])


def check(pools):
    """Exit code and complaints."""
    done = ask(pools, "-t")
    return done.returncode, done.stderr.decode()


def servers(placement, weights):
    return [{"name": str(i + 1) if placement.endswith("-i32")
             else "10.0.0.%d:11211" % (i + 1),
             "address": "10.0.0.%d:11211" % (i + 1), "weight": weight}
            for i, weight in enumerate(weights)]


def pool(placement, weights=(1, 1), **settings):
    made = {"placement": placement, "servers": servers(placement, weights)}
    if placement == "cache-memcached-fast-ketama":
        made["points_per_weight"] = 150
    if settings.get("hash") == "siphash":
        made["hash_key"] = SECRET
    return {**made, **settings}


def weights_of(placement):
    """What the page's word for its weights means: taken, and refused."""
    return {
        "equal": ([(2, 2), ("0.5", "0.5")], [(1, 2)]),
        "whole": ([(1, 3)], [(1, "1.5")]),
        "0 to 1": ([("0.25", 1)], [(1, 2)]),
        "any": ([("0.25", "1.5"), (1, 7)], []),
    }[ROWS[placement][4]]


def test_the_page_has_each_placement_and_no_other():
    assert sorted(ROWS) == sorted(known("placement"))


def test_each_rule_has_its_words():
    """Every placement comes up beside the tables, at least by its family."""
    heads = [name for line in vectors.PAGE.read_text().splitlines()
             if line.startswith("### ") for name in line[4:].split(", ")]
    for placement in ROWS:
        families = [placement[:at] + "-*" for at in range(len(placement))
                    if placement[at] == "-"]
        assert set([placement] + families) & set(heads), placement


def test_the_page_has_each_hash_and_no_other():
    assert {vectors.words(row[0])[0] for row in HASHES} == set(known("hash"))


def test_the_page_says_which_placement_takes_which_hash():
    """The two tables agree."""
    for row in HASHES:
        for name in vectors.words(row[1]):
            pattern = re.compile(re.escape(name).replace(r"\*", ".*"))
            matching = [one for one in ROWS if pattern.fullmatch(one)]
            assert matching, name
            assert any(vectors.words(row[0])[0] in vectors.words(
                ROWS[one][2]) for one in matching), (row[0], name)


def test_the_page_has_each_function_of_the_vectors():
    text = vectors.PAGE.read_text()
    functions = {line.split("\t")[0] for line in (
        vectors.FOLDER / "hashes.tsv").read_text().splitlines()
        if not line.startswith("#")}
    assert len(functions) > 30
    for function in functions:
        assert "`%s`" % function in text, function


def test_all_that_the_page_offers_is_taken():
    pools = []
    for placement, row in ROWS.items():
        pools += [pool(placement, hash=one) for one in vectors.words(row[2])]
        pools += [pool(placement, **{one: OPTIONS[one]})
                  for one in vectors.words(row[5])]
        pools += [pool(placement, weights)
                  for weights in weights_of(placement)[0]]
    assert len(pools) > 200
    assert check(pools)[0] == 0, check(pools)[1]


def refusals():
    """Pools that the page says are refused."""
    hashes = known("hash")
    for placement, row in ROWS.items():
        for one in hashes:
            if one not in vectors.words(row[2]):
                yield pool(placement, hash=one)
        for one, value in OPTIONS.items():
            if one not in vectors.words(row[5]):
                yield pool(placement, **{one: value})
        for weights in weights_of(placement)[1]:
            yield pool(placement, weights)


def test_all_else_is_refused():
    asked = list(refusals())
    assert len(asked) > 500
    for one in asked[::STEP]:
        code, complaint = check([one])
        assert code == 78 and complaint, one


@pytest.mark.parametrize("placement", sorted(ROWS))
def test_the_first_hash_is_the_default(placement):
    """Naming it changes nothing, and naming another one does."""
    named = vectors.words(ROWS[placement][2])
    keys = ["key-%d" % i for i in range(300)]

    def located(**settings):
        done = ask([pool(placement, (1, 1, 1), **settings)], "locate", *keys)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    plain = located()
    assert [located(hash=one) == plain for one in named] == [
        i == 0 for i in range(len(named))]


@pytest.mark.parametrize("placement", sorted(ROWS))
def test_the_page_has_the_points(placement):
    said = ROWS[placement][3]
    done = ask([pool(placement)], "ring", "--json")
    assert done.returncode == 0, done.stderr.decode()
    points = [one["points"] for one in json.loads(done.stdout)["pools"][0][
        "servers"]]
    if said == "–":
        assert points == [0, 0]
    elif said == "a slot a unit":
        assert points == [1, 1]
    elif "in all" in said:
        assert sum(points) == 1024
    elif said == "must be given":
        assert points == [150, 150]
    elif placement == "buckets":
        assert sum(points) == 65536 and said.startswith("150 ")
    else:
        assert points == [int(said.split()[0])] * 2


# -- measured figures --------------------------------------------------------

def ten(placement, ids=range(1, 11), first_weight=None):
    """A pool of some of 10.0.0.1 to 10.0.0.11, one with another weight."""
    small = placement == "mcrouter-weighted-ch3"
    rows = []
    for i in ids:
        row = {"address": "10.0.0.%d:11211" % i}
        if small:
            row["weight"] = "0.5"
        if first_weight and i == 1:
            row["weight"] = 1 if small else first_weight
        rows.append(row)
    return {"placement": placement, "servers": rows}


def planned(old, new):
    """Moved and needless per cent; None if the new pool is refused."""
    with tempfile.TemporaryDirectory() as directory:
        plan = Files(pathlib.Path(directory)).plan(
            file_of({"main": old}), file_of({"main": new}))[1]
    if not plan["accepted"]:
        return None
    return [100 * plan["pools"][0][key] for key in ("moved", "needless")]


def assert_said(cell, figures, what):
    """The numbers of a cell are these, as exactly as they are written."""
    said = re.findall(r"[0-9.]+", cell)
    assert len(said) == len(figures), what
    for text, figure in zip(said, figures):
        decimals = len(text.split(".")[1]) if "." in text else 0
        # What is sampled is near enough within a unit of the last digit.
        assert abs(float(text) - figure) < 10.0 ** -decimals, (what, text)


@pytest.mark.parametrize("row", vectors.table("moves"),
                         ids=lambda row: vectors.words(row[0])[0])
def test_the_page_has_what_ten_servers_do(row):
    for name in vectors.words(row[0]):
        measured = json.loads(ask([ten(name)], "ring", "--json").stdout)[
            "pools"][0]
        assert_said(row[1], [100 * measured["standard_deviation"]], name)
        assert_said(row[2], [measured["max_over_mean"]], name)
        old = ten(name)
        for cell, new in ((row[3], ten(name, range(1, 12))),
                          (row[4], ten(name, [1, 2, *range(4, 11)])),
                          (row[5], ten(name, first_weight=2))):
            moves = planned(old, new)
            if moves is None:
                # Without weights: the others' figure, or none.
                assert cell is row[5] and (
                    cell == "–" or len(vectors.words(row[0])) > 1)
            else:
                assert_said(cell, moves, (name, cell))


@pytest.mark.parametrize("placement", [
    "ring", "libmemcached-ketama-weighted", "consistent-hash-ring-rs",
    "twemproxy-ketama", "haproxy-consistent", "twemproxy-modula"])
def test_the_page_has_how_ids_clump(placement):
    keys = ["user:%d" % i for i in range(1000, 2000)]
    done = ask([ten(placement)], "locate", *keys)
    counts = collections.Counter(
        line.split("\t")[2] for line in done.stdout.decode().splitlines())
    text = " ".join(vectors.PAGE.read_text().split())
    clumps = text[text.index("FNV without a finish clumps"):
                  text.index("15 bits.")]
    if len(counts) == 10:
        assert "%d and %d with" % (max(counts.values()),
                                   min(counts.values())) in clumps
    else:
        assert {2: "on two", 4: "four servers"}[len(counts)] in clumps
