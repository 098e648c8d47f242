"""Kubernetes events about an object and what it owns, found by the index of the events replica."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dashboard.live.rendering.hx_partials import dom_id
from dashboard.live.rendering.time_texts import rfc3339
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.printers.events import SUBJECT_OF
from dashboard.runtime.text_with_links import object_href
from dashboard.runtime.time_slicing import SlicedWork, run_at_once

MAX_EVENTS = 50
"""Most events that are shown, the newest."""
MAX_SUBJECTS = 500
"""Most objects whose events are searched at a time, deleted ones included."""
STEP = 20
"""Events in a step of the search, each of which is decoded: at most a millisecond of work."""
EVENTS = "events"


@dataclass(frozen=True, slots=True)
class SubjectLink:
    """Subject of an event, where it is not the object itself but one that belongs to it."""

    kind: str = ""
    name: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class EventLine:
    """A Kubernetes event about the object."""

    time: str
    """RFC 3339 time of its last occurrence."""
    reason: str
    message: str
    tone: Tone
    """warn for type Warning, idle otherwise."""
    count: int
    subject: SubjectLink = SubjectLink()
    id: str = ""
    """The event's uid, safe for an element id."""


@dataclass(frozen=True, slots=True)
class _Followed:
    uid: str
    namespace: str
    name: str
    group: str
    """The API group of its kind."""
    subject: SubjectLink


class ObjectEvents:
    """Events whose involvedObject is one of those followed: by uid, where the event has one.

    `find_replica` returns the replica of events, None while it is not followed. Events about objects that the object
    owned stay after their deletion: they may give the reason. `on_found` is called when a search in slices has found
    some.
    """

    def __init__(
        self,
        find_replica: Callable[[], ReadableReplica | None],
        schedule: Callable[[SlicedWork], None] = run_at_once,
        most: int = MAX_EVENTS,
    ) -> None:
        """`most` is the number of `lines`."""
        self.on_found: Callable[[], None] = lambda: None
        self.is_complete = True
        """Whether all objects of the family are followed; else only the first MAX_SUBJECTS."""
        self._source = find_replica
        self._schedule = schedule
        self._most = most
        self._followed: dict[str, _Followed] = {}
        self._by_name: dict[str, list[_Followed]] = {}
        self._lines: dict[str, tuple[float, EventLine, str]] = {}
        """Events by uid, each with the uid of its subject."""

    @property
    def is_watched(self) -> bool:
        """Whether events are followed at all."""
        return self._source() is not None

    @property
    def is_stale(self) -> bool:
        """Whether events are followed and not up to date."""
        replica = self._source()
        return replica is not None and not replica.is_live

    @property
    def lines(self) -> tuple[EventLine, ...]:
        """Newest first."""
        newest = sorted(self._lines.values(), key=lambda found: found[0], reverse=True)
        return tuple(line for _, line, _ in newest[: self._most])

    @property
    def older_count(self) -> int:
        """Number of events that are older than all `lines`."""
        return max(0, len(self._lines) - self._most)

    def follow(self, kind: KindInfo, row: Row) -> None:
        """Follow this object from now on, alone; existing events about it are found too."""
        self._lines = {}
        self._keep([_Followed(row.uid, row.namespace, row.name, kind.resource.group, SubjectLink())])
        self._schedule(self._find({row.name}))

    def include_members(self, members: Iterable[tuple[KindInfo, Row]]) -> None:
        """Follow these members of the object's family too. Earlier members are dropped, unless there are events about
        them.

        Only the first MAX_SUBJECTS members are followed: an order that only grows leaves the same ones first.
        """
        subject_uids = {uid for _, _, uid in self._lines.values()}
        current = {row.uid: (kind, row) for kind, row in islice(members, MAX_SUBJECTS + 1)}
        stay = subject_uids | current.keys()
        followed = [each for each in self._followed.values() if not each.subject.name or each.uid in stay]
        new = [_member(kind, row) for uid, (kind, row) in current.items() if uid not in self._followed]
        room = max(0, MAX_SUBJECTS - len(followed))
        self.is_complete = len(new) <= room
        if new[:room] or len(followed) < len(self._followed):
            self._keep([*followed, *new[:room]])
        if names := {each.name for each in new[:room]}:
            self._schedule(self._find(names))

    def apply(self, change: Change) -> bool:
        """Apply changes of events; returns whether any of them concerns a followed object."""
        mine = False
        for old, new in change.rows:
            if new is not None:
                mine = self._store_event(new) or mine
            elif old is not None:
                mine = self._lines.pop(old.uid, None) is not None or mine
        return mine

    def _keep(self, followed: list[_Followed]) -> None:
        self._followed = {each.uid: each for each in followed}
        self._by_name = {}
        for each in followed:
            self._by_name.setdefault(each.name, []).append(each)

    def _find(self, names: set[str]) -> SlicedWork:
        """Find the existing events about these objects. `apply` handles events that come or go meanwhile."""
        replica = self._source()
        if replica is None:
            return
        some = interrupted = False
        uids = [uid for name in names for uid in replica.by_subject.uids_of(name)]
        for number, uid in enumerate(uids, 1):
            if (event := replica.rows.get(uid)) is not None:
                some = self._store_event(event) or some
            if number % STEP == 0:
                interrupted = True
                yield None
        if some and interrupted:
            self.on_found()

    def _store_event(self, event: Row) -> bool:
        """Store an event's state; returns whether that changes the lines. An event may stop being about a followed
        object.
        """
        known = self._by_name.get(SUBJECT_OF[EVENTS](event), ())
        full = event.decode_object() if known else {}
        involved = full.get("involvedObject")
        about = next((each for each in known if isinstance(involved, dict) and _is_about(involved, each)), None)
        if about is None:
            return self._lines.pop(event.uid, None) is not None
        last, line = _line(full, event, about.subject)
        self._lines[event.uid] = (last, line, about.uid)
        return True


def _member(kind: KindInfo, row: Row) -> _Followed:
    subject = SubjectLink(kind.singular, row.name, object_href(kind.key, row.namespace, row.name))
    return _Followed(row.uid, row.namespace, row.name, kind.resource.group, subject)


def _is_about(involved: dict[str, Any], one: _Followed) -> bool:
    group, slash, _ = str(involved.get("apiVersion") or f"{one.group}/").rpartition("/")
    is_of_group = (group if slash else "") == one.group
    same = involved.get("name") == one.name and involved.get("namespace", "") in {one.namespace, ""} and is_of_group
    return same and involved.get("uid", "") in {one.uid, one.name, ""}  # a kubelet's uid is its node's name


def _line(full: dict[str, Any], event: Row, about: SubjectLink) -> tuple[float, EventLine]:
    ages = [cell for cell in event.cells if isinstance(cell, float)]
    last = max(ages, default=event.created or 0.0)
    series = full.get("series")
    count = (series.get("count") if isinstance(series, dict) else full.get("count")) or 1
    tone: Tone = "idle" if full.get("type") in {"Normal", None, ""} else "warn"
    reason, message = str(full.get("reason") or ""), str(full.get("message") or "")
    return last, EventLine(rfc3339(last), reason, message, tone, int(count), about, dom_id(event.uid))
