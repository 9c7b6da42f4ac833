"""What a process inherits from its parent may be in any state."""

import resource
import signal

import pytest

from support import config
from support.clock import seconds, wait_until
from support.config import to_yaml
from support.ports import free_port
from support.process import started
from support.program import program
from support.wire import Wire


def written(directory, configuration):
    path = directory / "fairlead.yaml"
    path.write_text(to_yaml(configuration) + "\n")
    return str(path)


def ends_well(process, port):
    """It serves, and ends when it is told to."""
    with wait_until(lambda: reached(port), "the listener") as wire:
        wire.in_step()
    process.send_signal(signal.SIGTERM)
    assert process.wait(seconds(5)) == 0


def reached(port):
    try:
        return Wire(("127.0.0.1", port))
    except ConnectionRefusedError:
        return None


@pytest.mark.parametrize("closed", [(2,), (1, 2), (0, 1, 2)])
def test_it_serves_without_standard_streams(closed, tmp_path, servers):
    """No socket may get their numbers: lines of the log would go there."""
    port = free_port()
    path = written(tmp_path, config.basic(
        port, [servers[0].text]))
    with started(
            ["sh", "-c",
             'exec "$@" %s' % " ".join("%d>&-" % fd for fd in closed),
             "sh", *program(), "-v", "-c", path]) as process:
        ends_well(process, port)


def test_signals_that_the_parent_blocked_are_heard(tmp_path, servers):
    """SIGXFSZ besides: a log at the limit of its size ends nothing."""
    port, log = free_port(), tmp_path / "log"
    path = written(tmp_path, config.basic(
        port, [servers[0].text], log={"file": str(log)}))

    def hamper():
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    with started([*program(), "-c", path], preexec_fn=hamper) as process:
        ends_well(process, port)
    assert log.stat().st_size == 100
