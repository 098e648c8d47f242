"""Queries of the audit log for its page: records newest first, cut by what the reader may see.

A record is an intent with its outcome. All functions take the database's alias first, for DatabaseExecutor.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from dashboard.pages.audit.filters import OPEN, AuditFilter, parse_moment
from dashboard.pages.audit.models import AuditEntry
from dashboard.runtime.database_executor import DatabaseExecutor

MaySee = Callable[[str, str, str], bool]
"""Whether the reader may see an object, by kind, namespace and name; without a name, all of the namespace's."""
PAGE_SIZE = 100
CHUNK = 500
"""Records that are read at a time."""
MAX_SCANNED = 20_000
"""Most records that one page looks at, where the reader may see few of them."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """An intent and its outcome."""

    seq: int
    intent: dict[str, Any]
    outcome: dict[str, Any] | None
    """None where nobody knows whether it was done."""

    @property
    def id(self) -> str:
        record: str = self.intent["record"]
        return record

    @property
    def name(self) -> str:
        name: str = self.intent["name"] or (self.outcome or {}).get("name", "")
        return name


@dataclass(frozen=True, slots=True)
class RecordPage:
    """Records that the reader may see, newest first."""

    records: tuple[AuditRecord, ...]
    next_before: str
    """Older ones are those before this record; empty where there are none. Not a position in the audit log, which would
    count the entries that the reader may not see.
    """


async def page_of(
    database: DatabaseExecutor, server: str, chosen: AuditFilter, may_see: MaySee, now: float, before: str
) -> RecordPage:
    """The newest PAGE_SIZE records before another one; empty: of all. No records where that one was deleted meanwhile.
    Raises Unavailable.
    """
    found: list[AuditRecord] = []
    position = await database.ask(position_of, before) if before else 0
    if before and not position:
        return RecordPage((), "")
    scanned = 0
    while scanned < MAX_SCANNED:
        chunk = await database.ask(read_records, server, chosen, now, position, CHUNK)
        for record in chunk:
            before, position = record.id, record.seq
            if is_visible(record, may_see):
                found.append(record)
            if len(found) == PAGE_SIZE:
                more = record is not chunk[-1] or len(chunk) == CHUNK
                return RecordPage(tuple(found), before if more else "")
        scanned += len(chunk)
        if len(chunk) < CHUNK:
            return RecordPage(tuple(found), "")
    return RecordPage(tuple(found), before)


async def all_records(
    database: DatabaseExecutor, server: str, chosen: AuditFilter, may_see: MaySee, now: float
) -> AsyncIterator[AuditRecord]:
    """Every record that the reader may see, newest first, read as they are taken. Raises Unavailable."""
    before = 0
    while chunk := await database.ask(read_records, server, chosen, now, before, CHUNK):
        for record in chunk:
            if is_visible(record, may_see):
                yield record
        before = chunk[-1].seq


async def count_records(
    database: DatabaseExecutor, server: str, chosen: AuditFilter, may_see: MaySee, now: float
) -> int:
    """Number of records that the reader may see. Raises Unavailable."""
    groups = await database.ask(count_by_object, server, chosen, now)
    return sum(number for resource, namespace, name, number in groups if may_see(resource, namespace, name))


def is_visible(record: AuditRecord, may_see: MaySee) -> bool:
    """Whether the reader may see the object. It is judged by the name that was asked for, as totals are."""
    intent = record.intent
    return may_see(intent["resource"], intent["namespace"], intent["name"])


def position_of(alias: str, record: str) -> int:
    """The position of a record; 0 where there is none."""
    rows = AuditEntry.objects.using(alias).filter(record=record, type="intent")
    return rows.values_list("seq", flat=True).first() or 0


def read_records(
    alias: str, server: str, chosen: AuditFilter, now: float, before: int, limit: int
) -> Sequence[AuditRecord]:
    """The newest records before a position; 0: of all."""
    intents = _intents(alias, server, chosen, now).order_by("-seq")
    if before:
        intents = intents.filter(seq__lt=before)
    rows = list(intents.values_list("seq", "record", "content")[:limit])
    return _with_outcomes(alias, rows)


def records_of_objects(
    alias: str, server: str, uids: Sequence[str], limit: int, until: float | None = None
) -> Sequence[AuditRecord]:
    """The newest records of writes to these objects, up to Unix time `until` where that is set.

    Their entries are found by the index of uids, and sorted by an expression. By `seq` alone PostgreSQL would read its
    index from the end until it has met enough of them: of objects that are seldom written, the whole audit log.
    """
    written = AuditEntry.objects.using(alias).filter(server=server[:500]).exclude(verb__in=("get", "contents"))
    if until is not None:
        written = written.filter(at__lte=until)
    of_them = written.filter(uid__in=uids).order_by((F("seq") + 0).desc())  # creations: their outcomes have the uid
    records = set(of_them.values_list("record", flat=True)[: 2 * limit])  # of each at most an intent and an outcome
    intents = written.filter(type="intent", record__in=records).order_by("-seq")
    return _with_outcomes(alias, list(intents.values_list("seq", "record", "content")[:limit]))


def _with_outcomes(alias: str, rows: Sequence[tuple[int, str, str]]) -> list[AuditRecord]:
    """The records of these intents: position, record and content of each."""
    outcomes = AuditEntry.objects.using(alias).filter(type="outcome", record__in=[record for _, record, _ in rows])
    contents = dict(outcomes.values_list("record", "content"))
    return [
        AuditRecord(seq, json.loads(content), json.loads(contents[record]) if record in contents else None)
        for seq, record, content in rows
    ]


def count_by_object(alias: str, server: str, chosen: AuditFilter, now: float) -> list[tuple[str, str, str, int]]:
    """Kind, namespace and name of each object, with the number of its records."""
    groups = _intents(alias, server, chosen, now).values("resource", "namespace", "name").annotate(number=Count("seq"))
    return list(groups.order_by().values_list("resource", "namespace", "name", "number"))


def _intents(alias: str, server: str, chosen: AuditFilter, now: float) -> QuerySet[AuditEntry]:
    entries = AuditEntry.objects.using(alias)
    rows = entries.filter(type="intent", server=server[:500])
    if chosen.person:
        rows = rows.filter(person__icontains=chosen.person)
    if chosen.verb:
        rows = rows.filter(verb__in=_split(chosen.verb))
    if chosen.kind:
        rows = rows.filter(Q(resource=chosen.kind) | Q(resource__startswith=f"{chosen.kind}."))
    if chosen.namespace:
        rows = rows.filter(namespace__in=_split(chosen.namespace))
    for found in _by_object(entries, chosen):  # creations have name and uid in their outcome only
        rows = rows.filter(record__in=found.values("record"))
    if chosen.run:
        rows = rows.filter(content__contains=f'"run":{json.dumps(chosen.run)}')
    if chosen.q:
        rows = rows.filter(content__icontains=json.dumps(chosen.q)[1:-1])  # as the content has it, in ASCII
    return _with_outcome(_within(rows, chosen, now), entries, chosen.outcome)


def _within(rows: QuerySet[AuditEntry], chosen: AuditFilter, now: float) -> QuerySet[AuditEntry]:
    for text, lookup in ((chosen.since, "at__gte"), (chosen.until, "at__lt")):
        moment = parse_moment(text, now) if text else None
        if moment is not None:
            rows = rows.filter(**{lookup: moment})
    return rows


def _by_object(entries: QuerySet[AuditEntry], chosen: AuditFilter) -> Iterator[QuerySet[AuditEntry]]:
    if chosen.name:
        yield entries.filter(name__icontains=chosen.name)
    if chosen.uid:
        yield entries.filter(uid=chosen.uid)


def _with_outcome(rows: QuerySet[AuditEntry], entries: QuerySet[AuditEntry], outcome: str) -> QuerySet[AuditEntry]:
    if outcome == OPEN:
        return rows.exclude(record__in=entries.filter(type="outcome").values("record"))
    if outcome:
        return rows.filter(record__in=entries.filter(type="outcome", outcome=outcome).values("record"))
    return rows


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
