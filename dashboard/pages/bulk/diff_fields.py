"""Shown part of a difference: fields before and after, lists item by item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from dashboard.objects.fields.field_access import ABSENT, ItemKey, Path, Segment, Value, format_path, get, same
from dashboard.objects.fields.list_alignment import alignment
from dashboard.objects.merge.diff import Change, changes, value_text, value_texts
from dashboard.objects.schemas.list_keys import items_by_key
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.bulk.patch_merge_rules import is_in_patch
from dashboard.pages.bulk.run import DiffField, DiffItem
from dashboard.pages.writes.editable_part import fingerprint
from dashboard.runtime.invisible_characters import escape_invisible

MOST_FIELDS = 40
_PIECES = 40
"""Most items of a list that are shown; the rest is counted."""
_KEPT = 6
"""Most unchanged items among them."""


def diff_fields(
    changes: Sequence[Change], was: Value, now: Value, requested_patch: Value, schema: Schema, *, secret: bool
) -> tuple[tuple[DiffField, ...], int]:
    """The changed fields, at most MOST_FIELDS, and the number of further ones.

    A list that is replaced as a whole is one field, with removed, unchanged and added items, and so is a list of plain
    values. `secret`: values of a Secret are left out, because the run is stored in the database.
    """
    fields: list[DiffField] = []
    for path, each in groupby(changes, key=lambda change: _list_path(change, strategic=schema.strategic)):
        first = next(each)
        by_server = not is_in_patch(requested_patch, path, schema)
        before, after = get(was, path), get(now, path)
        if secret and path[:1] in (("data",), ("stringData",)):
            fields.append(DiffField(escape_invisible(format_path(path)), "", "a hidden value", by_server))
        elif isinstance(before, list) or isinstance(after, list):
            fields.append(_list(path, before, after, schema.at(path), by_server))
        else:
            fields.append(DiffField(first.field, first.was_text, first.now_text, by_server))
    return tuple(fields[:MOST_FIELDS]), max(0, len(fields) - MOST_FIELDS)


def _list_path(change: Change, *, strategic: bool) -> Path:
    """Path of the list that contains the change; its own path where that list is merged by the keys of its items."""
    lists = (
        place
        for place, segment in enumerate(change.path)
        if isinstance(segment, int) or (isinstance(segment, ItemKey) and (not strategic or segment.fields[0][0] == ""))
    )
    return change.path[: next(lists, None)]


def _list(path: Path, before: Value, after: Value, schema: Schema, by_server: bool) -> DiffField:
    if not all(value is ABSENT or isinstance(value, list) for value in (before, after)):
        return DiffField(escape_invisible(format_path(path)), *value_texts(before, after), by_server)
    pieces = list(_pieces(before or [], after or [], schema))
    numbers = [(sum(piece.how == how for piece in pieces), words) for how, words in _WORDS]
    summed = ", ".join(f"{number:,} {words[number != 1]}" for number, words in numbers if number)
    return DiffField(escape_invisible(format_path(path)), "", summed or "empty", by_server, tuple(_shortened(pieces)))


_WORDS = (
    ("gone", ("goes", "go")),
    ("new", ("comes", "come")),
    ("changed", ("field changes", "fields change")),
    ("moved", ("stands elsewhere", "stand elsewhere")),
    ("kept", ("stays", "stay")),
)


def _pieces(before: list[Value], after: list[Value], schema: Schema) -> Iterator[DiffItem]:
    old, new = items_by_key(before, schema), items_by_key(after, schema)
    if old is None or new is None or [key for key in old if key in new] != [key for key in new if key in old]:
        yield from _aligned(before, after)
        return
    for key in {**old, **new}:
        yield from _piece(key, old.get(key, ABSENT), new.get(key, ABSENT))


def _aligned(before: list[Value], after: list[Value]) -> Iterator[DiffItem]:
    """An item removed at one index and added at another is a move: as many as have equal values."""
    parts = list(_parts(before, after))
    gone = Counter(fingerprint(each) for old, _, _ in parts for each in old)
    went = gone & Counter(fingerprint(each) for _, new, _ in parts for each in new)
    came = went.copy()
    for old, new, stay in parts:
        lost = [each for each in old if not _take_one(went, each)]
        pairs = [(each, _take_one(came, each)) for each in new]
        added = [each for each, moved in pairs if not moved]
        yield from (DiffItem("gone", text) for text in _texts(lost, added))
        others = _texts(added, lost)
        yield from (
            DiffItem("moved", value_text(each)) if moved else DiffItem("new", next(others)) for each, moved in pairs
        )
        yield from stay


def _parts(before: list[Value], after: list[Value]) -> Iterator[tuple[list[Value], list[Value], list[DiffItem]]]:
    """Removed, added and unchanged items, index by index."""
    for operation, i1, i2, j1, j2 in _all_of(before, after):
        old, new = before[i1:i2], after[j1:j2]
        alike = operation == "replace" and len(old) == len(new) and all(isinstance(each, dict) for each in old + new)
        if operation == "equal" or alike:
            pairs = enumerate(zip(old, new, strict=True), j1)
            yield [], [], [piece for place, (one, other) in pairs for piece in _piece(place, one, other)]
        else:
            yield old, new, []


def _texts(values: list[Value], others: list[Value]) -> Iterator[str]:
    """Text of each item; where two would be cut to the same text, the part where they differ."""
    beside = {value_text(each): each for each in others}
    return (value_texts(each, beside.get(value_text(each), ABSENT))[0] for each in values)


def _take_one(left: Counter[str], value: Value) -> bool:
    """Whether an item of this value is left; it is then removed."""
    mark = fingerprint(value)
    left[mark] -= 1
    return left[mark] >= 0


def _piece(key: Segment, before: Value, after: Value) -> Iterator[DiffItem]:
    if before is ABSENT or after is ABSENT:
        yield DiffItem("new", value_text(after)) if before is ABSENT else DiffItem("gone", value_text(before))
    elif same(before, after):
        yield DiffItem("kept", value_text(after))
    else:
        for each in changes(before, after, (key,)):
            yield DiffItem("changed", each.field, each.was_text, each.now_text)


def _all_of(before: list[Value], after: list[Value]) -> Iterator[tuple[str, int, int, int, int]]:
    """Alignment of all items, including the common start and end."""
    i, j = 0, 0
    for operation, i1, i2, j1, j2 in alignment(before, after):
        yield "equal", i, i1, j, j1
        yield operation, i1, i2, j1, j2
        i, j = i2, j2
    yield "equal", i, len(before), j, len(after)


def _shortened(pieces: list[DiffItem]) -> Iterator[DiffItem]:
    unchanged, shown, left_out = 0, 0, 0
    for piece in pieces:
        unchanged += piece.how == "kept"
        if shown >= _PIECES or (piece.how == "kept" and unchanged > _KEPT):
            left_out += 1
        else:
            shown += 1
            yield piece
    if left_out:
        yield DiffItem("more", f"{left_out:,} more")
