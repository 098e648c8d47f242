"""Ready-made index functions: by a label, a field or the owner.

``informer.add_index(*label_index("app"))`` adds one. A lister uses label and field indexes where its selectors allow
it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from informerd.cache.index import IndexFunction
from informerd.objects import Object
from informerd.selectors.field_path import FieldPath

T = TypeVar("T", bound=Object)


def label_index_name(key: str) -> str:
    """The name of the index of that label."""
    return f"label:{key}"


def field_index_name(path: str) -> str:
    """The name of the index of that field."""
    return f"field:{path.removeprefix('.')}"


def label_index(key: str) -> tuple[str, IndexFunction[Any]]:
    """Name and function of the index of a label: objects that have it, under its value."""

    def values(obj: Object) -> Iterable[str]:
        value = obj.metadata.labels.get(key)
        return () if value is None else (value,)

    return label_index_name(key), values


def field_index(projection: type[T], path: str) -> tuple[str, IndexFunction[T]]:
    """Name and function of the index of a projection's field: every object, under the texts of its values.

    See `informerd.selectors.field_path` for paths. Raises UnknownField.
    """
    field = FieldPath(projection, path)
    return field_index_name(path), lambda obj: frozenset(field.texts(obj))


def owner_index() -> tuple[str, IndexFunction[Any]]:
    """Name (``owner``) and function of the index by the uid of the owner that controls an object."""

    def values(obj: Object) -> Iterable[str]:
        return [owner.uid for owner in obj.metadata.owner_references if owner.controller]

    return "owner", values
