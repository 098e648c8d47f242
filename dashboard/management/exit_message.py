"""Errors of commands: one line on stderr, then the exit code, without a traceback."""

from __future__ import annotations

from typing import NoReturn

from django.core.management.base import OutputWrapper


def exit_with_message(stderr: OutputWrapper, sentence: object, *, code: int = 1) -> NoReturn:
    """Print the reason and end the process with `code`."""
    stderr.write(" ".join(str(sentence).split()))
    raise SystemExit(code)
