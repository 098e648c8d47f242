"""Mapping of limited size that drops the least recently used entries."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """Values whose weights are at most `limit` together; reading or writing one makes it the newest.

    The newest is kept whatever it weighs.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._weight = 0
        self._entries: dict[K, tuple[V, int]] = {}

    def get(self, key: K) -> V | None:
        """The value of this key; None where there is none, or no longer."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return None
        self._entries[key] = entry
        return entry[0]

    def put(self, key: K, value: V, weight: int = 1) -> None:
        """Replace the value of this key."""
        self._weight += weight - self._entries.pop(key, (value, 0))[1]
        self._entries[key] = (value, weight)
        while self._weight > self._limit and len(self._entries) > 1:
            self._weight -= self._entries.pop(next(iter(self._entries)))[1]

    def remove(self, key: K) -> None:
        """Drop the value of this key, where there is one."""
        self._weight -= self._entries.pop(key, (None, 0))[1]

    def __len__(self) -> int:
        return len(self._entries)
