"""Tests of the value counts of columns and labels: counted once, kept current, and found by a part of the value."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live.index.searchable_text_counts import (
    BLOCK_SIZE,
    MAX_DISTINCT,
    MAX_VALUE_LENGTH,
    MAX_VALUES,
    SEPARATOR,
    TextCounts,
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
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import pod

STATUS = ColumnSource(-1)


def counted(texts: TextCounts, part: str) -> list[tuple[str, int]]:
    return [(each.value, each.count) for each in texts.most_common(part)]


def used(values: ValueCounts, source: ValueSource) -> ValueCounter:
    column = values.use(source)
    assert column is not None
    return column


def filled(*values: str) -> TextCounts:
    texts = TextCounts()
    for value in values:
        texts.add(value)
    return texts


def test_texts_that_begin_with_a_part_come_before_those_that_hold_it_the_commonest_first() -> None:
    texts = filled(
        "Bad", "a-bad", "a-bad", "a-bad", "badly", "badly", "good", "", "bad" * MAX_VALUE_LENGTH, f"bad{SEPARATOR}"
    )
    assert counted(texts, "BAD") == [("badly", 2), ("Bad", 1), ("a-bad", 3)]
    assert counted(texts, "") == [("a-bad", 3), ("badly", 2), ("Bad", 1), ("good", 1)]


def test_a_text_is_there_until_the_last_one_of_it_has_gone() -> None:
    texts = filled("Running", "Running")
    texts.remove("Running")
    assert texts.has("running")
    texts.remove("Running")
    texts.remove("Running")
    assert not texts.has("running")
    assert counted(texts, "run") == []
    texts.add("Running")
    assert counted(texts, "run") == [("Running", 1)]


@given(st.lists(st.text("aAbİß-", max_size=4), max_size=60), st.text("aAbİß-", max_size=2), st.randoms())
def test_what_is_found_is_what_going_through_all_of_them_finds(
    values: list[str], part: str, chance: random.Random
) -> None:
    texts = filled(*values)
    gone = [value for value in values if chance.random() < 0.3]
    for value in gone:
        texts.remove(value)
    left = {value: values.count(value) - gone.count(value) for value in values if value}
    folded = part.casefold()
    fits = {value: count for value, count in left.items() if count and folded in value.casefold()}
    order = sorted(fits, key=lambda each: (not each.casefold().startswith(folded), -fits[each], each))
    assert counted(texts, part) == [(value, fits[value]) for value in order[: MAX_VALUES + 1]]


def test_of_very_many_texts_some_are_offered_and_the_others_are_found_by_typing() -> None:
    names = [f"web-{number:05d}" for number in range(MAX_DISTINCT + 2 * BLOCK_SIZE + 5)]
    texts = filled(*names)
    assert len(texts.most_common("")) == len(texts.most_common("b-0")) == MAX_VALUES + 1
    assert counted(texts, names[-1]) == [(names[-1], 1)]
    assert texts.nearest("web-0400x").startswith("web-0400")


def test_what_begins_like_a_text_is_found_in_few_searches_however_long_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = filled(*(f"web-{number:05d}" for number in range(3 * BLOCK_SIZE)), "x" * 60 + "-shop")
    searched: list[str] = []
    search = TextCounts._with

    def noted(self: TextCounts, part: str, *most: int) -> dict[str, int]:
        searched.append(part)
        return search(self, part, *most)

    monkeypatch.setattr(TextCounts, "_with", noted)
    assert texts.nearest("X" * 60 + "-shpo") == "x" * 60 + "-shop"
    assert texts.nearest("web-0002" + "y" * 2).startswith("web-0002")
    assert texts.nearest("q" * 60) == ""
    assert len(searched) <= 3 * 8


def test_texts_that_come_and_go_wear_it_out() -> None:
    texts = TextCounts()
    for number in range(12 * BLOCK_SIZE):
        texts.add(f"10.0.0.{number}")
        texts.remove(f"10.0.0.{number}")
    assert texts.needs_compaction
    assert not filled(*(f"10.0.0.{number}" for number in range(12 * BLOCK_SIZE))).needs_compaction


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
