"""Entries of the audit log as data: who asked for what, and what came of it.

Each request has two entries: an intent, stored before it is sent, and an outcome, stored after the answer. An intent
without an outcome is one whose process ended in between: nobody knows whether it was done.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from dashboard.access.person import NOBODY, Person
from dashboard.pages.audit.models import MAX_NAME, MAX_PERSON, MAX_RESOURCE

VERSION = 1
"""Version of the content of entries."""
MAX_GROUPS = 200
"""Most groups of a person that an entry names."""
MAX_TEXT = 500
"""Most characters of an API server's message, of a request id and the like."""

OutcomeWord = Literal["done", "refused", "unknown", "not sent"]
"""done: the API server accepted it · refused: it did not · unknown: no clear answer came · not sent: it was given up
after the intent was stored.
"""
OUTCOMES: tuple[OutcomeWord, ...] = ("done", "refused", "unknown", "not sent")


@dataclass(frozen=True, slots=True)
class Actor:
    """On whose behalf, and in the course of what."""

    person: Person = NOBODY
    request_id: str = ""
    run: str = ""
    """Key of the run or drain that works in the background."""


@dataclass(frozen=True, slots=True)
class FieldValue:
    """One field that differs: the JSON values before and after. None where a value is not there, or not told."""

    path: str
    was: Any = None
    now: Any = None
    is_hidden: bool = False
    """Whether the values are left out, because the field may hold a secret."""
    is_cut: bool = False
    """Whether a value was too long: then it is the beginning of its JSON text."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The fields that differ, and how many more there are."""

    fields: tuple[FieldValue, ...] = ()
    omitted: int = 0
    """Number of fields for which the entry had no room."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What somebody asked for, in the API server's words."""

    verb: str
    """As in RBAC: create, update, patch, delete, get …; for what is no request to the API server a word like it."""
    resource: str
    """The kind's key."""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    uid: str = ""
    version: str = ""
    """resourceVersion on top of which it was sent."""
    changes: Changes = Changes()
    options: Mapping[str, str] = field(default_factory=dict)
    """Such as the propagation policy of a deletion."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    word: OutcomeWord
    code: int = 0
    """HTTP status; 0 where none came."""
    reason: str = ""
    """metav1.Status's reason, or the name of the error."""
    message: str = ""
    """The API server's words, shortened; empty for Secrets, since it quotes values."""
    name: str = ""
    """Of the object, where only the answer has it."""
    uid: str = ""
    version: str = ""
    """The resourceVersion that it created."""
    changes: Changes | None = None
    """The fields that really changed, where they are known and differ from those asked for."""


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry that has no place in the chain yet."""

    type: str
    record: str
    at: float
    """Unix seconds."""
    content: Mapping[str, Any]
    needs_intent: bool = False
    """Whether it is left out where no intent of its record was stored."""
    may_be_stored: bool = False
    """Whether an earlier attempt to store it may have succeeded."""


def new_record() -> str:
    """The id of an intent and its outcome."""
    return secrets.token_hex(16)


def intent_entry(record: str, at: float, server: str, actor: Actor, operation: Operation) -> NewEntry:
    """The entry before a request is sent."""
    groups = actor.person.groups
    content = {
        "cluster": server,
        "person": {
            "name": actor.person.name,
            "uid": actor.person.uid,
            "groups": list(groups[:MAX_GROUPS]),
            **({"groupsOmitted": len(groups) - MAX_GROUPS} if len(groups) > MAX_GROUPS else {}),
        },
        "request": actor.request_id[:MAX_TEXT],
        "run": actor.run,
        **_object(operation),
        "subresource": operation.subresource,
        "resourceVersion": operation.version,
        "options": dict(operation.options),
        "changes": changes_json(operation.changes),
    }
    return NewEntry("intent", record, at, content)


def outcome_entry(
    record: str, at: float, server: str, actor: Actor, operation: Operation, outcome: Outcome, **flags: bool
) -> NewEntry:
    """The entry after the answer. It repeats who and which object, so that it can be read without the intent."""
    content = {
        "cluster": server,
        "person": {"name": actor.person.name},
        **_object(operation),
        "name": operation.name or outcome.name,
        "uid": outcome.uid or operation.uid,
        "outcome": outcome.word,
        "code": outcome.code,
        "reason": outcome.reason[:MAX_TEXT],
        "message": outcome.message[:MAX_TEXT],
        "resourceVersion": outcome.version,
        **({"changes": changes_json(outcome.changes)} if outcome.changes is not None else {}),
    }
    return NewEntry("outcome", record, at, content, **flags)


def _object(operation: Operation) -> dict[str, Any]:
    return {
        "verb": operation.verb,
        "resource": operation.resource,
        "namespace": operation.namespace,
        "name": operation.name,
        "uid": operation.uid,
    }


def changes_json(changes: Changes) -> dict[str, Any]:
    """The changes as an entry has them: defaults are left out."""
    fields = [{name: value for name, value in asdict(each).items() if value not in (None, False)} for each in
              changes.fields]  # fmt: skip
    return {"fields": fields, **({"omitted": changes.omitted} if changes.omitted else {})}


def sealed_content(entry: NewEntry, seq: int, key_id: str) -> str:
    """The text that the hash of an entry seals: JSON with sorted keys, without spaces, in ASCII."""
    time = datetime.fromtimestamp(entry.at, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    whole = {"v": VERSION, "seq": seq, "type": entry.type, "record": entry.record, "time": time, "key": key_id}
    return canonical({**entry.content, **whole})


def canonical(content: Mapping[str, Any]) -> str:
    """Canonical JSON."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def columns_of(content: Mapping[str, Any]) -> dict[str, Any]:
    """The searchable columns that repeat an entry's content."""

    def text(name: str, longest: int) -> str:
        return _storable(str(content.get(name, "")))[:longest]

    return {
        "type": text("type", 10),
        "record": text("record", 32),
        "at": datetime.fromisoformat(content["time"]).timestamp(),
        "server": text("cluster", 500),
        "person": _storable(str((content.get("person") or {}).get("name", "")))[:MAX_PERSON],
        "verb": text("verb", 32),
        "resource": text("resource", MAX_RESOURCE),
        "namespace": text("namespace", MAX_NAME),
        "name": text("name", MAX_NAME),
        "uid": text("uid", 128),
        "outcome": text("outcome", 10),
    }


def _storable(text: str) -> str:
    """Without what a column of PostgreSQL refuses."""
    return text.replace("\0", "�").encode("utf-8", "replace").decode()
