"""Removal of null from JSON values that are decoded into a type without null, as Go's decoder has it.

Go's encoding/json: "null … has no effect on the Go value" where it is no pointer, map, slice or interface. So a member
that is null is as good as absent, and null in a list or a map is the type's empty value.
"""

from __future__ import annotations

from typing import Any

from msgspec import inspect

_EMPTY: tuple[tuple[type[inspect.Type], Any], ...] = (
    (inspect.StrType, ""),
    (inspect.IntType, 0),
    (inspect.FloatType, 0.0),
    (inspect.BoolType, False),
)
_LISTS = (inspect.ListType, inspect.VarTupleType, inspect.SetType, inspect.FrozenSetType)


def without_nulls(value: Any, kind: inspect.Type) -> Any:
    """`value`, a plain JSON value, without the nulls that `kind` does not take. May change `value`."""
    for each in _alternatives(kind):
        if isinstance(value, dict) and isinstance(each, inspect.StructType):
            return _struct(value, each)
        if isinstance(value, dict) and isinstance(each, inspect.DictType):
            return {key: _element(item, each.value_type) for key, item in value.items()}
        if isinstance(value, list) and isinstance(each, _LISTS):
            return [_element(item, each.item_type) for item in value]
    return value


def _struct(value: dict[str, Any], kind: inspect.StructType) -> dict[str, Any]:
    for field in kind.fields:
        name = field.encode_name
        if name not in value:
            continue
        if value[name] is None and not _takes_null(field.type):
            del value[name]
        else:
            value[name] = without_nulls(value[name], field.type)
    return value


def _element(value: Any, kind: inspect.Type) -> Any:
    """A member of a list or a map."""
    if value is not None or _takes_null(kind):
        return without_nulls(value, kind)
    if isinstance(kind, (inspect.StructType, inspect.DictType)):
        return {}
    if isinstance(kind, _LISTS):
        return []
    return next((empty for type_, empty in _EMPTY if isinstance(kind, type_)), None)


def _takes_null(kind: inspect.Type) -> bool:
    return any(isinstance(each, (inspect.NoneType, inspect.AnyType, inspect.RawType)) for each in _alternatives(kind))


def _alternatives(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    if isinstance(kind, inspect.Metadata):
        return _alternatives(kind.type)
    return kind.types if isinstance(kind, inspect.UnionType) else (kind,)
