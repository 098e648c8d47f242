"""Review of a bulk run: objects with the same change or result form one group, with their names folded."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dashboard.pages.bulk.list_checks import NamedItem
from dashboard.pages.bulk.run import ChangeGroup, DiffField, Item, ItemState

MAX_SHOWN_NAMES = 200
"""Most names of a group that are shown; the results file has all of them."""


MAX_UNFOLDED_NAMES = 3
"""Most names that are shown unfolded."""


@dataclass(frozen=True, slots=True)
class ItemNames:
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
        return self.items[:MAX_SHOWN_NAMES]

    @property
    def few(self) -> bool:
        return len(self.items) <= MAX_UNFOLDED_NAMES

    @property
    def more(self) -> int:
        return max(0, len(self.items) - MAX_SHOWN_NAMES)


GROUPS_PER_PAGE = 25
"""Groups of a page."""
MAX_SERVER_FIELDS = 3
"""Most fields set by the API server that are shown among the others; more of them are folded."""
MAX_TITLE_FIELDS = 3
"""Most fields and added items that a title names; the rest is counted."""
MAX_ADDED_ITEMS = 25
"""Most added items with a note; the rest is counted."""

_LEAVES_PODS = re.compile(
    r"(metadata\.(labels|annotations|finalizers)|spec\.(revisionHistoryLimit|minReadySeconds|progressDeadlineSeconds))\b"
)
"""Fields of a workload that do not affect its pods."""

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ReviewGroup(ItemNames):
    """Objects with the same change or result."""

    group: ChangeGroup | None = None

    @property
    def added(self) -> tuple[NamedItem, ...]:
        """Items that the patch adds to the objects."""
        return tuple(each for each in self.group.named_items if each.how == "added") if self.group is not None else ()

    @property
    def added_titled(self) -> tuple[NamedItem, ...]:
        """The added items that the title names."""
        return self.added[:MAX_TITLE_FIELDS]

    @property
    def added_untitled(self) -> int:
        return len(self.added) - len(self.added_titled)

    @property
    def asked(self) -> tuple[DiffField, ...]:
        """The fields that are shown unfolded."""
        return tuple(each for each in self._fields if each not in self.set_beside)

    @property
    def set_beside(self) -> tuple[DiffField, ...]:
        """Fields that the API server sets in addition, where they are many: a new container's defaults."""
        found = tuple(each for each in self._fields if each.by_server)
        return found if len(found) > MAX_SERVER_FIELDS else ()

    @property
    def titled(self) -> tuple[str, ...]:
        """The fields that the title names: the requested ones, except those inside a new item."""
        return self._changing[:MAX_TITLE_FIELDS]

    @property
    def untitled(self) -> int:
        """The other changed fields."""
        return len(self._changing) - len(self.titled) + (self.group.more if self.group is not None else 0)

    @property
    def leaves_pods(self) -> bool:
        """Whether no change of a workload affects its pods, as far as is known."""
        more = self.group.more if self.group is not None else 1
        return not more and all(_LEAVES_PODS.match(each.field) for each in self._fields)

    @property
    def _changing(self) -> tuple[str, ...]:
        inside = tuple(f"{each.field}." for each in self.added)
        asked = tuple(each.field for each in self._fields if not each.by_server and not each.field.startswith(inside))
        return asked or (() if self.added else tuple(each.field for each in self._fields))

    @property
    def _fields(self) -> tuple[DiffField, ...]:
        return self.group.fields if self.group is not None else ()


@dataclass(frozen=True, slots=True)
class AddedItem(ItemNames):
    """A list item that the patch names, and the objects in which it is new."""

    item: NamedItem
    changed: int
    """Objects that had it already, and in which it changes."""

    @property
    def warns(self) -> bool:
        """Whether the name may be a typing error: other objects have it, or a new container would be created."""
        return bool(self.changed) or self.item.names[0][0].endswith("container")


def review_groups(items: Iterable[Item], groups: Sequence[ChangeGroup]) -> list[ReviewGroup]:
    """The changes by group, the largest first."""
    folds = _folded(items, "tried", lambda item: item.group)
    return [ReviewGroup(fold.items, groups[fold.first.group]) for fold in folds]


def added_items(folds: Iterable[ReviewGroup]) -> list[AddedItem]:
    """Items that the patch adds to some or all objects, from these differences; those with a warning first."""
    added: dict[NamedItem, list[Item]] = {}
    changed: dict[str, int] = {}
    for fold in folds:
        for each in fold.group.named_items if fold.group is not None else ():
            if each.how == "added":
                added.setdefault(each, []).extend(fold.items)
            else:
                changed[each.field] = changed.get(each.field, 0) + fold.count
    named = (
        AddedItem(tuple(sorted(items, key=lambda item: item.key)), each, changed.get(each.field, 0))
        for each, items in added.items()
    )
    return sorted(named, key=lambda each: not each.warns)


def drift_groups(items: Iterable[Item]) -> list[ReviewGroup]:
    """Objects that are stored differently from their review, by the difference."""
    return groups_by_message((item for item in items if item.stored_fingerprint and item.words), "done")


def groups_by_message(items: Iterable[Item], state: ItemState) -> list[ReviewGroup]:
    """Objects in one state, by message, at most GROUPS_PER_PAGE groups; names in a message do not split groups."""
    return _folded(items, state, lambda item: (item.words, item.said.replace(f'"{item.name}"', "")))[:GROUPS_PER_PAGE]


def _folded(items: Iterable[Item], state: ItemState, key: Callable[[Item], K]) -> list[ReviewGroup]:
    found: dict[K, list[Item]] = {}
    for item in items:
        if item.state == state:
            found.setdefault(key(item), []).append(item)
    return sorted((ReviewGroup(tuple(each)) for each in found.values()), key=lambda fold: -fold.count)
