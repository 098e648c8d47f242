"""Blame by field: the version that set each field of an object last, who made it, and what the field was before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.live.history.reader import ChangedState
from dashboard.live.history.version import Operation, Version
from dashboard.live.moments.at_parameter import format_at
from dashboard.live.moments.history_objects import MICROSECONDS
from dashboard.live.rendering.time_texts import utc_text
from dashboard.objects.paths.field_changes import FieldChange, field_changes
from dashboard.pages.history.comparison import shown_change
from dashboard.pages.history.rail import seconds_of
from dashboard.pages.history.shown_state import shown_state
from dashboard.pages.history.writers import Writers
from dashboard.pages.layout.shown_moment import restore_query

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
    is_found: bool
    """Whether it was set while nothing was recorded: when and by whom is not known, `at` is when that was found."""
    person: str
    manager: str
    is_status: bool
    restore_query: str
    """Query of the editor that puts it back as it was before; empty where no edit can set it."""


@dataclass(frozen=True, slots=True)
class Blame:
    """Who set the fields of an object."""

    fields: tuple[FieldBlame, ...]
    """Those outside of its status that were set since the oldest of the searched versions, newest first."""
    status: tuple[FieldBlame, ...]
    """Those of its status."""
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


class BlameSearch:
    """Looks for the last change of each field in the versions of one object, which `add` takes newest first."""

    def __init__(self, writers: Writers) -> None:
        self._writers = writers
        self._found: list[FieldBlame] = []
        self._seen: set[tuple[str, ...]] = set()
        self._is_cut = False
        self.searched = 0

    def add(self, changes: Iterable[ChangedState]) -> None:
        """Search some more versions. Call it in a thread."""
        for change in changes:
            self.searched += 1
            if change.before is None or change.version.operation.is_end:
                continue
            compared = field_changes(shown_state(change.before), shown_state(change.json))
            self._is_cut = self._is_cut or not compared.are_all
            for each in compared.changes:
                self._add_field(each, change.version)

    def result(self, oldest: Version) -> Blame:
        """What was found; `oldest` is the last version that was added."""
        return Blame(
            fields=tuple(each for each in self._found if not each.is_status),
            status=tuple(each for each in self._found if each.is_status),
            is_cut=self._is_cut,
            searched=self.searched,
            oldest=format_at(seconds_of(oldest)),
            oldest_text=utc_text(seconds_of(oldest)),
            is_created=oldest.operation is Operation.ADDED,
            oldest_person=self._writers.person(oldest),
            oldest_manager=oldest.manager,
        )

    def _add_field(self, change: FieldChange, version: Version) -> None:
        steps = change.steps
        if any(steps[:depth] in self._seen for depth in range(1, len(steps) + 1)):
            return  # it was set again, or with what contains it
        self._seen.add(steps)
        if len(self._found) == MAX_FIELDS:
            self._is_cut = True
            return
        shown, at = shown_change(change), seconds_of(version)
        before, value = shown.texts
        is_found = version.operation in (Operation.DIFFERS, Operation.FOUND)
        self._found.append(
            FieldBlame(
                field=shown.field,
                value=value,
                before=before,
                at=format_at(at),
                time_text=utc_text(at),
                is_found=is_found,
                person="" if is_found else self._writers.person(version),
                manager="" if is_found else version.manager,
                is_status=steps[:1] == ("status",),
                restore_query=restore_query(at - 1 / MICROSECONDS, shown.put_back) if shown.put_back else "",
            )
        )
