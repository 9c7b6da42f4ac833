"""Thousands of reloads under a load that checks every value, good ones and
ones that fail in a hundred ways; after each, the table in force is the last
valid one.

By default some hundreds; --soak makes it 10,000.
"""

import errno
import itertools
import json
import os
import random

from support import config, membership, stats, wrong
from support.clock import wait_until
from support.ports import free_port
from support.program import is_sanitized, is_wrapped
from support.sabotage import Sabotage

# Each server answers to these with its own name: they show where keys go.
MARKERS = [b"where%d" % i for i in range(40)]

ERRORS = {
    "malloc": [errno.ENOMEM],
    "open": [errno.EMFILE, errno.EACCES, errno.EIO, errno.ENOENT],
    "socket": [errno.EMFILE, errno.ENOBUFS],
    "bind": [errno.EADDRINUSE, errno.EACCES],
    "listen": [errno.EADDRINUSE],
}


class Soak:
    """A daemon, what ought to be in force there, and ways to disturb it."""

    def __init__(self, start, servers, directory, seed):
        self.random = random.Random(seed)
        self.servers = servers
        self.directory = directory
        # Sanitizers and wrappers want to be the first library themselves.
        self.sabotage = None if is_sanitized() or is_wrapped() else \
            Sabotage(str(directory))
        for i, one in enumerate(servers):
            for key in MARKERS:
                one.set(key, b"n%d" % i)
        self.routes = {}
        self.port = free_port()
        self.good = self.membership([(0, 1), (1, 1), (2, 1)])
        self.generation = 1
        self.daemon = start(
            self.good, prefix=self.sabotage.prefix if self.sabotage else ())
        self.probes = []
        self.sabotaged = set()

    def connect(self):
        """A connection to each worker: the main thread deals them out."""
        self.probes = [self.daemon.client(timeout=20) for _ in range(2)]

    def membership(self, members, **top):
        rows = [{"name": "n%d" % i, "address": self.servers[i].text,
                 "weight": weight} for i, weight in members]
        # A busy machine is no server that is down.
        return config.basic(self.port, rows, {"timeouts": {
            "connect": "10s", "request": "10s"}}, workers=2, **top)

    # -- what must hold ---------------------------------------------------

    def hash(self):
        rows = [(row["name"], row["weight"])
                for row in self.good["pools"]["main"]["servers"]]
        return membership.of_all({"main": membership.of_ring(rows)})

    def owners(self):
        """What the offline command says of the markers, asked once."""
        key = json.dumps(self.good["pools"])
        if key not in self.routes:
            self.daemon.write(self.good)
            self.routes[key] = {name: row[1].encode() for name, row in
                                self.daemon.locate(MARKERS).items()}
        return self.routes[key]

    def check(self):
        """Both workers route by the last valid table."""
        for wire in self.probes:
            seen = wait_until(
                lambda w=wire: self.is_adopted(w),
                lambda w=wire: "generation %d: %s" % (
                    self.generation, stats.read(w, b"proxy")))
            assert seen["table_membership"] == self.hash()
        trouble = self.daemon.log.find(" warn server ")
        assert trouble is None, trouble
        wanted = self.owners()
        wire = self.random.choice(self.probes)
        wire.call(b"get %s\r\n" % b" ".join(MARKERS), b"".join(
            b"VALUE %s 0 2\r\n%s\r\n" % (key, wanted[key])
            for key in MARKERS) + b"END\r\n")

    def is_adopted(self, wire):
        seen = stats.read(wire, b"proxy")
        assert int(seen["generation"]) <= self.generation, seen
        return seen if int(seen["generation"]) == self.generation else None

    # -- reloads ----------------------------------------------------------

    def reload(self, top):
        """One that must succeed."""
        self.daemon.write(top)
        line = self.daemon.hang_up()
        assert "reload done" in line and "nothing changed" not in line, line
        self.good = top
        self.generation += 1

    def another(self):
        """A membership other than the one in force."""
        while True:
            count = self.random.randint(1, len(self.servers))
            members = [(i, self.random.choice([1, 1, 2, 3])) for i in
                       sorted(self.random.sample(range(4), count))]
            top = self.membership(members)
            if top["pools"] != self.good["pools"]:
                return top

    def listener(self):
        return {"listen": "unix:%s/extra.sock" % self.directory,
                "pool": "main"}

    def with_listener(self, top):
        return config.merged(top, {"listeners": top["listeners"] + [
            self.listener()]})

    def refuse(self, text=None):
        if text is not None:
            self.daemon.write(text=text)
        line = self.daemon.hang_up()
        assert "reload refused" in line, line

    def succeed_in_some_way(self, i):
        top = self.another()
        if i % 10 == 3:
            # Staged for long, and replaced by the next one.
            self.daemon.write(dict(self.another(),
                                   activate_at="2099-01-01T00:00:00Z"))
            assert "reload staged" in self.daemon.hang_up()
        self.reload(self.with_listener(top) if i % 7 == 2 else top)

    def be_unreadable(self, i):
        path = self.daemon.path
        os.unlink(path)
        if i % 3 == 1:
            os.mkdir(path)
        elif i % 3 == 2:
            os.symlink("/nonexistent/file", path)
        self.refuse()
        if i % 3 == 1:
            os.rmdir(path)

    def be_unbindable(self, i):
        taken = self.servers[i % 4].text
        self.refuse(json.dumps(config.merged(self.another(), {
            "listeners": [self.listener(), {"listen": taken,
                                            "pool": "main"}]})))

    def be_sabotaged(self, i):
        """What fails may be nothing that matters: then it succeeds."""
        kind = ("malloc", "malloc", "open", "socket", "bind",
                "listen")[i % 6]
        # The first file opened is only looked at.
        after = self.random.randrange({"malloc": 150, "open": 2}.get(kind, 1))
        top = self.with_listener(self.another())
        # One that is there already is not opened again.
        if any(row["listen"].startswith("unix:")
               for row in self.good["listeners"]):
            self.reload(self.another())
        self.daemon.write(top)
        self.sabotage.order(kind, after,
                            self.random.choice(ERRORS[kind]))
        line = self.daemon.hang_up()
        failed = self.sabotage.withdraw()
        if failed:
            self.sabotaged.add(kind)
        if "reload done" in line:
            assert kind in ("malloc", "open") or not failed, line
            self.good = top
            self.generation += 1
        else:
            assert failed, line

    def use(self):
        """What it uses with all servers in the pool."""
        everyone = self.membership([(i, 1) for i in range(4)])
        if everyone["pools"] != self.good["pools"]:
            self.reload(everyone)
        self.check()
        return {"rss": self.daemon.rss(),
                "descriptors": self.daemon.descriptors(),
                "threads": len(os.listdir("/proc/%d/task" %
                                          self.daemon.pid))}

    def fail_in_some_way(self, i, files):
        turn = i % 5
        if turn == 0:
            self.refuse(next(files))
        elif turn == 1:
            self.refuse(wrong.cut(self.another(), i * 7))
        elif turn == 2:
            self.be_unreadable(i)
        elif turn == 3 and self.sabotage:
            self.be_sabotaged(i // 5)
        elif turn == 4:
            self.be_unbindable(i)
        else:
            self.refuse(next(files))


def test_a_hundred_wrong_files_are_refused(start, servers, tmp_path, seed):
    soak = Soak(start, servers, tmp_path, seed)
    soak.connect()
    files = wrong.files(soak.good)
    assert len(files) > 100 and len(set(files)) == len(files)
    for text in files:
        soak.refuse(text)
    soak.check()


def test_reloads_good_and_bad_under_load(request, start, own_servers,
                                         start_load, tmp_path, seed):
    full = request.config.getoption("--soak")
    reloads = 10000 if full else 100 if is_sanitized() else 240
    soak = Soak(start, own_servers(4, megabytes=256), tmp_path, seed)
    files = itertools.cycle(wrong.files(soak.good))
    load = start_load(soak.daemon.address[1], conns=20, depth=8)
    soak.connect()
    before = None
    for i in range(reloads):
        if i % 2 == 0:
            soak.succeed_in_some_way(i // 2)
        else:
            soak.fail_in_some_way(i // 2, files)
        soak.check()
        assert load.is_running(), load.finish()
        if i == reloads // 4:
            before = soak.use()
    after = soak.use()
    assert after["threads"] == before["threads"], "seed %d" % seed
    # Connections to servers that left may close a little later.
    wait_until(lambda: soak.daemon.descriptors() <=
               before["descriptors"] + 2, "descriptors to be as few as "
               "before: %s" % before)
    soak.daemon.grew_at_most(before["rss"], 4 << 20)
    assert not soak.sabotage or soak.sabotaged == set(ERRORS)
    counts = load.finish(base=300)
    print(counts, "generation", soak.generation)
    assert counts["requests"] >= 1000 and counts["hits"] > 0, counts
