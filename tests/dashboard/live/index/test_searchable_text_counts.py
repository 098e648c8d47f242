"""Tests of counted texts: found by a part, the commonest first, in bounded time and memory."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live.index import searchable_text_counts
from dashboard.live.index.searchable_text_counts import (
    BLOCK_SIZE,
    MAX_DISTINCT,
    MAX_VALUE_LENGTH,
    MAX_VALUES,
    SEPARATOR,
    TextCount,
    TextCounts,
    TextTally,
    count_path_values,
)
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.paths.path_suggestions import SAMPLE_BYTES, SAMPLE_SIZE, sample_objects
from informerd.objects import Blob
from tests.dashboard.objects.paths.test_path_suggestions import big


def there(*rows: Row) -> dict[str, Row]:
    return {row.uid: row for row in rows}


def tally(part: str, *values: str) -> list[tuple[str, int]]:
    counts = TextTally(part)
    for value in values:
        counts.add(value)
    return [(each.value, each.count) for each in counts.most_common()]


def test_values_that_begin_with_what_is_typed_come_before_those_that_hold_it_the_commonest_first() -> None:
    values = ("Bad", "a-bad", "a-bad", "a-bad", "badly", "badly", "good", "", "bad" * MAX_VALUE_LENGTH)
    assert tally("BAD", *values) == [("badly", 2), ("Bad", 1), ("a-bad", 3)]
    assert tally("", "b", "a", "c", "c") == [("c", 2), ("a", 1), ("b", 1)]


def test_of_many_values_only_so_many_are_kept_and_the_others_are_found_by_typing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made_up: list[str] = []

    def counted(value: str, count: int = 0) -> TextCount:
        made_up.append(value)
        return TextCount(value, count)

    monkeypatch.setattr(searchable_text_counts, "TextCount", counted)
    names = [f"web-{number:05d}" for number in range(MAX_DISTINCT + 100)]
    assert len(tally("", *names, names[3], names[3])) == len(made_up) == MAX_VALUES + 1
    assert tally("", *names, names[3])[0] == (names[3], 2)
    assert tally("", *names, names[-1], names[-1])[0] == (names[0], 1)
    assert tally(names[-1], *names, names[-1]) == [(names[-1], 2)]
    assert tally("x", *(f"a{name}x" for name in names), "xylo")[0] == ("xylo", 1)


def test_a_sample_and_a_paths_values_are_of_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    unpack = Blob.json

    def counted(blob: Blob) -> bytes:
        found = unpack(blob)
        read.append(len(found))
        return found

    monkeypatch.setattr(Blob, "json", counted)
    rows = there(*[big(f"big-{number}", 100_000) for number in range(200)])
    assert 0 < len(sample_objects(rows.values())) < SAMPLE_SIZE
    assert sum(read) <= SAMPLE_BYTES
    read.clear()
    found = count_path_values(FieldPath(".metadata.name"), rows, "big-1")
    assert 0 < len(found) <= len(read) < len(rows)
    assert sum(read) <= searchable_text_counts.MAX_BYTES_READ


def counted(texts: TextCounts, part: str) -> list[tuple[str, int]]:
    return [(each.value, each.count) for each in texts.most_common(part)]


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
