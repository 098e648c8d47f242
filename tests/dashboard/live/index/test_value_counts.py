"""Tests of the value counts of columns and labels: counted once for all, kept current, dropped when unused."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from dashboard.live.index.searchable_text_counts import (
    BLOCK_SIZE,
)
from dashboard.live.index.value_counts import (
    COUNTS_TTL,
    IN_USE_SECONDS,
    MAX_COUNTED_SOURCES,
    STEP,
    ColumnSource,
    LabelSource,
    ValueCounter,
    ValueCounts,
    ValueSource,
)
from dashboard.objects.kinds.row import Row
from dashboard.runtime.time_slicing import EAGER_STEPS as STEPS_AT_ONCE
from dashboard.runtime.time_slicing import TimeSlicer
from tests.dashboard.live.index.test_searchable_text_counts import counted
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import pod

STATUS = ColumnSource(-1)


def used(values: ValueCounts, source: ValueSource) -> ValueCounter:
    column = values.use(source)
    assert column is not None
    return column


def there(number: int) -> dict[str, Row]:
    rows = [pod(f"p-{each}") for each in range(number)]
    return {row.uid: row for row in rows}


async def test_a_column_is_counted_for_all_who_ask_and_kept_current() -> None:
    rows = there(3)
    values = ValueCounts(rows, FakeClock(), TimeSlicer())
    column = used(values, STATUS)
    assert column.ready
    was = next(iter(rows.values()))
    now = msgspec.structs.replace(was, status="Failed")
    rows[was.uid] = now
    values.update(was, now)
    assert values.use(STATUS) is column
    assert counted(column.texts, "fail") == [("Failed", 1)]
    values.update(now, None)
    assert counted(column.texts, "fail") == []
    values.update(None, now)
    assert counted(column.texts, "fail") == [("Failed", 1)]


async def test_labels_have_their_names_and_each_its_values() -> None:
    rows = there(2)
    labels = {"app": "web", "tier": "front"}
    rows = {uid: msgspec.structs.replace(row, labels=labels) for uid, row in rows.items()}
    values = ValueCounts(rows, FakeClock(), TimeSlicer())
    assert counted(used(values, LabelSource()).texts, "") == [("app", 2), ("tier", 2)]
    assert counted(used(values, LabelSource("app")).texts, "") == [("web", 2)]


async def test_rows_that_change_while_they_are_counted_are_counted_once() -> None:
    rows = there(STEP * (STEPS_AT_ONCE + 8))
    slices, told = TimeSlicer(), asyncio.Event()
    values = ValueCounts(rows, FakeClock(), slices)
    column = used(values, STATUS)
    assert not column.ready
    column.listeners.add(told.set)
    first, *_, last = list(rows.values())
    for was in (first, last):
        rows[was.uid] = now = msgspec.structs.replace(was, status="Failed")
        values.update(was, now)
    gone = rows.pop(list(rows)[1])
    values.update(gone, None)
    new = msgspec.structs.replace(pod("new"), status="Failed")
    rows[new.uid] = new
    values.update(None, new)
    await told.wait()
    assert {each.value: each.count for each in column.texts.most_common("")} == {
        "Failed": 3,
        first.status: len(rows) - 3,
    }
    await slices.stop()


async def test_what_nobody_asks_for_is_let_go_and_of_very_many_only_some_are_kept() -> None:
    clock = FakeClock()
    values = ValueCounts(there(1), clock, TimeSlicer())
    columns = [values.use(LabelSource(f"made-up-{number}")) for number in range(MAX_COUNTED_SOURCES)]
    await clock.advance(IN_USE_SECONDS)
    assert values.use(LabelSource("made-up-0")) is columns[0]
    assert values.use(STATUS) is not None
    assert len(values) == MAX_COUNTED_SOURCES
    assert values.use(LabelSource("made-up-0")) is columns[0]
    await clock.advance(COUNTS_TTL + 1)
    values.use(STATUS)
    values.sweep()
    assert len(values) == 1


async def test_columns_in_use_or_being_counted_do_not_make_room_for_others() -> None:
    """Else those who need all of them have them counted again and again."""
    clock, slices = FakeClock(), TimeSlicer()
    values = ValueCounts(there(STEP * (STEPS_AT_ONCE + 8)), clock, slices)
    columns = [used(values, LabelSource(f"made-up-{number}")) for number in range(MAX_COUNTED_SOURCES)]
    clock.skip(COUNTS_TTL + 1)  # without a turn for who counts
    values.sweep()
    assert values.use(STATUS) is None  # none of them is counted yet
    await asyncio.gather(*(column.counted_event.wait() for column in columns))
    assert [used(values, column.source) for column in columns] == columns
    assert values.use(STATUS) is None
    await clock.advance(IN_USE_SECONDS)
    assert values.use(STATUS) is not None
    await slices.stop()


async def test_what_cannot_be_counted_is_not_known_and_who_waits_is_told(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(dict[str, Row]):
        def get(self, uid: str, default: Any = None) -> Any:
            if uid == last:
                raise ValueError("no such row")
            return super().get(uid, default)

    rows = Failing(there(STEP * (STEPS_AT_ONCE + 8)))
    last = list(rows)[-1]
    clock, slices, told = FakeClock(), TimeSlicer(), asyncio.Event()
    values = ValueCounts(rows, clock, slices)
    column = used(values, STATUS)
    column.listeners.add(told.set)
    await told.wait()
    assert column.counted_event.is_set()
    assert not column.ready
    assert "no such row" in caplog.text
    assert values.use(STATUS) is None  # and is not counted again at once
    last = ""
    await clock.advance(COUNTS_TTL + 1)
    values.sweep()
    await used(values, STATUS).counted_event.wait()
    assert used(values, STATUS).ready
    await slices.stop()


async def test_a_worn_column_is_counted_anew() -> None:
    values = ValueCounts(there(1), FakeClock(), TimeSlicer())
    column = used(values, STATUS)
    for number in range(12 * BLOCK_SIZE):
        column.texts.add(f"{number}")
        column.texts.remove(f"{number}")
    assert values.use(STATUS) is not column
