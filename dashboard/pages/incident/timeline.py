"""Time line of a family: changes, Kubernetes Events, ends of containers, usage, writes, and where nothing is known."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from dashboard.live.hub.hub import Hub
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.objects.fields.managed_fields import FieldOwners
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Tone
from dashboard.objects.printers import columns_for
from dashboard.objects.printers.events import event_text, row_subject
from dashboard.objects.usage.usage import Usage, cpu_text, memory_text, share_text
from dashboard.pages.authors.store import AuthorStore
from dashboard.pages.details.object_presenter import whole_object
from dashboard.pages.incident.family import PODS, Family, Member, Place
from dashboard.runtime.counts_and_times import format_times, parse_timestamp
from dashboard.runtime.text_with_links import object_href
from informerd.logs.container_runs import containers_of

Source = Literal["change", "event", "log", "usage", "write", "gap"]
EVENTS = "events"
MAX_ENTRIES = 300
"""Most entries of a time line, the newest."""
MAX_WORDS = 500
MAX_READ = 30
"""Most pods whose containers' ends are told."""
MAX_WRITTEN = 10
MAX_MEASURED = 10
"""Most pods whose usage is told."""
OOM_KILLED = "OOMKilled"
_LAST_SEEN = next(index for index, column in enumerate(columns_for(EVENTS)) if column.id == "last-seen")


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """Something that happened, or a moment from which on something is known."""

    at: float
    """Unix seconds."""
    source: Source
    words: str
    tone: Tone = "idle"
    place: Place | None = None
    """The object that it is about; None for the whole family."""
    subject: str = ""
    """The same for people, ``Pod shop/web-1``; empty until `with_subjects` sets it."""
    lines: tuple[str, ...] = ()
    """Lines of a log."""
    container: str = ""
    """The container whose log has the lines, or that has ended."""

    @property
    def time(self) -> str:
        """RFC 3339."""
        return rfc3339(round(self.at, 3))

    @property
    def time_text(self) -> str:
        return utc_text(self.at)

    @property
    def href(self) -> str:
        return object_href(*self.place) if self.place is not None else ""


async def timeline(hub: Hub, family: Family, authors: AuthorStore) -> list[TimelineEntry]:
    """The entries, newest first, MAX_ENTRIES at most; other work gets its turns meanwhile."""
    history = hub.history
    entries, told = await _of_feed(history, family)
    ends = await ends_of_containers(family.pods)
    written = [entry async for entry in writes(family.members)]
    written += [entry async for entry in writes_of_people(family.members, authors)]
    entries += [*_of_events(hub, family, told), *ends, *_usage(hub, family), *written]
    oldest = min((entry.at for entry in entries), default=hub.clock.time())
    entries += gaps(history, family, oldest, hub.clock.time())
    return sorted(entries, key=lambda entry: -entry.at)[:MAX_ENTRIES]


def with_subjects(entries: Iterable[TimelineEntry], family: Family) -> list[TimelineEntry]:
    """The same entries, each with the name of its object."""

    def subject_of(place: Place | None) -> str:
        return family.kind_of(place[0]).object_title(*place[1:]) if place is not None else ""

    return [replace(entry, subject=subject_of(entry.place)) for entry in entries]


async def _of_feed(history: ReadableHistory, family: Family) -> tuple[list[TimelineEntry], set[tuple[str, str]]]:
    """The lines of the feed, and namespaces and names of the Events that they tell."""
    found: list[TimelineEntry] = []
    told: set[tuple[str, str]] = set()
    for chunk in history.chunks([*family.keys, EVENTS], -math.inf, math.inf):  # the one with the newest line first
        if len(found) >= MAX_ENTRIES and sorted(each.at for each in found)[-MAX_ENTRIES] >= chunk.last:
            break
        for entry in reversed(chunk.entries()):
            made = _line(chunk.key, entry, family)
            if made is not None:
                found.append(made)
                if made.source == "event":
                    told.add((entry.namespace, entry.name))
        await asyncio.sleep(0)
    return found, told


def _of_events(hub: Hub, family: Family, told: set[tuple[str, str]]) -> Iterator[TimelineEntry]:
    """The Events that the cluster still has, and that the feed does not tell because it began later."""
    events = next((each for each in hub.hub_kinds.with_replicas() if each[0].key == EVENTS), None)
    if events is None:
        return
    for place in family.places:
        for uid in list(events[1].by_subject.uids_of(place[2])):
            row = events[1].rows.get(uid)
            if row is None or (row.namespace, row.name) in told or family.place_of(row_subject(row)) != place:
                continue
            at = row.cells[_LAST_SEEN]
            if isinstance(at, int | float):
                yield TimelineEntry(at, "event", limit_text(event_text(row), MAX_WORDS), row.tone, place)


def _line(key: str, entry: Entry, family: Family) -> TimelineEntry | None:
    """The entry of a line of the feed; None where it is about no member, or tells nothing."""
    if key == EVENTS:
        place = family.place_of(entry.about)
        if place is None or entry.op == "deleted":
            return None
        return TimelineEntry(entry.time, "event", limit_text(entry.words, MAX_WORDS), entry.tone, place)
    if not family.has(key, entry) or entry.words == "no visible change" or _is_heartbeat(entry):
        return None
    words = f"deleted, {entry.words}" if entry.op == "deleted" else entry.words
    place = key, entry.namespace, entry.name
    return TimelineEntry(entry.time, "change", limit_text(words, MAX_WORDS), entry.tone, place)


def _is_heartbeat(entry: Entry) -> bool:
    """Whether a line tells only that a node's conditions were reported again."""
    return bool(entry.fields) and all(path.endswith("lastHeartbeatTime") for path, _ in entry.fields)


async def ends_of_containers(pods: Iterable[Member]) -> list[TimelineEntry]:
    """The last end of each container, and the one before, of the MAX_READ pods that have a problem or changed last."""
    found: list[TimelineEntry] = []
    worst = sorted(pods, key=lambda pod: (pod.row.tone in ("ok", "idle"), -(pod.row.created or 0.0)))
    for pod in worst[:MAX_READ]:
        found += _ends_of(pod)
        await asyncio.sleep(0)  # each is a millisecond of work
    return found


def _ends_of(pod: Member) -> Iterator[TimelineEntry]:
    for runs in containers_of(whole_object(pod.row) or {}):
        for run in (runs.run, runs.before):
            at = parse_timestamp(run.finished) if run is not None and run.is_over else None
            if run is None or at is None:
                continue
            what = "killed for its memory" if run.reason == OOM_KILLED else f"ended with exit code {run.exit_code}"
            reason = f" ({run.reason})" if run.reason not in ("", "Completed", "Error", OOM_KILLED) else ""
            times = f", restarted {format_times(runs.restarts)}" if runs.restarts else ""
            tone: Tone = "bad" if run.exit_code else "idle"
            words = f"container {runs.name} {what}{reason}{times}"
            yield TimelineEntry(at, "change", words, tone, pod.place, container=runs.name)


def _usage(hub: Hub, family: Family) -> Iterator[TimelineEntry]:
    for pod in family.pods[:MAX_MEASURED]:
        usage = hub.usage.get(pod.kind.key, pod.row)
        if usage is not None:
            yield TimelineEntry(usage.at, "usage", usage_words(usage), _usage_tone(usage), pod.place)


def usage_words(usage: Usage) -> str:
    """``uses 250m of CPU, 190Mi of memory (95% of its limit)``."""

    def share(part: float | None, basis: str) -> str:
        return f" ({share_text(part)} of its {basis})" if part is not None and basis == "limit" else ""

    cpu = f"{cpu_text(usage.cpu)} of CPU{share(usage.cpu_share, usage.cpu_basis)}"
    return f"uses {cpu}, {memory_text(usage.memory)} of memory{share(usage.memory_share, usage.memory_basis)}"


def _usage_tone(usage: Usage) -> Tone:
    share = usage.memory_share if usage.memory_basis == "limit" else None
    return "warn" if share is not None and share >= 0.9 else "idle"


async def writes(members: Iterable[Member]) -> AsyncIterator[TimelineEntry]:
    """The last write of each manager of an object's fields, its status left out: managers name themselves."""
    for member in _written(members):
        await asyncio.sleep(0)  # each is some milliseconds of work
        for owned in FieldOwners(whole_object(member.row) or {}).managers:
            manager = owned.manager
            at = parse_timestamp(manager.time)
            if at is None or manager.subresource == "status":
                continue
            how = "applied" if manager.is_apply else "wrote"
            count = f"{owned.count:,} field{'' if owned.count == 1 else 's'}"
            words = f"{manager.words} {how} last; it owns {count}"
            yield TimelineEntry(at, "write", words, "idle", member.place)


async def writes_of_people(members: Iterable[Member], authors: AuthorStore) -> AsyncIterator[TimelineEntry]:
    """Who wrote the same objects through Deltaboard, as far as that is known: field managers name programs."""
    for member in _written(members):
        for write in await authors.writes_of(member.row.uid):
            at = parse_timestamp(write.at)
            if at is not None and write.identity.owner:
                words = f"{write.identity.owner} wrote it through Deltaboard"
                yield TimelineEntry(at, "write", words, "idle", member.place)


def _written(members: Iterable[Member]) -> list[Member]:
    """Objects that people write, and not pods that others make: MAX_WRITTEN at most."""
    written = (member for member in members if member.kind.key != PODS or member.row.owner is None)
    return [*islice(written, MAX_WRITTEN)]


def gaps(history: ReadableHistory, family: Family, begin: float, end: float) -> Iterator[TimelineEntry]:
    """Where the time line does not know everything: before the history of a kind begins, and what was missed since."""
    begins: dict[float, list[str]] = {}
    titles = {key: family.kind_of(key).title for key in family.keys}
    for key, title in {**titles, EVENTS: KINDS[EVENTS].title}.items():
        known = round(history.complete_from(key), 1)
        if known < end:
            begins.setdefault(known, []).append(title)
        if missed := history.missed([key], begin, end):
            words = f"{missed:,} changes of {title} in this time are not known here."
            yield TimelineEntry(end, "gap", words, "warn")
    for known, names in begins.items():
        yield TimelineEntry(
            known, "gap", f"Not every change of {', '.join(sorted(names))} before this is known here.", "warn"
        )
