"""Calls of a running daemon's main thread that fail on demand: sabotage.c."""

import mmap
import os
import pathlib
import struct
import subprocess

_SOURCE = pathlib.Path(__file__).with_suffix(".c")
_KINDS = ("none", "malloc", "open", "socket", "bind", "listen")


class Sabotage:
    """One order to one daemon, started with `prefix` before its command."""

    def __init__(self, directory):
        library = os.path.join(directory, "sabotage.so")
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O2",
                        "-D_GNU_SOURCE", "-fPIC", "-shared", "-o", library,
                        str(_SOURCE)], check=True)
        path = os.path.join(directory, "sabotage.order")
        with open(path, "wb") as out:
            out.write(bytes(16))
        with open(path, "r+b") as shared:
            self._map = mmap.mmap(shared.fileno(), 16)
        self.prefix = ["env", "LD_PRELOAD=" + library, "SABOTAGE=" + path]

    def order(self, kind, after, error):
        """The call of that kind after `after` others fails with `error`."""
        self._map[4:16] = struct.pack("=iii", after, error, 0)
        self._map[0:4] = struct.pack("=i", _KINDS.index(kind))

    def withdraw(self):
        """No call fails any more; whether one has."""
        self._map[0:4] = bytes(4)
        return struct.unpack("=i", self._map[12:16])[0] > 0
