"""What must not hurt: requests to the admin listener that nobody means well
by. After each the proxy serves, and the next one who asks gets an answer."""

import resource
import socket

import pytest

from support import config
from support.admin import Admin
from support.clock import wait_until
from support.ports import free_port
from support.wire import Wire

GOOD = b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n"

# What is sent on one connection, which is then half closed.
HOSTILE = {
    "nothing": b"",
    "line ends": b"\r\n\r\n\r\n\r\n",
    "zeros": bytes(4096),
    "all bytes": bytes(range(256)) * 64,
    "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    "memcached": b"stats\r\nget a\r\n",
    "binary memcached": b"\x80\x10" + bytes(22),
    "http 0.9": b"GET /\r\n",
    "a version to come": b"GET / HTTP/9.9\r\n\r\n",
    "no version": b"GET /-/healthy\r\n\r\n",
    "http 2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no host": b"GET /-/healthy HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n",
    "unknown method": b"BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "connect": b"CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "options *": b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "absolute": b"GET http://a/status.json HTTP/1.1\r\nHost: a\r\n\r\n",
    "bad escapes": b"GET /locate?key=%%%zz%4 HTTP/1.1\r\nHost: [::1]\r\n\r\n",
    "nul in path": b"GET /-/healthy%00/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "dots": b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "long path": b"GET /" + b"a" * 60000 + b" HTTP/1.1\r\n\r\n",
    "long line": b"GET /" + b"a" * 300000,
    "long query": b"GET /locate?" + b"key=a&" * 2000 +
                  b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "long header": GOOD[:-2] + b"X: " + b"a" * 300000 + b"\r\n\r\n",
    "many headers": GOOD[:-2] + b"X: a\r\n" * 20000 + b"\r\n",
    "folded header": GOOD[:-2] + b"X: a\r\n b\r\n\tc\r\n\r\n",
    "header without name": GOOD[:-2] + b": a\r\n\r\n",
    "header of blanks": GOOD[:-2] + b"    \r\n\r\n",
    "long body": b"POST /-/reload HTTP/1.1\r\nHost: localhost\r\n"
                 b"Content-Length: 1000000\r\n\r\n" + bytes(1000000),
    "endless body": b"POST /-/reload HTTP/1.1\r\nHost: localhost\r\n"
                    b"Content-Length: 99999999999999999999\r\n\r\nabc",
    "negative body": b"POST /-/reload HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Length: -1\r\n\r\nabc",
    "bad chunks": b"POST /-/reload HTTP/1.1\r\nHost: localhost\r\n"
                  b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
    "huge chunk": b"POST /-/reload HTTP/1.1\r\nHost: localhost\r\n"
                  b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    "smuggled": b"POST /-/reload HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
                b"0\r\n\r\n" + GOOD,
    "pipelined": GOOD * 500,
}


@pytest.fixture(name="hostile", scope="module")
def _hostile(servers, tmp_path_factory):
    """One daemon that all of these are tried on: (daemon, admin address)."""
    from support.fairlead import Fairlead
    port = free_port()
    with Fairlead(
            config.basic(free_port(), [s.text for s in servers[:3]],
                         admin={"listen": "127.0.0.1:%d" % port}),
            tmp_path_factory.mktemp("hostile")) as one:
        yield one, ("127.0.0.1", port)


def is_well(one, address):
    """It answers both clients and whoever looks after it."""
    assert Admin(address).get("/-/healthy").status == 200
    with Wire(one.address) as wire:
        wire.in_step()
    assert one.is_running()


def send_all(sock, data):
    """As much as the other side takes before it hangs up."""
    try:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def read_all(sock):
    """Everything until it hangs up."""
    got = b""
    try:
        while data := sock.recv(1 << 16):
            got += data
    except ConnectionResetError:
        pass
    return got


@pytest.mark.parametrize("name", HOSTILE)
def test_one_request(hostile, name):
    one, address = hostile
    with socket.create_connection(address, 10) as sock:
        send_all(sock, HOSTILE[name])
        got = read_all(sock)
    assert b"root:" not in got and b"reload done" not in got
    is_well(one, address)


def test_a_byte_at_a_time(hostile):
    one, address = hostile
    with Wire(address) as wire:
        wire.send_read(GOOD)
        assert b"200 OK" in wire.until(b"healthy\n")
    is_well(one, address)


def test_many_who_never_finish_keep_nobody_out(hostile):
    one, address = hostile
    before = one.descriptors()
    slow = [socket.create_connection(address, 5) for _ in range(300)]
    try:
        for sock in slow:
            send = b"GET /-/healthy HTTP/1.1\r\nHost: lo"
            try:
                sock.sendall(send)
            except OSError:
                pass
        is_well(one, address)
        wait_until(lambda: one.descriptors() <= before + 70,
                   "the oldest to be closed", 10)
        is_well(one, address)
    finally:
        for sock in slow:
            sock.close()
    wait_until(lambda: one.descriptors() <= before + 2,
               "all of them to be gone", 10)


def test_those_who_read_nothing_hold_little(hostile):
    one, address = hostile
    before = one.rss()
    deaf = []
    try:
        for _ in range(60):
            sock = socket.create_connection(address, 5)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
            deaf.append(sock)
        is_well(one, address)
        one.grew_at_most(before, 32 << 20)
    finally:
        for sock in deaf:
            sock.close()
    is_well(one, address)


def test_many_at_once_are_all_answered(hostile):
    one, address = hostile
    socks = [socket.create_connection(address, 5) for _ in range(50)]
    for sock in socks:
        sock.sendall(b"GET /status.json HTTP/1.1\r\nHost: localhost\r\n"
                     b"Connection: close\r\n\r\n")
    for sock in socks:
        got = read_all(sock)
        sock.close()
        assert got.startswith(b"HTTP/1.1 200 OK\r\n"), got[:100]
        assert got.endswith(b"}")
    is_well(one, address)


def test_without_descriptors_it_rests_and_answers_later(start, servers):
    """Who asks waits as clients do, and the main thread sleeps meanwhile."""
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    address = ("127.0.0.1", free_port())
    one = start(config.basic(free_port(), [servers[0].text], admin={
        "listen": "%s:%d" % address}), preexec=few)
    crowd = [Wire(one.address) for _ in range(80)]
    one.log.wait("Too many open files")
    with Wire(address) as wire:
        wire.send(GOOD)
        one.log.wait("admin accepts nobody .*: Too many open files")
        mark, cpu = one.log.mark(), one.cpu_seconds()
        one.log.wait("admin accepts nobody", mark)
        assert one.cpu_seconds() - cpu < 0.5
        for client in crowd:
            client.close()
        assert b"200 OK" in wire.until(b"healthy\n")
    is_well(one, address)
