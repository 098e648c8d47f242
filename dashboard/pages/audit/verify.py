"""Verification of the audit log: the first entry that was changed, removed, inserted or moved."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import Max, Min

from dashboard.pages.audit.chain import BROKEN_HEAD, HEAD, StoredEntry
from dashboard.pages.audit.models import AuditEntry, AuditHead
from dashboard.pages.audit.seal import GENESIS, Sealer
from dashboard.pages.audit.sealed_row import Broken, sealed_content_of

CHUNK = 500
"""Entries that are read at a time."""


@dataclass
class Report:
    """What was verified."""

    count: int = 0
    first: int = 0
    last: int = 0
    last_hash: str = GENESIS
    first_time: str = ""
    last_time: str = ""
    cut_at: str = ""
    """Time of the checkpoint with which retention deleted what stood before the first entry; empty: nothing did."""
    unanswered: int = 0
    """Intents without an outcome."""


def verify_record(alias: str, sealer: Sealer, since: float = 0.0, until: float = float("inf")) -> Report:
    """Verify the entries from `since` to `until` (Unix seconds); all by default, and then the chain's end, too.

    Entries that are written meanwhile are not looked at. Raises Broken.
    """
    head = AuditHead.objects.using(alias).filter(pk=HEAD).first()
    is_whole = since <= 0 and until == float("inf")
    last = head.seq if head is not None else 0
    rows = _rows(alias, since, until, last if is_whole else None)
    report = verify_rows(sealer, rows, is_from_start=since <= 0)
    if is_whole:
        _check_head(alias, sealer, head, report)
    return report


def verify_rows(sealer: Sealer, rows: Iterable[AuditEntry], *, is_from_start: bool = True) -> Report:
    """Verify entries that follow one another. Raises Broken."""
    report, cuts, open_records = Report(), dict[int, tuple[str, str]](), set[str]()
    first: AuditEntry | None = None
    for row in rows:
        content = sealed_content_of(sealer, row)
        if first is None:
            first, report.first, report.first_time = row, row.seq, content["time"]
        else:
            _verify_place(row, report)
        if content["type"] == "checkpoint":
            if content.get("reason") == BROKEN_HEAD:
                raise Broken(f"The head of the audit log was missing or changed before entry {row.seq}: entries before "
                             "it may have been removed.")  # fmt: skip
            cuts[content["through"]] = content["hash"], content["time"]
        elif content["type"] == "intent":
            open_records.add(content["record"])
        else:
            open_records.discard(content["record"])
        report.count, report.last, report.last_hash = report.count + 1, row.seq, row.hash
        report.last_time = content["time"]
    report.unanswered = len(open_records)
    if first is not None and is_from_start:
        report.cut_at = _check_beginning(first, cuts)
    return report


def _verify_place(row: AuditEntry, report: Report) -> None:
    if row.seq != report.last + 1:
        missing = f"Entry {report.last + 1} was" if row.seq == report.last + 2 else (
            f"Entries {report.last + 1} to {row.seq - 1} were")  # fmt: skip
        raise Broken(f"{missing} removed.")
    if row.previous != report.last_hash:
        raise Broken(f"Entry {row.seq} does not follow entry {report.last}: one of them was replaced.")


def _check_beginning(first: AuditEntry, cuts: dict[int, tuple[str, str]]) -> str:
    """The time at which retention deleted what stood before the first entry."""
    if first.seq == 1:
        if first.previous != GENESIS:
            raise Broken("Entry 1 was replaced: it follows another one.")
        return ""
    last_hash, at = cuts.get(first.seq - 1, ("", ""))
    if last_hash != first.previous:
        raise Broken(
            f"Entries up to {first.seq - 1} were removed: no checkpoint says that retention deleted exactly these."
        )
    return at


def _check_head(alias: str, sealer: Sealer, head: AuditHead | None, report: Report) -> None:
    entries = AuditEntry.objects.using(alias)
    if head is None:
        if entries.exists():
            raise Broken("The head of the audit log is missing, so the newest entries may have been removed.")
        return
    if not sealer.is_head(head.seal, head.seq, head.hash, head.bytes):
        raise Broken("The head of the audit log was changed, so the newest entries may have been removed.")
    if head.seq > report.last:
        raise Broken(
            f"Entries {report.last + 1} to {head.seq} were removed: the audit log ended with entry {head.seq}."
        )
    if head.hash != report.last_hash:
        raise Broken(f"Entry {head.seq} was replaced: it is not the one with which the audit log ended.")
    newest = AuditHead.objects.using(alias).values_list("seq", flat=True).get(pk=HEAD)
    beyond = entries.filter(seq__gt=newest).order_by("seq").values_list("seq", flat=True).first()
    if beyond is not None:
        raise Broken(f"Entry {beyond} was inserted: the audit log ends with entry {newest}.")


def entries_between(alias: str, since: float, until: float, first: int = 0) -> Iterator[StoredEntry]:
    """The entries of that time, from position `first` on, in their order, read in chunks."""
    for row in _rows(alias, since, until, None, first - 1):
        yield StoredEntry(row.seq, row.content, row.previous, row.hash)


def _rows(alias: str, since: float, until: float, last: int | None, seq: int = 0) -> Iterator[AuditEntry]:
    """The entries after position `seq`, from the first at or after `since` to the last before `until`, in chunks.

    Those between them are among them whatever their time: an outcome that waited for the database comes late.
    """
    entries = AuditEntry.objects.using(alias)
    if since > 0:
        first = entries.filter(at__gte=since).aggregate(seq=Min("seq"))["seq"]
        seq = max(seq, first - 1) if first is not None else sys.maxsize
    if until != float("inf"):
        last = entries.filter(at__lt=until).aggregate(seq=Max("seq"))["seq"] or 0
    rows = entries.order_by("seq") if last is None else entries.filter(seq__lte=last).order_by("seq")
    while chunk := list(rows.filter(seq__gt=seq)[:CHUNK]):
        yield from chunk
        seq = chunk[-1].seq
