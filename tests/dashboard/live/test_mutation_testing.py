"""Tests of the model itself, which has to catch each of these injected faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dashboard.live.hub.browser_socket import Socket
from dashboard.live.hub.kind_summaries import KindSummary
from dashboard.live.index.matches import FacetCounter, Matches
from dashboard.live.index.sort_index import SortIndex
from dashboard.live.index.sorted_list import SortedList
from dashboard.live.replication.entry_deduplicator import EntryDeduplicator
from dashboard.live.replication.messages import Frame
from dashboard.live.replication.publisher import Publisher
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_rows import ReplicaRows
from dashboard.live.replication.snapshot import Snapshot, SnapshotStore
from dashboard.live.replication.snapshot_pull import Position
from dashboard.objects.kinds.row import Row
from dashboard.pages.lists.row_window import RenderRow, RowWindow
from tests.dashboard.live.test_random_histories import _small, by_chance, live_through, unbroken
from tests.support.live.model.oracle import check
from tests.support.long_tests import long_but

pytestmark = pytest.mark.slow

__all__ = ["_small"]

Patch = Callable[[pytest.MonkeyPatch], None]
SEEDS = range(12)
SOONEST = {"a replica applies what is late": 10, "a replica takes over what a worker without a list has": 6}
"""The seed that catches a fault where few do; the others are tried after it."""


def _instead(owner: type, name: str, function: Callable[..., Any]) -> Patch:
    return lambda patch: patch.setattr(owner, name, function)


def _follows_over_holes(place: Position, frame: Frame) -> bool:
    return place._dictionaries.bind(frame.rows, frame.dictionaries)


def _drops_unsent(publisher: Publisher, uid: str) -> None:
    publisher.rows.pop(uid, None)


def _doubles_entries(telling: EntryDeduplicator, entries: tuple[Any, ...], rates: Any = ()) -> tuple[list[Any], int]:
    return list(entries), 0


def _forgets_the_gap(telling: EntryDeduplicator, epoch: str, told_from: float | None) -> None:
    _follow(telling, epoch, told_from)


_follow = EntryDeduplicator.follow


def _knows_one_worker(telling: EntryDeduplicator, entry: Any) -> bool:
    return False


def _keeps_its_place(index: SortIndex, uid: str, old: Row | None, new: Row | None) -> None:
    index.last_change = None
    if old is None or new is None:
        _move(index, uid, old, new)


_move = SortIndex.update


def _counts_only_what_comes(census: FacetCounter, old: Row | None, new: Row | None) -> None:
    if new is not None:
        census.facets[new.status, new.tone] += 1


def _forgets_the_last_block(entries: SortedList, entry: bytes) -> None:
    if len(entries) % 7:
        _remove(entries, entry)


_remove = SortedList._remove


def _freezes_late(snapshots: SnapshotStore, source: Any) -> Snapshot:
    frozen = _freeze(snapshots, source)
    frozen.seq += 1
    return frozen


_freeze = SnapshotStore.freeze


def _shows_nothing_of_what_left(rows: RowWindow, wanted: list[str], render_row: RenderRow) -> str:
    rows._shown = [uid for uid in rows._shown if uid in wanted]
    return _render_update(rows, wanted, render_row)


_render_update = RowWindow.render_update


def _never_removed(summary: KindSummary, row: Row) -> None:
    summary.tones[row.tone] -= 1


FAULTS: dict[str, Patch] = {
    "a replica goes on over holes": _instead(Position, "continues", _follows_over_holes),
    "a replica applies what is late": _instead(Position, "is_late", lambda *_: False),
    "a replica never notices silence": _instead(Replica, "_silent", lambda _: False),
    "a replica follows whichever worker was heard last": _instead(Replica, "_is_of_older_worker", lambda *_: False),
    "a replica takes over what a worker without a list has": _instead(Replica, "_wait_for_list", Replica._finish),
    "a snapshot leaves ghosts": _instead(ReplicaRows, "remove", lambda *_: []),
    "entries of the feed are told twice": _instead(EntryDeduplicator, "deduplicate", _doubles_entries),
    "a change that two workers say is told twice": _instead(EntryDeduplicator, "_known", _knows_one_worker),
    "what nobody told after a switch is not counted": _instead(EntryDeduplicator, "_untold", lambda *_: 0),
    "a time without a worker is not told": _instead(EntryDeduplicator, "follow", _forgets_the_gap),
    "a deleted object is not told": _instead(Publisher, "remove", _drops_unsent),
    "a snapshot names the next frame's number": _instead(SnapshotStore, "freeze", _freezes_late),
    "a row that changed keeps its place": _instead(SortIndex, "update", _keeps_its_place),
    "an order loses an entry's going now and then": _instead(SortedList, "_remove", _forgets_the_last_block),
    "statuses are only ever added": _instead(FacetCounter, "update", _counts_only_what_comes),
    "time brings no row in and takes none out": _instead(Matches, "pop_due", lambda *_: []),
    "rows that left the window stay on the page": _instead(RowWindow, "render_update", _shows_nothing_of_what_left),
    "what was wrong stays wrong": _instead(KindSummary, "_remove", _never_removed),
    "a browser that caught up gets no window": _instead(Socket, "acknowledge", lambda *_: False),
}

SHORT = (
    "a replica goes on over holes", "a snapshot leaves ghosts", "entries of the feed are told twice",
    "rows that left the window stay on the page", "what was wrong stays wrong",
)  # fmt: skip


@pytest.mark.parametrize("fault", long_but(FAULTS, *SHORT))
async def test_the_fault_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[fault](monkeypatch)
    for seed in (SOONEST.get(fault, 0), *SEEDS):
        for deeds in (by_chance(seed), unbroken(by_chance(seed))):
            try:
                check(await live_through(seed, deeds))
            except (AssertionError, LookupError, TypeError):
                return
    pytest.fail(f"nobody noticed that {fault}")
