"""The form's buttons: add, remove, move, choose. Each changes the text, or what is open, and nothing else.

A button's value is a verb, the name of a path, and what else the verb needs, with spaces between. What a button names
that is not there (any more) changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from dashboard.edits.document import Document, parse
from dashboard.edits.fields import ABSENT, Path, Segment, Value, get, has_place, put
from dashboard.edits.forms.alternatives import chosen_fields, is_exclusive, others_fields
from dashboard.edits.forms.controls import INPUTS, control_of
from dashboard.edits.forms.fill import blank
from dashboard.edits.forms.opened import Opened
from dashboard.edits.input_names import CHANGE, CHILD, FIELD, NEW_KEY, NEW_VALUE, OPEN, read, written
from dashboard.edits.restructure import moved
from dashboard.edits.rewrite import rewrite
from dashboard.edits.schema import Schema


@dataclass(frozen=True, slots=True)
class Pressed:
    """What came of a button."""

    document: Document
    opened: Opened
    focus: str = ""
    """The id of the input that is next."""


def press(schema: Schema, document: Document, post: Mapping[str, str]) -> Pressed:
    """What comes of the button in `post`; the document must hold what was typed already."""
    verb, _, rest = post.get(CHANGE, "").partition(" ")
    name, _, more = rest.partition(" ")
    path = read(name)
    begun = Pressed(document, Opened.read(post.get(OPEN, "")))
    if verb not in _VERBS or not path:
        return begun
    return _VERBS[verb](begun, schema, path, more or post.get(CHILD + name, ""))


def _add(begun: Pressed, schema: Schema, path: Path, child: str) -> Pressed:
    """Another item of a list, a field of a map, or (what the text got already) an entry of one."""
    node, value = schema.at(path), get(begun.document.value, path)
    control = control_of(node, value)
    if control == "list":
        return _add_item(begun, node, path, value)
    if control == "group" and child:
        return _add_field(begun, node.child(child), (*path, child))
    return replace(begun, focus=NEW_KEY + written(path)) if control == "map" else begun


def _add_item(begun: Pressed, schema: Schema, path: Path, value: Value) -> Pressed:
    items = schema.child(0)
    if control_of(items) in INPUTS:  # what was typed as a new item is in the text by now
        return replace(begun, opened=begun.opened.having(path), focus=NEW_VALUE + written(path))
    item = (*path, len(value) if isinstance(value, list) else 0)
    written_down = _put(begun, item, blank(items))
    return replace(written_down, opened=begun.opened.having(item), focus=FIELD + written(item))


def _add_field(begun: Pressed, schema: Schema, path: Path) -> Pressed:
    """A map is written as an empty one, which the review would show; a plain value not before there is one."""
    opened = replace(begun, opened=begun.opened.having(path), focus=FIELD + written(path))
    if not schema or get(begun.document.value, path) is not ABSENT:
        return opened
    return _put(opened, path, {}) if control_of(schema) in ("group", "yaml") else opened


def _open(begun: Pressed, _schema: Schema, path: Path, _more: str) -> Pressed:
    return replace(begun, opened=begun.opened.having(path), focus=FIELD + written(path))


def _page(begun: Pressed, _schema: Schema, path: Path, start: str) -> Pressed:
    """Another page of a list or map that is too long to be shown at once."""
    if not start.isdecimal() or len(start) > 7:
        return begun
    value = get(begun.document.value, path)
    names = range(len(value)) if isinstance(value, list) else value if isinstance(value, dict) else ()
    first: tuple[Segment, ...] = tuple(islice(names, int(start), int(start) + 1))
    return replace(begun, opened=begun.opened.turned(path, int(start)), focus=FIELD + written((*path, *first)))


def _remove(begun: Pressed, _schema: Schema, path: Path, _more: str) -> Pressed:
    holder, segment = path[:-1], path[-1]
    closed = begun.opened.without(path)
    if isinstance(segment, int):
        items = get(begun.document.value, holder)
        count = len(items) if isinstance(items, list) else 0
        closed = closed.moved(holder, {index: index - 1 for index in range(segment + 1, count)})
    if get(begun.document.value, path) is ABSENT:
        return replace(begun, opened=closed)
    return replace(_put(begun, path, ABSENT), opened=closed, focus=FIELD + written(holder))


def _move(begun: Pressed, path: Path, by: int) -> Pressed:
    holder, index = path[:-1], path[-1]
    items = get(begun.document.value, holder)
    if not isinstance(items, list) or not isinstance(index, int):
        return begun
    to = index + by
    if not (0 <= index < len(items) and 0 <= to < len(items)):
        return begun
    opened = begun.opened.moved(holder, {index: to, to: index})
    return Pressed(moved(begun.document, path, to), opened, FIELD + written((*holder, to)))


def _up(begun: Pressed, _schema: Schema, path: Path, _more: str) -> Pressed:
    return _move(begun, path, -1)


def _down(begun: Pressed, _schema: Schema, path: Path, _more: str) -> Pressed:
    return _move(begun, path, 1)


def _choose(begun: Pressed, schema: Schema, path: Path, index: str) -> Pressed:
    """One of several ways to fill a map: the fields of the others go, where they exclude each other."""
    node = schema.at(path)
    try:
        fields, others = chosen_fields(node, int(index)), others_fields(node, int(index))
    except (ValueError, IndexError):
        return begun
    if not has_place(begun.document.value, (*path, "")):
        return begun
    value, opened = begun.document.value, begun.opened
    if is_exclusive(node):
        for name in others:
            opened = opened.without((*path, name))
            if get(value, (*path, name)) is not ABSENT:
                value = put(value, (*path, name), ABSENT)
    chosen = replace(_written(begun, value), opened=opened)
    for name in reversed(fields):
        chosen = _add_field(chosen, node.child(name), (*path, name))
    return chosen


def _null(begun: Pressed, schema: Schema, path: Path, _more: str) -> Pressed:
    return _put(begun, path, None) if schema.at(path).node.get("nullable") else begun


def _empty(begun: Pressed, schema: Schema, path: Path, _more: str) -> Pressed:
    """An empty map or list, written as such."""
    if get(begun.document.value, path) not in (ABSENT, None) or not schema.at(path):
        return begun
    new: Value = [] if control_of(schema.at(path)) == "list" else {}
    return replace(_put(begun, path, new), focus=FIELD + written(path))


def _put(begun: Pressed, path: Path, new: Value) -> Pressed:
    if not has_place(begun.document.value, path):
        return begun
    return _written(begun, put(begun.document.value, path, new))


def _written(begun: Pressed, value: dict[str, Value]) -> Pressed:
    if value is begun.document.value:
        return begun
    return replace(begun, document=parse(rewrite(begun.document, value)))


_VERBS: Mapping[str, Callable[[Pressed, Schema, Path, str], Pressed]] = {
    "add": _add, "open": _open, "remove": _remove, "up": _up, "down": _down, "choose": _choose, "null": _null,
    "empty": _empty, "page": _page,
}  # fmt: skip
