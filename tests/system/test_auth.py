"""Clients that log in by the text protocol: a set of a password comes first.

Fairlead checks no password. What matters is that none of them is ever kept
in a cache, where others could read it.
"""

import pytest

from support import config
from support.ports import free_port

PASSWORD = b"alice s3cret-of-hers"
LOGIN = b"set auth 0 0 %d\r\n%s\r\n" % (len(PASSWORD), PASSWORD)


def row(auth=None):
    listener = {"listen": "127.0.0.1:%d" % free_port(), "pool": "main"}
    return listener if auth is None else {**listener, "auth": auth}


@pytest.fixture
def start_over(start, own_servers):
    """Starts a daemon over two servers; the daemon and its servers."""
    def go(*listeners):
        servers = own_servers(2)
        top = config.basic(free_port(), [one.text for one in servers])
        top["listeners"] = list(listeners)
        return start(top), servers
    return go


def kept(servers):
    return [one.get(b"auth") for one in servers if one.get(b"auth")]


@pytest.mark.parametrize("size", [1, 7, len(LOGIN)])
def test_a_login_is_answered_and_kept_nowhere(size, start_over):
    daemon, servers = start_over(row("accept"))
    with daemon.client() as wire:
        wire.send_read(LOGIN, size)
        wire.expect(b"STORED\r\n")
        wire.in_step()
        assert kept(servers) == []
        wire.call(b"get auth\r\n", b"END\r\n")


def test_only_the_first_command_logs_in(start_over):
    daemon, servers = start_over(row("accept"))
    with daemon.client() as wire:
        wire.call(LOGIN + b"set auth 0 0 1\r\nx\r\nget auth\r\n",
                  b"STORED\r\nSTORED\r\nVALUE auth 0 1\r\nx\r\nEND\r\n")
    for first in (b"mn\r\n", b"mg auth\r\n", b"nosuchcommand\r\n", b"\r\n",
                  b"add other 0 0 1\r\nx\r\n", b"set auth 0 0 x\r\n"):
        with daemon.client() as wire:
            wire.send(b"delete auth noreply\r\n")
            wire.in_step()
        with daemon.client() as wire:
            wire.send(first)
            wire.line()
            wire.call(b"set auth 0 0 1\r\ny\r\n", b"STORED\r\n")
            assert kept(servers) == [b"y"], first


def test_a_login_without_a_reply(start_over):
    daemon, servers = start_over(row("accept"))
    with daemon.client() as wire:
        wire.call(b"set auth 0 0 %d noreply\r\n%s\r\nmn\r\n" % (
            len(PASSWORD), PASSWORD), b"MN\r\n")
        assert kept(servers) == []


def test_a_login_that_is_refused_is_swallowed(start_over):
    """A key too long is still the first command's; its value is no line."""
    daemon, servers = start_over(row("accept"))
    with daemon.client() as wire:
        wire.call(b"set %s 0 0 9\r\nflush_all\r\n" % (b"L" * 251),
                  b"CLIENT_ERROR bad command line format\r\n")
        wire.in_step()


@pytest.mark.parametrize("auth", [None, "none"])
def test_without_the_setting_it_is_a_set_like_any_other(auth, start_over):
    daemon, servers = start_over(row(auth))
    with daemon.client() as wire:
        wire.call(LOGIN, b"STORED\r\n")
        assert kept(servers) == [PASSWORD]


def test_each_listener_has_its_own(start_over):
    taking, plain = row("accept"), row()
    daemon, servers = start_over(taking, plain)
    with daemon.client() as wire:
        wire.call(LOGIN, b"STORED\r\n")
        assert kept(servers) == []
    port = int(plain["listen"].rsplit(":", 1)[1])
    with daemon.client(("127.0.0.1", port)) as wire:
        wire.call(LOGIN, b"STORED\r\n")
        assert kept(servers) == [PASSWORD]


def test_a_reload_changes_it_for_connections_that_have_not_spoken(
        start_over):
    listener = row()
    daemon, servers = start_over(listener)
    with daemon.client() as silent:
        top = config.merged(daemon.config, {})
        top["listeners"] = [{**listener, "auth": "accept"}]
        daemon.reload(top)
        silent.call(LOGIN, b"STORED\r\n")
        silent.in_step()
        assert kept(servers) == []
