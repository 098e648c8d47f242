"""The uids of rows by something that each row names: its owner, or what it is about."""

from __future__ import annotations

from collections.abc import Callable, Collection

from dashboard.live.messages import Row


class UidIndex:
    """Told of every change of the rows, one by one, it always says what a look at all of them would.

    A look and a change cost the same however many rows there are. A name that one row has takes no more memory than
    that: in most clusters half of the owners own one object.
    """

    def __init__(self, name_of: Callable[[Row], str]) -> None:
        """`name_of` a row never changes for one and the same row; empty: it is not found by any name."""
        self._name_of = name_of
        self._uids: dict[str, str | set[str]] = {}

    def __len__(self) -> int:
        """How many names there are."""
        return len(self._uids)

    def of(self, name: str) -> Collection[str]:
        """The uids of the rows that have this name, in no order. Not to be kept: it may change with the rows."""
        found = self._uids.get(name, ())
        return (found,) if isinstance(found, str) else found

    def move(self, old: Row | None, new: Row | None) -> None:
        """The row was `old`, None where it is new, and is now `new`, or no more."""
        before = self._name_of(old) if old is not None else ""
        after = self._name_of(new) if new is not None else ""
        if before == after:
            return
        if before and old is not None:
            self._remove(before, old.uid)
        if after and new is not None:
            self._add(after, new.uid)

    def _add(self, name: str, uid: str) -> None:
        known = self._uids.setdefault(name, uid)
        if isinstance(known, set):
            known.add(uid)
        elif known != uid:
            self._uids[name] = {known, uid}

    def _remove(self, name: str, uid: str) -> None:
        known = self._uids[name]
        if isinstance(known, set):
            known.remove(uid)
            if len(known) == 1:
                self._uids[name] = known.pop()
        else:
            del self._uids[name]


def owner_uid(row: Row) -> str:
    """The uid of its controller, or of its only owner where none of its owners is that."""
    return row.owner[2] if row.owner is not None else ""
