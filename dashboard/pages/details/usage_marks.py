"""Marks on charts of usage: restarts, OOM kills and rollouts of an object, its owners and what it owns, for a day."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.live.replication.replica_change import Change
from dashboard.objects.fields.unstructured import as_map, as_maps
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Tone
from dashboard.pages.details.node_pods import PODS
from dashboard.pages.details.owned_objects import Member
from dashboard.runtime.time_slicing import SlicedWork
from informerd.clock import Clock

DAY = 24 * 3600.0
MAX_MARKS = 60
"""Most marks of a chart, the newest ones."""
SAME_SECONDS = 20.0
"""Two marks of one kind and object that are as close together are the same, once read from the object and once from
the feed.
"""
OOM_KILLED = "OOMKilled"
MarkKind = Literal["created", "restart", "oom", "rollout"]
_TONES: Mapping[MarkKind, Tone] = {"created": "idle", "restart": "warn", "oom": "bad", "rollout": "busy"}
_STATUSES = ("initContainerStatuses", "containerStatuses")


@dataclass(frozen=True, slots=True, order=True)
class UsageMark:
    """Something that changes what is used."""

    at: float
    """Unix seconds."""
    kind: MarkKind
    words: str
    """``web-7d9c: restarts 3 → 4``; empty where the kind says it all."""

    @property
    def tone(self) -> Tone:
        return _TONES[self.kind]


class UsageMarks:
    """Marks of one object and its family. `search` looks in the feed's history once; then `apply` follows."""

    def __init__(self, history: ReadableHistory | None, clock: Clock) -> None:
        self._history = history
        self._clock = clock
        self._found: dict[tuple[MarkKind, str], list[UsageMark]] = {}
        self._places: dict[tuple[str, str], set[str]] = {}
        """Names of the family's members, by the key of their kind and their namespace."""
        self._owners: set[tuple[str, str, str]] = set()
        """Namespace and API group of each member, and how entries name it as an owner."""

    def include(self, member: Member) -> None:
        """Take this object into the family; what has left it stays in."""
        kind, row = member
        self._places.setdefault((kind.key, row.namespace), set()).add(row.name)
        self._owners.add((row.namespace, kind.resource.group, f"{kind.resource.kind}/{row.name}"))

    def search(self, on_found: Callable[[], None]) -> SlicedWork:
        """Search the last day of the feed's history; calls `on_found` where it has found something."""
        if self._history is None:
            return
        keys = {PODS, *(key for key, _ in self._places)} & set(self._history.keys)
        now, found = self._clock.time(), False
        for chunk in self._history.chunks(sorted(keys), now - DAY, now):
            for entry in chunk.entries():
                found = self._note(chunk.key, entry) or found
            yield None
        if found:
            on_found()

    def apply(self, key: str, change: Change) -> bool:
        """Note the entries of a change; returns whether there is a new mark."""
        noted = [self._note(key, entry) for entry in change.entries]
        return any(noted)

    def note_object(self, obj: Mapping[str, Any], name: str) -> None:
        """Note how the containers of a pod have ended: OOM kills, which a change that tells of the next run leaves out,
        and what was before the feed.
        """
        status = as_map(obj.get("status"))
        told_from = self._history.complete_from(PODS) if self._history is not None else math.inf
        for container in (each for part in _STATUSES for each in as_maps(status.get(part))):
            for state in (as_map(container.get("lastState")), as_map(container.get("state"))):
                ended = as_map(state.get("terminated"))
                at = _unix(ended.get("finishedAt"))
                if at is None:
                    continue
                words = f"{container.get('name')} {_end_words(ended)}"
                if ended.get("reason") == OOM_KILLED:
                    self._add(UsageMark(at, "oom", words), name)
                elif at < told_from and ended.get("exitCode"):
                    self._add(UsageMark(at, "restart", words), name)

    def marks(self, created: float | None = None) -> tuple[UsageMark, ...]:
        """Those of the last day, oldest first; `created` is when the object was (Unix seconds)."""
        since = self._clock.time() - DAY
        found = [mark for marks in self._found.values() for mark in marks if mark.at >= since]
        if created is not None and created >= since:
            found.append(UsageMark(created, "created", ""))
        return tuple(sorted(found)[-MAX_MARKS:])

    def _note(self, key: str, entry: Entry) -> bool:
        mine = entry.name in self._places.get((key, entry.namespace), ())
        if not mine and (entry.namespace, entry.owner_group, entry.owner) not in self._owners:
            return False
        mark = _mark_of(key, entry)
        return mark is not None and self._add(mark, entry.name)

    def _add(self, mark: UsageMark, name: str) -> bool:
        known = self._found.setdefault((mark.kind, name), [])
        if any(abs(each.at - mark.at) < SAME_SECONDS for each in known):
            return False
        known.append(mark)
        return True


def _mark_of(key: str, entry: Entry) -> UsageMark | None:
    if key != PODS:
        return UsageMark(entry.time, "rollout", _words(entry)) if entry.is_rollout else None
    if entry.op != "modified":
        return None
    changed = dict(entry.fields)
    if changed.get("status", "").endswith(OOM_KILLED):  # of an init container: Init:OOMKilled
        return UsageMark(entry.time, "oom", f"{entry.name} was killed for its memory")
    if changed.get("restarts", "0") != "0":  # it is 0 again once the init containers, which are counted first, are done
        return UsageMark(entry.time, "restart", _words(entry))
    return None


def _words(entry: Entry) -> str:
    return f"{entry.name}: {entry.words}" if entry.words else entry.name


def _end_words(ended: Mapping[str, Any]) -> str:
    if ended.get("reason") == OOM_KILLED:
        return "was killed for its memory"
    return f"ended with exit code {ended.get('exitCode')}"


def _unix(text: Any) -> float | None:
    try:
        return datetime.fromisoformat(text).timestamp()
    except (TypeError, ValueError):
        return None
