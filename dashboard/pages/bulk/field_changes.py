"""What of a difference is kept to be shown: fields before and after, lists item by item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from dashboard.bulk.lists import is_asked_for
from dashboard.bulk.run import Field, Piece
from dashboard.edits.alignment import alignment
from dashboard.edits.diff import Change, changes, value_text, value_texts
from dashboard.edits.editable import fingerprint
from dashboard.edits.fields import ABSENT, ItemKey, Path, Segment, Value, get, same, show
from dashboard.edits.items import by_key
from dashboard.edits.schema import Schema
from dashboard.resources.yaml_text import seen

MOST_FIELDS = 40
_PIECES = 40
"""Items of a list that are shown; the rest is counted."""
_KEPT = 6
"""Those of them that stay as they are."""


def shown_fields(
    found: Sequence[Change], was: Value, now: Value, asked: Value, schema: Schema, *, secret: bool
) -> tuple[tuple[Field, ...], int]:
    """MOST_FIELDS of them, and how many more there are.

    A list that is replaced as a whole is one field, with what goes, stays and comes, and so is one of plain values.
    `secret`: a run is kept in the database, where no value of a
    Secret belongs.
    """
    fields: list[Field] = []
    for path, each in groupby(found, key=lambda change: _list_path(change, strategic=schema.strategic)):
        first = next(each)
        by_server = not is_asked_for(asked, path, schema)
        before, after = get(was, path), get(now, path)
        if secret and path[:1] in (("data",), ("stringData",)):
            fields.append(Field(seen(show(path)), "", "a value that is not shown", by_server))
        elif isinstance(before, list) or isinstance(after, list):
            fields.append(_list(path, before, after, schema.at(path), by_server))
        else:
            fields.append(Field(first.field, first.was_text, first.now_text, by_server))
    return tuple(fields[:MOST_FIELDS]), max(0, len(fields) - MOST_FIELDS)


def _list_path(change: Change, *, strategic: bool) -> Path:
    """Where the list is that the change is in; its own path where that list is merged by the keys of its items."""
    lists = (
        place
        for place, segment in enumerate(change.path)
        if isinstance(segment, int) or (isinstance(segment, ItemKey) and (not strategic or segment.fields[0][0] == ""))
    )
    return change.path[: next(lists, None)]


def _list(path: Path, before: Value, after: Value, schema: Schema, by_server: bool) -> Field:
    if not all(value is ABSENT or isinstance(value, list) for value in (before, after)):
        return Field(seen(show(path)), *value_texts(before, after), by_server)
    pieces = list(_pieces(before or [], after or [], schema))
    numbers = [(sum(piece.how == how for piece in pieces), words) for how, words in _WORDS]
    summed = ", ".join(f"{number:,} {words[number != 1]}" for number, words in numbers if number)
    return Field(seen(show(path)), "", summed or "empty", by_server, tuple(_shortened(pieces)))


_WORDS = (
    ("gone", ("goes", "go")),
    ("new", ("comes", "come")),
    ("changed", ("field changes", "fields change")),
    ("moved", ("stands elsewhere", "stand elsewhere")),
    ("kept", ("stays", "stay")),
)


def _pieces(before: list[Value], after: list[Value], schema: Schema) -> Iterator[Piece]:
    old, new = by_key(before, schema), by_key(after, schema)
    if old is None or new is None or [key for key in old if key in new] != [key for key in new if key in old]:
        yield from _aligned(before, after)
        return
    for key in {**old, **new}:
        yield from _piece(key, old.get(key, ABSENT), new.get(key, ABSENT))


def _aligned(before: list[Value], after: list[Value]) -> Iterator[Piece]:
    """What goes at one place and comes at another is still there: for as many of equal value as do both."""
    parts = list(_parts(before, after))
    gone = Counter(fingerprint(each) for old, _, _ in parts for each in old)
    went = gone & Counter(fingerprint(each) for _, new, _ in parts for each in new)
    came = went.copy()
    for old, new, stay in parts:
        lost = [each for each in old if not _taken(went, each)]
        found = [(each, _taken(came, each)) for each in new]
        added = [each for each, moved in found if not moved]
        yield from (Piece("gone", text) for text in _texts(lost, added))
        others = _texts(added, lost)
        yield from (Piece("moved", value_text(each)) if moved else Piece("new", next(others)) for each, moved in found)
        yield from stay


def _parts(before: list[Value], after: list[Value]) -> Iterator[tuple[list[Value], list[Value], list[Piece]]]:
    """What goes, what comes and what stays, place by place."""
    for operation, i1, i2, j1, j2 in _all_of(before, after):
        old, new = before[i1:i2], after[j1:j2]
        alike = operation == "replace" and len(old) == len(new) and all(isinstance(each, dict) for each in old + new)
        if operation == "equal" or alike:
            pairs = enumerate(zip(old, new, strict=True), j1)
            yield [], [], [piece for place, (one, other) in pairs for piece in _piece(place, one, other)]
        else:
            yield old, new, []


def _texts(values: list[Value], others: list[Value]) -> Iterator[str]:
    """Of each; of one that is cut as one of the others is, what stands where the two part."""
    beside = {value_text(each): each for each in others}
    return (value_texts(each, beside.get(value_text(each), ABSENT))[0] for each in values)


def _taken(left: Counter[str], value: Value) -> bool:
    """Whether there is one of this value left; it is then taken."""
    mark = fingerprint(value)
    left[mark] -= 1
    return left[mark] >= 0


def _piece(key: Segment, before: Value, after: Value) -> Iterator[Piece]:
    if before is ABSENT or after is ABSENT:
        yield Piece("new", value_text(after)) if before is ABSENT else Piece("gone", value_text(before))
    elif same(before, after):
        yield Piece("kept", value_text(after))
    else:
        for each in changes(before, after, (key,)):
            yield Piece("changed", each.field, each.was_text, each.now_text)


def _all_of(before: list[Value], after: list[Value]) -> Iterator[tuple[str, int, int, int, int]]:
    """As alignment has it, with what both begin and end with alike."""
    i, j = 0, 0
    for operation, i1, i2, j1, j2 in alignment(before, after):
        yield "equal", i, i1, j, j1
        yield operation, i1, i2, j1, j2
        i, j = i2, j2
    yield "equal", i, len(before), j, len(after)


def _shortened(pieces: list[Piece]) -> Iterator[Piece]:
    kept, shown, left_out = 0, 0, 0
    for piece in pieces:
        kept += piece.how == "kept"
        if shown >= _PIECES or (piece.how == "kept" and kept > _KEPT):
            left_out += 1
        else:
            shown += 1
            yield piece
    if left_out:
        yield Piece("more", f"{left_out:,} more")
