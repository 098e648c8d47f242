"""Search for fields by words, in the schema and in the object.

Below lists and maps the object is searched, by path or by value; below existing items, fields that are not set are
found too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from dashboard.objects.fields.field_access import ABSENT, Path, Segment, Value, format_path, get
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.forms.controls import control_of, input_text
from dashboard.pages.forms.form_tree import Hit
from dashboard.pages.forms.help import help_of
from dashboard.pages.forms.input_names import FIELD, encode_path

MAX_HITS = 30
MAX_SET_HITS = 12
"""Most results that are set values below lists and maps."""
FIRST_ITEMS = 3
"""Most list items in which a field is offered."""
_LONGEST = 200
"""Longest part of a value that is searched, in characters."""
SEARCHED_FROM = 20
"""Number of fields from which a form has a search."""
_LOOKED_AT = 8000
"""Most schema fields that are searched; nearer ones first."""
_DEEPEST = 12
Names = tuple[str, ...]


def find_fields(
    schema: Schema, value: Mapping[str, Value], words: str, anchors: Collection[str], roots: Names
) -> tuple[Hit, ...]:
    """Set values below lists and maps, then the schema's fields; at most MAX_HITS."""
    wanted = words.lower().split()
    roots_of_value = {name: value[name] for name in roots if name in value}
    if "status" not in roots:
        labels = {name: get(value, ("metadata", name)) for name in ("labels", "annotations")}
        roots_of_value["metadata"] = labels
    there = tuple(islice(_set_below(roots_of_value, (), wanted), MAX_SET_HITS))
    hits = [
        Hit(encode_path(path), format_path(path), text, FIELD + encode_path(path) in anchors) for path, text in there
    ]
    hits += _by_schema(schema, value, wanted, anchors, roots)
    each_once: dict[str, Hit] = {}
    for hit in hits:
        each_once.setdefault(hit.name, hit)
    return tuple(each_once.values())[:MAX_HITS]


def _set_below(value: Value, path: Path, wanted: list[str], *, below: bool = False) -> Iterator[tuple[Path, str]]:
    """Plain values in a list or a map entry, where path and value contain all words."""
    if isinstance(value, dict):
        for name, each in value.items():
            inside = below or len(path) >= 2
            yield from _set_below(each, (*path, name), wanted, below=inside)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _set_below(each, (*path, index), wanted, below=True)
    elif below and value is not ABSENT:
        text = input_text(value)
        where = f"{format_path(path)} {text[:_LONGEST]}".lower()
        if all(word in where for word in wanted):
            yield path, text


def _by_schema(
    schema: Schema, value: Mapping[str, Value], wanted: list[str], anchors: Collection[str], roots: Names
) -> Iterator[Hit]:
    """The fields whose path contains all words, those first whose own name does."""
    matching = [
        (_rank(path, wanted), index, path, field)
        for index, (path, field) in enumerate(_fields(schema, roots))
        if all(word in ".".join(path).lower() for word in wanted)
    ]
    best = sorted(matching, key=lambda each: each[:2])[:MAX_HITS]
    for _, _, path, field in best:
        yield from _hits(path, field, value, anchors)


def has_more_fields(schema: Schema, roots: Names, number: int) -> bool:
    """Whether the schema has more fields than that, those below lists and maps too."""
    return next(islice(_fields(schema, roots), number, None), None) is not None


def _rank(path: Names, words: list[str]) -> tuple[int, int]:
    name = path[-1].lower()
    last = words[-1]
    if name == last:
        return 0, len(path)
    if name.startswith(last):
        return 1, len(path)
    return (2 if last in name else 3), len(path)


def _fields(schema: Schema, roots: Names) -> Iterator[tuple[Names, Schema]]:
    """Paths without indexes; ``ports[]`` for what is below the items of a list, ``labels{}`` below a map's entries."""
    waiting: deque[tuple[Names, Schema]] = deque(((root,), schema.child(root)) for root in roots)
    for _ in range(_LOOKED_AT):
        if not waiting:
            return
        path, field = waiting.popleft()
        if len(path) > 1 or "properties" not in field.node:
            yield path, field
        if len(path) < _DEEPEST:
            waiting += _children(path, field)


def _children(path: Names, field: Schema) -> Iterator[tuple[Names, Schema]]:
    control = control_of(field)
    if control == "group":
        yield from (((*path, name), child) for name, child in field.properties.items())
    elif control in ("list", "map"):
        items, mark = (field.child(0), "[]") if control == "list" else (field.child(""), "{}")
        list_path = (*path[:-1], path[-1] + mark)
        yield from (((*list_path, name), child) for name, child in items.properties.items())


def _hits(path: Names, field: Schema, value: Mapping[str, Value], anchors: Collection[str]) -> Iterator[Hit]:
    """Below a list: the field in each of the first existing items; else the list itself."""
    words = help_of(field, control_of(field)).summary
    for reached in islice(_object_paths(path, value), FIRST_ITEMS):
        name = encode_path(reached)
        whole = len(reached) == len(path) + sum(each.endswith(("[]", "{}")) for each in path)
        yield Hit(name, format_path(reached) if whole else ".".join(path), words, FIELD + name in anchors)


def _object_paths(path: Names, value: Value) -> Iterator[Path]:
    """The object's paths for a schema path; up to the first empty list."""
    if not path:
        yield ()
        return
    name, mark = path[0].removesuffix("[]").removesuffix("{}"), path[0][-2:]
    inner = value.get(name, ABSENT) if isinstance(value, dict) else ABSENT
    if mark not in ("[]", "{}"):
        yield from ((name, *rest) for rest in _object_paths(path[1:], inner))
        return
    kind = list if mark == "[]" else dict
    keys: Iterable[Segment] = () if not isinstance(inner, kind) else range(len(inner)) if kind is list else inner
    if not keys:
        yield (name,)
    for key in keys:
        yield from ((name, key, *rest) for rest in _object_paths(path[1:], get(inner, (key,))))
