"""The offline commands on configurations made as data."""

import json

from support.config import to_yaml
from support.fairlead import run


def servers(count, first=1, **more):
    """cache-1, cache-2, ...; `more` has settings by name of the server."""
    rows = []
    for i in range(first, first + count):
        row = {"name": "cache-%d" % i, "address": "10.0.0.%d:11211" % i}
        row.update(more.get("cache_%d" % i, {}))
        rows.append(row)
    return rows


def file_of(pools, **top):
    """A configuration of these pools; the first one is the listener's."""
    return {"listeners": [{"listen": "127.0.0.1:21211",
                           "pool": next(iter(pools))}],
            "pools": pools, **top}


class Files:
    """Writes configurations and runs commands on them."""

    def __init__(self, directory):
        self.directory = directory

    def write(self, name, configuration):
        path = self.directory / name
        path.write_text(configuration if isinstance(configuration, str)
                        else to_yaml(configuration) + "\n")
        return str(path)

    def plan(self, old, new):
        """Exit code, the JSON document, and the text of a plan."""
        paths = self.write("old.yaml", old), self.write("new.yaml", new)
        done = run("plan", *paths, "--json")
        text = run("plan", *paths)
        assert text.returncode == done.returncode
        assert text.stderr == done.stderr
        return done.returncode, json.loads(done.stdout), text.stdout.decode()

    def plan_pool(self, old, new):
        """The same of two pools `main`: the JSON of the pool, the text."""
        code, plan, text = self.plan(file_of({"main": old}),
                                     file_of({"main": new}))
        assert code == 0, plan
        assert [pool["name"] for pool in plan["pools"]] == ["main"]
        return plan["pools"][0], text

    def owners(self, name, configuration, keys):
        """The server's name for each key."""
        done = run("locate", "-c", self.write(name, configuration), "-",
                   stdin=b"\n".join(keys) + b"\n")
        assert done.returncode == 0, done.stderr.decode()
        return [line.split(b"\t")[2].decode()
                for line in done.stdout.splitlines()]


def percent(share):
    """A share as the commands write it."""
    if share <= 0:
        return "0 %"
    if share < 0.00005:
        return "<0.01 %"
    if share >= 1:
        return "100 %"
    if share >= 0.99995:
        return ">99.99 %"
    return "%.2f %%" % (100 * share)
