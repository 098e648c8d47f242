"""Names that are similar to an unknown one, for "did you mean" messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

MAX_COMPARED = 200
"""Maximum number of names that are compared: so many take some milliseconds."""


def suggest_names(
    name: str,
    candidates: Iterable[str],
    limit: int = 1,
    *,
    cutoff: float = 0.6,
    compared: int | None = MAX_COMPARED,
) -> list[str]:
    """The most similar of the `candidates` first, in upper or lower case; empty where none is similar.

    `cutoff` is the least similarity, of 1 for the same name. Of the candidates the first `compared` are looked at, all
    of them for None.
    """
    by_folded: dict[str, str] = {}
    for each in islice(candidates, compared):
        by_folded.setdefault(each.casefold(), each)
    return [by_folded[each] for each in difflib.get_close_matches(name.casefold(), by_folded, n=limit, cutoff=cutoff)]
