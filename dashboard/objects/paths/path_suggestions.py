"""Names of fields that objects have, for completion of a typed path and for suggestions of similar ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath, InvalidPath
from dashboard.objects.paths.json_path import JsonPath, format_name_step
from informerd.suggest import suggest_names

SAMPLE_SIZE = 20
"""Objects that are read; more of one kind rarely have other fields."""
SAMPLE_BYTES = 256_000
"""Maximum bytes of their JSON; decoding them all takes some milliseconds."""


def sample_objects(rows: Collection[Row]) -> list[dict[str, Any]]:
    """At most SAMPLE_SIZE of the objects, whole."""
    return [row.decode_object() for row in sample_rows(rows, SAMPLE_SIZE, SAMPLE_BYTES)]


def sample_rows(rows: Collection[Row], most: int, most_bytes: int) -> list[Row]:
    """Rows spread over all, so that various objects are among them, with limited bytes of JSON.

    Rows that do not fit any more are left out; where none fits, the smallest is returned. The bytes are the unpacked
    ones: repetitive objects pack to next to nothing and take as long to read.
    """
    sized = [(row, row.json_size) for row in islice(rows, 0, None, max(1, len(rows) // most))][:most]
    sample, left = [], most_bytes
    for row, size in sized:
        if size <= left:
            sample.append(row)
            left -= size
    return sample or [row for row, _ in sorted(sized, key=lambda each: each[1])[:1]]


def names_at(path: JsonPath, objects: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The fields below a path, each with one of its values, in the objects' order."""
    names: dict[str, Any] = {}
    for obj in objects:
        for each in path.all(obj):
            if isinstance(each, dict):
                for name, value in each.items():
                    if name not in names or names[name] is None:
                        names[name] = value
    return names


def suggest_path(path: FieldPath, objects: list[dict[str, Any]]) -> FieldPath | None:
    """An existing path that is similar to one that does not exist; None where there is none."""
    steps = path.json_path
    for place, step in enumerate(steps.steps):
        before = steps.prefix(place)
        names = names_at(before, objects)
        if not isinstance(step, str) or step in names:
            continue
        if names:
            near = suggest_names(step, names, compared=None)
            if not near:
                return None
            return _there(before.text + format_name_step(near[0]) + steps.after(place + 1).text, objects)
        is_list = any(isinstance(each, list) for obj in objects for each in before.all(obj))
        return _there(f"{before.text}[*]{steps.after(place).text}", objects) if is_list else None
    return None


def _there(text: str, objects: list[dict[str, Any]]) -> FieldPath | None:
    """The path where an object has it; else a similar one."""
    try:
        path = FieldPath(text)
    except InvalidPath:
        return None
    return path if any(path.values(obj) for obj in objects) else suggest_path(path, objects)
