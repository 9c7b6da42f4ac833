"""The documents: every command in them runs, in order, as it stands there, and
the reasons of failures are those of the source.

A fence of "sh" is run by bash; one with a name behind its language, such as
"yaml nutcracker.yml", is that file. All of a document share a directory.
"""

import os
import pathlib
import re
import subprocess

import pytest

from support.clock import seconds
from support.fairlead import program

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


def fences(path):
    """(language, name of a file or "", text), in order."""
    return _FENCE.findall(path.read_text())


@pytest.mark.parametrize("name, at_least", [("migration.md", 4),
                                            ("operations.md", 3)])
def test_its_commands_run(name, at_least, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    command = program()
    command[-1] = str(pathlib.Path(command[-1]).resolve())
    wrapper = tools / "fairlead"
    wrapper.write_text("#!/bin/sh\nexec %s \"$@\"\n" % " ".join(command))
    wrapper.chmod(0o755)
    environment = dict(os.environ, PATH="%s:%s" % (tools,
                                                   os.environ["PATH"]))
    ran = 0
    for language, file, text in fences(DOCS / name):
        if file:
            (tmp_path / file).write_text(text)
        elif language == "sh":
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", text], cwd=tmp_path,
                env=environment, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=seconds(20), check=False)
            assert done.returncode == 0, "%s\n%s" % (text,
                                                     done.stdout.decode())
            ran += 1
    assert ran >= at_least


def test_reasons_are_those_of_the_source():
    """Each once; those that speak against a server all of them."""
    source = (ROOT / "src" / "proxy" / "reason.h").read_text()
    speaks = {words: fault == "true" for words, fault in re.findall(
        r'X\(\w+,\s+"([^"]+)",[\s\\]+(true|false)', source)}
    table = re.findall(r"^\| (.+) \| (yes|–) \|$",
                       (DOCS / "failures.md").read_text().partition(
                           "## Reasons")[2], re.M)
    rows = dict(table)
    assert len(table) == len(rows)
    assert len(speaks) == source.count("\tX(")
    for words, against in rows.items():
        assert speaks[words] == (against == "yes"), words
    assert not [words for words in speaks
                if speaks[words] and words not in rows]
