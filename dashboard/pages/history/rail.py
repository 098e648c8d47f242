"""The rail of an object's versions, newest first, with the gaps between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import urlencode

import msgspec

from dashboard.live.history.reader import ChangedState
from dashboard.live.history.version import Gap, Operation, Version
from dashboard.live.moments.at_parameter import AT, format_at
from dashboard.live.moments.history_objects import MICROSECONDS
from dashboard.live.moments.past_entries import build_entries
from dashboard.live.moments.past_rows import PastRows
from dashboard.live.rendering.time_texts import utc_text
from dashboard.objects.fields.server_set_fields import can_be_set
from dashboard.objects.kinds.row import Tone
from dashboard.objects.kinds.value_hashes import MEMBER
from dashboard.objects.paths.field_changes import field_changes
from dashboard.pages.history.shown_state import shown_state
from dashboard.pages.history.writers import Writers
from dashboard.pages.layout.shown_moment import UNDO

TITLES = {
    Operation.ADDED: "created",
    Operation.MODIFIED: "changed",
    Operation.DELETED: "deleted",
    Operation.FOUND: "found",
    Operation.DIFFERS: "differs",
    Operation.MISSING: "gone",
    Operation.UNSEEN: "not seen",
}
NOTHING_BEFORE = "What it was before is not recorded."
_SENTENCES = {
    Operation.FOUND: "It was there when recording began, or after a gap.",
    Operation.DIFFERS: "It changed while nothing was recorded: when is not known.",
    Operation.MISSING: "It was deleted while nothing was recorded: when is not known.",
    Operation.UNSEEN: "Its namespace is no longer listed: it may be there.",
}
_NO_CHANGE = "no visible change"
MAX_NAMED = 3


@dataclass(frozen=True, slots=True)
class RailVersion:
    """One version on the rail."""

    is_gap: ClassVar[bool] = False
    at: str
    """The version's time as addresses have it."""
    time_text: str
    title: str
    """The operation, in a word."""
    words: str
    """What changed, as the feed says it, without the title."""
    sentence: str
    """What is not known of it; empty where all is."""
    tone: Tone
    person: str
    """Who made it through Deltaboard; empty where that is not known."""
    manager: str
    """Field manager that wrote last; empty where the object was deleted, or it is not known."""
    is_end: bool
    then_href: str
    """The object's details as of this version, of a deletion just before it."""
    with_now: str
    """Query that compares it with the newest version; empty where it is that."""
    with_before: str
    """Query that compares it with the version before it; empty where there is none."""
    undo: str
    """Query of the editor that undoes it; empty where no edit can."""


@dataclass(frozen=True, slots=True)
class RailGap:
    """A time on the rail in which nothing was recorded."""

    is_gap: ClassVar[bool] = True
    since: str
    since_text: str
    until: str
    """Empty while it lasts."""
    until_text: str
    reason: str
    count: int
    """Gaps that it stands for: no version lies between them."""


def build_rail(
    key: str,
    rows: PastRows,
    changes: Sequence[ChangedState],
    gaps: Iterable[Gap],
    writers: Writers,
    links: MomentLinks,
    newest: Version | None,
) -> list[RailVersion | RailGap]:
    """The rail of these versions, which come newest first. Call it in a thread."""
    versions = [
        _version(key, rows, change, earlier.version if earlier is not None else None, writers, links, newest)
        for change, earlier in zip(changes, [*changes[1:], None], strict=True)
    ]
    return list(_with_gaps([change.version for change in changes], versions, list(gaps)))


def change_words(key: str, rows: PastRows, change: ChangedState) -> tuple[str, Tone]:
    """What a version changed, as the feed says it, and its tone; no words of a deletion that was not
    seen, or where there is no state before it.
    """
    operation = change.version.operation
    if operation is Operation.MISSING or (
        change.before is None and operation is not Operation.ADDED and not operation.is_end
    ):
        return "", "idle"
    entries = build_entries(key, rows, [change])
    if not entries:
        return "", "idle"
    words = entries[0].words
    if words == _NO_CHANGE and change.before is not None:
        words = secret_words(change.before, change.json) or words
    return words, entries[0].tone


def secret_words(before: bytes, after: bytes) -> str:
    """Which values of a Secret differ, by their hashes; empty where none does."""
    old, new = _hashes(before), _hashes(after)
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    if not names:
        return ""
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    verb = "has another value" if len(names) == 1 else "have other values"
    return f"{', '.join(names[:MAX_NAMED])}{more} {verb}"


def _hashes(json: bytes) -> dict[str, str]:
    if MEMBER.encode() not in json:
        return {}
    hashes = msgspec.json.decode(json).get(MEMBER) or {}
    return {
        f"{field}.{name}": value
        for field, values in hashes.items()
        for name, value in (values.items() if isinstance(values, dict) else ())
    }


def seconds_of(version: Version) -> float:
    """Unix seconds of a version."""
    return version.time / MICROSECONDS


@dataclass(frozen=True, slots=True)
class MomentLinks:
    """Addresses of an object's details as of its versions."""

    href: str
    """The object's details."""
    recorded_since: float = 0.0
    """Unix seconds of the first moment of its kind that can be shown: the first list was read a little before."""

    def of(self, version: Version) -> str:
        """The details as of a version, of one that ends the object just before."""
        at = (version.time - 1 if version.operation.is_end else version.time) / MICROSECONDS
        return f"{self.href}?{urlencode({AT: format_at(max(at, self.recorded_since))}, safe=':')}"


def compare_query(since: Version, until: Version | None = None) -> str:
    """Query that compares two versions, without `until` one with the newest."""
    times = {"from": format_at(seconds_of(since))}
    if until is not None:
        times["to"] = format_at(seconds_of(until))
    return f"?{urlencode(times, safe=':')}"


def _version(
    key: str,
    rows: PastRows,
    change: ChangedState,
    earlier: Version | None,
    writers: Writers,
    links: MomentLinks,
    newest: Version | None,
) -> RailVersion:
    version = change.version
    words, tone = change_words(key, rows, change)
    is_whole = change.before is not None or version.operation is Operation.ADDED or version.operation.is_end
    at = seconds_of(version)
    return RailVersion(
        at=format_at(at),
        time_text=utc_text(at),
        title=TITLES[version.operation],
        words=words.removeprefix(TITLES[version.operation]).removeprefix(", "),
        sentence=_SENTENCES.get(version.operation, "" if is_whole else NOTHING_BEFORE),
        tone=tone,
        person=writers.person(version),
        manager="" if version.operation.is_end else version.manager,
        is_end=version.operation.is_end,
        then_href=links.of(version),
        with_now="" if newest is None or newest.time == version.time else compare_query(version),
        with_before="" if earlier is None else compare_query(earlier, version),
        undo=_undo_query(change, newest),
    )


def _undo_query(change: ChangedState, newest: Version | None) -> str:
    """Only a change of the object that has the name now can be undone, and of fields that an edit can set."""
    version = change.version
    is_of_present = newest is not None and not newest.operation.is_end and newest.object.uid == version.object.uid
    if not is_of_present or version.operation is not Operation.MODIFIED or change.before is None:
        return ""
    compared = field_changes(shown_state(change.before), shown_state(change.json))
    if not any(can_be_set(each.steps) for each in compared.changes):
        return ""
    return urlencode({UNDO: version.resource_version})


def _with_gaps(
    versions: Sequence[Version], shown: Sequence[RailVersion], gaps: list[Gap]
) -> Iterator[RailVersion | RailGap]:
    """Each gap before the versions that came after it; those that no version parts are one. Of the gap in which the
    oldest version was found, nothing comes after it: from then on the object was watched.
    """
    found_at = {version.time for version in versions if version.operation in (Operation.FOUND, Operation.DIFFERS)}
    left = sorted((gap for gap in gaps if gap.since not in found_at), key=lambda gap: -gap.since)
    for version, line in zip(versions, shown, strict=True):
        after = [gap for gap in left if gap.since >= version.time]
        left = left[len(after) :]
        if after:
            yield _gap(after)
        yield line
    if left:
        yield _gap(left)


def _gap(gaps: Sequence[Gap]) -> RailGap:
    since, until = gaps[-1].since / MICROSECONDS, gaps[0].until
    return RailGap(
        since=format_at(since),
        since_text=utc_text(since),
        until=format_at(until / MICROSECONDS) if until is not None else "",
        until_text=utc_text(until / MICROSECONDS) if until is not None else "",
        reason=gaps[0].reason,
        count=len(gaps),
    )
