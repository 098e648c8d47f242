"""Differences of two objects: field by field for people to read, and line by line as a diff of their YAML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from dashboard.objects.fields.field_access import ABSENT, ItemKey, Path, Value, format_path, same
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.manifests.yaml_writer import dump
from dashboard.objects.schemas.list_keys import items_by_key
from dashboard.objects.schemas.schema import Schema
from dashboard.runtime.bounded_diff import bounded_opcodes
from dashboard.runtime.invisible_characters import escape_invisible

CONTEXT = 3
"""Unchanged lines that are shown around a change."""
_COMPARE_AT_MOST = 2000
"""Lines between the first and the last change that are compared; a longer stretch counts as changed as a whole."""
_SHOWN = 240
"""Maximum characters of a value in a list of changes."""
_BEFORE_IT_PARTS = 60
"""Characters that are shown before the position where two long values differ."""
NO_SCHEMA = Schema()
"""Schema of an unknown kind."""


@dataclass(frozen=True, slots=True)
class Change:
    """One field that differs; a value may be ABSENT."""

    path: Path
    was: Value
    now: Value
    by_server: bool = False
    """Whether the API server made the change (a default, an admission plugin) and not the text."""

    @property
    def field(self) -> str:
        return escape_invisible(format_path(self.path))

    @property
    def texts(self) -> tuple[str, str]:
        """`was_text` and `now_text`."""
        return value_texts(self.was, self.now)

    @property
    def was_text(self) -> str:
        return self.texts[0]

    @property
    def now_text(self) -> str:
        return self.texts[1]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a diff; a line number of 0 means that the line is not on that side."""

    kind: Literal["same", "del", "add", "gap"]
    text: str
    was_number: int = 0
    now_number: int = 0
    by_server: bool = False
    """Whether the API server set this line, and not the text."""


def value_text(value: Value) -> str:
    """A value on one line, shortened, without invisible characters; empty where it is ABSENT."""
    return _shorten(_on_one_line(value))


def value_texts(was: Value, now: Value) -> tuple[str, str]:
    """Both values as `value_text`; where these are equal but the values differ later, the text around that position."""
    one, other = _on_one_line(was), _on_one_line(now)
    if one == other or _shorten(one) != _shorten(other):
        return _shorten(one), _shorten(other)
    shorter = min(len(one), len(other))
    parts = next((place for place in range(_SHOWN - 1, shorter) if one[place] != other[place]), shorter)
    since = parts - _BEFORE_IT_PARTS
    return _shorten(f"…{one[since:]}"), _shorten(f"…{other[since:]}")


def _on_one_line(value: Value) -> str:
    if value is ABSENT:
        return ""
    return (
        " ".join(dump(value).split("\n")).strip()
        if isinstance(value, dict | list)
        else escape_invisible(str(_word(value)))
    )


def _shorten(text: str) -> str:
    return limit_text(text, _SHOWN)


def changes(was: Value, now: Value, path: Path = (), schema: Schema = NO_SCHEMA) -> tuple[Change, ...]:
    """The fields that differ, in the order of the objects; lists of equal length are compared item by item.

    With a schema, lists that have keys in it are compared by them, and an item's path has its key.
    """
    return tuple(_changes(was, now, path, schema))


def _changes(was: Value, now: Value, path: Path, schema: Schema) -> Iterator[Change]:
    if was is now:
        return
    if isinstance(was, dict) and isinstance(now, dict):
        yield from _fields(was, now, path, schema)
    elif items := _items(was, now, schema):
        for key, (one, other) in items.items():
            yield from _changes(one, other, (*path, key), schema.child(0))
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for index, (one, other) in enumerate(zip(was, now, strict=True)):
            yield from _changes(one, other, (*path, index), schema.child(index))
    elif not same(was, now):
        yield from _leaves(was, now, path)


def _fields(was: dict[str, Value], now: dict[str, Value], path: Path, schema: Schema) -> Iterator[Change]:
    for name in list(was) + [name for name in now if name not in was]:
        one, other = was.get(name, ABSENT), now.get(name, ABSENT)
        if isinstance(one, dict | list) or isinstance(other, dict | list):
            yield from _changes(one, other, (*path, name), schema.child(name))
        elif not same(one, other):
            yield Change((*path, name), one, other)


def _items(was: Value, now: Value, schema: Schema) -> dict[ItemKey, tuple[Value, Value]]:
    """Both lists' items by their keys; empty where keys do not show all differences, such as another order."""
    before, after = items_by_key(was, schema), items_by_key(now, schema)
    if (
        before is None
        or after is None
        or [key for key in before if key in after] != [key for key in after if key in before]
    ):
        return {}
    return {key: (before.get(key, ABSENT), after.get(key, ABSENT)) for key in {**before, **after}}


def _leaves(was: Value, now: Value, path: Path) -> Iterator[Change]:
    """The single fields of added and removed maps, so that each field is named."""
    if isinstance(now, dict) and now and was is ABSENT:
        for name, value in now.items():
            yield from _leaves(ABSENT, value, (*path, name))
    elif isinstance(was, dict) and was and now is ABSENT:
        for name, value in was.items():
            yield from _leaves(value, ABSENT, (*path, name))
    else:
        yield Change(path, was, now)


def diff_lines(was: str, now: str) -> tuple[Line, ...]:
    """The lines that differ with CONTEXT around them; nothing where the texts are equal."""
    before, after = was.splitlines(), now.splitlines()
    lines: list[Line] = []
    for kind, i1, i2, j1, j2 in _opcodes(before, after):
        if kind == "equal":
            lines += [Line("same", before[i], i + 1, i - i1 + j1 + 1) for i in range(i1, i2)]
        else:
            lines += [Line("del", before[i], i + 1) for i in range(i1, i2)]
            lines += [Line("add", after[j], 0, j + 1) for j in range(j1, j2)]
    return tuple(_with_gaps(lines))


def _word(value: Value) -> object:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return '""' if value == "" else value


def _opcodes(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    shorter = min(len(before), len(after))
    head = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    most = shorter - head
    tail = next((i for i in range(most) if before[-1 - i] != after[-1 - i]), most)
    end_before, end_after = len(before) - tail, len(after) - tail
    yield "equal", 0, head, 0, head
    if max(end_before, end_after) - head > _COMPARE_AT_MOST:
        yield "replace", head, end_before, head, end_after
    else:
        for kind, i1, i2, j1, j2 in bounded_opcodes(before[head:end_before], after[head:end_after]):
            yield kind, i1 + head, i2 + head, j1 + head, j2 + head
    yield "equal", end_before, len(before), end_after, len(after)


def _with_gaps(lines: list[Line]) -> Iterator[Line]:
    changed = [index for index, line in enumerate(lines) if line.kind != "same"]
    shown: set[int] = set()
    for index in changed:
        shown.update(range(max(index - CONTEXT, 0), min(index + CONTEXT + 1, len(lines))))
    left_out = 0
    for index, line in enumerate(lines):
        if index in shown:
            if left_out:
                yield _gap(left_out)
                left_out = 0
            yield line
        else:
            left_out += 1
    if left_out and changed:
        yield _gap(left_out)


def _gap(count: int) -> Line:
    return Line("gap", "1 line as it was" if count == 1 else f"{count} lines as they were")
