"""Mapping of limited size that drops the least recently used entry."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

DEFAULT_ENTRIES = 4096
"""As client-go's events_cache.go has it."""


class LruCache(Generic[K, V]):
    """At most `entries` values; reading or writing one makes it the newest."""

    def __init__(self, entries: int = DEFAULT_ENTRIES) -> None:
        self._entries = entries
        self._values: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        value = self._values.pop(key, None)
        if value is not None:
            self._values[key] = value
        return value

    def put(self, key: K, value: V) -> None:
        self._values.pop(key, None)
        self._values[key] = value
        if len(self._values) > self._entries:
            del self._values[next(iter(self._values))]

    def __len__(self) -> int:
        return len(self._values)
