"""What a person reads of many objects: those that have the same in common as one, with their names folded."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dashboard.bulk.run import Group, Item, ItemState

NAMES = 200
"""Names that are shown of a group; the file with all results has all of them."""
A_PAGE = 25
"""Groups on a page."""

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Fold:
    """Objects with the same in common."""

    items: tuple[Item, ...]
    group: Group | None = None

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
    def more(self) -> int:
        return max(0, len(self.items) - NAMES)


def differences(items: Iterable[Item], groups: Sequence[Group]) -> list[Fold]:
    """What would become of them, the most common first."""
    folds = _folded(items, "tried", lambda item: item.group)
    return [Fold(fold.items, groups[fold.first.group]) for fold in folds]


def by_words(items: Iterable[Item], state: ItemState) -> list[Fold]:
    """Those of one state, by what is said of them, A_PAGE at most; names in a message tell nothing apart."""
    return _folded(items, state, lambda item: (item.words, item.said.replace(f'"{item.name}"', "")))[:A_PAGE]


def _folded(items: Iterable[Item], state: ItemState, key: Callable[[Item], K]) -> list[Fold]:
    found: dict[K, list[Item]] = {}
    for item in items:
        if item.state == state:
            found.setdefault(key(item), []).append(item)
    return sorted((Fold(tuple(each)) for each in found.values()), key=lambda fold: -fold.count)
