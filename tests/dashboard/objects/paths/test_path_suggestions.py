"""Tests of the objects that suggestions of paths are read from: bounded in number and bytes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import zstandard

from dashboard.objects.kinds.row import Row
from dashboard.objects.paths import path_suggestions as field_names
from dashboard.objects.paths.path_suggestions import sample_rows
from informerd.objects import Blob
from tests.support.live.replica_feeder import pod


def big(name: str, size: int) -> Row:
    return pod(name, obj={"metadata": {"name": name}, "data": {"text": "x" * size}})


def test_objects_are_looked_into_as_far_as_their_json_goes_however_well_it_packs() -> None:
    rows = [big(f"big-{number}", 300_000) for number in range(60)]
    assert all(row.blob is not None and len(row.blob.data) < 1000 for row in rows)
    assert len(sample_rows(rows, 60, 1_000_000)) == 3
    assert [row.name for row in sample_rows([*rows[:2], big("small", 10)], 20, 1000)] == ["small"]
    assert [row.name for row in sample_rows([rows[0], big("less", 200_000)], 20, 1000)] == ["less"]
    assert sample_rows([], 20, 1000) == []


@pytest.mark.parametrize("data", [b"", b"no zstandard at all"])
def test_an_object_that_was_damaged_is_as_large_as_what_came_of_it(data: bytes) -> None:
    row = msgspec.structs.replace(pod("p"), blob=Blob(data))
    assert sample_rows([row], 20, 1000) == [row]
    streamed = zstandard.ZstdCompressor(write_content_size=False).compress(b"{}")
    unsized: Any = msgspec.structs.replace(pod("p"), blob=Blob(streamed))
    assert field_names.sample_rows([unsized], 20, 1000) == [unsized]
