"""Errors of commands: one line on stderr, then the exit code, without a traceback."""

from __future__ import annotations

from typing import NoReturn

from django.core.management.base import OutputWrapper

from dashboard.runtime.invisible_characters import escape_to_one_line


def one_line(sentence: object) -> str:
    """The sentence on one line, with what a terminal may obey escaped."""
    return escape_to_one_line(" ".join(str(sentence).split()))


def exit_with_message(stderr: OutputWrapper, sentence: object, *, code: int = 1) -> NoReturn:
    """Print the reason, which may quote texts of others, and end the process with `code`."""
    stderr.write(one_line(sentence))
    raise SystemExit(code)
