"""Lines of a list that is compared at two moments, with what changed in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from dashboard.live.history.list_differences import Difference
from dashboard.live.history.reader import ChangedState, VersionPlace
from dashboard.live.history.version import Gap, Operation
from dashboard.live.moments.at_parameter import AT, format_at
from dashboard.live.moments.history_objects import MICROSECONDS
from dashboard.live.moments.list_comparisons import BINS, Group, ListComparison
from dashboard.live.moments.past_rows import PastRows
from dashboard.live.rendering.time_texts import utc_text
from dashboard.objects.kinds.row import Tone
from dashboard.objects.paths.field_changes import FieldChange, field_changes
from dashboard.objects.printers.change_text import field_word
from dashboard.pages.history.rail import change_words
from dashboard.pages.history.shown_state import shown_state
from dashboard.runtime.text_with_links import history_href, object_href

PAGE_SIZE = 100
"""Lines of a page."""
TITLES: Mapping[Group, str] = MappingProxyType({
    Group.CHANGED: "Changed", Group.ADDED: "Added", Group.REMOVED: "Removed", Group.ENTERED: "Entered the filter",
    Group.LEFT: "Left the filter", Group.STATUS: "Only status changed",
})  # fmt: skip
HINTS: Mapping[Group, str] = MappingProxyType({
    Group.CHANGED: "something else than their status",
    Group.ADDED: "not there at the earlier moment",
    Group.REMOVED: "gone at the later moment",
    Group.ENTERED: "there at both moments, the filter matches them at the later one only",
    Group.LEFT: "there at both moments, the filter matches them at the earlier one only",
    Group.STATUS: "nothing but their status",
})  # fmt: skip
MARKS: Mapping[Group, str] = MappingProxyType({
    Group.CHANGED: "modified", Group.ADDED: "added", Group.REMOVED: "deleted", Group.ENTERED: "right",
    Group.LEFT: "left", Group.STATUS: "busy",
})  # fmt: skip
"""Icon of each group."""
OTHER_OBJECT = "deleted and created again"
MIN_TOLD = 4
"""Characters of a value that are in the words of a change only where they tell it."""


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """An object that differs."""

    group: Group
    namespace: str
    name: str
    href: str
    """The object's page: of one that was removed as it was at the earlier moment, of others at the later one."""
    words: str
    """What changed, as the feed says it; of one that was added or removed its state."""
    tone: Tone
    at: str
    """Time of its last change until the later moment, as addresses have it; empty where that is not known."""
    time_text: str
    versions_href: str
    """Address that compares its two versions; empty where it has one."""

    def as_record(self) -> dict[str, str]:
        """The line in files."""
        return {
            "difference": self.group.value,
            "namespace": self.namespace,
            "name": self.name,
            "what": self.words,
            "lastChange": self.at,
        }


@dataclass(frozen=True, slots=True)
class Section:
    """Lines of one group on a page."""

    group: Group
    title: str
    hint: str
    lines: tuple[DifferenceLine, ...]


@dataclass(frozen=True, slots=True)
class Badge:
    """Number of objects in a group; `href` shows it alone, or all where it `is_chosen`."""

    group: Group
    title: str
    icon: str
    count: int
    href: str
    is_chosen: bool
    x: str
    width: str
    """Its piece of a bar 100 wide."""


@dataclass(frozen=True, slots=True)
class TimelineBar:
    """Last changes in a span of time, in a picture 100 wide and 30 high."""

    x: str
    width: str
    y: str
    height: str


@dataclass(frozen=True, slots=True)
class GapBand:
    """A time in which nothing was recorded: where it is in a picture 100 wide, and in words."""

    x: str
    width: str
    since: str
    since_text: str
    until: str
    until_text: str
    reason: str


def chosen_lines(
    comparison: ListComparison, groups: Iterable[Group], start: int, most: int
) -> list[tuple[Group, Difference]]:
    """Some of the differences, group after group."""
    found: list[tuple[Group, Difference]] = []
    for group in groups:
        differences = comparison.by_group[group]
        found += [(group, each) for each in differences[start : start + most - len(found)]]
        start = max(0, start - len(differences))
        if len(found) >= most:
            break
    return found


def build_lines(
    key: str,
    rows: PastRows,
    chosen: Sequence[tuple[Group, Difference]],
    was: Mapping[str, bytes],
    now: Mapping[str, bytes],
    moments: tuple[float, float | None],
) -> list[DifferenceLine]:
    """The lines of differences; `was` and `now` have the states by uid, `moments` are the Unix seconds of both, None
    for now. Call it in a thread.
    """
    return [_line(key, rows, group, each, was, now, moments) for group, each in chosen]


def sections(lines: Iterable[DifferenceLine]) -> list[Section]:
    """The lines by group, in their order."""
    found: dict[Group, list[DifferenceLine]] = {}
    for line in lines:
        found.setdefault(line.group, []).append(line)
    return [Section(group, TITLES[group], HINTS[group], tuple(each)) for group, each in found.items()]


def badges(comparison: ListComparison, chosen: Group | None, href: Callable[[str], str]) -> list[Badge]:
    """The numbers of all groups that have some, or are chosen."""
    total, x = max(1, comparison.total), 0.0
    found: list[Badge] = []
    for group in Group:
        count = comparison.counts[group]
        if not count and group is not chosen:
            continue
        width = 100 * count / total
        found.append(
            Badge(
                group=group,
                title=TITLES[group],
                icon=MARKS[group],
                count=count,
                href=href("" if group is chosen else group.value),
                is_chosen=group is chosen,
                x=f"{x:.2f}",
                width=f"{max(width - 0.3, 0.2) if count else 0:.2f}",
            )
        )
        x += width
    return found


def timeline(comparison: ListComparison) -> list[TimelineBar]:
    """When the objects changed last."""
    most, width = max(comparison.changes), 100 / BINS
    if not most:
        return []
    return [
        TimelineBar(f"{place * width:.2f}", f"{width * 0.8:.2f}", f"{30 - height:.1f}", f"{height:.1f}")
        for place, count in enumerate(comparison.changes)
        if (height := max(2.0, 28 * count / most) if count else 0)
    ]


def gap_bands(comparison: ListComparison) -> list[GapBand]:
    """The gaps between both moments; the first may have begun before."""
    since, until = comparison.request.since, comparison.request.until
    return [_band(gap, since, until) for gap in comparison.gaps]


def _band(gap: Gap, since: float, until: float) -> GapBand:
    begin = max(since, gap.since / MICROSECONDS)
    end = min(until, gap.until / MICROSECONDS if gap.until is not None else until)
    span = max(until - since, 1e-6)
    return GapBand(
        x=f"{100 * (begin - since) / span:.2f}",
        width=f"{max(0.5, 100 * (end - begin) / span):.2f}",
        since=format_at(gap.since / MICROSECONDS),
        since_text=utc_text(gap.since / MICROSECONDS),
        until=format_at(end),
        until_text=utc_text(end),
        reason=gap.reason,
    )


def _line(
    key: str,
    rows: PastRows,
    group: Group,
    difference: Difference,
    was: Mapping[str, bytes],
    now: Mapping[str, bytes],
    moments: tuple[float, float | None],
) -> DifferenceLine:
    about = difference.name
    words, tone = _words(key, rows, difference, was, now)
    if group is Group.CHANGED and words not in ("", OTHER_OBJECT):
        words = _with_more_than_status(words, was[about.uid], now[about.uid])
    at = difference.time / MICROSECONDS if difference.time is not None else None
    shown_at = moments[1] if difference.after is not None else moments[0]
    href = object_href(key, about.namespace, about.name)
    return DifferenceLine(
        group=group,
        namespace=about.namespace,
        name=about.name,
        href=href if shown_at is None else f"{href}?{_query({AT: format_at(shown_at)})}",
        words=words,
        tone=tone,
        at=format_at(at) if at is not None else "",
        time_text=utc_text(at) if at is not None else "",
        versions_href=_versions_href(key, difference),
    )


def _words(
    key: str, rows: PastRows, difference: Difference, was: Mapping[str, bytes], now: Mapping[str, bytes]
) -> tuple[str, Tone]:
    """Empty where a state is not kept any more."""
    before, after = _state(difference.before, was), _state(difference.after, now)
    if difference.before is None and difference.after is not None and after is not None:
        version = replace(difference.after.version, operation=Operation.ADDED)
        words, tone = change_words(key, rows, ChangedState(version, None, after))
        return words.removeprefix("created").removeprefix(", "), tone
    if difference.after is None and difference.before is not None and before is not None:
        version = replace(difference.before.version, operation=Operation.DELETED)
        words, tone = change_words(key, rows, ChangedState(version, None, before))
        return ("" if words == "deleted" else words), tone
    if difference.before is None or difference.after is None or before is None or after is None:
        return "", "idle"
    if difference.before.version.object.uid != difference.after.version.object.uid:
        return OTHER_OBJECT, "warn"
    version = replace(difference.after.version, operation=Operation.MODIFIED)
    return change_words(key, rows, ChangedState(version, before, after))


def _with_more_than_status(words: str, before: bytes, after: bytes) -> str:
    """The words, and a field outside of the status where they are only about that."""
    found = field_changes(shown_state(before), shown_state(after)).changes
    changes = [each for each in found if each.steps[:1] != ("status",)]
    if not changes or words.startswith("deletion asked for") or any(_is_told(each, words) for each in changes):
        return words
    return f"{words}, {field_word(changes[0])}"


def _is_told(change: FieldChange, words: str) -> bool:
    new = "" if change.op == "removed" else str(change.new)
    return change.path in words or (len(new) >= MIN_TOLD and new in words)


def _state(place: VersionPlace | None, states: Mapping[str, bytes]) -> bytes | None:
    return states.get(place.version.object.uid) if place is not None else None


def _versions_href(key: str, difference: Difference) -> str:
    before, after = difference.before, difference.after
    if before is None or after is None:
        return ""
    times = {"from": format_at(before.version.time / MICROSECONDS), "to": format_at(after.version.time / MICROSECONDS)}
    about = after.version.object
    return f"{history_href(key, about.namespace, about.name)}?{_query(times)}"


def _query(parameters: Mapping[str, Any]) -> str:
    return urlencode(parameters, safe=":")
