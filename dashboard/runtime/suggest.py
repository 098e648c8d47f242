"""Names that are similar to an unknown one, for "did you mean" messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MAX_COMPARED = 200
"""Maximum number of names that are compared: so many take some milliseconds."""


def suggest_names(name: str, candidates: Iterable[str], limit: int = 1) -> list[str]:
    """The most similar of the `candidates` first, in upper or lower case; empty where none is similar."""
    by_folded: dict[str, str] = {}
    for each in candidates:
        if len(by_folded) == MAX_COMPARED:
            break
        by_folded.setdefault(each.casefold(), each)
    return [by_folded[each] for each in difflib.get_close_matches(name.casefold(), by_folded, n=limit)]
