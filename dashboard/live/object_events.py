"""The Kubernetes events about one object, found among the rows of the events replica."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dashboard.live.lines import rfc3339
from dashboard.live.messages import Row, Tone
from dashboard.live.replica import Change, Replica

MOST = 50
"""Events that are shown, the newest."""


@dataclass(frozen=True, slots=True)
class EventLine:
    """A Kubernetes event about the object."""

    time: str
    """RFC 3339 of its last occurrence."""
    reason: str
    message: str
    tone: Tone
    """warn for type Warning, idle otherwise."""
    count: int


class ObjectEvents:
    """Events whose involvedObject is the object that is followed: by uid, where the event says one."""

    def __init__(self, replica: Replica | None, row: Row | None) -> None:
        self._replica = replica
        self._row = row
        self._found: dict[str, tuple[float, EventLine]] = {}
        if row is not None:
            self.follow(row)

    @property
    def lines(self) -> tuple[EventLine, ...]:
        """Newest first."""
        newest = sorted(self._found.values(), key=lambda pair: pair[0], reverse=True)
        return tuple(line for _, line in newest[:MOST])

    def follow(self, row: Row) -> None:
        """Follow this object from now on; the events about it that are there already are found too."""
        self._row = row
        self._found = {}
        for event in self._replica.rows.values() if self._replica is not None else ():
            self._put(event)

    def apply(self, change: Change) -> bool:
        """Take in what changed among the events; whether any of it is about the object."""
        mine = False
        for old, new in change.rows:
            if new is not None:
                mine = self._put(new) or mine
            elif old is not None:
                mine = self._found.pop(old.uid, None) is not None or mine
        return mine

    def _put(self, event: Row) -> bool:
        if self._row is None or not self._may_be_about(event):
            return False
        full = event.whole()
        involved = full.get("involvedObject")
        if not isinstance(involved, dict) or not _is_about(involved, self._row):
            return False
        self._found[event.uid] = _line(full, event)
        return True

    def _may_be_about(self, event: Row) -> bool:
        """A cheap look before the event is decoded: its Object cell names the object."""
        assert self._row is not None  # noqa: S101 -- _put asked
        ending = f"/{self._row.name}"
        return any(isinstance(cell, str) and cell.endswith(ending) for cell in event.cells)


def _is_about(involved: dict[str, Any], row: Row) -> bool:
    same = involved.get("name") == row.name and involved.get("namespace", "") in {row.namespace, ""}
    return same and involved.get("uid", "") in {row.uid, row.name, ""}  # a kubelet's uid is its node's name


def _line(full: dict[str, Any], event: Row) -> tuple[float, EventLine]:
    ages = [cell for cell in event.cells if isinstance(cell, float)]
    last = max(ages, default=event.created or 0.0)
    series = full.get("series")
    count = (series.get("count") if isinstance(series, dict) else full.get("count")) or 1
    tone: Tone = "idle" if full.get("type") in {"Normal", None, ""} else "warn"
    return last, EventLine(
        rfc3339(last), str(full.get("reason") or ""), str(full.get("message") or ""), tone, int(count)
    )
