"""System calls of the daemon that fail on purpose: failing.c's other end."""

import mmap
import os
import pathlib
import struct
import subprocess
import tempfile

_SOURCE = pathlib.Path(__file__).with_suffix(".c")

KINDS = ("accept", "read", "write", "socket", "connect", "epoll", "eventfd",
         "alloc")

# kinds, one_in, nth, random; then the two counters of each kind.
_HEAD = struct.Struct("<IIQQ")
_COUNTS = struct.Struct("<%dQ" % len(KINDS))
_SIZE = _HEAD.size + 2 * _COUNTS.size


def build():
    """The path of the object to be loaded first, compiled here."""
    out = os.path.join(tempfile.mkdtemp(prefix="failing-"), "failing.so")
    subprocess.run(
        [os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-D_GNU_SOURCE",
         "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", out,
         str(_SOURCE)], check=True)
    return out


class Failing:
    """One control file, and the environment of a daemon that heeds it."""

    def __init__(self, library, directory, seed):
        self.path = os.path.join(str(directory), "failing")
        with open(self.path, "w+b") as file:
            file.truncate(_SIZE)
            self._map = mmap.mmap(file.fileno(), _SIZE)
        self.prefix = ["env", "LD_PRELOAD=" + library,
                       "FAILING_CONTROL=" + self.path]
        self._seed = seed

    def _set(self, kinds, one_in, nth):
        bits = sum(1 << KINDS.index(kind) for kind in kinds)
        _HEAD.pack_into(self._map, 0, bits, one_in, nth, self._seed)

    def at_random(self, kinds, one_in):
        """From now on one call of `one_in` of these kinds fails."""
        self._set(kinds, one_in, 0)

    def nth(self, kind, nth):
        """Only the nth call of this kind fails, counted from now on."""
        for at in (_HEAD.size, _HEAD.size + _COUNTS.size):
            _COUNTS.pack_into(self._map, at, *[0] * len(KINDS))
        self._set([kind], 0, nth)

    def stop(self):
        self._set([], 0, 0)

    def failed(self, kind):
        """How many calls of this kind have failed."""
        return _COUNTS.unpack_from(
            self._map, _HEAD.size + _COUNTS.size)[KINDS.index(kind)]
