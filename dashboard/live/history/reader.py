"""Reader of a cluster's history: an object or a whole kind at any moment, versions, changes, what was deleted, gaps.

Functions block: call them in a thread. They read parts that are written at the same time by another process. All raise
HistoryUnavailable, and those that return JSON DamagedVersion. Times are Unix microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import msgspec

from dashboard.live.history.part import FOREVER, HistoryUnavailable, Part, Parts
from dashboard.live.history.part_reader import ChangeCounts, PartNames, PartReader
from dashboard.live.history.spans import NOTHING_SINCE, Span, gaps_between, read_spans
from dashboard.live.history.version import CHANGES, Gap, ObjectName, Operation, StoredVersion, Version
from informerd.lru_cache import LruCache

STEP = 200
"""Objects of a step: the first ones are there within some 50 ms."""
GRACE = 6_000_000
"""Microseconds that the newest note of what is covered may be old while all is recorded."""
NOT_CONFIRMED = "it is not confirmed yet that all was recorded"
MAX_FOUND = 200
MAX_NAMES = 200
"""Parts of which it is remembered what their rows refer to."""
FIRST_WINDOW = 60_000_000
"""Microseconds before the end of a span that are read first for its newest changes; then twice as many, and so on."""
MAX_DELETION_STEPS = 100
"""Newest versions of an object among which is the last one before its deletion was asked for."""
PLACES = 1_000
"""Objects of a step that reads no JSON."""
MANY = 5_000
"""Changes of a step after which the next one reads half as many seconds."""
MOST = 20_000
"""Most changes of a step: all of a step are in memory."""


class _Metadata(msgspec.Struct, gc=False):
    metadata: dict[str, Any] = {}


_decode_metadata = msgspec.json.Decoder(_Metadata).decode


@dataclass(frozen=True, slots=True)
class Step:
    """Some of many objects, and how far this is."""

    objects: tuple[StoredVersion, ...]
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class SearchStep:
    """Some of many versions, newest first; there may be none."""

    versions: list[Version]
    back_to: int
    """Unix microseconds after which all have been read."""


@dataclass(frozen=True, slots=True)
class VersionPlace:
    """A version, and where it is stored."""

    part: Part
    id: int
    """The object's number in the part."""
    version: Version


@dataclass(frozen=True, slots=True)
class ChangedState:
    """A change of an object with its state before, None where there was none, and after."""

    version: Version
    before: bytes | None
    json: bytes


@dataclass(frozen=True, slots=True)
class RecordedWrite:
    """A version that a write made, and the one on top of which it was written."""

    before: StoredVersion | None
    """None where history does not have it."""
    after: StoredVersion
    gap: Gap | None
    """Gap between the two: other versions may be missing there."""


@dataclass(frozen=True, slots=True)
class ChangesWithStates:
    """Changes of a kind, oldest first."""

    complete_from: int
    """From when on all are among them that were recorded."""
    changes: tuple[ChangedState, ...]
    gaps: tuple[Gap, ...] = ()
    """The times since then in which not all were."""


class HistoryReader:
    """Reads the history of one cluster."""

    def __init__(self, parts: Parts, cluster: str) -> None:
        self._parts = parts
        self.cluster = cluster
        self._names: LruCache[Part, PartNames] = LruCache(MAX_NAMES)

    def begin(self) -> int | None:
        """When the oldest part began; None where there is none."""
        parts = self._parts.list(self.cluster)
        return parts[0].begin if parts else None

    def object_at(self, kind: str, namespace: str, name: str, time: int, uid: str = "") -> StoredVersion | None:
        """The last version at `time` or before of the object that had the name then, also where that is its end; None
        where there was none. Whether that is known, `gap_at` says.
        """
        for reader in self._back_from(time):
            with closing(reader.connection):
                found = reader.last_of(kind, namespace, name, time, uid)
                if found is not None or reader.is_complete:
                    return found
        return None

    def versions(
        self, kind: str, namespace: str, name: str, uid: str = "", *, since: int = 0, until: int = FOREVER
    ) -> list[Version]:
        """All versions from `since` and before `until` of the objects of a name, oldest first. The first one may be
        older than the oldest part, which began with it.
        """
        found: dict[tuple[str, int], Version] = {}
        for reader in self._overlapping(since, until, newest_first=True):
            with closing(reader.connection):
                for version in reader.versions(kind, namespace, name, since, until):
                    if uid in ("", version.object.uid):
                        found[version.object.uid, version.time] = version
            if uid and any(each.operation is Operation.ADDED for each in found.values()):
                break  # it was created then
        return sorted(found.values(), key=lambda version: version.time)

    def next_version(self, kind: str, namespace: str, name: str, since: int) -> Version | None:
        """The first version from `since` on of the objects of a name; None where there is none."""
        for reader in self._overlapping(since, FOREVER):
            with closing(reader.connection):
                if (version := reader.oldest(reader.ids_of(kind, namespace, name), since)) is not None:
                    return version
        return None

    def newest_versions(
        self, kind: str, namespace: str, name: str, before: int, most: int, uid: str = ""
    ) -> list[Version]:
        """The newest versions before a moment of the objects of a name, newest first, `most` at most."""
        found: dict[tuple[str, int], Version] = {}
        for reader in self._back_from(before):
            with closing(reader.connection):
                ids = reader.ids_of(kind, namespace, name, uid)
                for version in reader.newest(ids, before, most):
                    found.setdefault((version.object.uid, version.time), version)
            if len(found) >= most and reader.is_complete:
                break
        return sorted(found.values(), key=lambda version: -version.time)[:most]

    def newest_states(
        self, kind: str, namespace: str, name: str, before: int, most: int, uid: str = ""
    ) -> list[ChangedState]:
        """As `newest_versions`, with the states before and after each. The first one of an object that history has has
        none before it.
        """
        versions = self.newest_versions(kind, namespace, name, before, most + 1, uid)
        if not versions:
            return []
        wanted = {(version.object.uid, version.time) for version in versions}
        states: dict[tuple[str, int], bytes] = {}
        for reader in self._overlapping(versions[-1].time, versions[0].time + 1):
            with closing(reader.connection):
                for number in reader.ids_of(kind, namespace, name, uid):
                    for stored in reader.states_between(number, versions[-1].time, versions[0].time + 1):
                        place = stored.version.object.uid, stored.version.time
                        if place in wanted:
                            states[place] = stored.json
        found: list[ChangedState] = []
        for version, earlier in zip(versions, [*versions[1:], None], strict=True):
            is_same = earlier is not None and earlier.object.uid == version.object.uid
            was = states.get((earlier.object.uid, earlier.time)) if earlier and is_same else None
            json = states.get((version.object.uid, version.time))
            if json is not None:  # its part has not been dropped meanwhile
                found.append(ChangedState(version, was, json))
        return found[:most]

    def write_of(self, name: ObjectName, resource_version: str, since: int = 0) -> RecordedWrite | None:
        """The write that made a resourceVersion of an object, at `since` or later; None where history has none."""
        where = (name.kind, name.namespace, name.name)
        after = self._first_of(name, resource_version, since)
        stored = self.read(after) if after is not None else None
        if after is None or stored is None:
            return None
        earlier = self.newest_versions(*where, after.time, 1, name.uid)
        before = self.read(earlier[0]) if earlier else None
        return RecordedWrite(before, stored, self._gap_between(before.version, after) if before is not None else None)

    def state_before_deletion(self, name: ObjectName, resource_version: str) -> StoredVersion | None:
        """The last version of an object before its deletion was asked for, on top of that resourceVersion; None where
        history does not have it.
        """
        where = (name.kind, name.namespace, name.name)
        deletion: Version | None = None
        for change in self.newest_states(*where, FOREVER, MAX_DELETION_STEPS, name.uid):
            version = change.version
            if version.resource_version == resource_version:
                return StoredVersion(version, change.json)
            if version.operation.is_end and version.operation is not Operation.DELETED:
                continue  # it has the last state that is known, as the version before it
            if _decode_metadata(change.json).metadata.get("deletionTimestamp"):
                deletion = version
            elif version.operation is Operation.DELETED:
                return StoredVersion(version, change.json)
            else:
                is_last = deletion is not None and self._gap_between(version, deletion) is None
                return StoredVersion(version, change.json) if is_last else None
        return None

    def read(self, version: Version) -> StoredVersion | None:
        """A version with its JSON; None where it is not there any more."""
        name = version.object
        found = self.object_at(name.kind, name.namespace, name.name, version.time, name.uid)
        return found if found is not None and found.version.time == version.time else None

    def objects_at(self, kind: str, time: int, namespace: str = "") -> Iterator[Step]:
        """All objects of a kind as they were at `time`, in steps, in no order."""
        seen: set[str] = set()
        done = 0
        for reader in self._back_from(time):
            with closing(reader.connection):
                number, is_complete = reader.kind_id(kind), reader.is_complete
                ids: list[int] = []
                if number is not None:
                    values = (number, namespace) if namespace else (number,)
                    ids = reader.object_ids("o.kind = ? AND o.namespace = ?" if namespace else "o.kind = ?", *values)
                total = done + len(ids)
                for at in range(0, len(ids), STEP):
                    step = [stored for _, stored in reader.states_at(ids[at : at + STEP], time)]
                    known = [each for each in step if each.version.object.uid not in seen]
                    if not is_complete:
                        seen.update(each.version.object.uid for each in step)
                    done += len(ids[at : at + STEP])
                    yield Step(tuple(each for each in known if not each.version.operation.is_end), done, total)
                if is_complete:
                    return
                time = min(time, reader.part.begin)

    def are_in_one_part(self, since: int, until: int) -> bool:
        """Whether one part has what existed at the first moment, and all changes until the second."""
        for reader in self._back_from(until):
            with closing(reader.connection):
                return reader.is_complete and reader.part.begin <= since
        return False

    def versions_at(
        self,
        kind: str,
        time: int,
        namespaces: frozenset[str] | None = None,
        changed: tuple[int, int] | None = None,
    ) -> Iterator[tuple[list[VersionPlace], float]]:
        """The last version at `time` or before of all objects of a kind, of those that were gone their end where the
        part still has it; in steps, each with the share of all that is read. `namespaces`: in these only. `changed`:
        only of objects that changed after the first and until the second of two moments that are in one part.
        """
        seen: set[str] = set()
        condition, values = "o.kind = ?", [*sorted(namespaces or ()), *(changed or ())]
        if namespaces is not None:
            condition += f" AND o.namespace IN ({', '.join('?' * len(namespaces)) or 'NULL'})"
        if changed is not None:
            condition += " AND EXISTS (SELECT 1 FROM {version} c WHERE c.object = o.id AND c.time > ? AND c.time <= ?)"
        for reader in self._back_from(time):
            with closing(reader.connection):
                number, is_complete = reader.kind_id(kind), reader.is_complete
                ids = reader.object_ids(condition, number, *values) if number is not None else []
                for at in range(0, len(ids), PLACES):
                    places = [
                        VersionPlace(reader.part, each, version)
                        for each, version in reader.last_versions(ids[at : at + PLACES], time)
                        if version.object.uid not in seen
                    ]
                    yield places, min(1.0, (at + PLACES) / len(ids))
                    if not is_complete:
                        seen.update(place.version.object.uid for place in places)
                if is_complete:
                    return
                time = min(time, reader.part.begin)

    def unseen_at(self, names: Iterable[ObjectName], time: int) -> set[str]:
        """Uids of those of these objects whose namespace was not listed at a moment, also where the part of that moment
        began without them.
        """
        unknown, unseen = {name.uid: name for name in names}, set[str]()
        for reader in self._back_from(time):
            with closing(reader.connection):
                for uid, version in reader.last_of_each([*unknown.values()], time).items():
                    del unknown[uid]
                    if version.operation is Operation.UNSEEN:
                        unseen.add(uid)
        return unseen

    def states_of(self, places: Iterable[VersionPlace], time: int) -> dict[str, bytes]:
        """The JSON of versions that `versions_at` returned for `time`, by uid, of those that are still there."""
        ids: dict[Part, list[int]] = {}
        for place in places:
            ids.setdefault(place.part, []).append(place.id)
        newest, found = self._parts.list(self.cluster)[-1:], {}
        for part, numbers in ids.items():
            if (reader := self._open(part, is_newest=[part] == newest)) is None:
                continue
            with closing(reader.connection):
                for _, stored in reader.states_at(numbers, time):
                    found[stored.version.object.uid] = stored.json
        return found

    def changes(
        self, since: int, until: int, kinds: Iterable[str] = (), operations: Sequence[Operation] = ()
    ) -> Iterator[list[Version]]:
        """The versions from `since` and before `until`, newest first, in steps that are read as they are taken.
        `kinds`, `operations`: of these only.
        """
        return (step.versions for step in self.search(since, until, kinds, operations) if step.versions)

    def search(
        self, since: int, until: int, kinds: Iterable[str] = (), operations: Sequence[Operation] = ()
    ) -> Iterator[SearchStep]:
        """The same, and how far each step has come, also those that found none."""
        wanted, skips_found = frozenset(kinds), bool(operations) and {*operations} <= {*CHANGES}
        for reader in self._overlapping(since, until, newest_first=True):
            with closing(reader.connection):
                numbers = [number for number, name in reader.kinds.items() if not wanted or name in wanted]
                begin, end = max(since, reader.part.begin), min(until, self._end_of(reader.part))
                if not numbers:
                    yield SearchStep([], begin)
                    continue
                window = FIRST_WINDOW
                while begin < end:
                    if skips_found:
                        span = reader.span_of_changes(begin, end)
                        end = begin if span is None else span[1]
                    while window > FIRST_WINDOW and reader.has_more_than(MOST, max(begin, end - window), end):
                        window //= 2
                    start = max(begin, end - window)
                    step = reader.changes(start, end, numbers, MOST, operations)
                    end = start if len(step) < MOST else step[-1].time  # times are different in a part
                    yield SearchStep(step, end)
                    window = window * 2 if len(step) < MANY else max(1, window // 2)

    def change_counts(self, since: int, until: int, step: int, kinds: Iterable[str]) -> list[ChangeCounts]:
        """How many changes of some kinds there were from `since` and before `until`, in steps of `step` seconds, which
        begin at multiples of that. A step of which two parts have some comes twice.
        """
        wanted, found = frozenset(kinds), list[ChangeCounts]()
        for reader in self._overlapping(since, until):
            with closing(reader.connection):
                numbers = [number for number, name in reader.kinds.items() if name in wanted]
                if numbers:  # from where a part begins, and to where it ends, its minutes are whole
                    begin = since if since > reader.part.begin else 0
                    end = until if until < self._end_of(reader.part) else FOREVER
                    found += reader.change_counts(begin, end, step, numbers)
        return found

    def changes_with_states(self, kind: str, since: int, until: int, most: int) -> ChangesWithStates:
        """The newest changes of a kind from `since` and before `until`, `most` at most, with the states before them."""
        found: list[Version] = []
        for step in self.changes(since, until, (kind,)):
            found += step
            if len(found) > most:
                break
        complete_from = max(since, self.recorded_since(kind) or until)
        if len(found) > most:
            found = found[:most]
            complete_from = found[-1].time
        changes = self.with_states(version for version in found if version.time >= complete_from)
        in_order = tuple(sorted(changes, key=lambda each: each.version.time))
        return ChangesWithStates(complete_from, in_order, tuple(self.whole_gaps(kind, complete_from, until)))

    def with_states(self, versions: Iterable[Version]) -> list[ChangedState]:
        """These changes with the states before and after them, in no order; without those whose part has been dropped
        meanwhile.
        """
        wanted: dict[ObjectName, set[int]] = {}
        for version in versions:
            wanted.setdefault(version.object, set()).add(version.time)
        if not wanted:
            return []
        found: dict[tuple[str, int], ChangedState] = {}
        oldest, newest = min(map(min, wanted.values())), max(map(max, wanted.values()))
        for reader in self._overlapping(oldest, newest + 1):
            with closing(reader.connection):
                for name, times in wanted.items():
                    for change in _states_in(reader, name, times):
                        found.setdefault((name.uid, change.version.time), change)
        for place, change in found.items():
            if change.before is None and change.version.operation in (Operation.MODIFIED, Operation.DIFFERS):
                name = change.version.object  # its part did not have the object yet
                stored = self.object_at(name.kind, name.namespace, name.name, change.version.time - 1, name.uid)
                if stored is not None and not stored.version.operation.is_end:
                    found[place] = ChangedState(change.version, stored.json, change.json)
        return [*found.values()]

    def find_ended(
        self,
        text: str,
        kind: str = "",
        limit: int = MAX_FOUND,
        is_wanted: Callable[[Version], bool] = lambda _version: True,
    ) -> list[Version]:
        """Objects that are not there any more and have `text` in their names, those that ended last first. `is_wanted`
        says of each whether it is one of the `limit`.
        """
        found: dict[str, Version] = {}
        for reader in self._back_from(FOREVER):
            with closing(reader.connection):
                number = reader.kind_id(kind) if kind else None
                if kind and number is None:
                    continue
                for version in islice(filter(is_wanted, reader.ended(text, number)), limit):
                    found.setdefault(version.object.uid, version)
            if len(found) >= limit:
                break
        return sorted(found.values(), key=lambda version: -version.time)[:limit]

    def recorded_until(self, kind: str, before: int = FOREVER) -> int | None:
        """Until when changes of a kind were recorded, in the times that ended until `before`; None where none did."""
        for reader in self._back_from(before):
            with closing(reader.connection):
                ends = [until for _, until, _ in read_spans(reader.connection, kind) if until <= before]
            if ends:
                return max(ends)
        return None

    def recorded_since(self, kind: str) -> int | None:
        """Since when changes of a kind were recorded first, of those that are kept; None where none ever were."""
        for reader in self._overlapping(0, FOREVER):
            with closing(reader.connection):
                spans = read_spans(reader.connection, kind)
            if spans:
                return max(reader.part.begin, min(since for since, _, _ in spans))
        return None

    def gaps(self, kind: str, since: int, until: int) -> list[Gap]:
        """The times from `since` to `until` in which not all changes of a kind were recorded. The newest seconds are
        none while they are being recorded.
        """
        gaps = gaps_between(self._spans(kind, since, until), since, until, NOTHING_SINCE)
        if gaps and gaps[-1].until is None and until - gaps[-1].since < GRACE:
            gaps.pop()
        return gaps

    def whole_gaps(self, kind: str, since: int, until: int) -> list[Gap]:
        """The same, but one that began before `since` has its own beginning, if anything was recorded before it."""
        gaps = self.gaps(kind, since, until)
        if gaps and gaps[0].since == since and (began := self.recorded_until(kind, since)) is not None:
            gaps[0] = replace(gaps[0], since=began)
        return gaps

    def is_recorded(self, kind: str, time: int) -> bool:
        """Whether all changes of a kind up to a moment are recorded: of the newest seconds this is not known yet."""
        return any(since <= time <= until for since, until, _ in self._spans(kind, time, FOREVER))

    def gap_at(self, kind: str, time: int) -> Gap | None:
        """The gap of a kind that a moment is in; None where all was recorded."""
        spans = self._spans(kind, 0, FOREVER)
        if any(since <= time <= until for since, until, _ in spans):
            return None
        before = max((until for _, until, _ in spans if until < time), default=0)
        if before and time - before < GRACE and not any(since > time for since, _, _ in spans):
            return None
        after, reason = min(
            ((since, reason) for since, _, reason in spans if since > time), default=(None, NOTHING_SINCE)
        )
        return Gap(before, after, reason)

    def _first_of(self, name: ObjectName, resource_version: str, since: int) -> Version | None:
        """The first version of an object with that resourceVersion, which stands again where it was found again."""
        for reader in self._overlapping(since, FOREVER):
            with closing(reader.connection):
                if (version := reader.first_of(name, resource_version, since)) is not None:
                    return version
        return None

    def _gap_between(self, earlier: Version, later: Version) -> Gap | None:
        """The gap between two versions of an object, also while it is not known yet whether there is one. Where the
        earlier one was found in a gap, that is none before changes: from then on the object was watched.
        """
        since, until = earlier.time, later.time
        gaps = gaps_between(self._spans(earlier.object.kind, since, until), since, until, NOT_CONFIRMED)
        was_found = earlier.operation in (Operation.FOUND, Operation.DIFFERS)
        is_watched = was_found and later.operation is Operation.MODIFIED
        return next((gap for gap in gaps if not (is_watched and gap.since <= since and gap.until is not None)), None)

    def _spans(self, kind: str, since: int, until: int) -> list[Span]:
        spans: list[Span] = []
        for reader in self._overlapping(since, until):
            with closing(reader.connection):
                spans += read_spans(reader.connection, kind)
        return spans

    def _overlapping(self, since: int, until: int, *, newest_first: bool = False) -> Iterator[PartReader]:
        """The parts that have changes from `since` and before `until`, oldest first."""
        parts = self._parts.list(self.cluster)
        ends = [*(part.begin for part in parts[1:]), FOREVER]
        found = [part for part, end in zip(parts, ends, strict=False) if part.begin < until and end > since]
        for part in reversed(found) if newest_first else found:
            if (reader := self._open(part, is_newest=part == parts[-1])) is not None:
                yield reader

    def _back_from(self, time: int) -> Iterator[PartReader]:
        """The part of a moment, and those before it."""
        return self._overlapping(0, time + 1, newest_first=True)

    def _open(self, part: Part, *, is_newest: bool) -> PartReader | None:
        """None where the part has been dropped, or another version of the program wrote it."""
        try:
            reader = PartReader(self._parts.connect(part), self._names.get(part))
            if reader.is_known_format:
                if reader.is_complete and not is_newest:
                    self._names.put(part, reader.names)
                return reader
            reader.connection.close()
        except HistoryUnavailable:
            if part in self._parts.list(self.cluster):
                raise
        return None

    def _end_of(self, part: Part) -> int:
        return next((each.begin for each in self._parts.list(self.cluster) if each > part), FOREVER)


def _states_in(reader: PartReader, name: ObjectName, times: Collection[int]) -> Iterator[ChangedState]:
    """The changes of an object at these times that a part has, with the states before them that it has."""
    for number in reader.ids_of(name.kind, name.namespace, name.name, name.uid):
        before: bytes | None = None
        for stored in reader.states_between(number, min(times) - 1, max(times) + 1):
            version = stored.version
            if version.time in times:
                yield ChangedState(version, before, stored.json)
            before = None if version.operation.is_end else stored.json
