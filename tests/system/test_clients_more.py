"""Client libraries of other languages, each in a session of all it offers.

clients/ has the sessions. They print a line for each check, as TAP has it,
and the number of checks last. The same session, held with memcached itself,
passes too: what a check wants is memcached's way, not ours.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from support.clock import seconds

SESSIONS = pathlib.Path(__file__).parent / "clients"


def run(command, cwd=None, env=None):
    done = subprocess.run(command, cwd=cwd, env=env, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=seconds(180))
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, text[-3000:]
    return text


def c_session(directory):
    """libmemcached's, compiled: Debian's libmemcached-dev."""
    program = directory / "session"
    run(["cc", "-std=gnu11", "-o", str(program), str(SESSIONS / "session.c"),
         "-lmemcached"])
    return [str(program)]


def go_session(directory):
    """Debian's golang-go and golang-github-bradfitz-gomemcache-dev."""
    program = directory / "session"
    shutil.copy(SESSIONS / "session.go", directory)
    run(["go", "build", "-o", str(program), "session.go"], cwd=directory,
        env={**os.environ, "GO111MODULE": "off",
             "GOPATH": "/usr/share/gocode", "GOFLAGS": "",
             "GOCACHE": str(directory / "cache")})
    return [str(program)]


def perl_session(_):
    """Debian's libcache-memcached-fast-perl."""
    return ["/usr/bin/perl", str(SESSIONS / "session.pl")]


def php_session(_):
    """Debian's php-cli and php-memcached."""
    return ["php", str(SESSIONS / "session.php")]


LANGUAGES = {"c": (c_session, 128), "go": (go_session, 39),
             "perl": (perl_session, 108), "php": (php_session, 159)}


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_session(language, start_basic, own_servers, tmp_path):
    make, wanted = LANGUAGES[language]
    servers = own_servers(3)
    daemon = start_basic(servers, {"flush_all": True},
                         limits={"value_size": "1MiB"})
    host, port = daemon.address
    text = run(make(tmp_path) + [host, str(port)])
    bad = [line for line in text.splitlines()
           if not re.match(r"ok \d+|1\.\.\d+$", line)]
    assert not bad, "\n".join(bad[:20])
    passed = len(re.findall(r"^ok \d+", text, re.MULTILINE))
    assert passed == wanted and text.rstrip().endswith("1..%d" % wanted)
    # The keys were spread, and no server was found at fault.
    assert all(int(one.stats()["cmd_set"]) > 10 for one in servers)
    assert daemon.log.find("server .* is down|out of step") is None
