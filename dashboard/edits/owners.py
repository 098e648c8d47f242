"""Who set a field, and who wrote last, by the object's managedFields (Server-Side Apply's, in its format FieldsV1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.edits.fields import Path, Value


def set_by(live: Mapping[str, Value], path: Path) -> tuple[str, ...]:
    """The field managers that have set the field, the one that wrote last first; empty where nobody says.

    Items of lists are told apart by keys, and an index in somebody's text may be another one in the object: of what
    stands below an item nobody is named, unless the list belongs to somebody as a whole.
    """
    entries = live.get("metadata", {}).get("managedFields") or ()
    of_status = path[:1] == ("status",)
    own = [
        entry
        for entry in entries
        if (of_status or not _is_of_status(entry)) and _has(entry.get("fieldsV1") or {}, path)
    ]
    newest = sorted(own, key=lambda entry: str(entry.get("time", "")), reverse=True)
    return tuple(dict.fromkeys(str(entry["manager"]) for entry in newest if entry.get("manager")))


def last_writer(live: Mapping[str, Value], subresource: str = "") -> tuple[str, str]:
    """Who wrote the object, or that subresource of it, last and when (RFC 3339).

    Of the object itself only writes of its status do not count: who scales it changes its spec.
    """
    entries = [entry for entry in live["metadata"].get("managedFields", ()) if entry.get("time")]
    own = [
        entry
        for entry in entries
        if (entry.get("subresource") == subresource if subresource else not _is_of_status(entry))
    ]
    if not own:
        return "", ""
    newest = max(own, key=lambda entry: str(entry["time"]))
    return str(newest.get("manager", "")), str(newest["time"])


def _is_of_status(entry: Mapping[str, Any]) -> bool:
    return entry.get("subresource") == "status"


def _has(fields: Mapping[str, Any], path: Path) -> bool:
    """Whether the field is there, or one around it that belongs to its manager as a whole."""
    for depth, segment in enumerate(path):
        if depth and not _parts(fields):
            return True
        found = fields.get(f"f:{segment}") if isinstance(segment, str) else None
        if found is None:
            return False
        fields = found
    return not _parts(fields)


def _parts(fields: Mapping[str, Any]) -> list[str]:
    """What is below a field; ``.`` is the field itself."""
    return [name for name in fields if name != "."]
