"""Time line of a family: changes, Kubernetes Events, ends of containers, usage, writes, and where nothing is known."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from dashboard.live.hub.hub import Hub
from dashboard.live.moments.recorded_feed import RecordedFeed
from dashboard.live.rendering.time_texts import utc_text
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.objects.fields.managed_fields import FieldOwners
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Tone
from dashboard.objects.printers import columns_for
from dashboard.objects.printers.events import event_text, row_subject
from dashboard.objects.usage.usage import Usage, cpu_text, memory_text, share_text
from dashboard.pages.details.object_presenter import whole_object
from dashboard.pages.incident.crash_runs import crash_of, fold_crash_loops
from dashboard.pages.incident.family import PODS, Family, Member, Place
from dashboard.pages.incident.older_lines import OlderLines, read_older_lines
from dashboard.pages.incident.people import WritesOfPeople
from dashboard.pages.incident.routine import (
    fold_repeated,
    is_routine_change,
    is_routine_event,
    is_routine_writer,
    newest,
    without_bookkeeping,
)
from dashboard.pages.incident.timeline_entry import TimelineEntry
from dashboard.runtime.counts_and_times import format_times, parse_timestamp
from dashboard.runtime.text_with_links import incident_href, object_href
from informerd.logs.container_runs import containers_of

EVENTS = "events"
MAX_ENTRIES = 300
"""Most entries of a time line that stand out, and most that are routine: the newest."""
MAX_WORDS = 500
MAX_READ = 30
"""Most pods whose containers' ends are told."""
MAX_WRITTEN = 10
MAX_MEASURED = 10
"""Most pods whose usage is told."""
OOM_KILLED = "OOMKilled"
TERMINATING = "Terminating"
_TERMINATES = re.compile(rf"\bstatus (.+?) → {TERMINATING}\b")
_LAST_SEEN = next(index for index, column in enumerate(columns_for(EVENTS)) if column.id == "last-seen")


@dataclass(frozen=True, slots=True)
class LastState:
    """What is still known of an object that is gone."""

    deleted_at: float | None = None
    """Unix seconds; None where nobody saw it go."""
    status: str = ""
    """Its status word before its deletion was asked for, or the last that is known."""
    reason: str = ""
    """What was wrong with it then, in words."""
    tone: Tone = "idle"
    owner: str = ""
    """``ReplicaSet/web-7d9c``; empty where nothing owned it."""
    owner_group: str = ""
    uid: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The entries, newest first, and what the feed knows of the object if it is gone."""

    entries: list[TimelineEntry]
    last_state: LastState
    is_cut: bool
    """Whether older entries are left out."""


async def timeline(hub: Hub, family: Family, people: WritesOfPeople, recorded: RecordedFeed | None = None) -> Timeline:
    """The time line; other work gets its turns meanwhile. `recorded` has what is older than the hub's memory."""
    history = hub.history
    memory = await _lines_in_memory(history, family)
    older = await read_older_lines(recorded, history, family, memory, hub.clock, is_told=_is_told)
    feed = _read_feed([*memory, *older.lines], family)
    ends = await ends_of_containers(family.pods)
    objects = written_members(family)
    written = [entry async for entry in writes(objects)]
    written += await people.entries(_places_by_uid(family, feed), feed.entries, objects)
    entries = [*feed.entries, *_of_events(hub, family, feed.events), *ends, *_usage(hub, family), *written]
    oldest = min((entry.at for entry in entries), default=hub.clock.time())
    entries += gaps(history, family, oldest, hub.clock.time(), older)
    shown, is_cut = newest(fold_repeated(fold_crash_loops(entries)), MAX_ENTRIES)
    return Timeline(shown, feed.last_state, is_cut)


def with_subjects(entries: Iterable[TimelineEntry], family: Family) -> list[TimelineEntry]:
    """The same entries, each with the name of its object, and where that leads."""
    there = {member.place for member in family.members}

    def named(entry: TimelineEntry) -> TimelineEntry:
        if entry.place is None:
            return entry
        subject = family.kind_of(entry.place[0]).object_title(*entry.place[1:])
        gone_href = incident_href(*entry.place) if entry.place != family.place else ""
        return replace(entry, subject=subject, href=object_href(*entry.place) if entry.place in there else gone_href)

    return [named(entry) for entry in entries]


@dataclass(slots=True)
class _Feed:
    """What the feed says of a family."""

    entries: list[TimelineEntry] = field(default_factory=list)
    events: set[tuple[str, str]] = field(default_factory=set)
    """Namespaces and names of the Events among them."""
    last_state: LastState = LastState()


async def _lines_in_memory(history: ReadableHistory, family: Family) -> list[tuple[str, Entry]]:
    """Kind and entry of the lines about a family, newest first within each kind."""
    lines, told = list[tuple[str, Entry]](), list[float]()
    for chunk in history.chunks([*family.keys, EVENTS], -math.inf, math.inf):  # the one with the newest line first
        if len(told) >= MAX_ENTRIES and sorted(told)[-MAX_ENTRIES] >= chunk.last:
            break
        for entry in reversed(chunk.entries()):
            made = _line(chunk.key, entry, family)
            if made is None:
                continue
            lines.append((chunk.key, entry))
            if not made.is_routine and made.crash is None:
                told.append(made.at)
        await asyncio.sleep(0)
    return lines


def _is_told(key: str, entry: Entry, family: Family) -> bool:
    return _line(key, entry, family) is not None


def _read_feed(lines: Iterable[tuple[str, Entry]], family: Family) -> _Feed:
    feed = _Feed()
    lines_of_subject: list[Entry] = []
    for key, entry in lines:
        made = _line(key, entry, family)
        if made is None:
            continue
        feed.entries.append(made)
        if made.source == "event":
            feed.events.add((entry.namespace, entry.name))
        elif made.place == family.place:
            lines_of_subject.append(entry)
    feed.last_state = _last_state(lines_of_subject)
    return feed


def _last_state(lines: list[Entry]) -> LastState:
    """The last state of an object, of the lines about it, the newest first."""
    if not lines:
        return LastState()
    end = lines[0]
    if end.op != "deleted":
        return LastState(uid=end.uid)
    of_it = [each for each in lines if each.uid == end.uid]
    status = next((found[1] for each in of_it if (found := _TERMINATES.search(each.words))), "") or next(
        (each.status for each in of_it if each.status not in ("", TERMINATING)), ""
    )
    told = next((each for each in of_it if each.status == status and each.op != "deleted"), end)
    return LastState(end.time, status, told.reason, told.tone, end.owner, end.owner_group, end.uid)


def _places_by_uid(family: Family, feed: _Feed) -> dict[str, Place]:
    """The objects whose writes are told: the members, and what was deleted."""
    deleted = {entry.uid: entry.place for entry in feed.entries if entry.uid and entry.place is not None}
    own = {feed.last_state.uid: family.place} if feed.last_state.uid else {}
    return {**own, **{member.row.uid: member.place for member in family.members}, **deleted}


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
                words = event_text(row)
                routine = is_routine_event(words, row.tone)
                yield TimelineEntry(at, "event", limit_text(words, MAX_WORDS), row.tone, place, is_routine=routine)


def _line(key: str, entry: Entry, family: Family) -> TimelineEntry | None:
    """The entry of a line of the feed; None where it is about no member, or tells nothing."""
    if key == EVENTS:
        place = family.place_of(entry.about)
        if place is None or entry.op == "deleted":
            return None
        routine = is_routine_event(entry.words, entry.tone)
        words = limit_text(entry.words, MAX_WORDS)
        return TimelineEntry(entry.time, "event", words, entry.tone, place, is_routine=routine)
    if not family.has(key, entry) or entry.words == "no visible change" or _is_heartbeat(entry):
        return None
    is_deletion = entry.op == "deleted"
    words = entry.words if is_deletion else without_bookkeeping(entry.words)
    words = limit_text(f"deleted, {words}" if is_deletion and not words.startswith("deleted") else words, MAX_WORDS)
    place = key, entry.namespace, entry.name
    routine = is_routine_change(key, entry, is_subject=place == family.place)
    uid = entry.uid if is_deletion else ""
    crash = crash_of(key, entry)
    tone = "warn" if crash is not None and entry.tone != "bad" else entry.tone
    return TimelineEntry(entry.time, "change", words, tone, place, is_routine=routine, uid=uid, crash=crash)


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
            routine = not run.exit_code and not runs.restarts
            yield TimelineEntry(at, "change", words, tone, pod.place, container=runs.name, is_routine=routine)


def _usage(hub: Hub, family: Family) -> Iterator[TimelineEntry]:
    for pod in family.pods[:MAX_MEASURED]:
        usage = hub.usage.get(pod.kind.key, pod.row)
        if usage is not None:
            tone = _usage_tone(usage)
            words = usage_words(usage)
            yield TimelineEntry(usage.at, "usage", words, tone, pod.place, is_routine=tone == "idle")


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
    for member in members:
        await asyncio.sleep(0)  # each is some milliseconds of work
        for owned in FieldOwners(whole_object(member.row) or {}).managers:
            manager = owned.manager
            at = parse_timestamp(manager.time)
            if at is None or manager.subresource == "status":
                continue
            how = "applied" if manager.is_apply else "wrote"
            count = f"{owned.count:,} field{'' if owned.count == 1 else 's'}"
            words = f"{manager.words} {how} last; it owns {count}"
            routine = is_routine_writer(manager)
            yield TimelineEntry(at, "write", words, "idle", member.place, is_routine=routine)


def written_members(family: Family) -> list[Member]:
    """Objects that people write, and not pods that others make: MAX_WRITTEN at most."""
    written = (member for member in family.members if member.kind.key != PODS or member.row.owner is None)
    return [*islice(written, MAX_WRITTEN)]


def gaps(
    history: ReadableHistory, family: Family, begin: float, end: float, older: OlderLines
) -> Iterator[TimelineEntry]:
    """Where the time line does not know everything: before the history of a kind begins, and what was missed since."""
    for gap in older.gaps:
        if gap.until >= begin:
            words = f"Changes may be missing from {utc_text(gap.since)} to {utc_text(gap.until)} ({gap.reason})."
            yield TimelineEntry(gap.until, "gap", words, "warn")
    begins: dict[float, list[str]] = {}
    titles = {key: family.kind_of(key).title for key in family.keys}
    for key, title in {**titles, EVENTS: KINDS[EVENTS].title}.items():
        known = round(min(history.complete_from(key), older.complete_from.get(key, math.inf)), 1)
        if known < end:
            begins.setdefault(known, []).append(title)
        if missed := history.missed([key], begin, end):
            words = f"{missed:,} changes of {title} in this time are not known here."
            yield TimelineEntry(end, "gap", words, "warn")
    for known, names in begins.items():
        yield TimelineEntry(
            known, "gap", f"Not every change of {', '.join(sorted(names))} before this is known here.", "warn"
        )
