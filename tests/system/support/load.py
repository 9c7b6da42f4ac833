"""The load of load/mcsoak.c, run beside a test."""

import os
import pathlib
import re
import subprocess
import tempfile

from support.clock import seconds
from support.program import program

_SOURCE = pathlib.Path(__file__).resolve().parents[1] / "load"
_SRC = _SOURCE.parents[2] / "src"


def _built_beside_the_program():
    """The build's own mcsoak, where meson made one."""
    build = pathlib.Path(program()[-1]).resolve().parents[2]
    path = build / "tests" / "system" / "load" / "mcsoak"
    return path if os.access(path, os.X_OK) else None


def build():
    """The path of mcsoak, compiled here if the build has none."""
    path = _built_beside_the_program()
    if path is not None:
        return str(path)
    out = os.path.join(tempfile.mkdtemp(prefix="mcsoak-"), "mcsoak")
    subprocess.run(
        [os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-D_GNU_SOURCE",
         "-I", str(_SRC), "-I", str(_SOURCE), "-o", out]
        + [str(p) for p in sorted(_SOURCE.glob("*.c"))]
        + [str(_SRC / "base" / n) for n in ("mem.c", "must.c", "num.c")],
        check=True)
    return out


class Load:
    """A running load; it stays up until finish()."""

    def __init__(self, path, port, requests=1000, conns=50, depth=8,
                 keys=20000, seed=1):
        self.process = subprocess.Popen(
            [path, "-w", "-n", str(requests), "-c", str(conns), "-d",
             str(depth), "-k", str(keys), "-s", str(seed), str(port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)

    def is_running(self):
        return self.process.poll() is None

    def finish(self, base=120):
        """Ends the load once its requests are answered; its counts.

        Anything wrong that it saw is an assertion failure.
        """
        out, _ = self.process.communicate(timeout=seconds(base))
        text = out.decode("utf-8", "backslashreplace")
        assert self.process.returncode == 0, text
        return {name: float(value)
                for name, value in re.findall(r"(\w+)=([\d.]+)", text)}

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
