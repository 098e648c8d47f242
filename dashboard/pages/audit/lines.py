"""Lines of the audit log's page, and of its downloads."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from dashboard.objects.fields.text_limit import limit_text
from dashboard.pages.audit.filters import AuditFilter
from dashboard.pages.audit.query import AuditRecord
from dashboard.pages.layout.shown_moment import UNDO
from dashboard.runtime.invisible_characters import escape_invisible
from dashboard.runtime.text_with_links import object_href

MAX_SHOWN = 400
"""Most characters of a value on the page; downloads have all that the record has."""
OPEN_WORDS = "not known"
CSV_COLUMNS = (
    "time", "person", "groups", "verb", "kind", "subresource", "namespace", "name", "uid", "outcome", "code",
    "reason", "message", "changes", "request", "run",
)  # fmt: skip
_OF_CHAIN = frozenset({"v", "type", "key", "seq"})
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class FieldLine:
    """A field that changed; empty texts where there is no value."""

    path: str
    was: str
    now: str
    is_hidden: bool
    is_cut: bool


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One record as the page shows it."""

    time: str
    """RFC 3339."""
    person: str
    groups: tuple[str, ...]
    verb: str
    subresource: str
    resource: str
    namespace: str
    name: str
    uid: str
    request: str
    run: str
    outcome: str
    """Of dashboard.pages.audit.entry.OutcomeWord; empty where it is not known whether it was done."""
    tone: str
    code: int
    reason: str
    message: str
    version: str
    """resourceVersion on top of which it was sent."""
    new_version: str
    options: tuple[tuple[str, str], ...]
    fields: tuple[FieldLine, ...]
    omitted: int
    """Number of fields that the record does not have."""
    is_stored_otherwise: bool
    """Whether `fields` are what was stored, which differs from what was asked for."""

    @property
    def time_text(self) -> str:
        """``2026-11-28 15:04:05``, in UTC."""
        return self.time[:19].replace("T", " ")

    @property
    def words(self) -> str:
        """``update``, ``create eviction``."""
        return f"{self.verb} {self.subresource}".strip()

    @property
    def href(self) -> str:
        """Address of the object; empty where it is about none."""
        if not self.name or self.verb == "requeue" or self.resource.startswith("/"):
            return ""
        return object_href(self.resource, self.namespace, self.name)

    @property
    def undo_href(self) -> str:
        """Address that leads to the review of its reverse; empty where it changed no fields of an object's own."""
        if self.verb not in ("update", "patch") or self.subresource or self.outcome != "done" or not self.new_version:
            return ""
        return f"{self.href}edit/?{urlencode({UNDO: self.new_version})}" if self.href else ""

    @property
    def object_query(self) -> str:
        """Address of all records of this object."""
        return f"?{AuditFilter(uid=self.uid).query}" if self.uid else ""

    @property
    def run_query(self) -> str:
        """Address of all records of its run."""
        return f"?{AuditFilter(run=self.run).query}"

    @property
    def run_href(self) -> str:
        """Address of the bulk run; empty where it was none, but a drain, which evicts."""
        return f"/resources/{quote(self.resource)}/bulk/{self.run}/" if self.run and not self.subresource else ""


_TONES = {"done": "ok", "refused": "bad", "unknown": "warn", "not sent": "idle", "": "warn"}


def audit_line(record: AuditRecord) -> AuditLine:
    """The line of a record."""
    intent, outcome = record.intent, record.outcome or {}
    changes = outcome.get("changes") or intent.get("changes") or {}
    word = str(outcome.get("outcome", ""))
    return AuditLine(
        time=intent["time"],
        person=intent["person"]["name"],
        groups=tuple(intent["person"].get("groups", ())),
        verb=intent["verb"],
        subresource=intent.get("subresource", ""),
        resource=intent["resource"],
        namespace=intent["namespace"],
        name=record.name,
        uid=intent["uid"] or outcome.get("uid", ""),
        request=intent.get("request", ""),
        run=intent.get("run", ""),
        outcome=word,
        tone=_TONES.get(word, "warn"),
        code=outcome.get("code", 0),
        reason=outcome.get("reason", ""),
        message=outcome.get("message", ""),
        version=intent.get("resourceVersion", ""),
        new_version=outcome.get("resourceVersion", ""),
        options=tuple(sorted(intent.get("options", {}).items())),
        fields=tuple(_field(each) for each in changes.get("fields", ())),
        omitted=changes.get("omitted", 0),
        is_stored_otherwise="changes" in outcome,
    )


def _field(field: Mapping[str, Any]) -> FieldLine:
    return FieldLine(
        field["path"],
        _text(field, "was"),
        _text(field, "now"),
        bool(field.get("is_hidden")),
        bool(field.get("is_cut")),
    )


def _text(field: Mapping[str, Any], name: str) -> str:
    if name not in field:
        return ""
    value = field[name]
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return limit_text(escape_invisible(text), MAX_SHOWN)


def json_line(record: AuditRecord) -> str:
    """The record as a line of JSON, without its place in the chain."""
    outcome = None if record.outcome is None else _without_chain(record.outcome)
    return json.dumps({**_without_chain(record.intent), "outcome": outcome}) + "\n"


def _without_chain(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in _OF_CHAIN}


def csv_line(record: AuditRecord) -> str:
    """The record as a line of CSV, in the order of CSV_COLUMNS."""
    line, changes = audit_line(record), (record.outcome or {}).get("changes") or record.intent.get("changes") or {}
    return csv_text((
        line.time, line.person, " ".join(line.groups), line.verb, line.resource, line.subresource, line.namespace,
        line.name, line.uid, line.outcome or OPEN_WORDS, line.code or "", line.reason, line.message,
        json.dumps(changes.get("fields", [])), line.request, line.run,
    ))  # fmt: skip


def csv_text(cells: tuple[object, ...]) -> str:
    """One line of CSV, of which no spreadsheet takes a cell for a formula."""
    text = io.StringIO()
    csv.writer(text).writerow([f"'{cell}" if str(cell).startswith(_FORMULA) else str(cell) for cell in cells])
    return text.getvalue()
