"""Differences between all objects of a kind at two moments: those that were added or removed, or have another version.

What happened between the moments is not read, however much it is: the index of versions by object says which objects
changed, and which version each had at both. JSON is read of objects that have two. Functions block: call them in a
thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from dashboard.live.history.reader import HistoryReader, VersionPlace
from dashboard.live.history.version import ObjectName, Operation, Version
from dashboard.live.history.version_json import is_heartbeat
from dashboard.objects.kinds.value_hashes import MEMBER
from dashboard.objects.paths.field_changes import decode_differing, field_changes

STEP = 200
"""Objects of a step that reads JSON: some 50 ms."""
_SHARE_OF_A_MOMENT = 0.1
"""Share of the work that the versions of one moment are taken to be."""
_HASHES = MEMBER.encode()


@dataclass(frozen=True, slots=True)
class Difference:
    """An object that differs. Another object of the same name is a difference of one, not of two."""

    before: VersionPlace | None
    """Its version at the earlier moment; None where it was not there."""
    after: VersionPlace | None
    """Its version at the later moment; None where it was not there."""
    time: int | None
    """Unix microseconds of its last change until the later moment; None where that is not known."""
    was: bytes | None = None
    json: bytes | None = None
    """Its states at both moments, where they were read."""

    @property
    def name(self) -> ObjectName:
        """The object, of two that have the name the later one."""
        place = self.after or self.before
        if place is None:
            raise ValueError("an object that is at neither moment is no difference")
        return place.version.object


@dataclass(frozen=True, slots=True)
class DifferenceStep:
    """Some of the differences, and how far this is."""

    differences: tuple[Difference, ...] = ()
    unseen: int = 0
    """Objects among them of which nothing is known at a moment, because their namespace could not be listed: they are
    not among the differences.
    """
    done: float = 0.0
    """From 0 to 1."""


class ChangedPart(IntEnum):
    """What of an object differs."""

    NOTHING = 0
    """Nothing but what every write changes, and heartbeats."""
    STATUS = 1
    """Its status alone."""
    CONTENT = 2
    """Something else, and perhaps its status."""


def list_differences(
    reader: HistoryReader,
    kind: str,
    since: int,
    until: int,
    namespaces: frozenset[str] | None = None,
    *,
    reads_all: bool = False,
) -> Iterator[DifferenceStep]:
    """The differences in steps, those that changed last first. JSON is read of objects that exist at both moments, with
    `reads_all` of all. Where two versions differ is for `changed_part` to say.

    In memory are the versions of all objects at one moment, without JSON, and the JSON of a step. Raises
    HistoryUnavailable and DamagedVersion.
    """
    was: dict[tuple[str, str], VersionPlace] = {}
    changed = (since, until) if reader.are_in_one_part(since, until) else None
    for places, done in reader.versions_at(kind, since, namespaces, changed):
        for place in places:
            _keep_newest(was, place)
        yield DifferenceStep(done=_SHARE_OF_A_MOMENT * done)
    found, unseen = _compared(was, reader.versions_at(kind, until, namespaces, changed))
    if changed is None:  # a part begins without what ended before it
        found, more = _without_unseen(reader, found, since, until)
        unseen += more
    yield DifferenceStep(unseen=unseen, done=2 * _SHARE_OF_A_MOMENT)
    found.sort(key=lambda each: -(each.time or 0))
    for at in range(0, len(found), STEP):
        step, rest = found[at : at + STEP], 1 - 2 * _SHARE_OF_A_MOMENT
        done = 1 - rest + rest * (at + len(step)) / len(found)
        yield DifferenceStep(tuple(_with_states(reader, step, since, until, reads_all=reads_all)), done=done)


def changed_part(was: bytes, json: bytes) -> ChangedPart:
    """What differs between two versions of an object."""
    if is_heartbeat(was, json):
        return ChangedPart.NOTHING
    try:
        found = field_changes(*decode_differing(was, json))
    except RecursionError:
        return ChangedPart.CONTENT
    if any(change.steps[0] != "status" for change in found.changes) or not found.are_all:
        return ChangedPart.CONTENT
    if _HASHES in json or _HASHES in was:  # of the values of a Secret, which no field has
        return ChangedPart.CONTENT
    return ChangedPart.STATUS if found.changes else ChangedPart.NOTHING


def _keep_newest(kept: dict[tuple[str, str], VersionPlace], place: VersionPlace) -> None:
    about = place.version.object
    known = kept.get((about.namespace, about.name))
    if known is None or known.version.time < place.version.time:
        kept[about.namespace, about.name] = place


def _compared(
    was: dict[tuple[str, str], VersionPlace], later: Iterator[tuple[list[VersionPlace], float]]
) -> tuple[list[Difference], int]:
    """The differences, and how many objects are not seen at one of the moments."""
    now: dict[tuple[str, str], VersionPlace] = {}
    same: set[tuple[str, str]] = set()
    for places, _ in later:
        for place in places:
            key = place.version.object.namespace, place.version.object.name
            known = was.get(key)
            if known is not None and _is_same(known.version, place.version):
                same.add(key)
            elif known is None or key not in same or place.version.time > known.version.time:
                _keep_newest(now, place)
    found: list[Difference] = []
    unseen = 0
    for key, before in was.items():
        after = now.pop(key, None)
        if key in same and (after is None or after.version.time < before.version.time):
            continue  # the other one of its name ended before
        one, other = _if_there(before), _if_there(after)
        if Operation.UNSEEN in (before.version.operation, after.version.operation if after is not None else None):
            unseen += one is not None or other is not None
        elif one is not None or other is not None:
            found.append(Difference(one, other, after.version.time if after is not None else None))
    found += [
        Difference(None, after, after.version.time) for after in now.values() if not after.version.operation.is_end
    ]
    return found, unseen


def _without_unseen(
    reader: HistoryReader, found: list[Difference], since: int, until: int
) -> tuple[list[Difference], int]:
    """The differences but those of objects whose namespace was not listed at the moment at which they are not there,
    and how many these are.
    """
    added = [each.after.version for each in found if each.before is None and each.after is not None]
    was_there = [version.object for version in added if version.operation is not Operation.ADDED]
    unseen = reader.unseen_at(was_there, since)
    unseen |= reader.unseen_at([each.name for each in found if each.after is None and each.time is None], until)
    left = [each for each in found if each.name.uid not in unseen]
    return left, len(found) - len(left)


def _is_same(one: Version, other: Version) -> bool:
    return one.time == other.time and one.object.uid == other.object.uid


def _if_there(place: VersionPlace | None) -> VersionPlace | None:
    return None if place is None or place.version.operation.is_end else place


def _with_states(
    reader: HistoryReader, found: Sequence[Difference], since: int, until: int, *, reads_all: bool
) -> Iterator[Difference]:
    read = [each for each in found if reads_all or (each.before is not None and each.after is not None)]
    was = reader.states_of((each.before for each in read if each.before is not None), since)
    now = reader.states_of((each.after for each in read if each.after is not None), until)
    for each in found:
        yield replace(
            each,
            was=was.get(each.before.version.object.uid) if each.before is not None else None,
            json=now.get(each.after.version.object.uid) if each.after is not None else None,
        )
