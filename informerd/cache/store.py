"""Store of the latest state of each object by key, with indexes and the resource version that it is at."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Iterator, KeysView, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Generic, TypeVar

import msgspec

from informerd.cache.index import NAMESPACE, Index, IndexFunction, by_namespace
from informerd.errors import IndexExists, UnknownIndex, Unreadable
from informerd.objects import Object

T = TypeVar("T", bound=Object)

OBJECTS_PER_TURN = 1000
"""Objects of a list that are indexed before the event loop gets its turn."""


_NONE: Mapping[str, Unreadable] = MappingProxyType({})


class Store(Generic[T]):
    """Objects by key, ``namespace/name`` or ``name``.

    Read it from the event loop that runs the informer; between two awaits nothing changes under the reader. The
    objects are shared by all readers: never change what hangs below them. Only the informer writes.
    """

    def __init__(self, indexes: Mapping[str, IndexFunction[T]] | None = None) -> None:
        self._objects: dict[str, T] = {}
        self._indexes: dict[str, Index[T]] = {}
        self._moving: builtins.list[Index[T]] = []
        self._unreadable: dict[str, Unreadable] = {}
        self.resource_version = ""
        """Everything up to this version is in the store; empty before the first list."""
        self.has_list = False
        """Whether a complete list has been in the store: what is not there was not in the cluster."""
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
        """Number of exceptions of each index's function."""
        return {name: index.failures for name, index in dict(self._indexes).items()}

    @property
    def unreadable(self) -> Mapping[str, Unreadable]:
        """By key what the API server has and nobody can read; it is not among the objects."""
        return MappingProxyType(self._unreadable)

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
        keys = self._index(name).keys(value)
        return [objects[key] for key in keys if key in objects]  # a reader who changes objects leaves ghosts

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
        index = Index(name, function)
        index.add(self._objects.items())
        self._set_indexes({**self._indexes, name: index})

    def put(self, key: str, obj: T) -> T | None:
        """Store `obj`; returns the object that it replaced. For the informer."""
        old = self._objects.get(key)
        self._objects[key] = obj
        if self._unreadable:
            self._unreadable.pop(key, None)
        for index in self._indexes.values() if old is None else self._moving:
            index.change(key, old, obj)
        return old

    def remove(self, key: str) -> T | None:
        """Remove and give back; None if it was not there. For the informer."""
        old = self._objects.pop(key, None)
        self._unreadable.pop(key, None)
        if old is not None:
            for index in self._indexes.values():
                index.change(key, old, None)
        return old

    def put_unreadable(self, unreadable: Unreadable) -> T | None:
        """Remove the object, because its present state cannot be read; returns what was there. For the informer."""
        known = self._unreadable.get(unreadable.key)
        old = self.remove(unreadable.key)
        self._unreadable[unreadable.key] = _merged(known, unreadable)
        return old

    async def replace(
        self, objects: dict[str, T], resource_version: str, unreadable: Mapping[str, Unreadable] = _NONE
    ) -> dict[str, T]:
        """Replace the content by `objects` (the dict belongs to the store afterwards); returns the old content. For the
        informer.

        The objects are indexed a thousand at a time, between which the event loop gets its turn and readers see the old
        content; then the new content is there as a whole.
        """
        indexes: dict[str, Index[T]] = {}
        while missing := [index for name, index in self._indexes.items() if name not in indexes]:
            for index in missing:  # one that is added meanwhile is done in another round
                indexes[index.name] = fresh = index.empty_copy()
                rest = iter(objects.items())
                while turn := [*islice(rest, OBJECTS_PER_TURN)]:
                    fresh.add(turn)
                    await asyncio.sleep(0)
        before, self._objects = self._objects, objects
        known = self._unreadable
        self._unreadable = {key: _merged(known.get(key), each) for key, each in unreadable.items()}
        self._set_indexes(indexes)
        self.resource_version, self.has_list = resource_version, True
        return before

    def _set_indexes(self, indexes: dict[str, Index[T]]) -> None:
        self._indexes = indexes
        self._moving = [index for index in indexes.values() if index.moves]

    def _index(self, name: str) -> Index[T]:
        index = self._indexes.get(name)
        if index is None:
            raise UnknownIndex(name, tuple(self._indexes))
        return index


def _merged(known: Unreadable | None, new: Unreadable) -> Unreadable:
    """`new`, with the time since when the object has been unreadable."""
    return new if known is None else msgspec.structs.replace(new, since=known.since)
