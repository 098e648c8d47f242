"""Runs another program, and blocks its main thread for good at SIGUSR1.

``python -m tests.support.hostile.blocking_program HOW ARGUMENTS…`` does what ``python ARGUMENTS…`` does.
"""

from __future__ import annotations

import itertools
import logging
import re
import runpy
import signal
import socket
import sys
from collections.abc import Callable


def _in_python() -> None:
    while True:
        pass


def _in_regular_expression() -> None:
    re.search(r"^(.|.|.|.)+!$", "a" * 40)


def _in_c() -> None:
    """Without a look at signals, and without letting another thread run."""
    sum(itertools.repeat(1))


def _in_system_call() -> None:
    ours, theirs = socket.socketpair()
    ours.recv(1)
    theirs.close()  # open until then: recv returns at once where nobody is at the other end


def _in_log_handler() -> None:
    """As where the pipe of the log is full: with the lock that every line of the log needs."""
    for handler in logging.getLogger().handlers:
        handler.acquire()
    _in_system_call()


WAYS: dict[str, Callable[[], None]] = {
    "python": _in_python,
    "regular expression": _in_regular_expression,
    "c": _in_c,
    "system call": _in_system_call,
    "log handler": _in_log_handler,
}


def _block(how: str) -> None:
    sys.stderr.write("blocked at SIGUSR1\n")
    WAYS[how]()


def main() -> None:
    how, *sys.argv = sys.argv[1:]
    signal.signal(signal.SIGUSR1, lambda *_: _block(how))
    sys.path.insert(0, ".")
    if sys.argv[0] == "-m":
        sys.argv.pop(0)
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
