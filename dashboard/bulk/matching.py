"""What matches the filter of a run by now: others come and go between the choice and the write."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.http import QueryDict

from dashboard.bulk.place import Place
from dashboard.bulk.run import Item
from dashboard.live.messages import Row
from dashboard.live.result_store import NoRoom
from dashboard.resources.namespaces import is_watched
from dashboard.resources.pages import is_known
from dashboard.resources.query import Query


@dataclass(frozen=True, slots=True)
class Matching:
    """Of the objects of a run that is over all that matched."""

    words: str
    """The filter as it was typed; empty for a list without one."""
    known: bool
    came: int = 0
    """Others that match by now, and are not in the run."""
    left: int = 0
    """Those that are to be written although they match no longer."""


async def matching_now(place: Place, items: Iterable[Item]) -> Matching | None:
    """None for a run over rows that somebody selected. Only what this process has read already is looked at."""
    if not place.run.matching:
        return None
    live, kind = place.live, place.kind
    params = QueryDict(urlsplit(place.run.back).query)
    query = Query.parse(params, kind.key)
    spaces = (f"namespace={name}" for name in query.namespaces)
    words = " ".join((*spaces, *params.getlist("q"))).strip()
    if not is_watched(live, kind.key) or not is_known(live.replicas.get(kind.key)):
        return Matching(words, known=False)
    live.interest.look(kind.key)
    try:
        rows = await live.hub.all_rows(kind, query)
    except NoRoom:
        return Matching(words, known=False)
    came, left = await asyncio.to_thread(_compared, rows, items)
    return Matching(words, known=True, came=came, left=left)


def _compared(rows: Iterable[Row], items: Iterable[Item]) -> tuple[int, int]:
    uids, known, left = {row.uid for row in rows}, set[str](), 0
    for item in items:
        known.add(item.uid)
        left += item.state == "tried" and item.uid not in uids
    return len(uids - known), left
