"""Text of a change for one line of the live feed."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.health import WITHOUT_VERDICT
from dashboard.objects.kinds.feed_entry import TEMPLATE_COLUMNS
from dashboard.objects.kinds.row import Cell, Row, Tone
from dashboard.objects.paths.field_changes import FieldChange, FieldChanges, row_changes
from dashboard.objects.printers.events import event_text
from dashboard.objects.printers.printer import Column
from dashboard.objects.printers.registry import columns_for

MOST_FIELDS = 3
"""Maximum number of field paths in one line; the others are counted."""
_MOST_NAMED = 20
"""Maximum number of field paths that a filter can find an entry by."""
_WITH_TEMPLATE = frozenset({"deployments.apps", "statefulsets.apps", "daemonsets.apps"})
"""Kinds with a pod template, of which columns have the images alone."""
_SAYS_NOTHING = frozenset({"", "Current", "Active"}) | WITHOUT_VERDICT
_LONGEST_MESSAGE = 200
"""Maximum characters of a Kubernetes Event in a line."""
_LONGEST = 60
"""Maximum characters of a value in a line."""


class ChangeText(NamedTuple):
    """Text of a change in a feed line."""

    words: str
    tone: Tone
    fields: tuple[tuple[str, str], ...] = ()
    """Changed columns or field paths with their new values; see Entry.fields."""


def change_text(key: str, old: Row | None, new: Row | None, columns: tuple[Column, ...] | None = None) -> ChangeText:
    """Text and tone of a feed line for an object that was added (`old` None), changed or deleted (`new` None).

    Cells come first (``status Pending → Running``), else the fields that differ, three at most; of a workload, the
    fields of its pod template that differ follow its cells, unless these name the images. Versions and
    managedFields alone say ``no visible change``. A Kubernetes Event says its reason and message, whatever changed.
    `columns` are the cells', where they are not those known for the key.
    """
    if new is None:
        return ChangeText(_departure(key, old), "idle")
    if key == "events" and (old is None or old.cells != new.cells):
        return ChangeText(_text(event_text(new), _LONGEST_MESSAGE), new.tone)
    if old is None:
        return ChangeText(_arrival(new), new.tone)
    if old.uid != new.uid:
        state = new.reason or ("" if new.status in _SAYS_NOTHING else new.status)
        return ChangeText(f"deleted and created again: {state}" if state else "deleted and created again", new.tone)
    fields = _cells(columns_for(key) if columns is None else columns, old, new)
    words = [f"{name} {was} → {now}" for name, was, now in fields]
    if old.deleting is None and new.deleting is not None:
        finalizers = f", held by finalizers: {', '.join(new.finalizers)}" if new.finalizers else ""
        words.insert(0, f"deletion asked for{finalizers}")
    changed = tuple((name, now) for name, _, now in fields)
    if not words:
        words, changed = _fields(row_changes(old, new))
    elif key in _WITH_TEMPLATE and not any(name in TEMPLATE_COLUMNS for name, _ in changed):
        of_template = _fields(_template_changes(old, new))
        words, changed = words + of_template[0], changed + of_template[1]
    if not words:
        return ChangeText("no visible change", "idle")
    return ChangeText(", ".join(words), new.tone, changed)


def _departure(key: str, old: Row | None) -> str:
    if old is None or not old.status:
        return "deleted"
    return f"no longer kept: {_text(event_text(old), _LONGEST_MESSAGE)}" if key == "events" else f"was {old.status}"


def _arrival(new: Row) -> str:
    """``created, Pending``."""
    status = "" if new.status in _SAYS_NOTHING else new.status
    state = new.reason or status if new.tone == "bad" else status
    return f"created, {state}" if state else "created"


def _cells(columns: tuple[Column, ...], old: Row, new: Row) -> list[tuple[str, str, str]]:
    """Words, old and new value of the columns that differ."""
    named = zip(columns, old.cells, new.cells, strict=False)
    return [(column.words, _text(a), _text(b)) for column, a, b in named if column.words and a != b]


def _template_changes(old: Row, new: Row) -> FieldChanges:
    """The fields of the pod template that differ."""
    changes, are_all = row_changes(old, new)
    template = [change for change in changes if change.steps[:2] == ("spec", "template")]
    return FieldChanges(template, are_all or not template)


def _fields(found: FieldChanges) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """Words for the fields that differ, and their paths with the new values."""
    changes, are_all = found
    words = [field_word(change) for change in changes[:MOST_FIELDS]]
    more = len(changes) - MOST_FIELDS
    if not are_all:
        words.append(f"at least {more} more" if more > 0 else "and more" if words else "too large to compare")
    elif more > 0:
        words.append(f"{more} more")
    return words, tuple((change.path, _text(change.new)) for change in changes[:_MOST_NAMED])


def field_word(change: FieldChange) -> str:
    """``.spec.port 80 → 8080`` for a field that differs."""
    if change.op == "added":
        return f"{change.path} added: {_text(change.new)}"
    if change.op == "removed":
        return f"{change.path} removed"
    return f"{change.path} {_text(change.old)} → {_text(change.new)}"


def _text(value: Cell | Any, longest: int = _LONGEST) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = " ".join(text.split())
    return limit_text(text, longest)
