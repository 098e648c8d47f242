"""Fields by words: the way to the one among fifteen hundred that somebody wants to set, or the one item of a thousand.

What is below lists and maps is found in the object, by path or by value; below items that are there, fields that are
not set are found, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from dashboard.edits.fields import ABSENT, Path, Segment, Value, get, show
from dashboard.edits.forms.controls import control_of, text_of
from dashboard.edits.forms.node import Hit
from dashboard.edits.forms.words import help_of
from dashboard.edits.input_names import FIELD, written
from dashboard.edits.schema import Schema

HITS = 30
MOST_SET = 12
"""Of these at most so many are values that are set below lists and maps."""
FIRST_ITEMS = 3
"""Items of a list in which a field is offered."""
_LONGEST = 200
"""Characters of a value that are searched."""
LARGE = 20
"""From so many fields on a form has a search."""
_LOOKED_AT = 8000
"""Fields of a schema that are looked at; nearer ones first."""
_DEEPEST = 12
Names = tuple[str, ...]


def found(
    schema: Schema, value: Mapping[str, Value], words: str, anchors: Collection[str], roots: Names
) -> tuple[Hit, ...]:
    """What is set below lists and maps, then the schema's fields; at most HITS."""
    wanted = words.lower().split()
    held = {name: value[name] for name in roots if name in value}
    if "status" not in roots:
        labels = {name: get(value, ("metadata", name)) for name in ("labels", "annotations")}
        held["metadata"] = labels
    there = tuple(islice(_set_below(held, (), wanted), MOST_SET))
    hits = [Hit(written(path), show(path), text, FIELD + written(path) in anchors) for path, text in there]
    hits += _by_schema(schema, value, wanted, anchors, roots)
    each_once: dict[str, Hit] = {}
    for hit in hits:
        each_once.setdefault(hit.name, hit)
    return tuple(each_once.values())[:HITS]


def _set_below(value: Value, path: Path, wanted: list[str], *, below: bool = False) -> Iterator[tuple[Path, str]]:
    """Plain values that are in a list or a map's entry, by all words in path and value. Not more than is needed."""
    if isinstance(value, dict):
        for name, each in value.items():
            inside = below or len(path) >= 2
            yield from _set_below(each, (*path, name), wanted, below=inside)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _set_below(each, (*path, index), wanted, below=True)
    elif below and value is not ABSENT:
        text = text_of(value)
        where = f"{show(path)} {text[:_LONGEST]}".lower()
        if all(word in where for word in wanted):
            yield path, text


def _by_schema(
    schema: Schema, value: Mapping[str, Value], wanted: list[str], anchors: Collection[str], roots: Names
) -> Iterator[Hit]:
    """The fields in whose path all of the words stand, those first whose own name has them."""
    matching = [
        (_rank(path, wanted), index, path, field)
        for index, (path, field) in enumerate(_fields(schema, roots))
        if all(word in ".".join(path).lower() for word in wanted)
    ]
    best = sorted(matching, key=lambda each: each[:2])[:HITS]
    for _, _, path, field in best:
        yield from _hits(path, field, value, anchors)


def is_large(schema: Schema, roots: Names) -> bool:
    """Whether the form has more fields than anybody sees at once."""
    return len(list(islice(_fields(schema, roots), LARGE + 1))) > LARGE


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
        held = (*path[:-1], path[-1] + mark)
        yield from (((*held, name), child) for name, child in items.properties.items())


def _hits(path: Names, field: Schema, value: Mapping[str, Value], anchors: Collection[str]) -> Iterator[Hit]:
    """Below the items of a list: the field of each of the first items that there are; else the list itself."""
    words = help_of(field, control_of(field)).short
    for reached in islice(_reached(path, value), FIRST_ITEMS):
        name = written(reached)
        whole = len(reached) == len(path) + sum(each.endswith(("[]", "{}")) for each in path)
        yield Hit(name, show(reached) if whole else ".".join(path), words, FIELD + name in anchors)


def _reached(path: Names, value: Value) -> Iterator[Path]:
    """The paths that a schema's path stands for in the object; up to the first list that has no items there."""
    if not path:
        yield ()
        return
    name, mark = path[0].removesuffix("[]").removesuffix("{}"), path[0][-2:]
    inner = value.get(name, ABSENT) if isinstance(value, dict) else ABSENT
    if mark not in ("[]", "{}"):
        yield from ((name, *rest) for rest in _reached(path[1:], inner))
        return
    kind = list if mark == "[]" else dict
    keys: Iterable[Segment] = () if not isinstance(inner, kind) else range(len(inner)) if kind is list else inner
    if not keys:
        yield (name,)
    for key in keys:
        yield from ((name, key, *rest) for rest in _reached(path[1:], get(inner, (key,))))
