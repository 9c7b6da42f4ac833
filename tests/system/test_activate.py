"""activate_at: a reload staged until an instant of the wall clock."""

import datetime
import re
import signal
import time

import pytest

from support import config
from support.clock import seconds, wait_until
from support.config import server, to_yaml
from support.ports import free_port
from support.stats import read
from support.wire import Wire

PAST = "2020-01-01T00:00:00Z"
FAR = "2099-01-01T00:00:00Z"


def at(unix):
    """The instant in RFC 3339, here with an offset."""
    zone = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    return datetime.datetime.fromtimestamp(unix, zone).isoformat(
        timespec="milliseconds")


def rows(servers):
    return [server(one, "n%d" % i) for i, one in enumerate(servers)]


def other(daemon, members, when=None, **top):
    """The daemon's configuration with these servers, at that instant."""
    new = config.merged(daemon.config, top)
    new["pools"]["main"]["servers"] = members
    new.pop("activate_at", None)
    if when is not None:
        new["activate_at"] = when
    return new


def stats(daemon):
    with daemon.client() as wire:
        return read(wire, b"proxy")


@pytest.fixture
def daemon(start_basic, servers):
    return start_basic(rows(servers[:2]))


def test_it_comes_into_force_at_its_instant_and_not_before(daemon, servers):
    before = stats(daemon)
    when = time.time() + seconds(1.5)
    line = daemon.reload(other(daemon, rows(servers[:3]), at(when)))
    assert line.split("reload ")[1].startswith(
        "staged: trigger=SIGHUP generation=1 activate_at=20"), line
    assert "added=1 removed=0" in line
    staged = stats(daemon)
    assert staged["generation"] == "1"
    assert staged["reload_activate_at"] == str(int(when * 1000) // 1000)
    assert staged["table_membership"] == before["table_membership"]
    done = daemon.log.wait(r"reload done: trigger=activate_at generation=2 ")
    assert time.time() >= when - 0.001
    assert "added=1 removed=0" in done
    after = stats(daemon)
    assert after["generation"] == "2"
    assert after["reload_activate_at"] == "0"
    assert after["table_membership"] == re.search(
        r"membership=(\w+)", line).group(1)


@pytest.mark.parametrize("when", [PAST, "2020-01-01 00:00:00.5+23:59"])
def test_a_time_that_has_passed_is_at_once(when, daemon, servers):
    assert "reload done: trigger=SIGHUP generation=2 " in daemon.reload(
        other(daemon, rows(servers[:3]), when))


def test_the_next_reload_replaces_what_is_staged(daemon, servers):
    daemon.reload(other(daemon, rows(servers[:3]), FAR))
    line = daemon.reload(other(daemon, rows(servers[:4]), FAR))
    assert "reload staged" in line and "added=2" in line
    line = daemon.reload(other(daemon, rows(servers[:1])))
    assert "reload done: trigger=SIGHUP generation=2 " in line
    assert "removed=1" in line
    assert stats(daemon)["reload_activate_at"] == "0"


def test_a_file_that_means_what_is_in_force_calls_it_off(daemon, servers):
    old = daemon.config
    daemon.reload(other(daemon, rows(servers[:3]), FAR))
    mark = daemon.log.mark()
    assert "nothing changed" in daemon.reload(old)
    daemon.log.wait("the staged table is dropped", mark)
    assert stats(daemon)["reload_activate_at"] == "0"


def test_the_same_again_waits_as_before(daemon, servers):
    when = at(time.time() + seconds(1.5))
    daemon.reload(other(daemon, rows(servers[:3]), when))
    assert "it waits as before" in daemon.reload()
    daemon.log.wait(r"reload done: trigger=activate_at generation=2 ")


def test_a_refused_reload_leaves_what_is_staged(daemon, servers):
    when = at(time.time() + seconds(1.5))
    daemon.reload(other(daemon, rows(servers[:3]), when))
    line = daemon.reload_refused("nonsense: 1\n")
    assert "and so does the one that is staged" in line
    daemon.log.wait(r"reload done: trigger=activate_at generation=2 ")


def test_a_new_listener_waits_with_its_table(daemon, servers):
    port = free_port()
    listeners = daemon.config["listeners"] + [
        {"listen": "127.0.0.1:%d" % port, "pool": "main"}]
    when = at(time.time() + seconds(1.5))
    daemon.reload(other(daemon, rows(servers[:2]), when,
                        listeners=listeners))
    early = Wire(("127.0.0.1", port), timeout=10)
    early.send(b"mn\r\n")
    # A refused reload between does not close it.
    daemon.reload_refused(to_yaml(other(
        daemon, rows(servers[:2]),
        listeners=listeners + [{"listen": servers[0].text}])))
    daemon.log.wait(r"reload done: trigger=activate_at generation=2 ")
    early.expect(b"MN\r\n")
    early.close()


def test_a_listener_of_a_dropped_table_is_closed(daemon, servers):
    port, old = free_port(), daemon.config
    before = daemon.descriptors()
    daemon.reload(other(daemon, rows(servers[:2]), FAR, listeners=old[
        "listeners"] + [{"listen": "127.0.0.1:%d" % port}]))
    daemon.reload(old)
    with pytest.raises(ConnectionRefusedError):
        Wire(("127.0.0.1", port))
    assert daemon.descriptors() <= before


def test_one_replaced_by_one_without_it_too(daemon, servers):
    port, listeners = free_port(), daemon.config["listeners"]
    daemon.reload(other(daemon, rows(servers[:2]), FAR, listeners=listeners +
                        [{"listen": "127.0.0.1:%d" % port}]))
    daemon.reload(other(daemon, rows(servers[:3]), FAR, listeners=listeners))
    with pytest.raises(ConnectionRefusedError):
        Wire(("127.0.0.1", port))


def test_a_start_does_not_wait(start, servers):
    one = start(dict(config.basic(free_port(), rows(servers[:1])),
                     activate_at=FAR))
    one.log.wait(
        "warn activate_at=%s is still to come, but a process that starts "
        "has no earlier table" % FAR)
    assert stats(one)["reload_activate_at"] == "0"
    with one.client() as wire:
        wire.in_step()


def test_it_can_end_while_one_is_staged(daemon, servers):
    daemon.reload(other(daemon, rows(servers[:3]), FAR))
    daemon.signal(signal.SIGTERM)
    assert daemon.wait_exit() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_no_socket_of_what_is_staged_is_left(daemon, servers, tmp_path,
                                             number):
    paths = [tmp_path / "clients", tmp_path / "admin"]
    config = other(daemon, rows(servers[:3]), FAR)
    config["listeners"] = config["listeners"] + [
        {"listen": "unix:%s" % paths[0], "pool": "main"}]
    config["admin"] = {"listen": "unix:%s" % paths[1]}
    daemon.reload(config)
    assert all(path.is_socket() for path in paths)
    daemon.signal(number)
    assert daemon.wait_exit() == 0
    assert not any(path.exists() for path in paths)


def test_its_instant_may_come_while_the_process_ends(start_basic, played,
                                                    servers):
    """The workers still wait for a reply; what is staged came too late."""
    server = played()
    server.on(b"late", lambda peer, request, reply: None)
    daemon = start_basic([server.text], {"timeouts": {"request": "9s"}},
                         shutdown_timeout="0")
    wire = daemon.client()
    wire.send(b"get late\r\n")
    server.wait_seen(rb"late")
    daemon.reload(other(daemon, rows(servers[:1]), at(time.time() + 0.5)))
    daemon.signal(signal.SIGTERM)
    assert daemon.wait_exit() == 0
    daemon.check_log()


def test_two_proxies_change_together_and_agree(start_basic, servers):
    pair = [start_basic(rows(servers[:2])) for _ in range(2)]
    when = at(time.time() + seconds(1.5))
    for one in pair:
        one.reload(other(one, rows(servers[:3]), when))
    for one in pair:
        one.log.wait(r"reload done: trigger=activate_at generation=2 ")
    first, second = (stats(one)["table_membership"] for one in pair)
    assert first == second


def test_a_plan_says_when(daemon, servers, tmp_path):
    from support.fairlead import run
    new = tmp_path / "new.yaml"
    new.write_text(to_yaml(other(daemon, rows(servers[:3]), FAR)))
    done = run("plan", str(daemon.path), str(new))
    assert done.returncode == 0
    assert b"it would come into force at %s, or at once if that has " \
        b"passed\n" % FAR.encode() in done.stdout


def test_a_load_goes_through(daemon, servers, start_load):
    load = start_load(daemon.address[1], conns=10)
    for i in range(4):
        when = at(time.time() + 0.3)
        daemon.reload(other(daemon, rows(servers[:3 - i % 2]), when))
        # On a busy machine its time may have come already.
        daemon.log.wait(r"reload done: .*generation=%d " % (i + 2))
    assert daemon.log.find("trigger=activate_at")
    assert load.finish()["requests"] > 0
    wait_until(lambda: stats(daemon)["generation"] == "5", "the last table")
