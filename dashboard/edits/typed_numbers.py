"""Numbers as people type them into an input: decimal digits, and no more of them than an object can hold."""

from __future__ import annotations

import re

_WHOLE = re.compile(r"[-+]?[0-9]{1,19}")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")


def whole_number(typed: str) -> int | None:
    """None where it is no whole number of at most 19 digits."""
    return int(typed) if _WHOLE.fullmatch(typed) else None


def number(typed: str) -> int | float | None:
    """An int where it is a whole number; None where it is none. Infinite where it is too large for any object."""
    if not _NUMBER.fullmatch(typed):
        return None
    whole = whole_number(typed)
    return float(typed) if whole is None else whole
