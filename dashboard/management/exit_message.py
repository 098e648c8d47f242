"""Ends of commands without a traceback: after an error, one line on stderr; or because nobody reads their output."""

from __future__ import annotations

import os
import select
import signal
import sys
from typing import NoReturn

from django.core.management.base import OutputWrapper

from dashboard.runtime.invisible_characters import escape_to_one_line


def one_line(sentence: object) -> str:
    """The sentence on one line, with what a terminal may obey escaped."""
    return escape_to_one_line(" ".join(str(sentence).split()))


def exit_if_nobody_reads() -> None:
    """End the process as SIGPIPE would, where what reads its output, such as `head`, has ended."""
    reader = select.poll()
    reader.register(sys.stdout.fileno(), 0)
    if any(event & select.POLLERR for _, event in reader.poll(0)):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it flushes at the end
        raise SystemExit(128 + signal.SIGPIPE)


def exit_with_message(stderr: OutputWrapper, sentence: object, *, code: int = 1) -> NoReturn:
    """Print the reason, which may quote texts of others, and end the process with `code`."""
    stderr.write(one_line(sentence))
    raise SystemExit(code)
