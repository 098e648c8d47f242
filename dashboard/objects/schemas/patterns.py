"""Patterns of schemas, which are Go's regular expressions: RE2 reads the same syntax.

RE2's time grows with the text times the pattern's program, whoever wrote the pattern; both are limited here. A pattern
from a cluster or a person must never reach Python's own engine, where it can take time exponential in the text.
"""

from __future__ import annotations

from functools import lru_cache

import re2

MAX_PATTERN_LENGTH = 10_000
"""Maximum characters of a pattern that is checked."""
MAX_PROGRAM_SIZE = 4_000
"""Maximum instructions of a compiled pattern; ``^.{1,253}$`` has 2,300."""
MAX_MEMORY = 1024 * 1024
"""Maximum bytes of a compiled pattern, with the states that RE2 keeps while it matches."""
MAX_MATCH_STEPS = 2_000_000
"""Maximum characters of a text times instructions of a pattern: 0.1 s at worst."""
MATCH_STEPS_OF_A_STEP = 100
"""Steps of a match that take as long as one step of a WorkBudget."""


def fits_pattern(text: str, pattern: str) -> bool:
    """Whether the pattern is found in `text`.

    True for what is not known: a pattern that RE2 cannot read or that is too large, and a text too long for it. The API
    server has the last word.
    """
    compiled = _compiled(pattern)
    if compiled is None or len(text) * compiled.programsize > MAX_MATCH_STEPS:
        return True
    try:
        return compiled.search(text) is not None
    except UnicodeEncodeError:  # half of a surrogate pair
        return True


def pattern_size(pattern: str) -> int | None:
    """Instructions of the compiled pattern; None for one that RE2 cannot read or that is too large."""
    compiled = _compiled(pattern)
    return None if compiled is None else compiled.programsize


def match_work(text: str, pattern: str) -> int:
    """Steps of a WorkBudget that `fits_pattern` takes at most."""
    compiled = _compiled(pattern)
    steps = 0 if compiled is None else len(text) * compiled.programsize
    return 1 + (steps // MATCH_STEPS_OF_A_STEP if steps <= MAX_MATCH_STEPS else 0)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re2._Regexp | None:
    if len(pattern) > MAX_PATTERN_LENGTH:
        return None
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = MAX_MEMORY
    try:
        compiled = re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        return None
    return compiled if compiled.programsize <= MAX_PROGRAM_SIZE else None
