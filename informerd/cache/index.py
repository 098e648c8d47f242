"""Indexes of a store: from a value, such as a namespace or an owner's uid, to the keys of the objects that have it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

from informerd.log_throttle import LogThrottle, repeat_suffix
from informerd.objects import Object

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

IndexFunction = Callable[[T], str | Iterable[str]]
"""The values under which an object is found, none for not at all; a text is one value. It must depend on nothing but
the object."""

NAMESPACE = "namespace"
"""The index that every informer's store has."""


def by_namespace(obj: Object) -> Iterable[str]:
    """The object's namespace, empty for cluster-scoped ones (client-go's MetaNamespaceIndexFunc)."""
    return (obj.metadata.namespace,)


class Index(Generic[T]):
    """One index. A function that raises is logged and leaves its object unindexed; client-go would panic.

    The keys in it are the store's own strings, so that an entry costs a set's slot.
    """

    def __init__(self, name: str, function: IndexFunction[T]) -> None:
        self.name = name
        self.failures = 0
        """Number of exceptions of the function."""
        self._repeats = LogThrottle()
        self.moves = function is not by_namespace
        """Whether an update can move an object; its namespace is part of its key and cannot change."""
        self._function = function
        self._keys: dict[str, set[str]] = {}

    def empty_copy(self) -> Index[T]:
        """A new, empty index of the same name and function."""
        index = Index(self.name, self._function)
        index.failures, index._repeats = self.failures, self._repeats
        return index

    def add(self, objects: Iterable[tuple[str, T]]) -> None:
        """Index `objects`, given with their keys, none of which it has yet."""
        keys, values_of = self._keys, self._values
        for key, obj in objects:
            for value in values_of(key, obj):
                if value in keys:
                    keys[value].add(key)
                else:
                    keys[value] = {key}

    def change(self, key: str, old: T | None, new: T | None) -> None:
        """Move `key` from the values of `old` to those of `new`; None stands for absent."""
        before = self._values(key, old, quiet=True) if old is not None else ()
        after = self._values(key, new) if new is not None else ()
        if before == after:
            return
        for value in before:
            self._discard(value, key)
        for value in after:
            self._keys.setdefault(value, set()).add(key)

    def keys(self, value: str) -> AbstractSet[str]:
        """The keys under `value`; a live view, copy it to keep it."""
        return self._keys.get(value, frozenset())

    def values(self) -> list[str]:
        """Every value that at least one object has."""
        return list(self._keys)

    def _discard(self, value: str, key: str) -> None:
        keys = self._keys.get(value)
        if keys is None:
            return
        keys.discard(key)
        if not keys:
            del self._keys[value]

    def _values(self, key: str, obj: T, *, quiet: bool = False) -> tuple[str, ...]:
        try:
            given = self._function(obj)
            values = (given,) if isinstance(given, str) else tuple(given)
            hash(values)  # raises for what cannot be looked up, a list for example
        except Exception as error:  # noqa: BLE001 - an index function that raises ends no informer
            if not quiet:
                self._failed(key, error)
            return ()
        return values

    def _failed(self, key: str, error: Exception) -> None:
        self.failures += 1
        if number := self._repeats.count(type(error).__name__):
            text = "index %s failed on %s; the object is kept, unindexed%s"
            fields = {"index": self.name, "object": key, "failures": number}
            log.error(text, self.name, key, repeat_suffix(number), exc_info=error, extra=fields)
