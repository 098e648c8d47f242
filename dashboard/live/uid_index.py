"""The uids of rows by what each row names: its owners, or what it is about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from dashboard.live.messages import Row


class UidIndex:
    """Told of every change of the rows, one by one, it always says what a look at all of them would.

    A look and a change cost the same however many rows there are. A name that one row has takes no more memory than
    that: in most clusters half of the owners own one object.
    """

    def __init__(self, names_of: Callable[[Row], Collection[str]]) -> None:
        """`names_of` a row never change for one and the same row. An empty one counts for nothing."""
        self._names_of = names_of
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
        before = self._names_of(old) if old is not None else ()
        after = self._names_of(new) if new is not None else ()
        if before == after:
            return
        if old is not None:
            self._remove(_without(before, after), old.uid)
        if new is not None:
            self._add(_without(after, before), new.uid)

    def _add(self, names: Iterable[str], uid: str) -> None:
        for name in names:
            known = self._uids.setdefault(name, uid)
            if isinstance(known, set):
                known.add(uid)
            elif known != uid:
                self._uids[name] = {known, uid}

    def _remove(self, names: Iterable[str], uid: str) -> None:
        for name in names:
            known = self._uids[name]
            if isinstance(known, set):
                known.remove(uid)
                if len(known) == 1:
                    self._uids[name] = known.pop()
            else:
                del self._uids[name]


def _without(names: Collection[str], others: Collection[str]) -> Iterable[str]:
    """Each of the names once that is none of the others."""
    return [name for name in dict.fromkeys(names) if name and name not in others]
