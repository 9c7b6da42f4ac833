"""Where keys go: exactly where `fairlead locate` says, asked of the servers.
"""

import collections

import pytest

from support import config
from support.config import server
from support.fairlead import run

COUNT = 3000


def fill(daemon, names):
    """Stores every name under itself."""
    with daemon.client(timeout=20) as wire:
        for at in range(0, len(names), 500):
            part = names[at:at + 500]
            wire.call(b"".join(
                b"set %s 0 0 %d noreply\r\n%s\r\n" % (n, len(n), n)
                for n in part) + b"mn\r\n", b"MN\r\n")


def assert_only_where_located(daemon, servers, names):
    """Every name is on the server that locate says, and on no other."""
    fill(daemon, names)
    located = daemon.locate(names)
    assert set(located) == set(names)
    for one in servers:
        wanted = {n for n in names if located[n][2] == one.text}
        assert one.has(names) == wanted, one.text
    return located


def shares(located):
    return collections.Counter(row[1] for row in located.values())


@pytest.mark.parametrize("weights", [
    (1, 1, 1), (1, 2, 3), (10, 10, 1), (100, 300, 200), (1,), (5, 5)])
def test_keys_are_where_locate_says(weights, start_basic, servers, key):
    used = servers[:len(weights)]
    daemon = start_basic([server(one, "s%d" % i, weight) for i, (
        one, weight) in enumerate(zip(used, weights))])
    names = [key(b"%d" % i) for i in range(COUNT)]
    located = assert_only_where_located(daemon, used, names)
    for i, weight in enumerate(weights):
        share = shares(located)["s%d" % i] / COUNT
        wanted = weight / sum(weights)
        assert abs(share - wanted) < 0.35 * wanted + 0.02, shares(located)


@pytest.mark.parametrize("placement", [
    {"placement": "ring", "hash": "fnv1a_64"},
    {"placement": "ring", "hash": "fnv1a_64", "points_per_weight": 17},
    {"placement": "ring", "hash": "xxh3"},
    {"placement": "rendezvous"},
    {"placement": "weighted-rendezvous"},
    {"placement": "buckets"},
    {"placement": "libmemcached-ketama"},
    {"placement": "twemproxy-ketama"},
], ids=lambda p: "-".join(str(v) for v in p.values()))
def test_every_placement_routes_as_it_locates(placement, start_basic,
                                              servers, key):
    daemon = start_basic(servers[:3], placement)
    names = [key(b"%d" % i) for i in range(COUNT)]
    located = assert_only_where_located(daemon, servers[:3], names)
    assert min(shares(located).values()) > COUNT / 12, shares(located)


def test_all_commands_of_a_key_go_to_its_server(start_basic, servers, key):
    daemon = start_basic(servers[:4])
    names = [key(b"c%d" % i) for i in range(200)]
    located = daemon.locate(names)
    by_text = {one.text: one for one in servers}
    with daemon.client() as wire:
        for name in names:
            one = by_text[located[name][2]]
            one.set(name, b"7")
            wire.call(b"incr %s 1\r\n" % name, b"8\r\n")
            wire.call(b"append %s 0 0 1\r\n0\r\n" % name, b"STORED\r\n")
            wire.call(b"prepend %s 0 0 1\r\n1\r\n" % name, b"STORED\r\n")
            wire.call(b"touch %s 0\r\n" % name, b"TOUCHED\r\n")
            wire.call(b"gat 0 %s\r\n" % name,
                      b"VALUE %s 0 3\r\n180\r\nEND\r\n" % name)
            wire.call(b"ma %s v\r\n" % name, b"VA 3\r\n181\r\n")
            wire.call(b"mg %s v\r\n" % name, b"VA 3\r\n181\r\n")
            wire.call(b"add %s 0 0 1\r\nx\r\n" % name, b"NOT_STORED\r\n")
            wire.call(b"md %s\r\n" % name, b"HD\r\n")
            assert one.get(name) is None


def test_hash_tags_keep_keys_together(start_basic, servers, key):
    daemon = start_basic(servers[:4], {"hash_tag": "{}"})
    groups = [[key(b"a{user%d}x" % i), b"b{user%d}" % i, b"{user%d}" % i]
              for i in range(60)]
    names = [name for group in groups for name in group]
    located = assert_only_where_located(daemon, servers, names)
    for group in groups:
        assert len({located[name][1] for name in group}) == 1, group
    assert len({located[group[0]][1] for group in groups}) == 4
    # Odd forms hash the whole key, and so do keys without a tag.
    plain = start_basic(servers[:4])
    for odd in (b"{}x%d", b"{x%d", b"a}b{%d", b"}{%d", b"plain%d"):
        odd_names = [odd % i for i in range(60)]
        assert daemon.locate(odd_names) == plain.locate(odd_names), odd


def test_order_and_addresses_do_not_matter(start_basic, servers, tmp_path):
    """The ring hashes names: neither order nor address moves a key."""
    names = [b"order%d" % i for i in range(COUNT)]
    rows = [server(one, "n%d" % i) for i, one in enumerate(servers[:3])]
    here = start_basic(rows).locate(names)
    there = start_basic(rows[::-1]).locate(names)
    assert here == there
    moved = start_basic([server(servers[3 - i], "n%d" % i)
                         for i in range(3)]).locate(names)
    assert {n: row[1] for n, row in moved.items()} == {
        n: row[1] for n, row in here.items()}


def test_weights_have_no_unit(start_basic, servers):
    names = [b"unit%d" % i for i in range(COUNT)]

    def located(weights):
        return start_basic([
            server(one, "n%d" % i, weight) for i, (one, weight)
            in enumerate(zip(servers, weights))]).locate(names)

    assert located((1, 3)) == located((100, 300))


def test_locate_reads_arguments_and_standard_input(start_basic, servers):
    daemon = start_basic(servers[:3])
    by_input = daemon.locate([b"alpha", b"beta"])
    done = run("locate", "-c", str(daemon.path), "alpha", "beta")
    rows = [line.split(b"\t") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == [b"alpha", b"beta"]
    assert {row[0]: tuple(part.decode() for part in row[1:])
            for row in rows} == by_input
    assert all(row[1] == b"main" for row in rows)


def test_prefixes_choose_the_pool(start, servers, key):
    """The longest matching prefix, else the listener's pool."""
    from support.ports import free_port
    top = config.basic(free_port(), [servers[0].text])
    top["pools"]["sessions"] = {"servers": [servers[1].text]}
    top["pools"]["deep"] = {"servers": [servers[2].text]}
    top["listeners"][0]["routes"] = [
        {"prefix": "s:", "pool": "sessions"},
        {"prefix": "s:deep:", "pool": "deep"}]
    daemon = start(top)
    unique = key()
    wanted = {b"s:" + unique: 1, b"s:deep:" + unique: 2, b"s" + unique: 0,
              unique: 0, b"s:dee" + unique: 1}
    fill(daemon, list(wanted))
    for name, index in wanted.items():
        for i, one in enumerate(servers[:3]):
            assert (one.get(name) is not None) == (i == index), (name, i)
    pools = {n: row[0] for n, row in daemon.locate(list(wanted)).items()}
    assert pools == {n: ("main", "sessions", "deep")[i]
                     for n, i in wanted.items()}
    # One get may name keys of several pools.
    with daemon.client() as wire:
        wire.call(b"get %s\r\n" % b" ".join(wanted), b"".join(
            b"VALUE %s 0 %d\r\n%s\r\n" % (n, len(n), n)
            for n in wanted) + b"END\r\n")
