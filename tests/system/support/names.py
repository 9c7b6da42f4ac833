"""A played name server, and daemons that ask it and nobody else.

The daemon runs in a mount namespace of its own, in which /etc/resolv.conf
names the played server.
"""

import errno
import socket
import struct
import threading

_HEADER = struct.Struct(">HHHHHH")
_RESPONSE = 0x8180
_NO_SUCH_NAME = 3
_TYPE_A, _CLASS_IN, _TTL = 1, 1, 0


def in_place_of(path, file):
    """What to start a daemon with that finds `file` at `path`."""
    return ("unshare", "--mount", "sh", "-c",
            "mount --bind %s %s && exec \"$@\"" % (file, path), "sh")


def _bound():
    """A socket of the one port that name servers are asked at, on a loopback
    address that nobody else has it of: another test run, say."""
    for last in range(1, 255):
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            sock.bind(("127.0.53.%d" % last, 53))
        except OSError as error:
            sock.close()
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return sock
    raise RuntimeError("port 53 is taken on every 127.0.53.*")


class NameServer:
    """Answers A questions from `names`: {b"name": ["address", ...]}."""

    def __init__(self, directory):
        self.names = {}
        self.asked = []
        self._sock = _bound()
        host = self._sock.getsockname()[0]
        self.resolv = directory / "resolv.conf"
        self.resolv.write_text(
            "nameserver %s\noptions attempts:1 timeout:1\n" % host)
        self.prefix = in_place_of("/etc/resolv.conf", self.resolv)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self):
        """An empty packet ends it; closing would not wake the thread."""
        self._sock.sendto(b"", self._sock.getsockname())
        self._thread.join()
        self._sock.close()

    def _serve(self):
        while True:
            question, peer = self._sock.recvfrom(4096)
            if not question:
                return
            self._sock.sendto(self._answer(question), peer)

    def _answer(self, packet):
        number = _HEADER.unpack_from(packet)[0]
        name, end = self._name(packet, _HEADER.size)
        kind = struct.unpack_from(">H", packet, end)[0]
        question = packet[_HEADER.size:end + 4]
        self.asked.append(name)
        addresses = self.names.get(name)
        if addresses is None:
            return _HEADER.pack(number, _RESPONSE | _NO_SUCH_NAME, 1, 0, 0,
                                0) + question
        if kind != _TYPE_A:
            addresses = []
        records = b"".join(
            struct.pack(">HHHIH", 0xc000 + _HEADER.size, _TYPE_A, _CLASS_IN,
                        _TTL, 4) + socket.inet_aton(one)
            for one in addresses)
        return _HEADER.pack(number, _RESPONSE, 1, len(addresses), 0,
                            0) + question + records

    @staticmethod
    def _name(packet, at):
        labels = []
        while packet[at] != 0:
            labels.append(packet[at + 1:at + 1 + packet[at]])
            at += 1 + packet[at]
        return b".".join(labels).lower(), at + 1
