"""Blame by field: the version that set each field of an object last, who made it, and what the field was before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.live.history.reader import ChangedState
from dashboard.live.history.version import Operation
from dashboard.live.moments.at_parameter import format_at
from dashboard.live.rendering.time_texts import utc_text
from dashboard.objects.paths.field_changes import field_changes
from dashboard.pages.history.comparison import ShownChange, shown_change
from dashboard.pages.history.rail import compare_query, seconds_of
from dashboard.pages.history.shown_state import shown_state
from dashboard.pages.history.writers import Writers

MAX_VERSIONS = 200
"""Newest versions that are searched."""
MAX_FIELDS = 500
"""Fields that are listed, those that were set last."""


@dataclass(frozen=True, slots=True)
class FieldBlame:
    """A field that was set in one of the searched versions."""

    field: str
    value: str
    """Empty where it was removed."""
    before: str
    """Empty where there was none."""
    at: str
    time_text: str
    person: str
    manager: str
    query: str
    """Query that shows the whole change of that version."""
    is_status: bool


@dataclass(frozen=True, slots=True)
class Blame:
    """Who set the fields of an object."""

    fields: tuple[FieldBlame, ...]
    """Those that were set since the oldest of the searched versions, newest first."""
    is_cut: bool
    """Whether there are more, or versions could not be compared wholly."""
    searched: int
    oldest: str
    """Time of the oldest version that was searched, as addresses have it: all other fields are as they were then."""
    oldest_text: str
    is_created: bool
    """Whether that version created the object."""
    oldest_person: str
    oldest_manager: str


def blame_fields(changes: Sequence[ChangedState], writers: Writers) -> Blame:
    """The blame of the versions of one object, which come newest first. Call it in a thread."""
    found: list[FieldBlame] = []
    seen: set[tuple[str, ...]] = set()
    is_cut = False
    for number, change in enumerate(changes):
        if change.before is None or change.version.operation.is_end:
            continue
        compared = field_changes(shown_state(change.before), shown_state(change.json))
        is_cut = is_cut or not compared.are_all
        for each in compared.changes:
            if any(each.steps[:depth] in seen for depth in range(1, len(each.steps) + 1)):
                continue  # it was set again, or with what contains it
            seen.add(each.steps)
            if len(found) == MAX_FIELDS:
                is_cut = True
                break
            found.append(_blame(shown_change(each), each.steps, changes[number], changes[number + 1], writers))
    oldest = changes[-1].version
    return Blame(
        fields=tuple(found),
        is_cut=is_cut,
        searched=len(changes),
        oldest=format_at(seconds_of(oldest)),
        oldest_text=utc_text(seconds_of(oldest)),
        is_created=oldest.operation is Operation.ADDED,
        oldest_person=writers.person(oldest),
        oldest_manager=oldest.manager,
    )


def _blame(
    shown: ShownChange, steps: tuple[str, ...], change: ChangedState, earlier: ChangedState, writers: Writers
) -> FieldBlame:
    version = change.version
    at = seconds_of(version)
    before, value = shown.texts
    return FieldBlame(
        field=shown.field,
        value=value,
        before=before,
        at=format_at(at),
        time_text=utc_text(at),
        person=writers.person(version),
        manager=version.manager,
        query=compare_query(earlier.version, version),
        is_status=steps[0] == "status",
    )
