"""The node list that clients of ElastiCache ask for."""

from support.clock import wait_until
from support.faults import stored


def node_list(wire):
    """Version and nodes, read as those clients read them."""
    wire.send(b"config get cluster\r\n")
    size = int(wire.expect_line(rb"CONFIG cluster 0 \d+").split()[3])
    body = wire.take(size)
    wire.expect(b"\r\nEND\r\n")
    version, nodes, rest = body.split(b"\n")
    assert rest == b""
    return int(version), [one.split(b"|") for one in nodes.split(b" ")]


def test_the_proxy_is_the_only_node(over, own_servers):
    daemon = over(own_servers(2), {})
    with daemon.client() as wire:
        version, nodes = node_list(wire)
        host, ip, port = nodes[0]
        assert (len(nodes), version) == (1, 1)
        assert (host, ip, int(port)) == (b"127.0.0.1", b"127.0.0.1",
                                         daemon.address[1])
        stored(wire, b"k")


def test_its_version_counts_memberships(over, own_servers):
    servers = own_servers(2)
    daemon = over(servers, {})
    with daemon.client() as wire:
        before, _ = node_list(wire)
        rows = daemon.config["pools"]["main"]["servers"]
        del rows[1]
        daemon.reload(daemon.config)
        wait_until(lambda: node_list(wire)[0] == before + 1,
                   "the worker to route by the new table")


def test_any_other_config_command_is_unknown(client):
    for line in (b"config", b"config get", b"config get other",
                 b"config get cluster more", b"config set cluster"):
        client.call(line + b"\r\n", b"ERROR\r\n")
    client.in_step()
