"""The files of unix sockets, where another process has its hand in."""

import os

import pytest

from support import config
from support.fairlead import Fairlead
from support.ports import free_port


@pytest.mark.parametrize("make", [
    lambda path: path.write_text("precious"), lambda path: path.mkdir(),
    lambda path: path.symlink_to("elsewhere")],
    ids=["file", "directory", "link"])
def test_what_is_no_socket_is_left_alone(make, servers, tmp_path):
    """And named for what it is."""
    path = tmp_path / "s.sock"
    make(path)
    top = config.basic(free_port(), [servers[0].text])
    top["listeners"].append({"listen": "unix:%s" % path, "pool": "main"})
    daemon = Fairlead(top, tmp_path, wait=False)
    assert daemon.wait_exit() == 69
    assert daemon.log.find("cannot listen on unix:.*: File exists"), \
        daemon.log.lines
    assert os.path.lexists(path)
    daemon.kill()


@pytest.mark.parametrize("listens", ["listener", "admin"])
def test_the_socket_of_a_successor_is_left_alone(listens, start, servers,
                                                 tmp_path):
    """Somebody takes the file away and starts another daemon: the end of the
    first one must not take the second one's."""
    path = str(tmp_path / "s.sock")

    def one():
        top = config.basic(free_port(), [servers[0].text])
        if listens == "admin":
            top["admin"] = {"listen": "unix:" + path}
        else:
            top["listeners"].append({"listen": "unix:" + path,
                                     "pool": "main"})
        return start(top)

    first = one()
    os.unlink(path)
    second = one()
    first.stop()
    with second.client(path) as wire:
        if listens == "admin":
            wire.send(b"GET /-/healthy HTTP/1.0\r\n\r\n")
            wire.expect_line(rb"HTTP/1.[01] 200 .*")
        else:
            wire.in_step()
    second.stop()
    assert not os.path.exists(path)
