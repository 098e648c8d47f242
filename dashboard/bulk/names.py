"""Objects of which the same is said: their number, and as many of their names as a page takes."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.bulk.run import Item

NAMES = 200
"""Names that are shown of a group; the file with all results has all of them."""

FEW = 3
"""So many are named at once, and not folded."""


@dataclass(frozen=True, slots=True)
class Names:
    """Some objects of a run."""

    items: tuple[Item, ...]

    @property
    def count(self) -> int:
        return len(self.items)

    @property
    def first(self) -> Item:
        return self.items[0]

    @property
    def shown(self) -> tuple[Item, ...]:
        return self.items[:NAMES]

    @property
    def few(self) -> bool:
        return len(self.items) <= FEW

    @property
    def more(self) -> int:
        return max(0, len(self.items) - NAMES)
