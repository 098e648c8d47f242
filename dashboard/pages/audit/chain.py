"""Chain of entries in the database: appending under one lock, and retention that leaves a checkpoint.

All functions take the database's alias first, for DatabaseExecutor. Whoever appends updates the row of the head first:
PostgreSQL locks that row for the transaction, SQLite the whole database. So all processes write one chain.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, F, Sum
from django.db.models.functions import Length

from dashboard.pages.audit.entry import NewEntry, columns_of, new_record, sealed_content
from dashboard.pages.audit.models import AuditEntry, AuditHead
from dashboard.pages.audit.seal import GENESIS, Sealer
from dashboard.pages.audit.sealed_row import Broken, sealed_content_of

logger = logging.getLogger(__name__)

HEAD = 1
"""Primary key of the only head."""
MAX_CUT = 2_000
"""Most entries that one transaction of the retention deletes."""
BROKEN_HEAD = "the head was missing or changed"
"""Reason of a checkpoint after which nobody can tell whether newer entries were deleted."""
ROW_OVERHEAD = 600
"""Bytes that an entry takes beside its content, in columns and indexes, approximately."""


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An appended entry, as the line on stdout and the export have it."""

    seq: int
    content: str
    previous: str
    hash: str

    @property
    def line(self) -> str:
        """One line of JSON. Its `entry` in canonical JSON is what `hash` seals, after `previous`."""
        return f'{{"seq":{self.seq},"previous":"{self.previous}","hash":"{self.hash}","entry":{self.content}}}'


def append_entries(alias: str, sealer: Sealer, entries: Sequence[NewEntry]) -> tuple[StoredEntry, ...]:
    """Append the entries in one transaction; those that are stored already, or lack their intent, are left out."""
    with transaction.atomic(using=alias):
        head, is_sound = _locked_head(alias, sealer)
        entries = _without_duplicates(alias, entries)
        if entries and not is_sound:
            entries = [_broken_head(entries[0].at), *entries]
        stored = tuple(_seal(sealer, head, entry) for entry in entries)
        if stored:
            AuditEntry.objects.using(alias).bulk_create(map(_row, stored), batch_size=50)
            _save_head(alias, sealer, head)
    return stored


def cut_entries(alias: str, sealer: Sealer, max_bytes: int, oldest: float, now: float) -> StoredEntry | None:
    """Delete the oldest entries, MAX_CUT at most: while all take more than `max_bytes`, and those before `oldest`
    (Unix seconds). Returns the checkpoint that says so; None where nothing is to be deleted.

    The last entry always stays, so that the checkpoint has something to follow. An entry that is not what was sealed
    stays, and all after it: whoever changed it must not have it certified as deleted.
    """
    with transaction.atomic(using=alias):
        head, is_sound = _locked_head(alias, sealer)
        if not is_sound:
            return None
        entries = AuditEntry.objects.using(alias)
        rows = entries.filter(seq__lt=head.seq).order_by("seq")
        through, reason, freed, count = 0, "age", 0, 0
        for row in rows[:MAX_CUT].iterator():
            is_large = head.bytes - freed > max_bytes
            if not ((is_large or row.at < oldest) and _is_sound(sealer, row, through)):
                break
            through, reason = row.seq, "size" if is_large else reason
            freed, count = freed + len(row.content) + ROW_OVERHEAD, count + 1
        if not through:
            return None
        last_hash = entries.values_list("hash", flat=True).get(seq=through)
        content = {"through": through, "hash": last_hash, "entries": count, "reason": reason}
        stored = _seal(sealer, head, NewEntry("checkpoint", new_record(), now, content))
        _row(stored).save(using=alias, force_insert=True)
        entries.filter(seq__lte=through).delete()
        head.bytes -= freed
        _save_head(alias, sealer, head)
        return stored


def _is_sound(sealer: Sealer, row: AuditEntry, before: int) -> bool:
    """Whether an entry is what was sealed, and follows entry `before`; 0 for the first."""
    try:
        sealed_content_of(sealer, row)
    except Broken as error:
        logger.error("the audit log's oldest entries are not deleted: %s", error)  # noqa: TRY400 -- the sentence is all
        return False
    return before in (0, row.seq - 1)


def retention_due(alias: str, max_bytes: int, oldest: float) -> bool:
    """Whether entries are to be deleted: without a lock, so that it costs writers nothing."""
    head = AuditHead.objects.using(alias).filter(pk=HEAD).first()
    if head is None:
        return False
    first = (
        AuditEntry.objects.using(alias).filter(seq__lt=head.seq).order_by("seq").values_list("at", flat=True).first()
    )
    return first is not None and (head.bytes > max_bytes or first < oldest)


def _locked_head(alias: str, sealer: Sealer) -> tuple[AuditHead, bool]:
    """The head, locked until the transaction ends, and whether it is the one that was sealed.

    Where there is none it is made of the entries; with entries that is not sound: the newest may have gone with it.
    """
    heads, entries = AuditHead.objects.using(alias), AuditEntry.objects.using(alias)
    is_new = not heads.filter(pk=HEAD).update(seq=F("seq"))
    if is_new:
        last = entries.order_by("-seq").first()
        seq, last_hash = (last.seq, last.hash) if last is not None else (0, GENESIS)
        total = entries.aggregate(size=Sum(Length("content")), count=Count("seq"))
        size = (total["size"] or 0) + ROW_OVERHEAD * total["count"]
        made = AuditHead(pk=HEAD, seq=seq, hash=last_hash, seal=sealer.head_seal(seq, last_hash, size), bytes=size)
        heads.bulk_create([made], ignore_conflicts=True)  # another process may make it at the same time
        heads.filter(pk=HEAD).update(seq=F("seq"))
    head = heads.get(pk=HEAD)
    return head, sealer.is_head(head.seal, head.seq, head.hash, head.bytes) and not (is_new and head.bytes)


def _broken_head(at: float) -> NewEntry:
    """The entry that keeps it from being forgotten that the head was missing or changed."""
    content = {"through": 0, "hash": "", "entries": 0, "reason": BROKEN_HEAD}
    return NewEntry("checkpoint", new_record(), at, content)


def _save_head(alias: str, sealer: Sealer, head: AuditHead) -> None:
    head.seal = sealer.head_seal(head.seq, head.hash, head.bytes)
    head.save(using=alias)


def _without_duplicates(alias: str, entries: Sequence[NewEntry]) -> list[NewEntry]:
    doubtful = [entry.record for entry in entries if entry.may_be_stored or entry.needs_intent]
    if not doubtful:
        return list(entries)
    known = set(AuditEntry.objects.using(alias).filter(record__in=doubtful).values_list("record", "type"))
    return [
        entry
        for entry in entries
        if not (entry.may_be_stored and (entry.record, entry.type) in known)
        and not (entry.needs_intent and (entry.record, "intent") not in known)
    ]


def _seal(sealer: Sealer, head: AuditHead, entry: NewEntry) -> StoredEntry:
    """The entry in its place; moves the head in memory."""
    seq, previous = head.seq + 1, head.hash
    content = sealed_content(entry, seq, sealer.key_id)
    head.seq, head.hash = seq, sealer.hash(previous, content)
    head.bytes += len(content) + ROW_OVERHEAD
    return StoredEntry(seq, content, previous, head.hash)


def _row(stored: StoredEntry) -> AuditEntry:
    return AuditEntry(
        seq=stored.seq,
        content=stored.content,
        previous=stored.previous,
        hash=stored.hash,
        **columns_of(json.loads(stored.content)),
    )
