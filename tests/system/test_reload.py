"""Reload: what succeeds loses nothing, what fails changes nothing."""

import os
import signal

import pytest

from support import config
from support.clock import wait_until
from support.config import server, to_yaml
from support.played import Played
from support.ports import free_port

NAMES = [b"reload%d" % i for i in range(4000)]

# Keys of every server that nobody ever stores, and a get of them.
ASK = b"get %s\r\n" % b" ".join(b"never%d" % i for i in range(60))


def owners(daemon):
    return {name: row[1] for name, row in daemon.locate(NAMES).items()}


def named(servers, weights=None):
    """Rows n0, n1, … of these servers."""
    return [server(one, "n%d" % i, weights[i] if weights else None)
            for i, one in enumerate(servers)]


def with_servers(daemon, rows):
    """The daemon's configuration with other servers in its pool."""
    top = config.merged(daemon.config, {})
    top["pools"]["main"]["servers"] = rows
    return top


def moved(before, after):
    """{(old owner, new owner)} of the keys that moved."""
    return {(before[n], after[n]) for n in NAMES if before[n] != after[n]}


def test_an_added_server_takes_keys_from_each_and_gives_none(
        start_basic, servers):
    daemon = start_basic(named(servers[:3]))
    before = owners(daemon)
    daemon.reload(with_servers(daemon, named(servers[:4])))
    after = owners(daemon)
    assert {new for _, new in moved(before, after)} == {"n3"}
    share = sum(1 for n in NAMES if after[n] == "n3") / len(NAMES)
    assert 0.15 < share < 0.35
    check_routed(daemon, servers, after)


def test_a_removed_server_gives_its_keys_and_no_other_moves(
        start_basic, servers):
    daemon = start_basic(named(servers[:4]))
    before = owners(daemon)
    daemon.reload(with_servers(daemon, named(servers[:3])))
    after = owners(daemon)
    assert {old for old, _ in moved(before, after)} == {"n3"}
    assert "n3" not in after.values()
    check_routed(daemon, servers, after)


def test_a_new_weight_moves_keys_to_or_from_its_server_only(
        start_basic, servers):
    daemon = start_basic(named(servers[:3], [2, 2, 3]))
    before = owners(daemon)
    daemon.reload(with_servers(daemon, named(servers[:3], [2, 5, 3])))
    after = owners(daemon)
    assert {new for _, new in moved(before, after)} == {"n1"}
    daemon.reload(with_servers(daemon, named(servers[:3], [2, 2, 3])))
    assert owners(daemon) == before
    check_routed(daemon, servers, before)


def check_routed(daemon, servers, wanted):
    """The running daemon sends each key where the file says."""
    sample = NAMES[::10]
    for one in servers:
        one.flush()
    with daemon.client() as wire:
        wire.call(b"".join(b"set %s 0 0 1 noreply\r\nx\r\n" % n
                           for n in sample) + b"mn\r\n", b"MN\r\n")
    for i, one in enumerate(servers):
        assert one.has(sample) == {
            n for n in sample if wanted[n] == "n%d" % i}, i


def test_a_new_address_moves_no_key(start_basic, servers):
    """A machine replaced under its name."""
    daemon = start_basic(named(servers[:3]))
    before = owners(daemon)
    rows = named(servers[:2]) + [server(servers[3], "n2")]
    daemon.reload(with_servers(daemon, rows))
    assert owners(daemon) == before
    check_routed(daemon, [servers[0], servers[1], servers[3]], before)


def test_the_log_says_why_keys_moved(start_basic, servers):
    """The servers' points change with a divisor, and with the placement."""
    daemon = start_basic(named(servers[:2], [2, 2]))
    for options, why in (({}, "rescaled=yes"),
                         ({"points_per_weight": 64}, "placement=changed"),
                         ({"placement": "ketama"},
                          "estimated=yes placement=changed")):
        top = with_servers(daemon, named(servers[:2], [2, 1]))
        top["pools"]["main"].update(options)
        if "placement" in options:
            del top["pools"]["main"]["points_per_weight"]
        mark = daemon.log.mark()
        daemon.reload(top)
        daemon.log.wait(r"reload: pool main changed .*%% %s membership=" %
                        why, mark)


def test_reload_and_start_come_to_the_same(start_basic, servers):
    rows = named(servers[:4], [3, 1, 4, 1])
    reloaded = start_basic(named(servers[:1]))
    reloaded.reload(with_servers(reloaded, rows))
    fresh = start_basic(rows)
    assert owners(reloaded) == owners(fresh)
    check_routed(reloaded, servers, owners(fresh))


def test_connections_are_kept(start_basic, own_servers):
    """Clients stay connected, and so do the servers that stay."""
    servers = own_servers(4)
    daemon = start_basic(named(servers[:3]))
    clients = [daemon.client() for _ in range(5)]
    for wire in clients:
        wire.call(ASK, b"END\r\n")
    made = [one.connections_made() for one in servers[:3]]
    for rows in (named(servers[:4]), named(servers[:3]),
                 named(servers[:3], [1, 2, 1]), named(servers[:3])):
        daemon.reload(with_servers(daemon, rows))
        for wire in clients:
            wire.call(ASK, b"END\r\n")
    assert [one.connections_made() for one in servers[:3]] == made


def test_a_removed_server_is_drained_and_left(start_basic, own_servers):
    servers = own_servers(3)
    daemon = start_basic(named(servers))
    with daemon.client() as wire:
        wire.call(ASK, b"END\r\n")
        assert servers[2].connections_open() >= 1
        daemon.reload(with_servers(daemon, named(servers[:2])))
        wait_until(lambda: servers[2].connections_open() == 0,
                   "the removed server's connections to close")
        wire.in_step()


def test_what_is_in_flight_at_a_removed_server_is_answered(start, servers):
    """A reload does not cut the request that a slow server still works on.
    """
    import threading
    from support import rules
    slow, release = Played(), threading.Event()
    slow.on(b"", rules.hold(release))
    try:
        daemon = start(config.basic(free_port(), [
            {"name": "slow", "address": slow.text}],
            {"timeouts": {"request": "15s"}}))
        wire = daemon.client(timeout=10)
        wire.send(b"set inflight 0 0 2\r\nhi\r\n")
        slow.wait_seen(rb"^(set|ms) inflight")
        daemon.reload(with_servers(daemon, [servers[0].text]))
        with daemon.client() as other:
            other.call(b"get inflight\r\n", b"END\r\n")
        release.set()
        wire.expect(b"STORED\r\n")
        wait_until(lambda: slow.open_connections() == 0,
                   "the drained connection to close")
    finally:
        release.set()
        slow.stop()


# -- under load --------------------------------------------------------------

def test_memberships_change_under_load(start_basic, servers, start_load):
    daemon = start_basic(named(servers[:3]))
    load = start_load(daemon.address[1], conns=20)
    memberships = [named(servers[:4]), named(servers[:2]),
                   named(servers[:3], [1, 5, 1]), named(servers[1:4]),
                   named(servers[:3])]
    for _ in range(6):
        for rows in memberships:
            daemon.reload(with_servers(daemon, rows))
            daemon.reload_refused(to_yaml(daemon.config) + "\nnonsense: 1\n")
    counts = load.finish()
    assert counts["requests"] >= 1000 and counts["hits"] > 0, counts


def test_ups_and_downs_of_nothing_under_load(start_basic, servers,
                                             start_load):
    """The same file again and again, also signals in a burst."""
    daemon = start_basic(named(servers[:3]))
    with daemon.client() as wire:
        wire.call(ASK, b"END\r\n")
    made = [one.connections_made() for one in servers[:3]]
    load = start_load(daemon.address[1], conns=10)
    for _ in range(100):
        daemon.signal(signal.SIGHUP)
    mark = daemon.log.mark()
    daemon.write(text=to_yaml(daemon.config) + "\n# a comment\n")
    daemon.signal(signal.SIGHUP)
    daemon.log.wait(r"reload", mark)
    load.finish()
    assert daemon.is_running()
    assert [one.connections_made() for one in servers[:3]] == made


def test_signals_coalesce_and_the_last_file_wins(start_basic, servers):
    daemon = start_basic(named(servers[:1]))
    for count in (2, 3, 1, 4, 2, 3):
        daemon.write(with_servers(daemon, named(servers[:count])))
        daemon.signal(signal.SIGHUP)

    def is_last_in_force():
        for one in servers:
            one.flush()
        with daemon.client() as wire:
            wire.call(b"".join(b"set %s 0 0 1 noreply\r\nx\r\n" % n
                               for n in NAMES[:200]) + b"mn\r\n",
                      b"MN\r\n")
        wanted = daemon.locate(NAMES[:200])
        return all(one.has(NAMES[:200]) == {
            n for n, row in wanted.items() if row[2] == one.text}
            for one in servers)

    wait_until(is_last_in_force, "the last file to be in force")


# -- what is refused ---------------------------------------------------------

BROKEN = {
    "empty": "",
    "not yaml": "{ a: [1, \n",
    "nul bytes": "\0\0\0",
    "tabs": "pools:\n\tmain: 1\n",
    "unknown key": "config_version: 1\nnonsense: true\n",
    "binary": b"\xff\xfe\x80\x81" * 50,
    "huge": "# " + "x" * (9 << 20),
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_a_broken_file_changes_nothing(name, start_basic, own_servers):
    servers = own_servers(2)
    daemon = start_basic(named(servers))
    wire = daemon.client()
    wire.call(ASK, b"END\r\n")
    made = [one.connections_made() for one in servers]
    good = daemon.path.read_bytes()
    mark = daemon.log.mark()
    daemon.reload_refused(BROKEN[name])
    wire.call(ASK, b"END\r\n")
    assert [one.connections_made() for one in servers] == made
    assert daemon.log.find(r"fairlead-\d+\.yaml(:\d+:\d+)?: .+", mark), (
        daemon.log.lines[mark:])
    # The next good file works.
    daemon.reload(text=good + b"\nshutdown_timeout: 7s\n")
    wire.call(ASK, b"END\r\n")


@pytest.mark.parametrize("change", [
    "no servers", "same name twice", "bad address", "too many points",
    "unknown placement", "unknown pool", "workers"])
def test_a_configuration_that_is_refused_changes_nothing(
        change, start_basic, servers):
    daemon = start_basic(named(servers[:3]))
    wire = daemon.client()
    top = config.merged(daemon.config, {})
    pool = top["pools"]["main"]
    if change == "no servers":
        pool["servers"] = []
    elif change == "same name twice":
        pool["servers"][1]["name"] = "n0"
    elif change == "bad address":
        pool["servers"][0]["address"] = "127.0.0.1:99999"
    elif change == "too many points":
        pool["servers"][0]["weight"] = 100003
    elif change == "unknown placement":
        pool["placement"] = "nonsense"
    elif change == "unknown pool":
        top["listeners"][0]["pool"] = "nonsense"
    else:
        top["workers"] = 2
    daemon.reload_refused(to_yaml(top))
    wire.in_step()
    check_routed(daemon, servers[:3],
                 {n: row[1] for n, row in daemon_owners(daemon).items()})


def daemon_owners(daemon):
    """Owners by the configuration in force, not by the refused file."""
    daemon.write(daemon.config)
    return daemon.locate(NAMES)


@pytest.mark.parametrize("what", ["missing", "a directory", "no link"])
def test_a_file_that_cannot_be_read_changes_nothing(what, start_basic,
                                                    servers):
    daemon = start_basic(named(servers[:2]))
    wire = daemon.client()
    os.unlink(daemon.path)
    if what == "a directory":
        os.mkdir(daemon.path)
    elif what == "no link":
        os.symlink("/nonexistent/file", daemon.path)
    assert "reload refused" in daemon.hang_up()
    wire.call(ASK, b"END\r\n")


def test_the_path_is_opened_afresh(start_basic, servers, tmp_path):
    """A link that is switched to another directory, as config maps are."""
    daemon = start_basic(named(servers[:1]))
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    (old / "f.yaml").write_text(to_yaml(daemon.config))
    (new / "f.yaml").write_text(to_yaml(
        with_servers(daemon, named(servers[:2]))))
    (tmp_path / "data").symlink_to("old")
    os.unlink(daemon.path)
    daemon.path.symlink_to(tmp_path / "data" / "f.yaml")
    switch = tmp_path / "switch"
    switch.symlink_to("new")
    os.replace(switch, tmp_path / "data")
    assert "reload done" in daemon.hang_up()
    check_routed(daemon, servers[:2], owners(daemon))


def test_a_failed_reload_opens_no_connection(start_basic, servers):
    daemon = start_basic(named(servers[:1]))
    with daemon.client() as wire:
        wire.call(b"get a\r\n", b"END\r\n")
    fresh = Played()
    try:
        top = with_servers(daemon, named(servers[:1]) + [
            {"name": "new", "address": fresh.text}])
        before = daemon.descriptors()
        for _ in range(50):
            daemon.reload_refused(to_yaml(top) + "\nnonsense: 1\n")
        assert fresh.accepted == 0
        # The client's may still have been among them before.
        assert daemon.descriptors() <= before
    finally:
        fresh.stop()


# -- listeners ---------------------------------------------------------------

def test_listeners_come_and_go_and_stay(start_basic, servers):
    from support.wire import Wire
    daemon = start_basic(named(servers[:2]))
    first = daemon.client()
    top = config.merged(daemon.config, {})
    port = free_port()
    top["listeners"].append({"listen": "127.0.0.1:%d" % port,
                             "pool": "main"})
    daemon.reload(top)
    second = daemon.client(("127.0.0.1", port))
    second.in_step()
    first.in_step()
    top = config.merged(daemon.config, {})
    del top["listeners"][1]
    daemon.reload(top)
    # The gone listener's port is free, its clients are not cut off.
    second.in_step()
    first.in_step()
    with pytest.raises(ConnectionRefusedError):
        Wire(("127.0.0.1", port))


def test_clients_of_a_listener_that_is_gone(start_basic, servers):
    """Whatever they ask, they stay in step or are told; nothing breaks."""
    port = free_port()
    top = config.basic(free_port(), [servers[0].text])
    top["listeners"].append({"listen": "127.0.0.1:%d" % port,
                             "pool": "other"})
    top["pools"]["other"] = {"servers": [servers[1].text]}
    daemon = start_basic(servers[:1])
    daemon.reload(top)
    left = daemon.client(("127.0.0.1", port))
    left.call(b"set gone%d 0 0 1\r\nx\r\n" % port, b"STORED\r\n")
    del top["listeners"][1], top["pools"]["other"]
    daemon.reload(top)
    many = b" ".join(b"%c" % (97 + i % 26) for i in range(4000))
    for ask in (b"get a\r\n", b"get %s\r\n" % many, b"gat 0 %s\r\n" % many,
                b"gets %s\r\n" % many, b"set a 0 0 1\r\nx\r\n",
                b"delete a\r\n", b"mg a v\r\n", b"ms a 1\r\nx\r\n",
                b"incr a 1\r\n", b"flush_all\r\n"):
        left.send(ask)
        left.expect_line(rb"(SERVER|CLIENT)_ERROR .+")
        left.in_step()
    left.send(b"set a 0 0 1 noreply\r\nx\r\nmg a v q\r\n")
    left.send(b"stats\r\n")
    left.until(b"END\r\n")


def test_routes_of_a_listener_that_is_gone(start_basic, servers):
    """Its clients' keys go where they went, or nowhere."""
    port = free_port()
    top = config.basic(free_port(), [servers[0].text])
    top["listeners"].append({
        "listen": "127.0.0.1:%d" % port, "pool": "main",
        "routes": [{"prefix": "r%d:" % port, "pool": "other"}]})
    top["pools"]["other"] = {"servers": [servers[1].text]}
    daemon = start_basic(servers[:1])
    daemon.reload(top)
    left = daemon.client(("127.0.0.1", port))
    routed, plain = b"r%d:a" % port, b"p%d" % port
    left.call(b"set %s 0 0 1\r\nx\r\n" % routed, b"STORED\r\n")
    left.call(b"set %s 0 0 1\r\ny\r\n" % plain, b"STORED\r\n")
    del top["listeners"][1]
    daemon.reload(top)
    left.call(b"get %s %s\r\n" % (plain, routed),
              b"VALUE %s 0 1\r\ny\r\nVALUE %s 0 1\r\nx\r\nEND\r\n" % (
                  plain, routed))
    del top["pools"]["other"]
    daemon.reload(top)
    for keys in (routed, plain + b" " + routed, routed + b" " + plain):
        left.send(b"get %s\r\n" % keys)
        left.expect_line(b"SERVER_ERROR the pool was removed .*")
    left.call(b"get %s\r\n" % plain,
              b"VALUE %s 0 1\r\ny\r\nEND\r\n" % plain)


def test_an_address_in_use_refuses_the_reload(start_basic, servers):
    daemon = start_basic(named(servers[:2]))
    wire = daemon.client()
    top = config.merged(daemon.config, {})
    top["listeners"][0]["listen"] = servers[3].text
    daemon.reload_refused(to_yaml(top))
    wire.in_step()
    with daemon.client() as other:
        other.in_step()


def test_all_that_cannot_be_opened_is_told_at_once(start_basic, servers,
                                                   tmp_path):
    daemon = start_basic(named(servers[:2]))
    before = daemon.descriptors()
    top = config.merged(daemon.config, {
        "log": {"file": str(tmp_path / "none" / "log")},
        "admin": {"listen": servers[2].text}})
    top["listeners"] = top["listeners"] + [
        {"listen": "unix:%s" % (tmp_path / "good"), "pool": "main"},
        {"listen": servers[3].text, "pool": "main"}]
    daemon.reload_refused(to_yaml(top))
    for what in ("log.file: cannot open ",
                 "cannot listen on %s" % servers[3].text,
                 "admin cannot listen on %s" % servers[2].text):
        assert daemon.log.find("reload refused: .*" + what), what
    assert not (tmp_path / "good").exists()
    assert daemon.descriptors() == before


def test_reloads_leak_nothing(start_basic, servers):
    daemon = start_basic(named(servers[:3]))
    top_a = with_servers(daemon, named(servers[:4]))
    top_b = with_servers(daemon, named(servers[:3]))

    def some(count):
        for _ in range(count):
            daemon.reload(top_a)
            daemon.reload(top_b)

    some(100)
    rss, descriptors = daemon.rss(), daemon.descriptors()
    some(200)
    assert daemon.descriptors() == descriptors
    daemon.grew_at_most(rss, 2 << 20)
