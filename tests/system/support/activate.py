"""Runs a program with sockets, as systemd does that has opened them.

    activate.py NAME=DESCRIPTOR... -- PROGRAM ARGUMENT...

The descriptors become those from 3 on.
"""

import fcntl
import os
import sys

FIRST = 3
_AWAY = 100


def main():
    end = sys.argv.index("--")
    names, sockets = [], []
    for word in sys.argv[1:end]:
        name, number = word.rsplit("=", 1)
        names.append(name)
        # First out of the way of the places where they belong.
        sockets.append(fcntl.fcntl(int(number), fcntl.F_DUPFD, _AWAY))
    for place, number in enumerate(sockets, FIRST):
        os.dup2(number, place)
        os.close(number)
    os.environ.update(LISTEN_PID=str(os.getpid()),
                      LISTEN_FDS=str(len(sockets)),
                      LISTEN_FDNAMES=":".join(names))
    os.execvp(sys.argv[end + 1], sys.argv[end + 1:])


if __name__ == "__main__":
    main()
