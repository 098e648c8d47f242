"""The names of fields that objects have, for who types a path: what can follow, what was meant by what is not there."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

import zstandard

from dashboard.live.messages import Row
from dashboard.resources.rows.field_path import FieldPath, WrongPath
from dashboard.resources.rows.json_path import JsonPath, name_step

SAMPLE = 20
"""Objects that are looked into; more of one kind rarely have other fields."""
SAMPLE_BYTES = 256_000
"""Of their JSON; building it all takes some milliseconds."""


def sample(rows: Collection[Row]) -> list[dict[str, Any]]:
    """Some objects, whole."""
    return [row.whole() for row in some_of(rows, SAMPLE, SAMPLE_BYTES)]


def some_of(rows: Collection[Row], most: int, most_bytes: int) -> list[Row]:
    """Rows from all over the place, so that objects of several makes are among them, with so much JSON at most.

    Those that do not fit in any more are left out; where none fits in at all, it is the smallest.
    """
    sized = [(row, _size(row)) for row in islice(rows, 0, None, max(1, len(rows) // most))][:most]
    found, left = [], most_bytes
    for row, size in sized:
        if size <= left:
            found.append(row)
            left -= size
    return found or [row for row, _ in sorted(sized, key=lambda each: each[1])[:1]]


def _size(row: Row) -> int:
    """Bytes of the object's JSON, unpacked: what reads alike packs to next to nothing and takes as long to read."""
    if row.blob is None:
        return 0
    try:
        return max(zstandard.frame_content_size(row.blob.data), len(row.blob.data))
    except zstandard.ZstdError:
        return len(row.blob.data)


def names_at(path: JsonPath, objects: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The fields of what a path leads to, each with a value of it, in the order in which objects have them."""
    found: dict[str, Any] = {}
    for obj in objects:
        for each in path.all(obj):
            if isinstance(each, dict):
                for name, value in each.items():
                    if name not in found or found[name] is None:
                        found[name] = value
    return found


def nearest(path: FieldPath, objects: list[dict[str, Any]]) -> FieldPath | None:
    """A path that is there and much like one that is not; None where none is."""
    steps = path.json_path
    for place, step in enumerate(steps.steps):
        before = steps.until(place)
        names = names_at(before, objects)
        if not isinstance(step, str) or step in names:
            continue
        if names:
            folded = {name.casefold(): name for name in reversed(names)}
            near = difflib.get_close_matches(step.casefold(), folded, n=1)
            return (
                _there(before.text + name_step(folded[near[0]]) + steps.after(place + 1).text, objects)
                if near
                else None
            )
        is_list = any(isinstance(each, list) for obj in objects for each in before.all(obj))
        return _there(f"{before.text}[*]{steps.after(place).text}", objects) if is_list else None
    return None


def _there(text: str, objects: list[dict[str, Any]]) -> FieldPath | None:
    """The path, where an object has it; else what may be meant by it."""
    try:
        path = FieldPath(text)
    except WrongPath:
        return None
    return path if any(path.values(obj) for obj in objects) else nearest(path, objects)
