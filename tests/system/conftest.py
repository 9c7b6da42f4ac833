"""Fixtures of the system tests: real memcacheds, and Fairlead before them.

Environment: FAIRLEAD names the program (default build/src/daemon/fairlead),
FAIRLEAD_WRAP a command to run it under, FAIRLEAD_TIME_SCALE a factor for all
deadlines on slow machines (wrappers and sanitizers have theirs by themselves).
"""

import itertools
import os
import random
import signal

import pytest

from support import config
from support.fairlead import Fairlead
from support.faults import QUICK
from support.load import Load, build
from support.memcached import fleet, memcached_path
from support.played import Played
from support.ports import free_port
from support.program import program

_serial = itertools.count()


BATCHES = 60


def pytest_addoption(parser):
    parser.addoption("--soak", action="store_true",
                     help="the full soaks: 30 minutes of random failures, "
                          "1,000,000 requests, 10,000 reloads")
    parser.addoption("--batches", type=int, default=BATCHES,
                     help="random conversations: so many times sixteen of "
                          "each kind over each membership")
    parser.addoption("--seed", type=int, default=None,
                     help="repeat the random conversations of this seed")


def pytest_sessionstart(session):
    try:
        program()
        memcached_path()
    except RuntimeError as why:
        pytest.exit(str(why), returncode=4)


# Real seconds that no test takes, on any machine; and how long its end may.
HANGS_S, HANGS_ON_S = 300, 30


@pytest.fixture(autouse=True)
def hang_is_a_failure(request):
    """Else a read or a thread without end would be that of the whole run."""
    def give_up(_number, _frame):
        raise AssertionError("no end after %d seconds" % HANGS_S)

    option = request.config.getoption
    if option("--soak") or option("--batches") > BATCHES:
        yield
        return
    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, HANGS_S, HANGS_ON_S)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.fixture(scope="session")
def seed(request):
    """The seed of this run; a failure's message names it."""
    given = request.config.getoption("--seed")
    return given if given is not None else random.SystemRandom().randrange(
        1 << 32)


# memcached's own thread for its LRU holds on to an item that was just fetched
# again, for a moment; counting then makes a new item instead of padding this.
NO_LRU_THREAD = ("-o", "no_lru_maintainer,no_lru_crawler")


@pytest.fixture(scope="session")
def servers():
    """Four memcacheds that all tests share; keys tell the tests apart."""
    with fleet() as make:
        yield make(4, megabytes=1024, options=NO_LRU_THREAD)


@pytest.fixture
def own_servers():
    """Makes memcacheds that only this test knows and may kill."""
    with fleet() as make:
        yield make


@pytest.fixture(scope="session")
def reference():
    """A memcached that is talked to directly."""
    with fleet() as make:
        yield make(1, megabytes=1024, options=NO_LRU_THREAD)[0]


@pytest.fixture
def start(tmp_path):
    """Starts daemons; at the end each must stop cleanly."""
    running = []

    def go(configuration, **options):
        one = Fairlead(configuration, tmp_path, **options)
        running.append(one)
        return one

    yield go
    failures = []
    for one in running:
        try:
            one.stop()
        except AssertionError as why:
            failures.append(str(why))
    assert not failures, "\n".join(failures)


@pytest.fixture
def start_basic(start):
    """Starts a daemon of one listener over one pool of `servers`."""
    def go(servers, pool=None, **top):
        rows = [s if isinstance(s, (str, dict)) else s.text for s in servers]
        return start(config.basic(free_port(), rows, pool, **top))
    return go


@pytest.fixture(scope="module")
def proxy(servers, tmp_path_factory):
    """A daemon over three servers, shared by the tests of one module."""
    with Fairlead(
            config.basic(free_port(), [s.text for s in servers[:3]]),
            tmp_path_factory.mktemp("proxy")) as one:
        yield one


@pytest.fixture
def client(proxy):
    """A connection to the module's daemon."""
    with proxy.client() as wire:
        yield wire


@pytest.fixture
def played():
    """Makes played servers and stops them."""
    made = []

    def make(**options):
        one = Played(**options)
        made.append(one)
        return one

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def over(start):
    """Starts a daemon over servers with quick timeouts; names s0, s1, …"""
    def go(servers, pool=None, **top):
        rows = [{"name": "s%d" % i, "address": one.text}
                for i, one in enumerate(servers)]
        return start(config.basic(free_port(), rows,
                                  config.merged(QUICK, pool or {}), **top))
    return go


@pytest.fixture(scope="session")
def mcsoak():
    """The path of the load program."""
    return build()


@pytest.fixture
def start_load(mcsoak):
    """Starts loads against a port; what is left of them is killed."""
    running = []

    def go(port, **options):
        one = Load(mcsoak, port, **options)
        running.append(one)
        return one

    yield go
    for one in running:
        one.kill()


@pytest.fixture
def key():
    """key(b"a"): a name that no other test uses."""
    prefix = b"t%d.%d." % (os.getpid(), next(_serial))
    return lambda name=b"": prefix + name
