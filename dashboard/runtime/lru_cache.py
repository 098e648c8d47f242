"""Cache of results by text, so that while somebody types only what changed is computed again."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

MAX_CHARACTERS = 12 * 1024 * 1024
"""Maximum total size of the cached texts, in characters."""

T = TypeVar("T")


class LruCache(Generic[T]):
    """Results by key; the least recently used is dropped first."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[int, T]] = OrderedDict()
        self._characters = 0

    def get(self, key: str) -> T | None:
        """The result for this key; None where there is none, or no longer."""
        found = self._known.get(key)
        if found is None:
            return None
        self._known.move_to_end(key)
        return found[1]

    def put(self, key: str, size: int, value: T) -> None:
        """Replace the result for this key; `size` is the text's, in characters."""
        before = self._known.pop(key, None)
        self._known[key] = (size, value)
        self._characters += size - (before[0] if before is not None else 0)
        while self._characters > MAX_CHARACTERS and len(self._known) > 1:
            self._characters -= self._known.popitem(last=False)[1][0]
