"""Checks the whole tree by the house rules that a program can check.

Prints a TAP line for each rule and, behind a "#", each breach of it. Exits 1
if there was any. CONTRIBUTING.md has the rules in words.
"""

import sys

import layers
import links
import proof
import scripts
import shape
import words

MODULES = (proof, layers, links, shape, words, scripts)


def main():
    checks = [check for module in MODULES for check in module.CHECKS]
    broken = 0
    print("1..%d" % len(checks))
    for number, check in enumerate(checks, 1):
        breaches = list(check())
        broken += bool(breaches)
        print("%s %d - %s" % ("not ok" if breaches else "ok", number,
                              check.__doc__.rstrip(".")))
        for breach in breaches:
            print("# " + breach)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
