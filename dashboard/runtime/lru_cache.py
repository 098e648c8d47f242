"""What was found out about texts, so that while somebody types only what changed is looked at anew."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

MOST_CHARACTERS = 12 * 1024 * 1024
"""Of the texts of which something is remembered."""

T = TypeVar("T")


class Remembered(Generic[T]):
    """What is known of each text by its key; what was asked for longest ago is forgotten first."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[int, T]] = OrderedDict()
        self._characters = 0

    def of(self, key: str) -> T | None:
        """What is known of the text with this key; None where nothing is, or no longer."""
        found = self._known.get(key)
        if found is None:
            return None
        self._known.move_to_end(key)
        return found[1]

    def keep(self, key: str, size: int, known: T) -> None:
        """In the place of what was known of it; `size` is the text's, in characters."""
        before = self._known.pop(key, None)
        self._known[key] = (size, known)
        self._characters += size - (before[0] if before is not None else 0)
        while self._characters > MOST_CHARACTERS and len(self._known) > 1:
            self._characters -= self._known.popitem(last=False)[1][0]
