"""How a command says no: one line on stderr, then the exit code. No trace, for nothing is broken."""

from __future__ import annotations

from typing import NoReturn

from django.core.management.base import OutputWrapper


def refuse(stderr: OutputWrapper, sentence: object, *, code: int = 1) -> NoReturn:
    """Say why not and end the process with `code`."""
    stderr.write(" ".join(str(sentence).split()))
    raise SystemExit(code)
