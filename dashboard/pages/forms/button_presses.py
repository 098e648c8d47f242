"""Form buttons: add, remove, move, choose. Each changes only the text or the open fields.

A button's value is a verb, the name of a path, and further arguments, separated by spaces. A button for a missing field
changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from dashboard.objects.fields.field_access import ABSENT, Path, Segment, Value, can_put, get, put
from dashboard.objects.manifests.document import Document, parse
from dashboard.objects.manifests.rename_and_move_fields import move_item
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.forms.alternatives import excluded_fields, is_exclusive, required_fields
from dashboard.pages.forms.apply_to_yaml import blank_value
from dashboard.pages.forms.controls import INPUTS, control_of
from dashboard.pages.forms.expanded_paths import ExpandedPaths
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


def _add(before: ButtonResult, schema: Schema, path: Path, child: str) -> ButtonResult:
    """Add an item of a list, a field of a map, or an entry of a map, which the text has already."""
    node, value = schema.at(path), get(before.document.value, path)
    control = control_of(node, value)
    if control == "list":
        return _add_item(before, node, path, value)
    if control == "group" and child:
        return _add_field(before, node.child(child), (*path, child))
    return replace(before, focus=NEW_KEY + encode_path(path)) if control == "map" else before


def _add_item(before: ButtonResult, schema: Schema, path: Path, value: Value) -> ButtonResult:
    items = schema.child(0)
    if control_of(items) in INPUTS:  # what was typed as a new item is in the text by now
        return replace(before, expanded=before.expanded.with_paths(path), focus=NEW_VALUE + encode_path(path))
    item = (*path, len(value) if isinstance(value, list) else 0)
    written_down = _with_value(before, item, blank_value(items))
    return replace(written_down, expanded=before.expanded.with_paths(item), focus=FIELD + encode_path(item))


def _add_field(before: ButtonResult, schema: Schema, path: Path) -> ButtonResult:
    """Add a map as an empty one, which the review shows; add a plain field only once it has a value."""
    opened = replace(before, expanded=before.expanded.with_paths(path), focus=FIELD + encode_path(path))
    if not schema or get(before.document.value, path) is not ABSENT:
        return opened
    return _with_value(opened, path, {}) if control_of(schema) in ("group", "yaml") else opened


def _open(before: ButtonResult, _schema: Schema, path: Path, _more: str) -> ButtonResult:
    return replace(before, expanded=before.expanded.with_paths(path), focus=FIELD + encode_path(path))


def _page(before: ButtonResult, _schema: Schema, path: Path, start: str) -> ButtonResult:
    """Turn to another page of a list or map that is too long to show completely."""
    if not start.isdecimal() or len(start) > 7:
        return before
    value = get(before.document.value, path)
    names = range(len(value)) if isinstance(value, list) else value if isinstance(value, dict) else ()
    first: tuple[Segment, ...] = tuple(islice(names, int(start), int(start) + 1))
    return replace(
        before, expanded=before.expanded.with_page(path, int(start)), focus=FIELD + encode_path((*path, *first))
    )


def _remove(before: ButtonResult, _schema: Schema, path: Path, _more: str) -> ButtonResult:
    holder, segment = path[:-1], path[-1]
    closed = before.expanded.without(path)
    if isinstance(segment, int):
        items = get(before.document.value, holder)
        count = len(items) if isinstance(items, list) else 0
        closed = closed.after_move(holder, {index: index - 1 for index in range(segment + 1, count)})
    if get(before.document.value, path) is ABSENT:
        return replace(before, expanded=closed)
    return replace(_with_value(before, path, ABSENT), expanded=closed, focus=FIELD + encode_path(holder))


def _move(before: ButtonResult, path: Path, by: int) -> ButtonResult:
    holder, index = path[:-1], path[-1]
    items = get(before.document.value, holder)
    if not isinstance(items, list) or not isinstance(index, int):
        return before
    to = index + by
    if not (0 <= index < len(items) and 0 <= to < len(items)):
        return before
    opened = before.expanded.after_move(holder, {index: to, to: index})
    return ButtonResult(move_item(before.document, path, to), opened, FIELD + encode_path((*holder, to)))


def _up(before: ButtonResult, _schema: Schema, path: Path, _more: str) -> ButtonResult:
    return _move(before, path, -1)


def _down(before: ButtonResult, _schema: Schema, path: Path, _more: str) -> ButtonResult:
    return _move(before, path, 1)


def _choose(before: ButtonResult, schema: Schema, path: Path, index: str) -> ButtonResult:
    """Choose an alternative of a map: the fields of the others are removed, where they exclude each other."""
    node = schema.at(path)
    try:
        fields, others = required_fields(node, int(index)), excluded_fields(node, int(index))
    except (ValueError, IndexError):
        return before
    if not can_put(before.document.value, (*path, "")):
        return before
    value, opened = before.document.value, before.expanded
    if is_exclusive(node):
        for name in others:
            opened = opened.without((*path, name))
            if get(value, (*path, name)) is not ABSENT:
                value = put(value, (*path, name), ABSENT)
    chosen = replace(_with_document(before, value), expanded=opened)
    for name in reversed(fields):
        chosen = _add_field(chosen, node.child(name), (*path, name))
    return chosen


def _null(before: ButtonResult, schema: Schema, path: Path, _more: str) -> ButtonResult:
    return _with_value(before, path, None) if schema.at(path).node.get("nullable") else before


def _empty(before: ButtonResult, schema: Schema, path: Path, _more: str) -> ButtonResult:
    """An empty map or list."""
    if get(before.document.value, path) not in (ABSENT, None) or not schema.at(path):
        return before
    new: Value = [] if control_of(schema.at(path)) == "list" else {}
    return replace(_with_value(before, path, new), focus=FIELD + encode_path(path))


def _with_value(before: ButtonResult, path: Path, new: Value) -> ButtonResult:
    if not can_put(before.document.value, path):
        return before
    return _with_document(before, put(before.document.value, path, new))


def _with_document(before: ButtonResult, value: dict[str, Value]) -> ButtonResult:
    if value is before.document.value:
        return before
    return replace(before, document=parse(rewrite(before.document, value)))


_VERBS: Mapping[str, Callable[[ButtonResult, Schema, Path, str], ButtonResult]] = {
    "add": _add, "open": _open, "remove": _remove, "up": _up, "down": _down, "choose": _choose, "null": _null,
    "empty": _empty, "page": _page,
}  # fmt: skip
