"""The shell scripts, looked at by shellcheck."""

import subprocess

import tree


def _is_shell_script(file):
    first = file.lines[0] if file.lines else ""
    return first.startswith("#!") and first.endswith(("sh", "bash"))


def shell_scripts_are_sound():
    """shellcheck finds nothing in the shell scripts."""
    scripts = [file.name for file in tree.files() if _is_shell_script(file)]
    done = subprocess.run(
        ["shellcheck", "--external-sources", "--format=gcc"] + scripts,
        cwd=tree.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False)
    yield from done.stdout.decode().splitlines()
    if done.returncode != 0 and not done.stdout:
        yield "shellcheck ended with %d" % done.returncode


CHECKS = (shell_scripts_are_sound,)
