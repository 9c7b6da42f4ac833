"""Servers that are known by host names."""

import resource
import subprocess

import pytest

from support import config
from support.clock import wait_until
from support.faults import stored, works_again
from support.names import NameServer, in_place_of
from support.ports import free_port
from support.wire import Wire

QUICK = {"timeouts": {"connect": "200ms", "request": "300ms"},
         "health": {"failures": 1, "retry": "100ms", "retry_max": "200ms"}}


@pytest.fixture(autouse=True)
def mount_namespaces():
    probe = subprocess.run(["unshare", "--mount", "true"],
                           stderr=subprocess.PIPE, check=False)
    if probe.returncode != 0:
        pytest.skip("no mount namespace here: " + probe.stderr.decode())


@pytest.fixture
def names(tmp_path):
    server = NameServer(tmp_path)
    yield server
    server.close()


@pytest.fixture
def three_hosts(own_servers):
    """Servers on one port of three loopback addresses."""
    port = free_port()
    return [own_servers(1, port=port, host="127.0.77.%d" % i)[0]
            for i in (1, 2, 3)]


@pytest.fixture
def named(start, names):
    """A daemon over one server called cache.test, asking `names`."""
    def go(port, **top):
        return start(
            config.basic(free_port(), ["cache.test:%d" % port], QUICK, **top),
            prefix=names.prefix)
    return go


def test_the_hosts_file_is_enough_for_localhost(start_basic, servers):
    daemon = start_basic(["localhost:%d" % servers[0].port])
    with daemon.client() as wire:
        stored(wire, b"by-name")
    assert servers[0].get(b"by-name") is not None


def test_an_unknown_name_is_a_server_that_is_down(named, names):
    daemon = named(11211)
    with daemon.client() as wire:
        wire.send(b"set k 0 0 1\r\nx\r\n")
        wire.expect_line(rb"SERVER_ERROR cache\.test:\d+: the host name is "
                         rb"not resolved")
        wire.call(b"get k\r\n", b"END\r\n")
    assert b"cache.test" in names.asked


def test_a_name_is_looked_up_at_the_start(named, names, three_hosts):
    names.names[b"cache.test"] = ["127.0.77.2"]
    daemon = named(three_hosts[1].port)
    daemon.log.wait(r"resolved address=127\.0\.77\.2")
    with daemon.client() as wire:
        stored(wire, b"k")
    assert three_hosts[1].get(b"k") is not None


def test_a_name_that_appears_later_is_found_soon(named, names, three_hosts):
    daemon = named(three_hosts[1].port)
    daemon.log.wait(r"host name not resolved.*kept=none")
    names.names[b"cache.test"] = ["127.0.77.2"]
    works_again(daemon, b"k")


def test_a_changed_address_is_followed_when_the_old_one_dies(named, names,
                                                             three_hosts):
    names.names[b"cache.test"] = ["127.0.77.1"]
    daemon = named(three_hosts[0].port)
    daemon.log.wait(r"resolved address=127\.0\.77\.1")
    with daemon.client() as wire:
        stored(wire, b"k")
        names.names[b"cache.test"] = ["127.0.77.3"]
        three_hosts[0].kill()
        works_again(daemon, b"k")
    daemon.log.wait(r"resolved address=127\.0\.77\.3")


def test_a_changed_address_is_found_by_looking_again(named, names,
                                                     three_hosts):
    """Every dns_refresh, though nothing fails; a reload sets it anew."""
    names.names[b"cache.test"] = ["127.0.77.1"]
    daemon = named(three_hosts[0].port, dns_refresh="1h")
    daemon.log.wait(r"resolved address=127\.0\.77\.1")
    asked = len(names.asked)
    daemon.reload(config.merged(daemon.config, {"dns_refresh": "1s"}))
    wait_until(lambda: len(names.asked) > asked, "the look-up of the reload")
    names.names[b"cache.test"] = ["127.0.77.3"]
    daemon.log.wait(r"resolved address=127\.0\.77\.3")
    assert not daemon.log.find(r"is down")


def test_a_changed_address_is_used_though_the_old_one_answers(
        named, names, three_hosts):
    """Else this proxy and one that starts later had two hosts for good."""
    names.names[b"cache.test"] = ["127.0.77.1"]
    daemon = named(three_hosts[0].port, dns_refresh="1s")
    daemon.log.wait(r"resolved address=127\.0\.77\.1")
    with daemon.client() as wire:
        stored(wire, b"moved")
        assert three_hosts[0].get(b"moved") is not None
        names.names[b"cache.test"] = ["127.0.77.3"]

        def has_moved():
            stored(wire, b"moved")
            return three_hosts[2].get(b"moved")

        wait_until(has_moved, "the new address to be used", step=0.05)
    wait_until(lambda: three_hosts[0].connections_open() == 0,
               "the old connection to be closed")
    assert not daemon.log.find("connection closed|is down")


def test_several_addresses_are_tried_in_turn(named, names, three_hosts):
    names.names[b"cache.test"] = ["127.0.77.1", "127.0.77.2", "127.0.77.3"]
    daemon = named(three_hosts[0].port)
    daemon.log.wait(r"resolved address=127\.0\.77\.1")
    three_hosts[0].kill()
    three_hosts[1].kill()
    works_again(daemon, b"k")
    assert three_hosts[2].get(b"k") is not None


def test_a_failed_look_up_keeps_the_last_address(named, names, three_hosts):
    names.names[b"cache.test"] = ["127.0.77.1"]
    daemon = named(three_hosts[0].port)
    daemon.log.wait(r"resolved address=127\.0\.77\.1")
    del names.names[b"cache.test"]
    with daemon.client() as wire:
        stored(wire, b"k")
        three_hosts[0].kill()
        wire.send(b"set k 0 0 1\r\nx\r\n")
        wire.expect_line(rb"SERVER_ERROR cache\.test.*")
        daemon.log.wait(r"host name not resolved.*kept=last_address")
        three_hosts[0].start()
        works_again(daemon, b"k")


# -- the files that look-ups go by -------------------------------------------

def test_other_name_servers_are_asked_once_the_file_names_them(
        named, names, three_hosts, tmp_path_factory):
    """As after a new lease of DHCP; no reload, no restart."""
    names.names[b"cache.test"] = ["127.0.77.1"]
    directory = tmp_path_factory.mktemp("other")
    other = NameServer(directory)
    try:
        other.names[b"cache.test"] = ["127.0.77.3"]
        daemon = named(three_hosts[0].port, dns_refresh="1s")
        daemon.log.wait(r"resolved address=127\.0\.77\.1")
        names.resolv.write_text(other.resolv.read_text())
        daemon.log.wait(r"resolved address=127\.0\.77\.3")
        assert b"cache.test" in other.asked
        asked = len(names.asked)
        daemon.reload()
        wait_until(lambda: other.asked.count(b"cache.test") > 1,
                   "the look-up of the reload")
        assert len(names.asked) == asked
        assert daemon.log.count("are looked up anew") == 1
    finally:
        other.close()


def test_a_file_that_cannot_be_read_now_is_read_later(start, tmp_path,
                                                     three_hosts):
    """It changes while there is no descriptor left."""
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.77.1 cache.test\n")
    daemon = start(
        config.basic(free_port(), ["cache.test:%d" % three_hosts[0].port],
                     QUICK, dns_refresh="1s"),
        prefix=in_place_of("/etc/hosts", hosts),
        preexec=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
    daemon.log.wait(r"resolved address=127\.0\.77\.1")
    crowd = [Wire(daemon.address) for _ in range(60)]
    daemon.log.wait("Too many open files")
    hosts.write_text("127.0.77.2 cache.test # moved\n")
    daemon.log.wait("looked up anew")
    for wire in crowd:
        wire.close()
    daemon.log.wait(r"resolved address=127\.0\.77\.2")


def test_the_hosts_file_is_read_again(start, tmp_path, three_hosts):
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.77.1 cache.test\n")
    daemon = start(
        config.basic(free_port(), ["cache.test:%d" % three_hosts[0].port],
                     QUICK, dns_refresh="1s"),
        prefix=in_place_of("/etc/hosts", hosts))
    daemon.log.wait(r"resolved address=127\.0\.77\.1")
    hosts.write_text("127.0.77.2 cache.test # moved\n")
    daemon.log.wait(r"resolved address=127\.0\.77\.2")
    with daemon.client() as wire:
        stored(wire, b"k")
    assert three_hosts[1].get(b"k") is not None


@pytest.mark.parametrize("is_known_first", [True, False])
def test_a_name_that_the_hosts_file_has_later_is_found(
        start, tmp_path, three_hosts, is_known_first):
    """There is no name server, or none any more: the look-up ends at once,
    and the next one reads the file."""
    hosts, resolv = tmp_path / "hosts", tmp_path / "resolv.conf"
    hosts.write_text("127.0.0.1 localhost\n")
    resolv.write_text("nameserver 127.0.77.9\n" if is_known_first else "")
    daemon = start(
        config.basic(free_port(), ["cache.test:%d" % three_hosts[0].port],
                     QUICK, dns_refresh="1s"),
        prefix=in_place_of("/etc/hosts", hosts) +
        in_place_of("/etc/resolv.conf", resolv))
    resolv.write_text("")
    daemon.log.wait("server cache.test:.* not resolved: it is not in the "
                    "hosts file, and no name server is configured")
    hosts.write_text("127.0.77.2 cache.test\n")
    daemon.log.wait(r"resolved address=127\.0\.77\.2")
    with daemon.client() as wire:
        stored(wire, b"k")
    assert three_hosts[1].get(b"k") is not None
