"""Processes that are gone when a test is over, however it ends."""

import contextlib
import subprocess


@contextlib.contextmanager
def started(command, **options):
    """A running program, killed at the end unless it has ended by itself."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()
