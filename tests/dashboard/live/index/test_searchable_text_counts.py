"""Tests of suggested values: the choice, the order, and bounded time and memory."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
import zstandard

from dashboard.live.index import searchable_text_counts
from dashboard.live.index.searchable_text_counts import (
    MAX_DISTINCT,
    MAX_VALUE_LENGTH,
    MAX_VALUES,
    TextCount,
    TextTally,
    count_path_values,
)
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths import path_suggestions as field_names
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.paths.path_suggestions import SAMPLE_BYTES, SAMPLE_SIZE, sample_objects, sample_rows
from dashboard.pages.lists.completion import views
from informerd.objects import Blob
from tests.support.live.replica_feeder import pod
from tests.support.objects.rows import made
from tests.support.pages.site_without_cluster import Site


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


async def test_only_what_is_offered_becomes_a_line_and_the_rest_is_said_to_be_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines: list[str] = []

    option = views.CompletionItem

    def counted(text: str, insert: str, about: str = "") -> views.CompletionItem:
        lines.append(text)
        return option(text, insert, about)

    monkeypatch.setattr(views, "CompletionItem", counted)
    objects = [
        ("pods", made("Pod", f"p-{n:03d}", namespace="shop", spec={"nodeName": f"n-{n:03d}"})) for n in range(300)
    ]
    site = Site(*objects, watched=("pods",))
    html = (await site.client.get("/resources/pods/complete?q=node%3D")).content.decode()
    assert len(lines) == MAX_VALUES + 1
    assert len(re.findall("data-insert", html)) == MAX_VALUES
    assert f"The first {MAX_VALUES} suggestions; type more to see others." in html
    lines.clear()
    html = (await site.client.get("/resources/pods/complete?q=node%3Dn-29")).content.decode()
    assert lines == [f"n-29{digit}" for digit in range(10)]
    assert "10 suggestions." in html


def big(name: str, size: int) -> Row:
    return pod(name, obj={"metadata": {"name": name}, "data": {"text": "x" * size}})


def test_objects_are_looked_into_as_far_as_their_json_goes_however_well_it_packs() -> None:
    rows = [big(f"big-{number}", 300_000) for number in range(60)]
    assert all(row.blob is not None and len(row.blob.data) < 1000 for row in rows)
    assert len(sample_rows(rows, 60, 1_000_000)) == 3
    assert [row.name for row in sample_rows([*rows[:2], big("small", 10)], 20, 1000)] == ["small"]
    assert [row.name for row in sample_rows([rows[0], big("less", 200_000)], 20, 1000)] == ["less"]
    assert sample_rows([], 20, 1000) == []


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


@pytest.mark.parametrize("data", [b"", b"no zstandard at all"])
def test_an_object_that_was_damaged_is_as_large_as_what_came_of_it(data: bytes) -> None:
    row = msgspec.structs.replace(pod("p"), blob=Blob(data))
    assert sample_rows([row], 20, 1000) == [row]
    streamed = zstandard.ZstdCompressor(write_content_size=False).compress(b"{}")
    unsized: Any = msgspec.structs.replace(pod("p"), blob=Blob(streamed))
    assert field_names.sample_rows([unsized], 20, 1000) == [unsized]
