"""Names that are much like one that means nothing: what somebody may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MOST = 200
"""Names that are compared at most: so many take some milliseconds."""


def near_names(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """The likest of the `known` names first, whatever their letters' case; none where none is much like it."""
    by_folded: dict[str, str] = {}
    for each in known:
        if len(by_folded) == MOST:
            break
        by_folded.setdefault(each.casefold(), each)
    return [by_folded[each] for each in difflib.get_close_matches(name.casefold(), by_folded, n=most)]
