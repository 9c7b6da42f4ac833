"""What is installed, and whether it is all there."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from support.clock import seconds
from support.fairlead import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import stats_reference  # noqa: E402, from ../../tools

COMMANDS = ("locate", "plan", "ring", "place", "convert", "schema", "probe",
            "wait", "reload")

INSTALLED = """
usr/sbin/fairlead
usr/lib/systemd/system/fairlead.service
usr/lib/systemd/system/fairlead@.service
usr/lib/systemd/system/fairlead.socket
usr/lib/sysusers.d/fairlead.conf
usr/share/man/man8/fairlead.8
usr/share/man/man5/fairlead.yaml.5
usr/share/man/man7/fairlead-stats.7
usr/share/bash-completion/completions/fairlead
usr/share/zsh/site-functions/_fairlead
usr/share/fish/vendor_completions.d/fairlead.fish
usr/share/doc/fairlead/examples/fairlead.schema.json
usr/share/doc/fairlead/LICENSE
""".split()


def options_of(command):
    """What `fairlead COMMAND --help` lists: {"-c", "--config", ...}."""
    args = [command] if command else []
    text = run(*args, "--help").stdout.decode()
    found = re.findall(r"^  (-\w), (--[\w-]+)", text, re.M)
    assert found, text
    return {word for pair in found for word in pair}


def test_everything_is_put_in_its_place(tmp_path):
    build = tmp_path / "build"
    for args in (["setup", str(build), str(ROOT), "--prefix=/usr",
                  "--sysconfdir=/etc", "-Dtests=false"],
                 ["introspect", str(build), "--installed"]):
        done = subprocess.run(["meson", *args], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False,
                              timeout=seconds(120))
        assert done.returncode == 0, done.stdout.decode()
    text = done.stdout.decode()
    for path in INSTALLED:
        assert '"/%s"' % path in text, path
    for example in ROOT.glob("conf/*.yaml"):
        assert '"/usr/share/doc/fairlead/examples/%s"' % example.name in \
            text, "%s is not installed" % example.name


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_know_every_command_and_option(shell):
    text = (ROOT / "completions" / ("fairlead." + shell)).read_text()
    words = set(re.findall(r"--?[\w-]+|\w+", text))
    if shell == "fish":
        words |= {"-" + word for word in re.findall(r"-s (\w)", text)}
        words |= {"--" + word for word in re.findall(r"-l ([\w-]+)", text)}
    for command in ("",) + COMMANDS:
        missing = options_of(command) - words
        assert not missing, (command, missing)
        assert command in words or not command


def complete(*words):
    """What bash offers for the last of the words."""
    script = ". %s; COMP_WORDS=(%s); COMP_CWORD=%d; _fairlead; " \
        "printf '%%s\\n' \"${COMPREPLY[@]}\"" % (
            ROOT / "completions/fairlead.bash",
            " ".join("'%s'" % word for word in words), len(words) - 1)
    done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=ROOT / "conf",
                          check=False)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout.decode().split()


def test_bash_completes():
    assert complete("fairlead", "pl") == ["plan", "place"]
    assert complete("fairlead", "probe", "r") == ["ready"]
    assert complete("fairlead", "-c", "mini") == ["minimal.yaml"]
    assert complete("fairlead", "convert", "--fr") == ["--from"]
    assert complete("fairlead", "convert", "-f", "m") == ["mcrouter"]
    assert complete("fairlead", "plan", "wei") == ["weights.yaml"]
    assert set(COMMANDS) <= set(complete("fairlead", ""))


@pytest.mark.parametrize("shell, option", [("zsh", "-n"), ("fish", "-n")])
def test_the_other_shells_can_read_theirs(shell, option):
    if shutil.which(shell) is None:
        pytest.skip("%s is not installed" % shell)
    done = subprocess.run(
        [shell, option, str(ROOT / "completions" / ("fairlead." + shell))],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout.decode()


@pytest.mark.parametrize("page", sorted(
    list(ROOT.glob("docs/man/*.[0-9]")) + list(ROOT.glob("docs/*.[0-9]"))),
    ids=lambda page: page.name)
def test_manual_pages_are_sound(page):
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning",
                           str(page)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout.decode()


def test_help_fits_a_screen():
    for command in ("",) + COMMANDS:
        text = run(*([command] if command else []), "--help").stdout.decode()
        lines = text.splitlines()
        assert len(lines) <= 40, command
        assert max(map(len, lines)) <= 79, command


def test_the_manual_of_counters_is_what_is_counted(start_basic, servers):
    """Its tables are the counters' own, and nothing that is shown is not
    there."""
    text = stats_reference.PAGE.read_text()
    assert stats_reference.renewed(text) == text, "tools/stats_reference.py"
    with start_basic(servers[:1]).client() as wire:
        for command in (b"proxy", b"servers", b"pools"):
            wire.send(b"stats %s\r\n" % command)
            for row in wire.until(b"END\r\n").splitlines()[:-1]:
                name = row.split(b" ")[1].rsplit(b":", 1)[-1].decode()
                name = re.sub(r"_(count|p\d+_\w+|max_\w+)$", "", name)
                assert re.search(r"\b%s\b" % name, text), name
