"""Checks of a strategic merge patch: its directives and the merge keys of its list items. Problems are sentences."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.objects.fields.field_access import Path, Value
from dashboard.objects.problems.write_refusal import Problem
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.bulk.patch_merge_rules import DELETE_FROM_PREFIX, has_replace_directive, is_directive

_KNOWN = "“$patch” must be “replace” (the object's content here is removed) or “delete”."
_INSIDE = "Everything around this replaces the object's content as it is: remove the directive."
_VALUES = "Write plain values: they are added to the list, and “$deleteFromPrimitiveList/…” beside it removes values."


def check_lists(patch: Value, schema: Schema) -> list[Problem]:
    """Problems: unknown or ineffective directives, items without their key."""
    if not schema.strategic:
        words = (
            "This works only for kinds that are built into Kubernetes. "
            "A list of this kind is replaced as a whole: write all items to keep, without directives."
        )
        return [Problem(words, path=path) for path in _directives((), patch)]
    top = [name for name in patch if is_directive(name)] if isinstance(patch, dict) else []
    words = "A directive at the top would apply to the whole object: move it to its list or map."
    return [Problem(words, path=(name,)) for name in top] or list(_wrong((), patch, schema))


def _wrong(path: Path, value: Value, schema: Schema) -> Iterator[Problem]:
    """Problems by the API server's merge rules: source as in dashboard.pages.bulk.patch_merge_rules."""
    if isinstance(value, dict):
        yield from _wrong_map(path, value, schema)
    elif isinstance(value, list):
        yield from _wrong_items(path, value, schema)


def _wrong_map(path: Path, value: dict[str, Value], schema: Schema) -> Iterator[Problem]:
    if "$patch" in value:
        yield from _unknown(path, value)
        yield from _check_values(path, {name: each for name, each in value.items() if name != "$patch"})
        return
    for name, each in value.items():
        if name.startswith(DELETE_FROM_PREFIX) and not isinstance(each, list):
            yield Problem("Write a list of the values to remove, such as [a, b].", path=(*path, name))
        elif not is_directive(name):
            yield from _wrong((*path, name), each, schema.child(name))


def _wrong_items(path: Path, items: list[Value], schema: Schema) -> Iterator[Problem]:
    key = schema.patch_key
    for index, item in enumerate(items):
        item_path = (*path, index)
        if not key:
            yield from _check_values(item_path, item, _INSIDE if key is None else _VALUES)
        elif isinstance(item, dict) and "$patch" in item and item["$patch"] != "delete":
            yield from _unknown(item_path, item)
        elif has_replace_directive(items):
            yield from _check_values(item_path, item)
        elif not isinstance(item, dict) or item.get(key) is None:
            words = f"Write the “{key}” of each item: it identifies the item in the object's list."
            yield Problem(words, path=item_path)
        elif "$patch" not in item:
            yield from _wrong_map(item_path, item, schema.child(0))


def _unknown(path: Path, value: dict[str, Value]) -> Iterator[Problem]:
    if value["$patch"] not in ("replace", "delete"):
        yield Problem(_KNOWN, path=(*path, "$patch"))


def _check_values(path: Path, value: Value, words: str = _INSIDE) -> Iterator[Problem]:
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
