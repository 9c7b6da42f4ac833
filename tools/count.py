"""Counts what a test runner did, from its own record of it.

usage: count.py junit|meson|tap FILE STATUS

Prints "passed failed skipped" and, on standard error, each failure and each
skip with its reason. STATUS is how the runner ended: one that failed without
a failed test, left no record or ran no test counts as one failure.
"""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree

# The last line of a Check program.
CHECK = re.compile(r"^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)$",
                   re.MULTILINE)
TAP = re.compile(r"^(ok|not ok)\b[ \d]*-?\s*(.*?)(?:\s+# SKIP\b(.*))?$")


class Count:
    """Tests that passed, failed and were skipped."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def fail(self, name, number=1):
        self.failed += number
        print("  failed: %s" % name, file=sys.stderr)

    def skip(self, name, reason):
        self.skipped += 1
        print("  skipped: %s: %s" % (name, reason.strip() or "no reason"),
              file=sys.stderr)


def count_junit(path, count):
    """pytest's --junitxml."""
    for case in ElementTree.parse(path).iter("testcase"):
        name = "%s::%s" % (case.get("classname"), case.get("name"))
        skip = case.find("skipped")
        if case.find("failure") is not None or \
                case.find("error") is not None:
            count.fail(name)
        elif skip is not None:
            count.skip(name, skip.get("message", ""))
        else:
            count.passed += 1


def count_program(test, count):
    """One row of meson's log: a Check program counts by its own sum."""
    result, name = test["result"], test["name"]
    sums = CHECK.findall(test.get("stdout", ""))
    cases = sum(int(one[0]) for one in sums)
    failed = sum(int(one[1]) + int(one[2]) for one in sums)
    if result == "SKIP":
        count.skip(name, "its program says so")
        return
    if result != "OK" and failed == 0:
        # It died; whether before or after its cases does not matter.
        count.fail("%s: %s" % (name, result))
    elif failed > 0:
        count.fail("%s: %d of %d" % (name, failed, cases), failed)
    elif cases == 0:
        cases = 1
    count.passed += max(cases - failed, 0)


def count_meson(path, count):
    """meson-logs/testlog.json."""
    with open(path, encoding="utf-8") as rows:
        for row in rows:
            count_program(json.loads(row), count)


def count_tap(path, count):
    """Lines "ok - name" and "not ok - name"."""
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            found = TAP.match(line.rstrip("\n"))
            if not found:
                continue
            word, name, reason = found.groups()
            if reason is not None:
                count.skip(name, reason)
            elif word == "ok":
                count.passed += 1
            else:
                count.fail(name)


KINDS = {"junit": count_junit, "meson": count_meson, "tap": count_tap}


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    kind, path, status = sys.argv[1:]
    count = Count()
    try:
        KINDS[kind](path, count)
    except (OSError, ValueError, KeyError, ElementTree.ParseError) as why:
        count.fail("the runner left no record that can be read: %s" % why)
    if status != "0" and count.failed == 0:
        count.fail("the runner ended with status %s" % status)
    if count.passed + count.failed == 0:
        count.fail("no test was run")
    print(count.passed, count.failed, count.skipped)


if __name__ == "__main__":
    main()
