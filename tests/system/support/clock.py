"""Deadlines and conditions: nothing in these tests sleeps for a fixed time."""

import os
import time

from support.program import is_sanitized, is_wrapped

# A wrapper such as valgrind makes the daemon some twenty times slower, a
# sanitizer some three times, so every deadline grows with it; a deadline only
# decides when to give up.
PACE = 10.0 if is_wrapped() else 3.0 if is_sanitized() else 1.0
SCALE = PACE * float(os.environ.get("FAIRLEAD_TIME_SCALE", "1"))


def seconds(base):
    """A deadline's length: `base` seconds on a machine that is not busy."""
    return base * SCALE


class Deadline:
    """The moment to give up, `base` seconds from now."""

    def __init__(self, base):
        self.end = time.monotonic() + seconds(base)

    @classmethod
    def real(cls, real_seconds):
        """So many seconds from now, however slow all is."""
        return cls(real_seconds / SCALE)

    def left(self):
        """Seconds left, never negative."""
        return max(0.0, self.end - time.monotonic())

    def passed(self):
        return time.monotonic() >= self.end


def wait_until(condition, what, base=5.0, step=0.002):
    """Polls `condition` until it is true and returns its value.

    `what` says in words what is waited for; it is the failure's text. A
    callable is called for it, so that it can tell the last state seen.
    """
    deadline = Deadline(base)
    while True:
        value = condition()
        if value:
            return value
        if deadline.passed():
            text = what() if callable(what) else what
            raise AssertionError("waited in vain: " + text)
        # This is the wait itself: between two looks at the condition.
        time.sleep(step)
