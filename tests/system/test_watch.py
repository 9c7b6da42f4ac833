"""Changes of the file that are found by looking at it."""

import itertools
import os
import signal
import subprocess

import pytest

from support import config
from support.config import to_yaml
from support.fairlead import Fairlead
from support.faults import stored
from support.ports import free_port

CHANGED = r"reload done: trigger=watch generation=%d\b"
REFUSED = r"reload refused: the last valid table stays trigger=watch"


class Mounted(Fairlead):
    """Its file is one of a mounted ConfigMap: a link whose target is swapped
    with the whole directory that it stands in."""

    _versions = itertools.count(1)

    def write(self, config=None, text=None):
        where, name = self.path.parent, self.path.name
        version = where / ("..version_%d" % next(self._versions))
        version.mkdir()
        self.config = config
        (version / name).write_text(to_yaml(config) + "\n")
        fresh = where / "..data_tmp"
        fresh.symlink_to(version.name)
        os.replace(fresh, where / "..data")
        if not self.path.is_symlink():
            self.path.symlink_to("..data/" + name)


@pytest.fixture
def rows(servers):
    return [{"name": "s%d" % i, "address": one.text}
            for i, one in enumerate(servers[:3])]


@pytest.fixture
def watched(start_basic, rows):
    return start_basic(rows, reload={"watch": "100ms"})


def with_weight(daemon, weight):
    """Its configuration, the first server weighing so much."""
    pool = daemon.config["pools"]["main"]
    first = dict(pool["servers"][0], weight=weight)
    servers = [first] + pool["servers"][1:]
    return dict(daemon.config, pools={"main": dict(pool, servers=servers)})


def test_a_file_put_in_place_is_loaded(watched):
    mark = watched.log.mark()
    watched.write(with_weight(watched, 3))
    watched.log.wait(CHANGED % 2, mark)
    with watched.client() as wire:
        stored(wire, b"watched")


def test_a_file_written_in_two_pieces_is_loaded_whole(watched):
    """Nobody loads the half that is there for a moment."""
    text = to_yaml(with_weight(watched, 3)) + "\n"
    mark = watched.log.mark()
    with open(watched.path, "w", encoding="utf-8") as out:
        for piece in (text[:len(text) // 2], text[len(text) // 2:]):
            out.write(piece)
            out.flush()
    watched.log.wait(CHANGED % 2, mark)
    watched.log.wait(r"servers=3\b", mark)
    assert watched.log.find(REFUSED) is None


def test_a_wrong_file_is_refused_once_and_its_cure_is_taken(watched):
    right = to_yaml(watched.config)
    for wrong in ("nonsense: 1", "nonsense: 2"):
        mark = watched.log.mark()
        watched.write(text="%s\n%s\n" % (right, wrong))
        watched.log.wait(REFUSED, mark)
    mark = watched.log.mark()
    watched.write(with_weight(watched, 2))
    watched.log.wait(CHANGED % 2, mark)
    assert watched.log.count(REFUSED) == 2


def test_a_file_that_vanishes_and_returns(watched):
    away = watched.path.with_suffix(".away")
    os.rename(watched.path, away)
    mark = watched.log.mark()
    watched.write(with_weight(watched, 4))
    watched.log.wait(CHANGED % 2, mark)
    assert watched.log.find(REFUSED) is None


def test_a_mounted_config_map_is_watched_by_itself(rows, tmp_path):
    with Mounted(config.basic(free_port(), rows), tmp_path) as daemon:
        for generation, weight in ((2, 5), (3, 2)):
            mark = daemon.log.mark()
            daemon.write(with_weight(daemon, weight))
            daemon.log.wait(CHANGED % generation, mark)


def test_what_a_signal_loaded_is_no_news(watched, start_basic, rows):
    mark = watched.log.mark()
    with watched.paused():      # else it might see the change before
        watched.write(with_weight(watched, 7))
        watched.signal(signal.SIGHUP)
    watched.log.wait(r"reload done: trigger=SIGHUP generation=2\b", mark)
    watched.write(with_weight(watched, 8))
    watched.log.wait(CHANGED % 3, mark)
    # Nor is what it has loaded itself: it looks as often as this one does.
    other = start_basic(rows, reload={"watch": "100ms"})
    for generation in (2, 3):
        other.write(with_weight(other, generation))
        other.log.wait(CHANGED % generation)
    assert watched.log.count(r"trigger=watch", mark) == 1


@pytest.fixture
def mounted_alone():
    """A prefix that mounts a file, `.outside`, where the daemon's is."""
    probe = subprocess.run(["unshare", "--mount", "true"],
                           stderr=subprocess.PIPE, check=False)
    if probe.returncode != 0:
        pytest.skip("no mount name space: " + probe.stderr.decode().strip())
    return ("unshare", "--mount", "sh", "-c",
            'for file; do :; done; cp "$file" "$file.outside" && '
            'mount --bind "$file.outside" "$file" && exec "$@"', "sh")


def test_a_file_mounted_by_itself_is_warned_of(mounted_alone, rows, start):
    daemon = start(config.basic(free_port(), rows), prefix=mounted_alone)
    daemon.log.wait(r"warn %s is mounted as a single file, which never shows "
                    "a change made outside: mount its directory" % daemon.path)
    # Replaced outside, it is the old one still, and a reload says so.
    new = daemon.path.with_suffix(".new")
    new.write_text(to_yaml(with_weight(daemon, 5)))
    os.replace(new, str(daemon.path) + ".outside")
    assert "nothing changed" in daemon.reload()


def test_a_file_in_a_directory_is_not(watched):
    assert watched.log.find("mounted as a single file") is None
