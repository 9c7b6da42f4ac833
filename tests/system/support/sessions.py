"""Sessions of client libraries, each a program in the library's language.

It is given host and port, and prints a line for each check, as TAP has it,
and the number of checks last. The same session, held with memcached itself,
passes too: what a check wants is memcached's way, not ours.
"""

import pathlib
import re
import subprocess

from support.clock import seconds

SESSIONS = pathlib.Path(__file__).parents[1] / "clients"


def run(command, cwd=None, env=None):
    """Runs a program that must succeed; what it said."""
    done = subprocess.run(command, cwd=cwd, env=env, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=seconds(180))
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, text[-3000:]
    return text


def hold(command, wanted, start_basic, servers):
    """Holds a session of `wanted` checks, all of which pass."""
    daemon = start_basic(servers, {"flush_all": True},
                         limits={"value_size": "1MiB"})
    host, port = daemon.address
    text = run(command + [host, str(port)])
    bad = [line for line in text.splitlines()
           if not re.match(r"ok \d+|1\.\.\d+$", line)]
    assert not bad, "\n".join(bad[:20])
    passed = len(re.findall(r"^ok \d+", text, re.MULTILINE))
    assert passed == wanted and text.rstrip().endswith("1..%d" % wanted)
    # The keys were spread, and no server was found at fault.
    assert all(int(one.stats()["cmd_set"]) > 10 for one in servers)
    assert daemon.log.find("server .* is down|out of step") is None
