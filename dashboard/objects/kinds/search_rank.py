"""Ranking of kinds for a search by name."""

from __future__ import annotations

from dashboard.objects.kinds.api_group_projects import project_of
from dashboard.objects.kinds.catalog import KindInfo, is_builtin

EXACT, PREFIX, SUBSTRING, CATEGORY = range(4)
Rank = tuple[int, bool, int, str]
"""How well a kind fits, the best first. Of equal ones built-in kinds come first, as with kubectl, then short names."""


def kind_rank(kind: KindInfo, text: str) -> Rank | None:
    """How well `text`, in lower case, names a kind; None where it does not.

    A name or short name comes first, then the beginning of one, then a part of it or of the project's name. A category
    is told by its whole name only: kubectl's ``all`` is nobody's beginning.
    """
    names = {*kind.names, kind.plain_title.lower()}
    if text in names:
        place = EXACT
    elif any(name.startswith(text) for name in names):
        place = PREFIX
    elif any(text in name for name in names) or text in project_of(kind.resource).lower():
        place = SUBSTRING
    elif text in map(str.lower, kind.resource.categories):
        place = CATEGORY
    else:
        return None
    return place, not is_builtin(kind.key), len(kind.resource.plural), kind.key
