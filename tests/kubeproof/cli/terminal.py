"""Runs the command as its users do: on a terminal of some width, or in a pipe."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\]8;[^\x1b]*\x1b\\")


def on_terminal(width: int, *args: str, **environment: str) -> str:
    """All that `kubeproof args` shows on a terminal of that many columns, with what the terminal obeys."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    unset = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "CLICOLOR", "CLICOLOR_FORCE")
    env = {name: value for name, value in os.environ.items() if name not in unset}
    env |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment}
    command = [sys.executable, "-m", "kubeproof", *args]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        shown = b""
        while part := _read(ours):
            shown += part
    os.close(ours)
    assert process.returncode in (0, 1, 2)
    return shown.decode("utf-8").replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def in_pipe(*args: str, **environment: str) -> str:
    """The same in a pipe: standard output, then standard error."""
    env = {**os.environ, "LC_ALL": "C.UTF-8", **environment}
    done = subprocess.run([sys.executable, "-m", "kubeproof", *args], capture_output=True, env=env, check=False)
    return (done.stdout + done.stderr).decode("utf-8")


def without_escapes(shown: str) -> str:
    return _ESCAPES.sub("", shown)
