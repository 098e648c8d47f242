"""Bulk runs that somebody else has ended: one for each kind, over all marked objects that there are."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.access.identity import Identity
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.run import Item
from dashboard.pages.bulk.store import NewRun
from dashboard.server.wiring.web import WebProcess
from tests.support.access.marked_objects import ALL_KINDS, MarkedObject, MarkedObjects, resource_of

AUTHOR = "the author of all runs"
WRITTEN = "a value of that author"
"""Of the label that each run set."""
FILTER = "a-filter-of-that-author"
"""Of the list in which each run was started."""


@dataclass(frozen=True)
class OthersRun:
    """A run that has written all of its objects."""

    key: str
    """Key of the kind."""
    address: str
    objects: tuple[MarkedObject, ...]


async def create_runs(web: WebProcess, objects: MarkedObjects) -> dict[str, OthersRun]:
    """The runs, by kind."""
    return {key: await _create_run(web, key, objects.of(key)) for key in ALL_KINDS}


async def _create_run(web: WebProcess, key: str, written: list[MarkedObject]) -> OthersRun:
    store, server, now = web.bulk_runs.store, web.cluster.server, web.clock.time()
    author = Identity(AUTHOR, "a" * 32)
    items = tuple(Item(each.namespace, each.name, each.uid, "done") for each in written)
    back = f"/resources/{key}/?q={FILTER}"
    number = await store.create(author, server, NewRun(resource_of(key), items, back, is_over_all_matches=True), now)
    run = await store.find(author, number, server)
    assert run is not None
    operation = BulkOperation("label", {"metadata": {"labels": {"set-by-a-run": WRITTEN}}})
    assert await store.claim(run, "done", operation, "", now)
    return OthersRun(key, f"/resources/{key}/bulk/{number}/", tuple(written))
