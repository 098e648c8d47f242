"""Which rows of a kind a filter lets through, kept as these or as all others, whichever were fewer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from dashboard.live.messages import Row


class Chosen:
    """While it is found both are kept; `settle` then leaves one. A set of 50,000 uids takes 4 MB.

    With `narrow` it hears of some rows only, so that these alone are to be known: those let through.
    """

    def __init__(self, rows: Mapping[str, Row], *, narrow: bool = False) -> None:
        self._rows = rows
        self._in: set[str] | None = set()
        self._out: set[str] | None = None if narrow else set()

    def __contains__(self, uid: str) -> bool:
        if self._in is not None:
            return uid in self._in
        return uid in self._rows and self.lets_through(uid)

    def __iter__(self) -> Iterator[str]:
        if self._in is not None:
            return iter(self._in)
        return (uid for uid in self._rows if self.lets_through(uid))

    def __len__(self) -> int:
        return len(self._in) if self._in is not None else len(self._rows) - len(self.others or ())

    @property
    def others(self) -> Collection[str] | None:
        """Those it keeps out, where these are known and fewer."""
        return self._out if self._in is None else None

    def lets_through(self, uid: str) -> bool:
        """Whether a row is among them that there is, or was until its change came."""
        return uid in self._in if self._in is not None else uid not in (self._out or ())

    def look_at(self, uids: Collection[str], through: Collection[str]) -> None:
        """Of these `uids` those in `through` are let through, and the others are not."""
        if self._in is not None:
            self._in.update(through)
        if self._out is not None and len(through) < len(uids):
            self._out.update(set(uids).difference(through))

    def put(self, uid: str, through: bool | None) -> None:
        """A row is let through now or not; None: it is no more."""
        for uids, wanted in ((self._in, True), (self._out, False)):
            if uids is None:
                continue
            if through is wanted:
                uids.add(uid)
            else:
                uids.discard(uid)

    def settle(self) -> None:
        """Every row has been looked at."""
        if self._in is None or self._out is None:
            return
        if len(self._out) < len(self._in):
            self._in = None
        else:
            self._out = None
