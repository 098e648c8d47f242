"""Objects that one object owns, sorted: the first of very many are found at once."""

from __future__ import annotations

from collections.abc import Collection, KeysView
from heapq import nsmallest

from dashboard.live.index.sort_key_encoding import decode_uid, encode_tail
from dashboard.live.index.sorted_list import SortedList
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row, Tone

Member = tuple[KindInfo, Row]
_WORST: dict[Tone, int] = {"bad": 0, "warn": 1, "busy": 2, "ok": 3, "idle": 4}


class OwnedObjects:
    """Objects by uid; `first` returns unhealthy ones first."""

    def __init__(self) -> None:
        self._by_uid: dict[str, Member] = {}
        self._by_kind: dict[str, SortedList] = {}

    def __len__(self) -> int:
        return len(self._by_uid)

    def __contains__(self, uid: str) -> bool:
        return uid in self._by_uid

    @property
    def uids(self) -> KeysView[str]:
        return self._by_uid.keys()

    def add(self, member: Member) -> None:
        """Add an object that is not here yet."""
        kind, row = member
        self._by_uid[row.uid] = member
        self._by_kind.setdefault(kind.key, SortedList()).replace(None, _key(row))

    def remove(self, uid: str) -> None:
        """Raises KeyError where it is not here."""
        kind, row = self._by_uid.pop(uid)
        self._by_kind[kind.key].replace(_key(row), None)

    def count(self, kinds: Collection[str], without: Collection[str]) -> int:
        """Number of objects of these kinds, those with the uids `without` left out."""
        left_out = sum(self._by_uid[uid][0].key in kinds for uid in without if uid in self._by_uid)
        return sum(len(ordered) for key, ordered in self._by_kind.items() if key in kinds) - left_out

    def first(self, count: int, kinds: Collection[str], without: Collection[str]) -> list[Member]:
        """The first ones of those that `count` counts, by health, kind and name."""
        windows = (ordered.window(0, count + len(without)) for key, ordered in self._by_kind.items() if key in kinds)
        uids = (decode_uid(entry) for window in windows for entry in window)
        return nsmallest(count, (self._by_uid[uid] for uid in uids if uid not in without), key=_order)


def _key(row: Row) -> bytes:
    return bytes((_WORST[row.tone],)) + encode_tail("", row.name, row.uid)


def _order(member: Member) -> tuple[int, str, str]:
    kind, row = member
    return _WORST[row.tone], kind.key, row.name
