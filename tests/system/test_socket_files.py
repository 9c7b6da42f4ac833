"""The files of unix sockets, where another process has its hand in."""

import os

import pytest

from support import config
from support.ports import free_port


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
