"""Values that are offered: which, in which order, and that finding them neither holds up nor fills anything."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
import zstandard

from dashboard.live.messages import Row
from dashboard.resources import completion, path_names, values_there
from dashboard.resources.path_names import SAMPLE, SAMPLE_BYTES, sample, some_of
from dashboard.resources.rows.field_path import FieldPath
from dashboard.resources.values_there import DISTINCT, LONGEST, MOST, Counted, Tally, values_at
from informerd.objects import Blob
from tests.live.feeder import pod
from tests.resources.made import made
from tests.resources.site import Site


def there(*rows: Row) -> dict[str, Row]:
    return {row.uid: row for row in rows}


def tally(part: str, *values: str) -> list[tuple[str, int]]:
    counts = Tally(part)
    for value in values:
        counts.add(value)
    return [(each.value, each.count) for each in counts.commonest()]


def test_values_that_begin_with_what_is_typed_come_before_those_that_hold_it_the_commonest_first() -> None:
    values = ("Bad", "a-bad", "a-bad", "a-bad", "badly", "badly", "good", "", "bad" * LONGEST)
    assert tally("BAD", *values) == [("badly", 2), ("Bad", 1), ("a-bad", 3)]
    assert tally("", "b", "a", "c", "c") == [("c", 2), ("a", 1), ("b", 1)]


def test_of_many_values_only_so_many_are_kept_and_the_others_are_found_by_typing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made_up: list[str] = []

    def counted(value: str, count: int = 0) -> Counted:
        made_up.append(value)
        return Counted(value, count)

    monkeypatch.setattr(values_there, "Counted", counted)
    names = [f"web-{number:05d}" for number in range(DISTINCT + 100)]
    assert len(tally("", *names, names[3], names[3])) == len(made_up) == MOST + 1
    assert tally("", *names, names[3])[0] == (names[3], 2)
    assert tally("", *names, names[-1], names[-1])[0] == (names[0], 1)
    assert tally(names[-1], *names, names[-1]) == [(names[-1], 2)]
    assert tally("x", *(f"a{name}x" for name in names), "xylo")[0] == ("xylo", 1)


async def test_only_what_is_offered_becomes_a_line_and_the_rest_is_said_to_be_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines: list[str] = []

    option = completion.Option

    def counted(text: str, insert: str, about: str = "") -> completion.Option:
        lines.append(text)
        return option(text, insert, about)

    monkeypatch.setattr(completion, "Option", counted)
    objects = [
        ("pods", made("Pod", f"p-{n:03d}", namespace="shop", spec={"nodeName": f"n-{n:03d}"})) for n in range(300)
    ]
    site = Site(*objects, watched=("pods",))
    html = (await site.client.get("/resources/pods/complete?q=node%3D")).content.decode()
    assert len(lines) == MOST + 1
    assert len(re.findall("data-insert", html)) == MOST
    assert f"The first {MOST}; type more to see others." in html
    lines.clear()
    html = (await site.client.get("/resources/pods/complete?q=node%3Dn-29")).content.decode()
    assert lines == [f"n-29{digit}" for digit in range(10)]
    assert "10 can follow." in html


def big(name: str, size: int) -> Row:
    return pod(name, obj={"metadata": {"name": name}, "data": {"text": "x" * size}})


def test_objects_are_looked_into_as_far_as_their_json_goes_however_well_it_packs() -> None:
    rows = [big(f"big-{number}", 300_000) for number in range(60)]
    assert all(row.blob is not None and len(row.blob.data) < 1000 for row in rows)
    assert len(some_of(rows, 60, 1_000_000)) == 3
    assert [row.name for row in some_of([*rows[:2], big("small", 10)], 20, 1000)] == ["small"]
    assert [row.name for row in some_of([rows[0], big("less", 200_000)], 20, 1000)] == ["less"]
    assert some_of([], 20, 1000) == []


def test_a_sample_and_a_paths_values_are_of_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    unpack = Blob.json

    def counted(blob: Blob) -> bytes:
        found = unpack(blob)
        read.append(len(found))
        return found

    monkeypatch.setattr(Blob, "json", counted)
    rows = there(*[big(f"big-{number}", 100_000) for number in range(200)])
    assert 0 < len(sample(rows.values())) < SAMPLE
    assert sum(read) <= SAMPLE_BYTES
    read.clear()
    found = values_at(FieldPath(".metadata.name"), rows, "big-1")
    assert 0 < len(found) <= len(read) < len(rows)
    assert sum(read) <= values_there.BYTES


@pytest.mark.parametrize("data", [b"", b"no zstandard at all"])
def test_an_object_that_was_damaged_is_as_large_as_what_came_of_it(data: bytes) -> None:
    row = msgspec.structs.replace(pod("p"), blob=Blob(data))
    assert some_of([row], 20, 1000) == [row]
    streamed = zstandard.ZstdCompressor(write_content_size=False).compress(b"{}")
    unsized: Any = msgspec.structs.replace(pod("p"), blob=Blob(streamed))
    assert path_names.some_of([unsized], 20, 1000) == [unsized]
