"""Comparison of two recorded versions: in words, by field, and line by line."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.live.history.reader import ChangedState
from dashboard.live.history.version import Operation, StoredVersion
from dashboard.live.moments.at_parameter import format_at
from dashboard.live.moments.past_rows import PastRows
from dashboard.live.rendering.time_texts import utc_text
from dashboard.objects.fields.field_access import ABSENT
from dashboard.objects.fields.server_set_fields import can_be_set
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.merge.diff import Line, diff_lines, value_texts
from dashboard.objects.paths.field_changes import MAX_PATH_LENGTH, FieldChange, field_changes
from dashboard.pages.history.rail import MomentLinks, change_words, seconds_of
from dashboard.pages.history.shown_state import shown_state
from dashboard.runtime.invisible_characters import escape_invisible


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A field that differs, as the list of changed fields shows it (dashboard.templatetags.differences)."""

    field: str
    texts: tuple[str, str]
    by_server: bool = False
    put_back: str = ""
    """Path that an editor's address has to put the field back; empty where no edit can set it."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two versions."""

    at: str
    """Its time as addresses have it."""
    time_text: str
    href: str
    """The object's details as of this version."""
    is_end: bool
    """Whether the object was gone from then on: its state is the last one."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two versions."""

    was: Side
    now: Side
    words: str
    """As the feed would say it."""
    changes: tuple[ShownChange, ...]
    are_all: bool
    """Whether `changes` are all fields that differ."""
    lines: tuple[Line, ...]
    was_yaml: str
    now_yaml: str
    can_put_back: bool
    """Whether an edit can set any of the changed fields."""
    are_two_objects: bool
    """Whether the name was deleted and created again between them."""
    is_one_version: bool
    """Whether both moments are of the same version."""


def compare(key: str, rows: PastRows, one: StoredVersion, other: StoredVersion, links: MomentLinks) -> Comparison:
    """The comparison of two versions of a kind, the older one first. Call it in a thread."""
    was, now = sorted((one, other), key=lambda stored: stored.version.time)
    before, after = shown_state(was.json), shown_state(now.json)
    found = field_changes(before, after)
    shown = tuple(shown_change(change) for change in found.changes)
    was_yaml, now_yaml = to_yaml(before), to_yaml(after)
    changed = ChangedState(replace(now.version, operation=Operation.MODIFIED), was.json, now.json)
    return Comparison(
        was=_side(was, links),
        now=_side(now, links),
        words=change_words(key, rows, changed)[0],
        changes=shown,
        can_put_back=any(change.put_back for change in shown),
        are_all=found.are_all,
        lines=diff_lines(was_yaml, now_yaml),
        was_yaml=was_yaml,
        now_yaml=now_yaml,
        are_two_objects=was.version.object.uid != now.version.object.uid,
        is_one_version=(was.version.object.uid, was.version.time) == (now.version.object.uid, now.version.time),
    )


def shown_change(change: FieldChange) -> ShownChange:
    """A changed field with both values as texts, empty where there is none."""
    old = ABSENT if change.op == "added" else change.old
    new = ABSENT if change.op == "removed" else change.new
    path = change.path if can_be_set(change.steps) and len(change.path) < MAX_PATH_LENGTH else ""
    return ShownChange(escape_invisible(change.path), value_texts(old, new), put_back=path)


def _side(stored: StoredVersion, links: MomentLinks) -> Side:
    at = seconds_of(stored.version)
    return Side(
        at=format_at(at),
        time_text=utc_text(at),
        href=links.of(stored.version),
        is_end=stored.version.operation.is_end,
    )
