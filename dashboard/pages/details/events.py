"""The Kubernetes events about an object and what it owns, found by the events replica's index of their subjects."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dashboard.live.change import Change
from dashboard.live.lines import dom_id, rfc3339
from dashboard.live.messages import Row, Tone
from dashboard.live.replica import Replica
from dashboard.live.slices import Work, at_once
from dashboard.resources.kinds import KindInfo
from dashboard.resources.rows.events import SUBJECT_OF
from dashboard.resources.words import object_href

MOST = 50
"""Events that are shown, the newest."""
SUBJECTS = 500
"""Objects that events are looked for of at a time, those with events that are gone included."""
STEP = 20
"""Events in a step of the search, each of which is decoded: a millisecond's work at most."""
EVENTS = "events"


@dataclass(frozen=True, slots=True)
class Subject:
    """What an event is about, where it is not the object itself but something that belongs to it."""

    kind: str = ""
    name: str = ""
    href: str = ""


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
    about: Subject = Subject()
    id: str = ""
    """Of the event, fit for an element's id."""


@dataclass(frozen=True, slots=True)
class _Followed:
    uid: str
    namespace: str
    name: str
    about: Subject


class ObjectEvents:
    """Events whose involvedObject is one of those followed: by uid, where the event says one.

    `source` is the replica of events, None while nobody follows them. Events about what the object owned stay when that
    is deleted: they may say why. `found` is called when a search that took its time has found some.
    """

    def __init__(self, source: Callable[[], Replica | None], later: Callable[[Work], None] = at_once) -> None:
        self.found: Callable[[], None] = lambda: None
        self.complete = True
        """Whether all that belongs to the object is followed; else the first SUBJECTS."""
        self._source = source
        self._later = later
        self._followed: dict[str, _Followed] = {}
        self._by_name: dict[str, list[_Followed]] = {}
        self._lines: dict[str, tuple[float, EventLine, str]] = {}
        """By the event's uid, with the uid of what it is about."""

    @property
    def watched(self) -> bool:
        """Whether anybody follows events."""
        return self._source() is not None

    @property
    def stale(self) -> bool:
        """Whether events are followed and not up to date."""
        replica = self._source()
        return replica is not None and not replica.live

    @property
    def lines(self) -> tuple[EventLine, ...]:
        """Newest first."""
        newest = sorted(self._lines.values(), key=lambda found: found[0], reverse=True)
        return tuple(line for _, line, _ in newest[:MOST])

    @property
    def more(self) -> int:
        """Events that are older than all `lines`."""
        return max(0, len(self._lines) - MOST)

    def follow(self, row: Row) -> None:
        """Follow this object from now on, alone; the events about it that are there already are found too."""
        self._lines = {}
        self._keep([_Followed(row.uid, row.namespace, row.name, Subject())])
        self._later(self._find({row.name}))

    def include(self, members: Iterable[tuple[KindInfo, Row]]) -> None:
        """Follow these, which belong to the object, too. Those of before go, unless there are events about them.

        Of the members the first SUBJECTS are looked at: an order that only grows leaves the same ones first.
        """
        told = {uid for _, _, uid in self._lines.values()}
        current = {row.uid: (kind, row) for kind, row in islice(members, SUBJECTS + 1)}
        kept = [each for each in self._followed.values() if not each.about.name or each.uid in told | current.keys()]
        new = [_member(kind, row) for uid, (kind, row) in current.items() if uid not in self._followed]
        room = max(0, SUBJECTS - len(kept))
        self.complete = len(new) <= room
        if new[:room] or len(kept) < len(self._followed):
            self._keep([*kept, *new[:room]])
        if names := {each.name for each in new[:room]}:
            self._later(self._find(names))

    def apply(self, change: Change) -> bool:
        """Take in what changed among the events; whether any of it is about those that are followed."""
        mine = False
        for old, new in change.rows:
            if new is not None:
                mine = self._put(new) or mine
            elif old is not None:
                mine = self._lines.pop(old.uid, None) is not None or mine
        return mine

    def _keep(self, followed: list[_Followed]) -> None:
        self._followed = {each.uid: each for each in followed}
        self._by_name = {}
        for each in followed:
            self._by_name.setdefault(each.name, []).append(each)

    def _find(self, names: set[str]) -> Work:
        """The events there are that name one of these. Those that come or go meanwhile are taken by `apply`."""
        replica = self._source()
        if replica is None:
            return
        some = interrupted = False
        uids = [uid for name in names for uid in replica.by_subject.of(name)]
        for number, uid in enumerate(uids, 1):
            if (event := replica.rows.get(uid)) is not None:
                some = self._put(event) or some
            if number % STEP == 0:
                interrupted = True
                yield None
        if some and interrupted:
            self.found()

    def _put(self, event: Row) -> bool:
        """Take in how an event is; whether that changes the lines. One that was about those followed may be no more."""
        known = self._by_name.get(SUBJECT_OF[EVENTS](event), ())
        full = event.whole() if known else {}
        involved = full.get("involvedObject")
        about = next((each for each in known if isinstance(involved, dict) and _is_about(involved, each)), None)
        if about is None:
            return self._lines.pop(event.uid, None) is not None
        last, line = _line(full, event, about.about)
        self._lines[event.uid] = (last, line, about.uid)
        return True


def _member(kind: KindInfo, row: Row) -> _Followed:
    subject = Subject(kind.singular, row.name, object_href(kind.key, row.namespace, row.name))
    return _Followed(row.uid, row.namespace, row.name, subject)


def _is_about(involved: dict[str, Any], one: _Followed) -> bool:
    same = involved.get("name") == one.name and involved.get("namespace", "") in {one.namespace, ""}
    return same and involved.get("uid", "") in {one.uid, one.name, ""}  # a kubelet's uid is its node's name


def _line(full: dict[str, Any], event: Row, about: Subject) -> tuple[float, EventLine]:
    ages = [cell for cell in event.cells if isinstance(cell, float)]
    last = max(ages, default=event.created or 0.0)
    series = full.get("series")
    count = (series.get("count") if isinstance(series, dict) else full.get("count")) or 1
    tone: Tone = "idle" if full.get("type") in {"Normal", None, ""} else "warn"
    reason, message = str(full.get("reason") or ""), str(full.get("message") or "")
    return last, EventLine(rfc3339(last), reason, message, tone, int(count), about, dom_id(event.uid))
