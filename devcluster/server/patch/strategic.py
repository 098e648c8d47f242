"""Strategic merge patches of the built-in kinds, with the merge keys of the recorded definitions.

Directives: ``$patch: delete`` and ``replace``, ``$deleteFromPrimitiveList/…``, ``$setElementOrder/…``,
``$retainKeys``. Source: apimachinery's util/strategicpatch.
"""

from __future__ import annotations

import json
from collections import deque
from typing import Any

from devcluster.server.api_errors import Failure, bad_request, plain_error
from devcluster.server.builtin_definitions import BuiltinTypes
from devcluster.server.patch.patch_types import undecodable_patch
from devcluster.server.schema.pruning_and_defaulting import Schema

_DIRECTIVE = "$patch"
_ORDER = "$setElementOrder"
_DROP = "$deleteFromPrimitiveList"
_RETAIN = "$retainKeys"
_GONE = object()


def go_text(value: Any) -> str:
    """A value as Go's fmt prints it: ``map[a:1 b:[x <nil>]]``."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_text(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_text, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return "<nil>" if value is None else str(value)


class StrategicMerge:
    """Applies patches to objects of the built-in kinds."""

    def __init__(self, definitions: BuiltinTypes) -> None:
        self._definitions = definitions

    def apply(self, target: dict[str, Any], patch: Any, schema: Schema) -> dict[str, Any]:
        """The target with the patch applied. Raises Failure: 400 and 500 where the patch is none."""
        if not isinstance(patch, dict | None):
            raise undecodable_patch(patch, "value of type map[string]interface {}")
        return self._merge(target, patch or {}, schema)

    def _merge(self, target: dict[str, Any], patch: dict[str, Any], schema: Schema) -> dict[str, Any]:
        properties, others = self._fields(schema)
        if _DIRECTIVE in patch:
            return _directed(patch)
        result = _retained(target, patch)
        self._check_orders(patch, properties, schema)
        _drop_primitives(result, patch)
        for key, value in patch.items():
            if key == _RETAIN or key.partition("/")[0] in (_ORDER, _DROP):
                continue
            if value is None:
                result.pop(key, None)
                continue
            order = patch.get(f"{_ORDER}/{key}")
            merged = self._value(result.get(key), value, properties.get(key) or others, order)
            if merged is None:
                result.pop(key, None)
            else:
                result[key] = merged
        return result

    def _fields(self, schema: Schema) -> tuple[dict[str, Schema], Schema]:
        """The schemas of named fields, and of any other."""
        schema = self._definitions.resolve(schema)
        others = schema.get("additionalProperties")
        return schema.get("properties", {}), others if isinstance(others, dict) else {}

    @staticmethod
    def _check_orders(patch: dict[str, Any], properties: dict[str, Schema], schema: Schema) -> None:
        for key, order in patch.items():
            directive, _, name = key.partition("/")
            if directive != _ORDER:
                continue
            if name not in properties:
                struct = schema.get("$ref", "").rpartition(".")[2]
                raise plain_error(f'unable to find api field in struct {struct} for the json field "{name}"')
            given = patch.get(name)
            if isinstance(order, list) and isinstance(given, list):
                _check_order(given, order, properties[name].get("x-kubernetes-patch-merge-key"))

    def _value(self, old: Any, new: Any, schema: Schema, order: Any) -> Any:
        """The new value of a field; None where nothing is left of it."""
        if isinstance(old, dict) and isinstance(new, dict):
            return self._merge(old, new, schema)
        if isinstance(old, list) and isinstance(new, list):
            if "merge" in schema.get("x-kubernetes-patch-strategy", ""):
                return self._list(old, new, schema, order)
            return [item for item in new if not _is_directive(item)]
        return _fresh(new)

    def _list(self, old: list[Any], new: list[Any], schema: Schema, order: Any) -> list[Any]:
        key = schema.get("x-kubernetes-patch-merge-key")
        if any(_is_directive(item) and item[_DIRECTIVE] == "replace" for item in new):
            return [item for item in new if not _is_directive(item)]
        if len({type(item) for item in [*old, *new]}) > 1:
            raise plain_error(f"list element types are not identical: {go_text([old, new])}")
        if key is None:
            known = {_name(item, None) for item in old}
            result = old + [item for item in new if _name(item, None) not in known]
        else:
            result = self._items(old, new, key, schema)
        return _in_order(result, old, order if isinstance(order, list) else new, key)

    def _items(self, old: list[Any], new: list[Any], key: str, schema: Schema) -> list[Any]:
        """The old items, each merged with the new one of its name, if there is one; the first of several."""
        result: list[Any] = list(old)
        places: dict[Any, list[int]] = {}
        for place, item in enumerate(old):
            places.setdefault(_name(item, key), []).append(place)
        for item in new:
            if not isinstance(item, dict) or key not in item:
                raise plain_error(f"map: {go_text(item)} does not contain declared merge key: {key}")
            items_of_name = places.setdefault(_name(item, key), [])
            if item.get(_DIRECTIVE) == "delete":
                for place in items_of_name:
                    result[place] = _GONE
                items_of_name.clear()
            elif items_of_name:
                result[items_of_name[0]] = self._merge(result[items_of_name[0]], item, schema["items"])
            elif _is_directive(item):
                raise _unknown(item)
            else:
                items_of_name.append(len(result))
                result.append(item)
        return [item for item in result if item is not _GONE]


def _directed(patch: dict[str, Any]) -> dict[str, Any]:
    """The result of a map with ``$patch`` on the map it is applied to."""
    match patch[_DIRECTIVE]:
        case "replace":
            return {key: value for key, value in patch.items() if key != _DIRECTIVE}
        case "delete":
            return {}
    raise _unknown(patch)


def _unknown(patch: dict[str, Any]) -> Failure:
    return plain_error(f"unknown patch type: {go_text(patch[_DIRECTIVE])} in map: {go_text(patch)}")


def _retained(target: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """A copy of the target, without what ``$retainKeys`` does not name. Raises Failure (400)."""
    if _RETAIN not in patch:
        return dict(target)
    named = {key for key, value in patch.items() if value is not None and not key.startswith("$")}
    retained = {key for key in patch[_RETAIN] if isinstance(key, str)} if isinstance(patch[_RETAIN], list) else None
    if retained is None or named - retained:
        raise bad_request("invalid patch format of retainKeys")
    return {key: value for key, value in target.items() if key in retained}


def _drop_primitives(result: dict[str, Any], patch: dict[str, Any]) -> None:
    for key, gone in patch.items():
        directive, _, name = key.partition("/")
        if directive == _DROP and isinstance(result.get(name), list) and isinstance(gone, list):
            names = {_name(value, None) for value in gone}
            result[name] = [value for value in result[name] if _name(value, None) not in names]


def _fresh(value: Any) -> Any:
    """The patch's value of a new field: without nulls and directives."""
    if isinstance(value, dict):
        fields = {key: _fresh(below) for key, below in value.items() if below is not None}
        return None if _is_directive(value) else {key: below for key, below in fields.items() if below is not None}
    if isinstance(value, list):
        return [_fresh(item) for item in value if not _is_directive(item)]
    return value


def _check_order(given: list[Any], order: list[Any], key: str | None) -> None:
    """Check that the items of a patch are in the order of ``$setElementOrder``. Raises Failure (500)."""
    wanted = iter([_name(item, key) for item in order])
    plain_items = [item for item in given if not _is_directive(item)]
    if order and not all(_name(item, key) in wanted for item in plain_items):
        message = f"The order in patch list:\n{go_text(given)}\n doesn't match {_ORDER} list:\n{go_text(order)}\n"
        raise plain_error(message)


def _name(item: Any, key: str | None) -> Any:
    """Identity of an item: the value of the merge key, or itself; for an unhashable one its JSON."""
    name = item.get(key) if key is not None and isinstance(item, dict) else item
    return json.dumps(name, sort_keys=True) if isinstance(name, dict | list) else (type(name), name)


def _in_order(merged: list[Any], old: list[Any], order: list[Any], key: str | None) -> list[Any]:
    """Items of the patch in its order, the others in theirs; two that were there before as they stood."""
    wanted, before = _places(order, key), _places(old, key)
    names = [(_name(item, key), item) for item in merged]
    left = deque(pair for pair in names if pair[0] not in wanted)
    right = deque(sorted((pair for pair in names if pair[0] in wanted), key=lambda pair: wanted[pair[0]]))
    result: list[Any] = []
    while left and right:
        one, other = before.get(left[0][0]), before.get(right[0][0])
        first = one is not None and other is not None and one < other
        result.append((left if first else right).popleft()[1])
    return result + [item for _, item in left] + [item for _, item in right]


def _places(items: list[Any], key: str | None) -> dict[Any, int]:
    """The first index of each name."""
    places: dict[Any, int] = {}
    for place, item in enumerate(items):
        places.setdefault(_name(item, key), place)
    return places


def _is_directive(item: Any) -> bool:
    return isinstance(item, dict) and _DIRECTIVE in item
