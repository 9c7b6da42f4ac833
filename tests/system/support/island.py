"""A network namespace of its own, with a link to here whose packets can be
dropped. Needs root and ip(8).
"""

import itertools
import os
import subprocess

from support.memcached import Memcached

_serial = itertools.count()


class Impossible(Exception):
    """This machine cannot do it; says why."""


def _ip(*args):
    done = subprocess.run(("ip",) + args, capture_output=True, check=False)
    if done.returncode != 0:
        raise Impossible("ip %s: %s" % (
            " ".join(args), done.stderr.decode().strip()))


def _addresses(number):
    """The two ends of a link, in the range that is set aside for tests: four
    addresses a link, eight links a process."""
    first = (os.getpid() % 4096 * 8 + number) % 32768 * 4
    return tuple("198.%d.%d.%d" % (18 + (first >> 16), first >> 8 & 255,
                                   (first & 255) + end) for end in (1, 2))


class Island:
    """One namespace, and a memcached in it."""

    def __init__(self):
        number = next(_serial)
        self.name = "fl%d-%d" % (os.getpid(), number)
        self.link = "fl%d%d" % (os.getpid() % 100000, number)
        self.near, self.far = _addresses(number)
        self.inside = ("ip", "netns", "exec", self.name)
        self.server = None
        try:
            _ip("netns", "add", self.name)
        except FileNotFoundError:
            raise Impossible("there is no ip(8)") from None
        try:
            self._connect()
            self.server = Memcached(port=11211, host=self.far,
                                    prefix=self.inside)
        except BaseException:
            self.stop()
            raise
        self.text = self.server.text

    def _connect(self):
        _ip("link", "add", self.link, "type", "veth", "peer", "name", "eth0",
            "netns", self.name)
        _ip("addr", "add", self.near + "/30", "dev", self.link)
        _ip("link", "set", self.link, "up")
        _ip("-n", self.name, "addr", "add", self.far + "/30", "dev", "eth0")
        _ip("-n", self.name, "link", "set", "eth0", "up")

    def drop(self, there=True, back=True):
        """Packets get lost: they go to a station that is not there."""
        nobody = ("lladdr", "02:00:00:00:00:fe", "nud", "permanent", "dev")
        if there:
            _ip("neigh", "replace", self.far, *nobody, self.link)
        if back:
            _ip("-n", self.name, "neigh", "replace", self.near, *nobody,
                "eth0")

    def mend(self):
        """From now on they arrive; who was sent in vain is sent again."""
        for where in (("neigh", "del", self.far, "dev", self.link),
                      ("-n", self.name, "neigh", "del", self.near, "dev",
                       "eth0")):
            # It fails where nothing was dropped.
            subprocess.run(("ip",) + where, check=False, capture_output=True)

    def forget(self):
        """As a firewall that starts anew: packets of connections that there
        are now get lost both ways, those of new connections pass."""
        done = subprocess.run(self.inside + ("cat", "/proc/net/tcp"),
                              capture_output=True, text=True, check=True)
        rows = [row.split() for row in done.stdout.splitlines()[1:]]
        found = 0
        for _, near, far, state, *_ in rows:
            if state != "01" or near[-4:] != "%04X" % self.server.port:
                continue
            found += 1
            port = str(int(far[-4:], 16))
            for which in (("iif", "eth0", "ipproto", "tcp", "sport", port),
                          ("ipproto", "tcp", "dport", port)):
                _ip("-n", self.name, "rule", "add", *which, "blackhole")
        assert found > 0, done.stdout

    def disturb(self, *how):
        """Delays, loses, reorders as tc-netem(8) can, where there is one."""
        done = subprocess.run(("tc", "qdisc", "add", "dev", self.link, "root",
                               "netem") + how, capture_output=True,
                              check=False)
        if done.returncode != 0:
            raise Impossible("tc netem: " + done.stderr.decode().strip())

    def stop(self):
        if self.server is not None:
            self.server.stop()
        subprocess.run(("ip", "netns", "del", self.name), check=False,
                       capture_output=True)
        subprocess.run(("ip", "link", "del", self.link), check=False,
                       capture_output=True)
