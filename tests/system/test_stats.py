"""Statistics over the protocol: what monitors of memcached need to see."""

import copy
import re
import threading

import pytest

from support import config, rules, stats
from support.clock import wait_until
from support.ports import free_port

# What each asks of a plain `stats`, from their own sources.
EXPORTER = """
    uptime time version rusage_user rusage_system curr_connections
    total_connections max_connections rejected_connections
    connection_structures bytes_read bytes_written cmd_get cmd_set cmd_touch
    cmd_flush get_hits get_misses delete_hits delete_misses incr_hits
    incr_misses decr_hits decr_misses cas_hits cas_misses cas_badval
    touch_hits touch_misses limit_maxbytes bytes curr_items total_items
    evictions reclaimed listen_disabled_num accepting_conns threads
""".split()
METRICBEAT = """
    pid uptime threads curr_connections total_connections get_hits get_misses
    cmd_get cmd_set bytes_read bytes_written curr_items total_items evictions
    bytes limit_maxbytes
""".split()
OTHERS = """
    pointer_size libevent conn_yields auth_cmds auth_errors get_expired
    get_flushed cmd_meta proxy_backend_total proxy_conn_requests
    proxy_req_active
""".split()

WORDS = ("version", "fairlead_version", "libevent")


@pytest.mark.parametrize("names", [EXPORTER, METRICBEAT, OTHERS])
def test_monitors_find_every_name(client, names):
    found = stats.read(client)
    assert not [name for name in names if name not in found]


def test_every_value_is_the_number_that_monitors_parse(client):
    found = stats.read(client)
    for name in ("rusage_user", "rusage_system"):
        assert re.fullmatch(r"\d+\.\d{6}", found.pop(name)), name
    for name, value in found.items():
        assert name in WORDS or re.fullmatch(r"\d+", value), (name, value)


@pytest.mark.parametrize("argument", [
    b"items", b"slabs", b"sizes", b"nosuchthing", b"detail dump"])
def test_what_only_servers_have_ends_at_once(client, argument):
    assert stats.read(client, argument) == {}


def test_settings_begin_with_what_exporters_read(proxy, client):
    found = stats.read(client, b"settings")
    assert next(iter(found)) == "maxconns"
    assert int(found["maxconns"]) > 0
    assert found["tcpport"] == str(proxy.address[1])
    assert {"udpport", "num_threads", "verbosity", "item_size_max",
            "cas_enabled", "flush_enabled"} <= set(found)


def test_each_server_has_its_share(over, own_servers, key):
    servers = own_servers(2)
    daemon = over(servers)
    with daemon.client() as wire:
        assert all(fields["has_answered"] == "0"
                   for fields in stats.of_servers(wire).values())
        for i in range(40):
            name = key(b"%d" % i)
            wire.call(b"set %s 0 0 1\r\nx\r\n" % name, b"STORED\r\n")
        found = stats.of_servers(wire)
        assert sorted(found) == ["main/s0", "main/s1"]
        for fields in found.values():
            assert fields["state"] == "up"
            assert fields["has_answered"] == "1"
            assert fields["requests"] == fields["replies"] != "0"
            assert fields["in_flight"] == "0"
            assert fields["connections"] == "1"
            assert int(fields["time_p50_us"]) <= int(fields["time_max_us"])
        assert sum(int(f["requests"]) for f in found.values()) == 40
        pools = stats.read(wire, b"pools")
        assert pools["main:servers"] == "2"
        assert pools["main:servers_down"] == "0"
        assert pools["main:requests"] == "40"
        own = stats.read(wire, b"proxy")
        assert own["request_duration_set_count"] == "40"
        assert own["request_duration_get_count"] == "0"
        assert own["value_size_stored_p50_bytes"] == "1"


def test_a_dead_server_is_named_with_what_failed(over, own_servers, key):
    servers = own_servers(2)
    daemon = over(servers)
    servers[1].stop()
    with daemon.client() as wire:
        def is_down():
            wire.send(b"get %s\r\n" % key(b"x%d" % len(seen)))
            seen.append(wire.until(b"END\r\n"))
            return stats.of_servers(wire)["main/s1"]["state"] == "down"
        seen = []
        wait_until(is_down, "s1 to be down")
        found = stats.of_servers(wire)
        assert found["main/s0"]["state"] == "up"
        assert int(found["main/s1"]["failed_connect"]) > 0
        assert int(found["main/s1"]["connect_failures"]) > 0
        assert stats.read(wire, b"pools")["main:servers_down"] == "1"
        assert stats.read(wire)["proxy_backend_marked_bad"] == "1"


def test_servers_that_a_reload_removed_vanish(over, own_servers):
    servers = own_servers(2)
    daemon = over(servers)
    with daemon.client() as wire:
        assert len(stats.of_servers(wire)) == 2
        fewer = copy.deepcopy(daemon.config)
        fewer["pools"]["main"]["servers"].pop()
        daemon.reload(fewer)
        wait_until(lambda: sorted(stats.of_servers(wire)) == ["main/s0"],
                   "the removed server to vanish")


def test_reloads_have_memcacheds_names(start_basic, servers):
    daemon = start_basic(servers[:1])
    with daemon.client() as wire:
        daemon.reload({**daemon.config, "privacy": "hash"})
        daemon.reload_refused("pools: nonsense\n")
        found = stats.read(wire)
        assert found["proxy_config_reloads"] == "1"
        assert found["proxy_config_reload_fails"] == "1"


def test_many_servers_fit_into_one_answer(start_basic, servers):
    rows = [{"name": "a name of %d" % i, "address": servers[0].text}
            for i in range(300)]
    daemon = start_basic(rows)
    with daemon.client() as wire:
        found = stats.of_servers(wire)
        assert len(found) == 300
        assert "main/a%20name%20of%20299" in found
        wire.call(b"mn\r\n", b"MN\r\n")


def test_the_hottest_key_is_named_with_its_share(proxy, client, key):
    hot, cold = key(b"hot"), key(b"cold")
    client.send(b"get %s\r\n" % hot * 900)
    client.take(5 * 900)
    client.send(b"delete %s\r\n" % cold * 100)
    client.take(len(b"NOT_FOUND\r\n") * 100)
    shares = stats.read(client, b"hotkeys")
    hottest = next(iter(shares))
    assert hottest == "key:" + hot.decode()
    assert 50 < float(shares[hottest]) <= 100
    assert "key:" + cold.decode() in shares


def test_hot_keys_can_be_hidden_and_shown_again(start_basic, servers):
    daemon = start_basic(servers[:2], privacy="hash")
    with daemon.client() as wire:
        wire.send(b"get card.number\r\n" * 50)
        wire.take(5 * 50)
        (name,) = stats.read(wire, b"hotkeys")
        assert re.fullmatch(r"hash:[0-9a-f]{16}", name)
        daemon.reload({**daemon.config, "privacy": "none"})
        wire.send(b"get a%\xff\r\n" * 50)
        wire.take(5 * 50)
        assert list(stats.read(wire, b"hotkeys")) == ["key:a%25%FF"]


def conns(wire):
    """`stats conns`: for each address its fields."""
    found = {}
    for name, value in stats.read(wire, b"conns").items():
        number, field = name.split(":")
        found.setdefault(number, {})[field] = value
    return {fields["addr"]: fields for fields in found.values()}


def name_of(wire):
    return "tcp:%s:%d" % wire.sock.getsockname()


def test_conns_says_what_each_client_does(start_basic, played):
    server = played()
    answer = threading.Event()
    server.on(b"slow", rules.hold(answer))
    daemon = start_basic([server], {"timeouts": {"request": "20s"}})
    with daemon.client() as wire, daemon.client() as storing, \
            daemon.client() as waiting, daemon.client() as idle:
        wanted = {name_of(wire): "conn_parse_cmd",
                  name_of(storing): "conn_nread",
                  name_of(waiting): "conn_io_queue",
                  name_of(idle): "conn_read"}
        storing.send(b"set a 0 0 10\r\nabc")
        waiting.send(b"get slow\r\n")
        wait_until(lambda: wanted == {
            name: fields["state"] for name, fields in conns(wire).items()},
            lambda: "the states of %s" % conns(wire))
        for fields in conns(wire).values():
            assert set(fields) == {"addr", "state", "secs_since_last_cmd"}
            assert int(fields["secs_since_last_cmd"]) < 60
        answer.set()
        waiting.until(b"END\r\n")


def test_conns_of_a_unix_socket_have_its_path(start, servers, tmp_path):
    path = str(tmp_path / "s.sock")
    top = config.basic(free_port(), [servers[0].text])
    top["listeners"] = [{"listen": "unix:" + path, "pool": "main"}]
    with start(top).client(path) as wire:
        assert list(conns(wire)) == ["unix:" + path]


def test_conns_are_those_of_the_worker_that_answers(start_basic, servers):
    daemon = start_basic(servers[:1], workers=2)
    clients = [daemon.client() for _ in range(8)]
    seen = set()
    for wire in clients:
        wire.call(b"mn\r\n", b"MN\r\n")
    for wire in clients:
        found = set(conns(wire))
        assert name_of(wire) in found
        seen |= found
    assert seen == {name_of(wire) for wire in clients}


def test_clients_are_spread_evenly_over_workers(start_basic, servers):
    """Also who comes after all those of one worker have left."""
    daemon = start_basic(servers[:1], workers=2)
    clients = [daemon.client() for _ in range(20)]
    for wire in clients:
        wire.call(b"mn\r\n", b"MN\r\n")
    stay = conns(clients[0])
    assert len(stay) == 10
    for wire in clients:
        if name_of(wire) not in stay:
            wire.close()
    wait_until(lambda: stats.read(clients[0])["curr_connections"] == "10",
               "ten clients to have left")
    fresh = [daemon.client() for _ in range(10)]
    for wire in fresh:
        wire.call(b"mn\r\n", b"MN\r\n")
        assert set(conns(wire)) >= {name_of(wire)}
    assert set(conns(fresh[0])) == {name_of(wire) for wire in fresh}
    assert set(conns(clients[0])) == set(stay)


def test_conns_end_after_many(start_basic, servers):
    daemon = start_basic(servers[:1])
    clients = [daemon.client() for _ in range(1100)]
    for wire in clients:
        wire.call(b"mn\r\n", b"MN\r\n")
    assert len(conns(clients[0])) == 1024
    clients[0].in_step()
    for wire in clients:
        wire.close()
