"""The ports that tests choose: stages of a test run go on side by side."""

import os
import pathlib
import subprocess
import sys

from support.ports import free_port

_HERE = str(pathlib.Path(__file__).resolve().parent)
_TAKE = """
from support.ports import free_port
print(*(free_port() for _ in range(400)), flush=True)
input()
"""


def test_runs_beside_each_other_have_no_port_in_common():
    runs = [subprocess.Popen(
        [sys.executable, "-B", "-c", _TAKE], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
        env=dict(os.environ, PYTHONPATH=_HERE)) for _ in range(4)]
    ports = [free_port() for _ in range(400)]
    try:
        for run in runs:
            ports += map(int, run.stdout.readline().split())
    finally:
        for run in runs:
            run.communicate("\n")
    assert len(ports) == 2000
    assert len(set(ports)) == 2000
