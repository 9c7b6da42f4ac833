"""Which program is tested, and how.

It is $FAIRLEAD, else build/src/daemon/fairlead of this checkout. $FAIRLEAD_WRAP
may put a command before it, such as valgrind.
"""

import functools
import os
import pathlib
import shlex

_ROOT = pathlib.Path(__file__).resolve().parents[3]


def _path():
    return os.environ.get(
        "FAIRLEAD", str(_ROOT / "build" / "src" / "daemon" / "fairlead"))


def program():
    """The command line's beginning: the wrapper, then the program."""
    path = _path()
    if not os.access(path, os.X_OK):
        raise RuntimeError(
            "no program at %s: build it, or name it in FAIRLEAD" % path)
    return shlex.split(os.environ.get("FAIRLEAD_WRAP", "")) + [path]


@functools.lru_cache
def is_wrapped():
    """Whether it runs under a wrapper."""
    return bool(os.environ.get("FAIRLEAD_WRAP"))


@functools.lru_cache
def _has_any(marks):
    try:
        binary = pathlib.Path(_path()).read_bytes()
    except OSError:
        return False    # what is wrong with it, program() says
    return any(mark in binary for mark in marks)


def is_sanitized():
    """Whether it was built with a sanitizer."""
    return _has_any((b"__asan_init", b"__tsan_init", b"__msan_init"))


def is_thread_sanitized():
    """Whether that one is the thread sanitizer."""
    return _has_any((b"__tsan_init",))
