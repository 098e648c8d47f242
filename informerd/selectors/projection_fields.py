"""Fields of a projection as JSON has them: what is one step below a type, and all paths to values."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import NODEFAULT, inspect

_LISTS = (inspect.ListType, inspect.VarTupleType, inspect.TupleType, inspect.SetType, inspect.FrozenSetType)
_ORDERED = (inspect.ListType, inspect.VarTupleType, inspect.TupleType)
_NAMED = (inspect.StructType, inspect.DataclassType)


def union_members(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    """The types that a value may have, None and constraints apart."""
    if isinstance(kind, inspect.Metadata):
        return union_members(kind.type)
    if not isinstance(kind, inspect.UnionType):
        return (kind,)
    return tuple(each for each in kind.types if not isinstance(each, inspect.NoneType)) or (inspect.NoneType(),)


def is_container(kind: inspect.Type) -> bool:
    """Whether it holds other values and is none itself."""
    return isinstance(kind, (*_LISTS, *_NAMED, inspect.DictType, inspect.TypedDictType, inspect.NamedTupleType))


def child_of(kind: inspect.Type, step: str | int) -> tuple[str, inspect.Type] | None:
    """The attribute ("" where it is none) and type one step below, a negative number for every entry of a list.

    None where there is no such step.
    """
    if isinstance(step, str):
        if isinstance(kind, _NAMED):
            return next(((each.name, _type_of(each)) for each in _fields(kind) if each.encode_name == step), None)
        if isinstance(kind, inspect.DictType):
            return "", kind.value_type
        if isinstance(kind, inspect.TypedDictType):
            return next((("", each.type) for each in kind.fields if each.encode_name == step), None)
        return None
    if not isinstance(kind, _LISTS if step < 0 else _ORDERED):
        return None
    return "", _entry(kind)


def value_paths(projection: type) -> tuple[str, ...]:
    """The paths of a projection that lead to values, in the order of its fields."""
    return tuple(_paths(inspect.type_info(projection), "", ()))


def _paths(kind: inspect.Type, path: str, above: tuple[type, ...]) -> Iterator[str]:
    for each in union_members(kind):
        if isinstance(each, _NAMED):
            if each.cls not in above:  # a type may hold itself
                for field in _fields(each):
                    yield from _paths(field.type, f"{path}.{field.encode_name}".lstrip("."), (*above, each.cls))
        elif isinstance(each, _LISTS):
            yield from _paths(_entry(each), f"{path}[*]", above)
        elif isinstance(each, inspect.DictType):
            yield from _paths(each.value_type, f"{path}[…]", above)
        elif isinstance(each, inspect.TypedDictType):
            for member in each.fields:
                yield from _paths(member.type, f"{path}.{member.encode_name}", above)
        else:
            yield path
            return


def _fields(kind: inspect.StructType | inspect.DataclassType) -> Iterator[inspect.Field]:
    """The fields that the wire knows; names such as ``-blob`` are there to keep others off it."""
    return (each for each in kind.fields if not each.encode_name.startswith("-"))


def _type_of(field: inspect.Field) -> inspect.Type:
    """A field that is UNSET where it is not there may hold nothing.

    msgspec's description says neither that nor the default: it is of a field that is not required and has none.
    """
    if field.required or (field.default, field.default_factory) != (NODEFAULT, NODEFAULT):
        return field.type
    return inspect.UnionType((*union_members(field.type), inspect.NoneType()))


def _entry(kind: inspect.Type) -> inspect.Type:
    if isinstance(kind, inspect.TupleType):
        return inspect.UnionType(kind.item_types)
    if isinstance(kind, (inspect.ListType, inspect.VarTupleType, inspect.SetType, inspect.FrozenSetType)):
        return kind.item_type
    return inspect.AnyType()
