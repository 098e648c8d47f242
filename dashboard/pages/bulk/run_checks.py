"""Checks of a run: the permission to patch or delete, what the filter matches by now, and the dependents."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.http import QueryDict

from dashboard.cluster.access_reviews import ACCESS_REVIEWS, ResourceAttributes
from dashboard.live.hub.hub import HUB
from dashboard.live.hub.on_demand_kinds import INTEREST
from dashboard.live.index.index_store import PathCacheFull
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.row import Row
from dashboard.objects.query.list_query import Query
from dashboard.pages.bulk.request_context import RunRequest
from dashboard.pages.bulk.run import Item
from dashboard.pages.delete.dependents import each_dependent
from dashboard.pages.layout.requested_kind import has_synced, is_followed
from dashboard.runtime.time_slicing import in_turns


@dataclass(frozen=True, slots=True)
class FilterChanges:
    """Changes of the matches of a run that covers all matching objects."""

    words: str
    """The filter as typed; empty for a list without one."""
    is_known: bool
    added_count: int = 0
    """Objects that match now, and are not in the run."""
    removed_count: int = 0
    """Objects of the run that do not match any more."""


async def filter_changes(run_request: RunRequest, items: Iterable[Item]) -> FilterChanges | None:
    """The changes; None for a run over selected rows. Only rows that this process has read are compared."""
    if not run_request.run.matching:
        return None
    live, kind = run_request.app_state, run_request.kind
    params = QueryDict(urlsplit(run_request.run.back).query)
    query = Query.parse(params, kind.key)
    spaces = (f"namespace={name}" for name in query.namespaces)
    words = " ".join((*spaces, *params.getlist("q"))).strip()
    if not is_followed(live, kind.key) or not has_synced(live[REPLICAS].get(kind.key)):
        return FilterChanges(words, is_known=False)
    live[INTEREST].note_view(kind.key)
    try:
        rows = await live[HUB].all_rows(kind, query)
    except PathCacheFull:
        return FilterChanges(words, is_known=False)
    added_count, removed_count = await asyncio.to_thread(_compared, rows, items)
    return FilterChanges(words, is_known=True, added_count=added_count, removed_count=removed_count)


def _compared(rows: Iterable[Row], items: Iterable[Item]) -> tuple[int, int]:
    uids, run_uids, removed_count = {row.uid for row in rows}, set[str](), 0
    for item in items:
        run_uids.add(item.uid)
        removed_count += item.state == "tried" and item.uid not in uids
    return len(uids - run_uids), removed_count


async def count_dependents(run_request: RunRequest, items: Iterable[Item]) -> tuple[str, ...]:
    """``3 ReplicaSets``, ``12 Pods``: dependents of the objects to be deleted, each counted once."""
    counts: Counter[str] = Counter()
    objects = {item.uid: (item.namespace, item.name) for item in items if item.state == "tried"}
    async for kind in in_turns(each_dependent(run_request.kind, objects, run_request.app_state[REPLICAS])):
        if kind is not None:
            counts[kind.key] += 1
    kinds = (kind for kind in run_request.app_state[REPLICAS].kinds if counts[kind.key])
    return tuple(f"{counts[kind.key]:,} {kind.singular if counts[kind.key] == 1 else kind.title}" for kind in kinds)


MAX_NAMESPACES = 20
"""Most namespaces whose permission is checked; the dry run finds denials in others."""


@dataclass(frozen=True, slots=True)
class VerbLimit:
    """A denied verb, and where it is denied."""

    is_denied_everywhere: bool = False
    words: str = ""


async def verb_limit(run_request: RunRequest, items: Iterable[Item], verb: str) -> VerbLimit:
    """Denial of patching or deleting the objects, checked for one object in each namespace."""
    kind = run_request.kind
    if kind.resource.verbs and verb not in kind.resource.verbs:
        return VerbLimit(is_denied_everywhere=True, words=f"The API server does not support {verb} for {kind.title}.")
    first_items: dict[str, Item] = {}
    for item in items:
        first_items.setdefault(item.namespace, item)
    checked_items = list(first_items.values())[:MAX_NAMESPACES]
    attributes = (ResourceAttributes(verb, kind.resource, item.namespace, item.name) for item in checked_items)
    denials = await asyncio.gather(*map(run_request.app_state[ACCESS_REVIEWS].denial, attributes))
    denied = [item.namespace for item, words in zip(checked_items, denials, strict=True) if words]
    if not denied:
        return VerbLimit()
    if len(denied) == len(first_items) and len(denied) == 1:
        return VerbLimit(is_denied_everywhere=True, words=denials[0])
    where = f"in {', '.join(denied)}" if len(denied) < len(first_items) else "in any of their namespaces"
    words = f"The cluster's access rules do not allow Deltaboard's account to {verb} {kind.resource.key} {where}."
    return VerbLimit(is_denied_everywhere=len(denied) == len(first_items), words=words)
