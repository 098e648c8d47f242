"""What of a patch's lists and directives cannot be meant, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.bulk.lists import REMOVES, is_directive, replaces
from dashboard.edits.fields import Path, Value
from dashboard.edits.problems import Problem
from dashboard.edits.schema import Schema

_KNOWN = "“$patch” is “replace” (what the object has here goes) or “delete”: the API server knows nothing else."
_INSIDE = "All around this is taken as it is written, in place of what the object has: take the directive out."
_VALUES = "Write values: this list is added to, and “$deleteFromPrimitiveList/…” beside it takes values out."


def wrong_lists(patch: Value, schema: Schema) -> list[Problem]:
    """What of it cannot be meant: directives that nobody knows or would follow, items without their key."""
    if not schema.strategic:
        words = (
            "This is for the kinds built into Kubernetes. Of this kind a list is replaced as a whole: write all that "
            "is to stay, without directives."
        )
        return [Problem(words, path=path) for path in _directives((), patch)]
    top = [name for name in patch if is_directive(name)] if isinstance(patch, dict) else []
    words = "A directive at the top would be about the whole object: write it where it belongs."
    return [Problem(words, path=(name,)) for name in top] or list(_wrong((), patch, schema))


def _wrong(path: Path, value: Value, schema: Schema) -> Iterator[Problem]:
    """As the API server merges: source as in dashboard.bulk.lists."""
    if isinstance(value, dict):
        yield from _wrong_map(path, value, schema)
    elif isinstance(value, list):
        yield from _wrong_items(path, value, schema)


def _wrong_map(path: Path, value: dict[str, Value], schema: Schema) -> Iterator[Problem]:
    if "$patch" in value:
        yield from _unknown(path, value)
        yield from _inside(path, {name: each for name, each in value.items() if name != "$patch"})
        return
    for name, each in value.items():
        if name.startswith(REMOVES) and not isinstance(each, list):
            yield Problem("Write a list of what is to be taken out, such as [a, b].", path=(*path, name))
        elif not is_directive(name):
            yield from _wrong((*path, name), each, schema.child(name))


def _wrong_items(path: Path, items: list[Value], schema: Schema) -> Iterator[Problem]:
    key = schema.patch_key
    for index, item in enumerate(items):
        place = (*path, index)
        if not key:
            yield from _inside(place, item, _INSIDE if key is None else _VALUES)
        elif isinstance(item, dict) and "$patch" in item and item["$patch"] != "delete":
            yield from _unknown(place, item)
        elif replaces(items):
            yield from _inside(place, item)
        elif not isinstance(item, dict) or item.get(key) is None:
            words = f"Write the “{key}” of each item: it says which item of the object's list is meant."
            yield Problem(words, path=place)
        elif "$patch" not in item:
            yield from _wrong_map(place, item, schema.child(0))


def _unknown(path: Path, value: dict[str, Value]) -> Iterator[Problem]:
    if value["$patch"] not in ("replace", "delete"):
        yield Problem(_KNOWN, path=(*path, "$patch"))


def _inside(path: Path, value: Value, words: str = _INSIDE) -> Iterator[Problem]:
    return (Problem(words, path=each) for each in _directives(path, value))


def _directives(path: Path, value: Value) -> Iterator[Path]:
    if isinstance(value, dict):
        for name, each in value.items():
            if is_directive(name):
                yield (*path, name)
            else:
                yield from _directives((*path, name), each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _directives((*path, index), each)
