"""Review of a bulk run: objects with the same change or result form one group, with their names folded."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dashboard.pages.bulk.list_items_in_patch import NamedItem
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
    def shown_items(self) -> tuple[Item, ...]:
        return self.items[:MAX_SHOWN_NAMES]

    @property
    def is_short(self) -> bool:
        return len(self.items) <= MAX_UNFOLDED_NAMES

    @property
    def more_count(self) -> int:
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

    change: ChangeGroup | None = None

    @property
    def added_items(self) -> tuple[NamedItem, ...]:
        """Items that the patch adds to the objects."""
        return tuple(each for each in self.change.named_items if each.how == "added") if self.change is not None else ()

    @property
    def title_items(self) -> tuple[NamedItem, ...]:
        """The added items that the title names."""
        return self.added_items[:MAX_TITLE_FIELDS]

    @property
    def other_item_count(self) -> int:
        more = self.change.more_added_count if self.change is not None else 0
        return len(self.added_items) + more - len(self.title_items)

    @property
    def shown_fields(self) -> tuple[DiffField, ...]:
        """The fields that are shown unfolded."""
        return tuple(each for each in self._fields if each not in self.server_fields)

    @property
    def server_fields(self) -> tuple[DiffField, ...]:
        """Fields that the API server sets in addition, where they are many: a new container's defaults."""
        fields = tuple(each for each in self._fields if each.by_server)
        return fields if len(fields) > MAX_SERVER_FIELDS else ()

    @property
    def title_fields(self) -> tuple[str, ...]:
        """The fields that the title names: the requested ones, except those inside a new item."""
        return self._changed_fields[:MAX_TITLE_FIELDS]

    @property
    def other_field_count(self) -> int:
        """The other changed fields."""
        return len(self._changed_fields) - len(self.title_fields) + (self.change.more if self.change is not None else 0)

    @property
    def leaves_pods(self) -> bool:
        """Whether no change of a workload affects its pods, as far as is known."""
        more = self.change.more if self.change is not None else 1
        return not more and all(_LEAVES_PODS.match(each.field) for each in self._fields)

    @property
    def _changed_fields(self) -> tuple[str, ...]:
        inside = tuple(f"{each.field}." for each in self.added_items)
        requested = tuple(
            each.field for each in self._fields if not each.by_server and not each.field.startswith(inside)
        )
        return requested or (() if self.added_items else tuple(each.field for each in self._fields))

    @property
    def _fields(self) -> tuple[DiffField, ...]:
        return self.change.fields if self.change is not None else ()


@dataclass(frozen=True, slots=True)
class AddedItem(ItemNames):
    """A list item that the patch names, and the objects in which it is new."""

    item: NamedItem
    changed_count: int
    """Objects that had it already, and in which it changes."""

    @property
    def is_warning(self) -> bool:
        """Whether the name may be a typing error: other objects have it, or a new container would be created."""
        return bool(self.changed_count) or self.item.is_container


def review_groups(items: Iterable[Item], groups: Sequence[ChangeGroup]) -> list[ReviewGroup]:
    """The changes by group, the largest first."""
    groups_of_items = _folded(items, "tried", lambda item: item.group)
    return [ReviewGroup(group.items, groups[group.first.group]) for group in groups_of_items]


def added_items(groups: Iterable[ReviewGroup]) -> list[AddedItem]:
    """Items that the patch adds to some or all objects, from these differences; those with a warning first."""
    added: dict[NamedItem, list[Item]] = {}
    changed: dict[str, int] = {}
    for group in groups:
        for each in group.change.named_items if group.change is not None else ():
            if each.how == "added":
                added.setdefault(each, []).extend(group.items)
            else:
                changed[each.field] = changed.get(each.field, 0) + group.count
    named = (
        AddedItem(tuple(sorted(items, key=lambda item: item.key)), each, changed.get(each.field, 0))
        for each, items in added.items()
    )
    return sorted(named, key=lambda each: not each.is_warning)


def drift_groups(items: Iterable[Item]) -> list[ReviewGroup]:
    """Objects that are stored differently from their review, by the difference."""
    return groups_by_message((item for item in items if item.stored_fingerprint and item.words), "done")


def groups_by_message(items: Iterable[Item], state: ItemState) -> list[ReviewGroup]:
    """Objects in one state, by message, at most GROUPS_PER_PAGE groups; names in a message do not split groups."""
    return _folded(items, state, lambda item: (item.words, item.said.replace(f'"{item.name}"', "")))[:GROUPS_PER_PAGE]


def _folded(items: Iterable[Item], state: ItemState, key: Callable[[Item], K]) -> list[ReviewGroup]:
    items_by_key: dict[K, list[Item]] = {}
    for item in items:
        if item.state == state:
            items_by_key.setdefault(key(item), []).append(item)
    return sorted((ReviewGroup(tuple(each)) for each in items_by_key.values()), key=lambda group: -group.count)
