"""Items of a list by their keys in the kind's schema: its merge keys or map keys."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.objects.fields.field_access import ABSENT, ItemKey, Value
from dashboard.objects.schemas.schema import Schema


def items_by_key(items: Value, schema: Schema) -> dict[ItemKey, Value] | None:
    """The items by their keys, in their order; `schema` is the list's.

    None where the list has no keys in the schema, where an item lacks one, or where two have the same key: then the
    list is one value. A missing key has the schema's default: a port without protocol is the TCP one.
    """
    if not schema.list_keys or not isinstance(items, list):
        return None
    keys = _keys(schema)
    by_key: dict[ItemKey, Value] = {}
    for item in items:
        key = _key(item, keys)
        if key is None or key in by_key:
            return None
        by_key[key] = item
    return by_key


def previous_items(items: list[Value], before: Value, schema: Schema) -> list[Value]:
    """The old item of each of `items` in the list `before`, or ABSENT: by the list's keys, else by its index.

    An item without its key has no old item.
    """
    old = items_by_key(before, schema)
    if old is None:
        there = before if isinstance(before, list) else []
        return [*there[: len(items)], *[ABSENT] * (len(items) - len(there))]
    keys = _keys(schema)
    keys_of_items = (_key(item, keys) for item in items)
    return [ABSENT if key is None else old.get(key, ABSENT) for key in keys_of_items]


def _keys(schema: Schema) -> dict[str, Value]:
    """The fields that identify the items of a list, each with its default (None: none)."""
    items = schema.child(0)
    return {name: items.child(name).node.get("default") for name in schema.list_keys}


def _key(item: Value, keys: Mapping[str, Value]) -> ItemKey | None:
    if "" in keys:
        return None if isinstance(item, dict | list) else ItemKey((("", item),))
    if not isinstance(item, dict):
        return None
    pairs = tuple((name, default if item.get(name) is None else item[name]) for name, default in keys.items())
    return None if any(value is None or isinstance(value, dict | list) for _, value in pairs) else ItemKey(pairs)
