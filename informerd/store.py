"""The store: the latest state of each object by key, with indexes, and the resource version it is at."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, KeysView, Mapping
from typing import Generic, TypeVar

from informerd.errors import IndexExists, UnknownIndex
from informerd.index import NAMESPACE, Index, IndexFunction, by_namespace
from informerd.objects import Object

T = TypeVar("T", bound=Object)


class Store(Generic[T]):
    """Objects by key, ``namespace/name`` or ``name``.

    Read it from the event loop that runs the informer; between two awaits nothing changes under the reader. The
    objects are shared by all readers: never change what hangs below them. Only the informer writes.
    """

    def __init__(self, indexes: Mapping[str, IndexFunction[T]] | None = None) -> None:
        self._objects: dict[str, T] = {}
        self._indexes: dict[str, Index[T]] = {}
        self.resource_version = ""
        """Everything up to this version is in the store; empty before the first list."""
        self.add_index(NAMESPACE, by_namespace)
        for name, function in (indexes or {}).items():
            self.add_index(name, function)

    def __len__(self) -> int:
        return len(self._objects)

    def __contains__(self, key: object) -> bool:
        return key in self._objects

    def __iter__(self) -> Iterator[T]:
        return iter(self._objects.values())

    @property
    def index_failures(self) -> dict[str, int]:
        """How often each index's function raised."""
        return {name: index.failures for name, index in [*self._indexes.items()]}

    def get(self, key: str) -> T | None:
        """The object, or None."""
        return self._objects.get(key)

    def list(self) -> builtins.list[T]:
        """All objects, in no particular order."""
        return [*self._objects.values()]

    def keys(self) -> KeysView[str]:
        """All keys, a live view."""
        return self._objects.keys()

    def by_index(self, name: str, value: str) -> builtins.list[T]:
        """The objects that index `name` has under `value`, in no particular order. Raises UnknownIndex."""
        objects = self._objects
        return [objects[key] for key in self._index(name).keys(value)]

    def index_keys(self, name: str, value: str) -> builtins.list[str]:
        """The keys that index `name` has under `value`, in no particular order. Raises UnknownIndex."""
        return [*self._index(name).keys(value)]

    def index_values(self, name: str) -> builtins.list[str]:
        """Every value in index `name`. Raises UnknownIndex."""
        return self._index(name).values()

    def add_index(self, name: str, function: IndexFunction[T]) -> None:
        """Add an index at any time: what is stored already is indexed at once. Raises IndexExists for a name in use."""
        if name in self._indexes:
            raise IndexExists(name)
        self._indexes[name] = Index(name, function, self._objects)

    def put(self, key: str, obj: T) -> T | None:
        """Store `obj`; what it took the place of. For the informer."""
        old = self._objects.get(key)
        self._objects[key] = obj
        for index in self._indexes.values():
            index.change(key, old, obj)
        return old

    def remove(self, key: str) -> T | None:
        """Remove and give back; None if it was not there. For the informer."""
        old = self._objects.pop(key, None)
        if old is not None:
            for index in self._indexes.values():
                index.change(key, old, None)
        return old

    def replace(self, objects: dict[str, T], resource_version: str) -> dict[str, T]:
        """Hold `objects` from now on (the dict is taken over); what was held before. For the informer."""
        before, self._objects = self._objects, objects
        self.resource_version = resource_version
        for index in self._indexes.values():
            index.rebuild(objects)
        return before

    def _index(self, name: str) -> Index[T]:
        index = self._indexes.get(name)
        if index is None:
            raise UnknownIndex(name, tuple(self._indexes))
        return index
