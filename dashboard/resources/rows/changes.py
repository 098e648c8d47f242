"""What changed, in words: one line of the live feed."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.live.messages import Cell, Row, Tone
from dashboard.resources.rows.column import Column
from dashboard.resources.rows.field_diff import FieldChange, decode_differing, field_changes
from dashboard.resources.rows.registry import columns_for

MOST_FIELDS = 3
"""Field paths that one line names; the others are counted."""
_SAYS_NOTHING = frozenset({"", "Current", "Active"})
_LONGEST_MESSAGE = 200
"""Characters of a Kubernetes Event shown in a line."""
_LONGEST = 60
"""Characters of a value shown in a line."""


def change_words(
    key: str, old: Row | None, new: Row | None, columns: tuple[Column, ...] | None = None
) -> tuple[str, Tone]:
    """What a feed line says and its tone, for an object that was added (`old` None), changed or deleted (`new` None).

    Cells come first (``status Pending → Running``), else the fields that differ, three at most. Versions and
    managedFields alone say ``no visible change``. `columns` are the cells', where they are not those known for the key.
    """
    if new is None:
        return ("deleted" if old is None or not old.status else f"was {old.status}"), "idle"
    if old is None:
        return _arrival(key, new), new.tone
    if old.uid != new.uid:
        return f"deleted and created again: {new.reason or new.status}", new.tone
    words = _cell_words(columns_for(key) if columns is None else columns, old, new)
    if old.deleting is None and new.deleting is not None:
        held = f", held by finalizers: {', '.join(new.finalizers)}" if new.finalizers else ""
        words.insert(0, f"deletion asked for{held}")
    if not words:
        words = _field_words(old, new)
    if not words:
        return "no visible change", "idle"
    return ", ".join(words), new.tone


def _arrival(key: str, row: Row) -> str:
    """``created, Pending``; an Event speaks for itself: ``BackOff, pod/web-1: Back-off restarting``."""
    if key == "events":
        cells = dict(zip([column.id for column in columns_for(key)], row.cells, strict=False))
        said = f"{cells.get('reason') or row.status}, {cells.get('object') or 'cluster'}: {cells.get('message') or ''}"
        return _text(said.removesuffix(": "), _LONGEST_MESSAGE)
    status = "" if row.status in _SAYS_NOTHING else row.status
    said = row.reason or status if row.tone == "bad" else status
    return f"created, {said}" if said else "created"


def _cell_words(columns: tuple[Column, ...], old: Row, new: Row) -> list[str]:
    named = zip(columns, old.cells, new.cells, strict=False)
    return [f"{column.words} {_text(a)} → {_text(b)}" for column, a, b in named if column.words and a != b]


def _field_words(old: Row, new: Row) -> list[str]:
    if old.blob is None or new.blob is None:
        return []
    changes = field_changes(*decode_differing(old.blob.json(), new.blob.json()))
    words = [_field_word(change) for change in changes[:MOST_FIELDS]]
    if len(changes) > MOST_FIELDS:
        words.append(f"{len(changes) - MOST_FIELDS} more")
    return words


def _field_word(change: FieldChange) -> str:
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
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
