"""Form buttons: add, remove, move, choose. Each changes only the text or the open fields.

A button's value is a verb, the name of a path, and further arguments, separated by spaces. A button for a missing field
changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from dashboard.objects.fields.fields import ABSENT, Path, Segment, Value, can_put, get, put
from dashboard.objects.manifests.document import Document, parse
from dashboard.objects.manifests.restructure import move_item
from dashboard.objects.manifests.rewrite import rewrite
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.forms.alternatives import excluded_fields, is_exclusive, required_fields
from dashboard.pages.forms.controls import INPUTS, control_of
from dashboard.pages.forms.expanded import ExpandedPaths
from dashboard.pages.forms.fill import blank_value
from dashboard.pages.forms.input_names import CHANGE, CHILD, FIELD, NEW_KEY, NEW_VALUE, OPEN, decode_path, encode_path


@dataclass(frozen=True, slots=True)
class ButtonResult:
    """Result of a button."""

    document: Document
    expanded: ExpandedPaths
    focus: str = ""
    """The id of the next focused input."""


def press(schema: Schema, document: Document, post: Mapping[str, str]) -> ButtonResult:
    """The result of the button in `post`; the document must contain the form input already."""
    verb, _, rest = post.get(CHANGE, "").partition(" ")
    name, _, more = rest.partition(" ")
    path = decode_path(name)
    begun = ButtonResult(document, ExpandedPaths.read(post.get(OPEN, "")))
    if verb not in _VERBS or not path:
        return begun
    return _VERBS[verb](begun, schema, path, more or post.get(CHILD + name, ""))


def _add(begun: ButtonResult, schema: Schema, path: Path, child: str) -> ButtonResult:
    """Add an item of a list, a field of a map, or an entry of a map, which the text has already."""
    node, value = schema.at(path), get(begun.document.value, path)
    control = control_of(node, value)
    if control == "list":
        return _add_item(begun, node, path, value)
    if control == "group" and child:
        return _add_field(begun, node.child(child), (*path, child))
    return replace(begun, focus=NEW_KEY + encode_path(path)) if control == "map" else begun


def _add_item(begun: ButtonResult, schema: Schema, path: Path, value: Value) -> ButtonResult:
    items = schema.child(0)
    if control_of(items) in INPUTS:  # what was typed as a new item is in the text by now
        return replace(begun, expanded=begun.expanded.with_paths(path), focus=NEW_VALUE + encode_path(path))
    item = (*path, len(value) if isinstance(value, list) else 0)
    written_down = _put(begun, item, blank_value(items))
    return replace(written_down, expanded=begun.expanded.with_paths(item), focus=FIELD + encode_path(item))


def _add_field(begun: ButtonResult, schema: Schema, path: Path) -> ButtonResult:
    """Add a map as an empty one, which the review shows; add a plain field only once it has a value."""
    opened = replace(begun, expanded=begun.expanded.with_paths(path), focus=FIELD + encode_path(path))
    if not schema or get(begun.document.value, path) is not ABSENT:
        return opened
    return _put(opened, path, {}) if control_of(schema) in ("group", "yaml") else opened


def _open(begun: ButtonResult, _schema: Schema, path: Path, _more: str) -> ButtonResult:
    return replace(begun, expanded=begun.expanded.with_paths(path), focus=FIELD + encode_path(path))


def _page(begun: ButtonResult, _schema: Schema, path: Path, start: str) -> ButtonResult:
    """Turn to another page of a list or map that is too long to show completely."""
    if not start.isdecimal() or len(start) > 7:
        return begun
    value = get(begun.document.value, path)
    names = range(len(value)) if isinstance(value, list) else value if isinstance(value, dict) else ()
    first: tuple[Segment, ...] = tuple(islice(names, int(start), int(start) + 1))
    return replace(
        begun, expanded=begun.expanded.with_page(path, int(start)), focus=FIELD + encode_path((*path, *first))
    )


def _remove(begun: ButtonResult, _schema: Schema, path: Path, _more: str) -> ButtonResult:
    holder, segment = path[:-1], path[-1]
    closed = begun.expanded.without(path)
    if isinstance(segment, int):
        items = get(begun.document.value, holder)
        count = len(items) if isinstance(items, list) else 0
        closed = closed.after_move(holder, {index: index - 1 for index in range(segment + 1, count)})
    if get(begun.document.value, path) is ABSENT:
        return replace(begun, expanded=closed)
    return replace(_put(begun, path, ABSENT), expanded=closed, focus=FIELD + encode_path(holder))


def _move(begun: ButtonResult, path: Path, by: int) -> ButtonResult:
    holder, index = path[:-1], path[-1]
    items = get(begun.document.value, holder)
    if not isinstance(items, list) or not isinstance(index, int):
        return begun
    to = index + by
    if not (0 <= index < len(items) and 0 <= to < len(items)):
        return begun
    opened = begun.expanded.after_move(holder, {index: to, to: index})
    return ButtonResult(move_item(begun.document, path, to), opened, FIELD + encode_path((*holder, to)))


def _up(begun: ButtonResult, _schema: Schema, path: Path, _more: str) -> ButtonResult:
    return _move(begun, path, -1)


def _down(begun: ButtonResult, _schema: Schema, path: Path, _more: str) -> ButtonResult:
    return _move(begun, path, 1)


def _choose(begun: ButtonResult, schema: Schema, path: Path, index: str) -> ButtonResult:
    """Choose an alternative of a map: the fields of the others are removed, where they exclude each other."""
    node = schema.at(path)
    try:
        fields, others = required_fields(node, int(index)), excluded_fields(node, int(index))
    except (ValueError, IndexError):
        return begun
    if not can_put(begun.document.value, (*path, "")):
        return begun
    value, opened = begun.document.value, begun.expanded
    if is_exclusive(node):
        for name in others:
            opened = opened.without((*path, name))
            if get(value, (*path, name)) is not ABSENT:
                value = put(value, (*path, name), ABSENT)
    chosen = replace(_written(begun, value), expanded=opened)
    for name in reversed(fields):
        chosen = _add_field(chosen, node.child(name), (*path, name))
    return chosen


def _null(begun: ButtonResult, schema: Schema, path: Path, _more: str) -> ButtonResult:
    return _put(begun, path, None) if schema.at(path).node.get("nullable") else begun


def _empty(begun: ButtonResult, schema: Schema, path: Path, _more: str) -> ButtonResult:
    """An empty map or list."""
    if get(begun.document.value, path) not in (ABSENT, None) or not schema.at(path):
        return begun
    new: Value = [] if control_of(schema.at(path)) == "list" else {}
    return replace(_put(begun, path, new), focus=FIELD + encode_path(path))


def _put(begun: ButtonResult, path: Path, new: Value) -> ButtonResult:
    if not can_put(begun.document.value, path):
        return begun
    return _written(begun, put(begun.document.value, path, new))


def _written(begun: ButtonResult, value: dict[str, Value]) -> ButtonResult:
    if value is begun.document.value:
        return begun
    return replace(begun, document=parse(rewrite(begun.document, value)))


_VERBS: Mapping[str, Callable[[ButtonResult, Schema, Path, str], ButtonResult]] = {
    "add": _add, "open": _open, "remove": _remove, "up": _up, "down": _down, "choose": _choose, "null": _null,
    "empty": _empty, "page": _page,
}  # fmt: skip
