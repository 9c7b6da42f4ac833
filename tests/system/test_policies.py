"""What happens to the keys of a server that is down, by the pool's policy."""

from support.clock import wait_until
from support.faults import (
    LOST_READ, LOST_WRITE, hit, keys_of, lost_read, stored, works_again)


def test_policy_miss(over, own_servers):
    """Reads of the dead server's keys miss, writes fail, others work."""
    servers = own_servers(3)
    daemon = over(servers, {"on_down": "miss"})
    dead, alive = keys_of(daemon, 1, 5), keys_of(daemon, 0, 5)
    with daemon.client() as wire:
        for name in dead + alive:
            stored(wire, name)
        servers[1].kill()
        for name in dead * 3:
            wire.send(b"get %s\r\n" % name)
            lost_read(wire, name)
        for name in dead:
            wire.call(b"get %s\r\n" % name, b"END\r\n")
            wire.call(b"gets %s\r\n" % name, b"END\r\n")
            wire.call(b"gat 0 %s\r\n" % name, b"END\r\n")
            wire.call(b"mg %s v\r\n" % name, b"EN\r\n")
            wire.call(b"mg %s v q\r\nmn\r\n" % name, b"MN\r\n")
            for write in (b"set %s 0 0 1\r\nx\r\n", b"delete %s\r\n",
                          b"incr %s 1\r\n", b"touch %s 0\r\n",
                          b"ms %s 1\r\nx\r\n", b"md %s\r\n", b"ma %s\r\n",
                          b"ms %s 1 q\r\nx\r\n", b"md %s q\r\n"):
                wire.send(write % name)
                wire.expect_line(rb"SERVER_ERROR s1\b.*")
            wire.send(b"set %s 0 0 1 noreply\r\nx\r\n" % name)
            wire.in_step()
        wire.call(b"get %s %s %s\r\n" % (dead[0], alive[0], dead[1]),
                  hit(alive[0]))
        for name in alive:
            wire.call(b"get %s\r\n" % name, hit(name))
            stored(wire, name)


def test_policy_error(over, own_servers):
    """Everything fails, in words; one line for a whole multi-get."""
    servers = own_servers(3)
    daemon = over(servers, {"on_down": "error"})
    dead, alive = keys_of(daemon, 1, 5), keys_of(daemon, 0, 5)
    with daemon.client() as wire:
        for name in alive:
            stored(wire, name)
        servers[1].kill()
        for name in dead:
            for ask in (b"get %s\r\n", b"gets %s\r\n", b"gat 0 %s\r\n",
                        b"mg %s v\r\n", b"mg %s v q\r\n", b"delete %s\r\n",
                        b"set %s 0 0 1\r\nx\r\n"):
                wire.send(ask % name)
                wire.expect_line(rb"SERVER_ERROR s1\b.*")
        wire.send(b"get %s %s %s\r\n" % (alive[0], dead[0], alive[1]))
        wire.expect_line(rb"SERVER_ERROR s1\b.*")
        wire.in_step()
        for name in alive:
            wire.call(b"get %s\r\n" % name, hit(name))


def test_policy_next(over, own_servers):
    """The dead server's keys live at the next ones until it is back; no
    living server's key moves."""
    servers = own_servers(3)
    daemon = over(servers, {"on_down": "next"})
    dead = keys_of(daemon, 1, 40)
    alive = keys_of(daemon, 0, 20) + keys_of(daemon, 2, 20)
    with daemon.client() as wire:
        for name in alive:
            stored(wire, name)
        servers[1].kill()
        works_again(daemon, dead[0])
        for name in dead:
            stored(wire, name)
        for name in dead + alive:
            wire.call(b"get %s\r\n" % name, hit(name))
    found = [servers[i].has(dead) for i in (0, 2)]
    assert found[0] | found[1] == set(dead) and not found[0] & found[1]
    assert found[0] and found[1], "each key to its own neighbour"
    assert servers[0].has(alive) | servers[2].has(alive) == set(alive)
    servers[1].start()

    def is_back():
        with daemon.client() as wire:
            wire.send(b"set %s 0 0 1\r\nx\r\n" % dead[0])
            wire.line()
        return servers[1].get(dead[0]) == b"x"

    wait_until(is_back, "the restarted server to get its keys back",
               step=0.02)


def test_all_servers_down(over, own_servers):
    """The proxy still answers for itself, and recovers."""
    servers = own_servers(2)
    for one in servers:
        one.kill()
    daemon = over(servers, {"on_down": "next"})
    with daemon.client() as wire:
        for _ in range(10):
            wire.send(b"get a b c d\r\n")
            wire.expect_line(LOST_READ)
            wire.send(b"set a 0 0 1\r\nx\r\n")
            wire.expect_line(LOST_WRITE)
        wire.in_step()
        wire.send(b"version\r\n")
        wire.expect_line(rb"VERSION .*")
    for one in servers:
        one.start()
    works_again(daemon, b"a")
