"""Client libraries of other languages, each in a session of all it offers.

clients/ has the sessions, and those of more languages.
"""

import os
import shutil

import pytest

from support.sessions import SESSIONS, hold, run


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
    hold(make(tmp_path), wanted, start_basic, own_servers(3))
