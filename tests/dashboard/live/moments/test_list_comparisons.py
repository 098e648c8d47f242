"""Tests of the comparisons that a process keeps: shared, few at a time, dropped, and given up when nobody looks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, cast

import pytest

from dashboard.access.rights import UNLIMITED
from dashboard.live.history.list_differences import DifferenceStep
from dashboard.live.history.version import Gap
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.live.moments.list_comparisons import (
    ABANDONED,
    COMPARISON_TTL,
    MAX_COMPARISONS,
    ComparisonRequest,
    ListComparisons,
    TooManyComparisons,
)
from dashboard.live.moments.past_objects import KnownAt
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.query.list_query import Query
from tests.support.clock import FakeClock
from tests.support.wait import eventually

POD = KINDS["pods"]


class EmptyHistory:
    """A history in which nothing differs, of which each step waits for `go`."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.go.set()
        self.steps = 3
        self.namespaces: list[frozenset[str] | None] = []

    async def wait_until_recorded(self, keys: Sequence[str], at: float) -> None:
        """All is recorded."""

    async def known_at(self, _key: str, _at: float) -> KnownAt:
        return KnownAt(True)

    async def whole_gaps(self, *_: object) -> list[Gap]:
        return []

    async def list_differences(
        self,
        _key: str,
        _since: float,
        _until: float,
        namespaces: frozenset[str] | None,
        read_step: Callable[[DifferenceStep], Any],
        *,
        reads_all: bool,
    ) -> AsyncIterator[Any]:
        self.namespaces.append(namespaces)
        for number in range(self.steps):
            await self.go.wait()
            yield read_step(DifferenceStep(done=number / self.steps))


@pytest.fixture
def history() -> EmptyHistory:
    return EmptyHistory()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def comparisons(history: EmptyHistory, clock: FakeClock) -> AsyncIterator[ListComparisons]:
    found = ListComparisons(cast("HistoryObjects", history), clock)
    yield found
    await found.drop_all()


def request(since: float = 1.0, q: str = "", namespaces: frozenset[str] | None = None) -> ComparisonRequest:
    query = Query.parse({"q": [q]}, POD.key)
    return ComparisonRequest(POD, since, 100.0, query, UNLIMITED.fingerprint, lambda *_: True, namespaces, True, None)


async def test_equal_requests_share_a_comparison(comparisons: ListComparisons) -> None:
    one = comparisons.open(request())
    assert comparisons.open(request()) is one
    assert comparisons.open(request(q="web")) is not one
    assert comparisons.open(request(since=2.0)) is not one


async def test_it_is_finished_once_all_steps_are_read(comparisons: ListComparisons) -> None:
    comparison = comparisons.open(request())
    await comparison.finished.wait()
    assert comparison.done == 1.0
    assert comparison.total == 0
    assert comparison.problem == ""


async def test_the_one_that_was_used_least_lately_makes_room(comparisons: ListComparisons, clock: FakeClock) -> None:
    kept = []
    for number in range(MAX_COMPARISONS):
        kept.append(comparisons.open(request(since=float(number))))
        await kept[-1].finished.wait()
        clock.skip(1)
    comparisons.open(request(since=0.0))
    comparisons.open(request(since=50.0))
    assert len(comparisons) == MAX_COMPARISONS
    assert comparisons.open(request(since=0.0)) is kept[0]
    assert comparisons.open(request(since=2.0)) is kept[2]


async def test_there_is_no_room_while_all_are_worked_out(comparisons: ListComparisons, history: EmptyHistory) -> None:
    history.go.clear()
    for number in range(MAX_COMPARISONS):
        comparisons.open(request(since=float(number)))
    with pytest.raises(TooManyComparisons, match="Try again"):
        comparisons.open(request(since=50.0))


async def test_one_that_nobody_has_asked_for_is_given_up(
    comparisons: ListComparisons, history: EmptyHistory, clock: FakeClock
) -> None:
    history.go.clear()
    comparison = comparisons.open(request())
    await eventually(lambda: history.namespaces)
    clock.skip(ABANDONED + 1)
    history.go.set()
    await eventually(lambda: not len(comparisons))
    assert not comparison.finished.is_set()


async def test_one_is_kept_for_a_while_after_its_last_page(comparisons: ListComparisons, clock: FakeClock) -> None:
    comparison = comparisons.open(request())
    await comparison.finished.wait()
    await clock.advance(COMPARISON_TTL - 1)
    assert comparisons.open(request()) is comparison
    await clock.advance(COMPARISON_TTL - 1)
    assert len(comparisons) == 1
    await clock.advance(1)
    await eventually(lambda: not len(comparisons))


@pytest.mark.parametrize(
    ("asked_for", "visible", "read"),
    [
        ("", None, None),
        ("", {"a", "b"}, {"a", "b"}),
        ("ns=a,c", None, {"a", "c"}),
        ("ns=a,c", {"a", "b"}, {"a"}),
        ("ns=c", {"a"}, set()),
    ],
)
async def test_only_namespaces_are_read_that_are_asked_for_and_may_be_seen(
    comparisons: ListComparisons, history: EmptyHistory, asked_for: str, visible: set[str] | None, read: set[str] | None
) -> None:
    namespaces = frozenset(visible) if visible is not None else None
    await comparisons.open(request(q=asked_for, namespaces=namespaces)).finished.wait()
    assert history.namespaces == [frozenset(read) if read is not None else None]
