"""What the kernel holds for a socket whose owner has not read it yet.

So a test knows that a peer has read, without the peer's help and without
waiting for a time. IPv4 loopback only.
"""

import socket
import struct

_SOCK_DIAG_BY_FAMILY = 20
_NLM_F_REQUEST = 1
_NLMSG_ERROR = 2
_ALL_STATES = 0xffffffff
_LOOPBACK = socket.inet_aton("127.0.0.1") + b"\0" * 12


def _diag_request(local_port, remote_port):
    """A question about one socket: linux/inet_diag.h, inet_diag_req_v2."""
    body = struct.pack("=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 0, 0,
                       _ALL_STATES)
    body += struct.pack("!HH", local_port, remote_port) + _LOOPBACK * 2
    body += struct.pack("=III", 0, 0xffffffff, 0xffffffff)
    return struct.pack("=IHHII", 16 + len(body), _SOCK_DIAG_BY_FAMILY,
                       _NLM_F_REQUEST, 0, 0) + body


def _by_netlink(local_port, remote_port):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) as diag:
        diag.sendall(_diag_request(local_port, remote_port))
        reply = diag.recv(8192)
    kind = struct.unpack_from("=H", reply, 4)[0]
    if kind == _NLMSG_ERROR:
        return None
    # After the header: 4 bytes, the socket's id (48), expires, rqueue.
    return struct.unpack_from("=I", reply, 16 + 4 + 48 + 4)[0]


def _by_table(local_port, remote_port):
    with open("/proc/net/tcp", encoding="ascii") as table:
        next(table)
        for row in table:
            field = row.split()
            if (int(field[1].rsplit(":", 1)[1], 16) == local_port
                    and int(field[2].rsplit(":", 1)[1], 16) == remote_port):
                return int(field[4].split(":")[1], 16)
    return None


def unread_at(local_port, remote_port):
    """Bytes that 127.0.0.1:local <- 127.0.0.1:remote holds unread; None if
    there is no such socket."""
    try:
        found = _by_netlink(local_port, remote_port)
    except OSError:
        found = None
    # Without the kernel's diag module the slow table still tells.
    return _by_table(local_port, remote_port) if found is None else found
