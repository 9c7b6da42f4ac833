"""The units in systemd/, as systemd's own tools see them."""

import pathlib
import re
import subprocess

import pytest

from support.fairlead import program

UNITS = pathlib.Path(__file__).resolve().parents[2] / "systemd"
SERVICES = ("fairlead.service", "fairlead@.service")

# "systemd-analyze security": the lower, the less a break-in could do.
EXPOSURE_MAX = 1.1


def analyze(*args):
    done = subprocess.run(["systemd-analyze", "--no-pager", *args],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60, check=False)
    return done.returncode, done.stdout.decode()


@pytest.fixture
def units(tmp_path):
    """Copies of all units that name the program under test."""
    for unit in UNITS.glob("fairlead*.s*[et]"):
        text = unit.read_text().replace(
            "/usr/sbin/fairlead",
            str(pathlib.Path(program()[-1]).resolve()))
        (tmp_path / unit.name).write_text(text)
    assert len(list(tmp_path.iterdir())) == 3
    return tmp_path


@pytest.mark.parametrize("unit", SERVICES + ("fairlead.socket",))
def test_systemd_finds_nothing_wrong(units, unit):
    name = unit.replace("@", "@one")
    code, text = analyze("verify", "--man=no", str(units / name))
    mine = [line for line in text.splitlines() if "fairlead" in line]
    assert code == 0 and not mine, text


@pytest.mark.parametrize("unit", SERVICES)
def test_a_break_in_could_do_little(unit):
    code, text = analyze("security", "--offline=true",
                         str(UNITS / unit))
    assert code == 0, text
    level = re.search(r"exposure level for \S+: ([0-9.]+)", text).group(1)
    assert float(level) <= EXPOSURE_MAX, text


def test_both_services_say_the_same():
    """But for the file, its name and the directory at run time."""
    one, many = (UNITS.joinpath(name).read_text() for name in SERVICES)
    many = many.replace(", by %i.yaml", "").replace("%i.yaml",
                                                    "fairlead.yaml")
    many = many.replace("fairlead-%i", "fairlead")
    assert many.replace("a fairlead@.socket", "fairlead.socket") == one
