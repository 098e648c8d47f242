"""What a person reads of many objects: those that have the same in common as one, with their names folded."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dashboard.bulk.named import NamedItem
from dashboard.bulk.names import Names
from dashboard.bulk.run import Field, Group, Item, ItemState

A_PAGE = 25
"""Groups on a page."""
BESIDE = 3
"""Fields set by the API server that are shown among the others; more of them are folded."""
TITLED = 3
"""Fields, and items that are added, that a title names; the rest is counted."""
ADDED = 25
"""Items that are added of which there is a note; the rest is counted."""

_LEAVES_PODS = re.compile(
    r"(metadata\.(labels|annotations|finalizers)|spec\.(revisionHistoryLimit|minReadySeconds|progressDeadlineSeconds))\b"
)
"""Fields of a workload that do nothing to its pods."""

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Fold(Names):
    """Objects with the same in common."""

    group: Group | None = None

    @property
    def added(self) -> tuple[NamedItem, ...]:
        """What the objects get as new ones because the patch names it."""
        return tuple(each for each in self.group.named if each.how == "added") if self.group is not None else ()

    @property
    def added_titled(self) -> tuple[NamedItem, ...]:
        """Those of them that the title names."""
        return self.added[:TITLED]

    @property
    def added_untitled(self) -> int:
        return len(self.added) - len(self.added_titled)

    @property
    def asked(self) -> tuple[Field, ...]:
        """The fields that are shown at once."""
        return tuple(each for each in self._fields if each not in self.set_beside)

    @property
    def set_beside(self) -> tuple[Field, ...]:
        """Those that the API server sets beside what was asked for, where they are many: a new container's defaults."""
        found = tuple(each for each in self._fields if each.by_server)
        return found if len(found) > BESIDE else ()

    @property
    def titled(self) -> tuple[str, ...]:
        """The fields that the title names: those that were asked for, but for what is in a new item."""
        return self._changing[:TITLED]

    @property
    def untitled(self) -> int:
        """Fields that change besides."""
        return len(self._changing) - len(self.titled) + (self.group.more if self.group is not None else 0)

    @property
    def leaves_pods(self) -> bool:
        """Whether all that changes of a workload is known to do nothing to its pods."""
        more = self.group.more if self.group is not None else 1
        return not more and all(_LEAVES_PODS.match(each.field) for each in self._fields)

    @property
    def _changing(self) -> tuple[str, ...]:
        inside = tuple(f"{each.field}." for each in self.added)
        asked = tuple(each.field for each in self._fields if not each.by_server and not each.field.startswith(inside))
        return asked or (() if self.added else tuple(each.field for each in self._fields))

    @property
    def _fields(self) -> tuple[Field, ...]:
        return self.group.fields if self.group is not None else ()


@dataclass(frozen=True, slots=True)
class Named(Names):
    """An item of a list that the patch names, and the objects that get it as a new one."""

    item: NamedItem
    changed: int
    """Objects that had it, and in which it changes."""

    @property
    def warns(self) -> bool:
        """Whether the name may be a slip of the pen: others have it, or a container comes to be."""
        return bool(self.changed) or self.item.names[0][0].endswith("container")


def differences(items: Iterable[Item], groups: Sequence[Group]) -> list[Fold]:
    """What would become of them, the most common first."""
    folds = _folded(items, "tried", lambda item: item.group)
    return [Fold(fold.items, groups[fold.first.group]) for fold in folds]


def added_items(folds: Iterable[Fold]) -> list[Named]:
    """What the patch adds to some or all objects, as these differences have it; those that warn come first."""
    added: dict[NamedItem, list[Item]] = {}
    changed: dict[str, int] = {}
    for fold in folds:
        for each in fold.group.named if fold.group is not None else ():
            if each.how == "added":
                added.setdefault(each, []).extend(fold.items)
            else:
                changed[each.field] = changed.get(each.field, 0) + fold.count
    named = (
        Named(tuple(sorted(items, key=lambda item: item.key)), each, changed.get(each.field, 0))
        for each, items in added.items()
    )
    return sorted(named, key=lambda each: not each.warns)


def otherwise(items: Iterable[Item]) -> list[Fold]:
    """Those that were written and are stored otherwise than reviewed, by what is."""
    return by_words((item for item in items if item.stored and item.words), "done")


def by_words(items: Iterable[Item], state: ItemState) -> list[Fold]:
    """Those of one state, by what is said of them, A_PAGE at most; names in a message tell nothing apart."""
    return _folded(items, state, lambda item: (item.words, item.said.replace(f'"{item.name}"', "")))[:A_PAGE]


def _folded(items: Iterable[Item], state: ItemState, key: Callable[[Item], K]) -> list[Fold]:
    found: dict[K, list[Item]] = {}
    for item in items:
        if item.state == state:
            found.setdefault(key(item), []).append(item)
    return sorted((Fold(tuple(each)) for each in found.values()), key=lambda fold: -fold.count)
