"""Writes of people through Deltaboard on a time line: from the audit log, else from the table of authors.

The cluster itself names programs at most, and nobody who deletes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.objects.fields.text_limit import limit_text
from dashboard.pages.audit.lines import AuditLine, audit_line
from dashboard.pages.audit.query import AuditRecord, MaySee, is_visible, records_of_objects
from dashboard.pages.audit.recorder import AuditRecorder
from dashboard.pages.authors.store import AuthorStore
from dashboard.pages.incident.family import Member, Place
from dashboard.pages.incident.timeline_entry import TimelineEntry
from dashboard.runtime.counts_and_times import parse_timestamp
from dashboard.runtime.database_executor import Unavailable
from dashboard.runtime.thread_pools import run_in_thread

MAX_OBJECTS = 500
"""Most objects of which records are searched."""
MAX_RECORDS = 100
"""Most records that are told, the newest."""
MAX_DELETED = 10
"""Most deleted objects of which the authors are asked, the newest."""
MAX_FIELDS = 3
MAX_VALUE = 60
THROUGH = "through Deltaboard"
SOMEBODY = "Somebody whose name Deltaboard does not know"
_ASK = "The API server's own audit log may know."
_OFF = "Deltaboard keeps no audit log here (DELTABOARD_AUDIT is off)"
_UNREADABLE = "Deltaboard's audit log cannot be read now"
_NOT_IN_IT = "Deltaboard's audit log has no write of these objects"
_NO_DELETION = "Deltaboard's audit log has no deletion of it"
_NOT_DONE = ("refused", "not sent")
_VERBS = {"update": "changed", "patch": "changed", "create": "created", "delete": "deleted"}


@dataclass(slots=True)
class WritesOfPeople:
    """Finds the writes of people, as far as the reader `may_see` their objects."""

    audit: AuditRecorder
    authors: AuthorStore
    server: str
    """Of the cluster."""
    may_see: MaySee
    sees_all: bool = True
    """Whether the reader may see every object."""
    until: float | None = None
    """Unix seconds of the moment that is shown: what was written later is left out. None: the present."""
    is_readable: bool = True
    """Whether the audit log could be read."""
    deleted: frozenset[str] = frozenset()
    """Uids of objects of which it is known who deleted them, or who asked for that and may have done it."""
    is_anybody_named: bool = False

    async def entries(
        self, places: Mapping[str, Place], told: Iterable[TimelineEntry], written: Sequence[Member]
    ) -> list[TimelineEntry]:
        """The writes of the objects `places`, by uid; `told` has their deletions, which authors have no time of. Only
        of `written`, and of what was deleted, the authors are asked.
        """
        lines = await self._records(list(places)[:MAX_OBJECTS])
        found = [TimelineEntry(at, "write", words, "idle", places.get(line.uid)) for line, at, words in lines]
        versions = {line.new_version for line, _, _ in lines if line.new_version}
        self.deleted = frozenset(line.uid for line, _, _ in lines if _is_deletion(line))
        ends = self._ends(told, written)
        for uid in dict.fromkeys((*(member.row.uid for member in written), *ends)):
            for write in await self.authors.writes_of(uid):
                at = parse_timestamp(write.at) if write.version else ends.get(uid)
                if (
                    at is None
                    or (self.until is not None and at > self.until)
                    or write.version in versions
                    or (not write.version and uid in self.deleted)
                ):
                    continue
                if not write.version:
                    self.deleted |= {uid}
                words = f"{write.identity.owner or SOMEBODY} {'wrote' if write.version else 'deleted'} it {THROUGH}"
                found.append(TimelineEntry(at, "write", words, "idle", places.get(uid)))
        self.is_anybody_named = any(not entry.words.startswith(SOMEBODY) for entry in found)
        return found

    def _ends(self, told: Iterable[TimelineEntry], written: Sequence[Member]) -> dict[str, float]:
        """When objects were deleted, or are to be, by uid; none where the audit log knows who did it."""
        if self.audit.is_on and self.is_readable:
            return {}
        newest = sorted((entry for entry in told if entry.uid), key=lambda entry: -entry.at)[:MAX_DELETED]
        ends = {entry.uid: entry.at for entry in newest}
        return ends | {member.row.uid: at for member in written if (at := member.row.deleting) is not None}

    def who_deleted_is_unknown(self, uid: str) -> str:
        """Why it is not known who deleted an object, as a sentence; empty where it is."""
        if uid in self.deleted:
            return ""
        return f"Who deleted it is not known: {self._why(_NO_DELETION)}, and Kubernetes keeps no names. {_ASK}"

    def who_wrote_is_unknown(self, programs: Iterable[str]) -> str:
        """Why no person is named, as a sentence; empty where one is. `programs` wrote, as managedFields say."""
        if self.is_anybody_named:
            return ""
        why = self._why(_NOT_IN_IT)
        if not any(programs):
            return f"Who wrote it is not known: {why}, and managedFields name nobody. {_ASK}"
        return f"No person is named here: {why}, and managedFields name programs only. {_ASK}"

    def _why(self, not_in_it: str) -> str:
        if not self.audit.is_on:
            return _OFF
        if not self.is_readable:
            return _UNREADABLE
        return not_in_it if self.sees_all else f"{not_in_it} that you may see"

    async def _records(self, uids: Sequence[str]) -> list[tuple[AuditLine, float, str]]:
        """What the audit log has of these objects: its lines, each with its time and words."""
        if self.audit.store is None or not uids:
            return []
        try:
            records = await self.audit.store.reader.ask(records_of_objects, self.server, uids, MAX_RECORDS, self.until)
        except Unavailable:
            self.is_readable = False
            return []
        return await run_in_thread(_tell, records, self.may_see)


def _tell(records: Iterable[AuditRecord], may_see: MaySee) -> list[tuple[AuditLine, float, str]]:
    lines = [audit_line(record) for record in records if is_visible(record, may_see)]
    told = [(line, parse_timestamp(line.time), record_words(line)) for line in lines]
    return [(line, at, words) for line, at, words in told if at is not None and words]


def _is_deletion(line: AuditLine) -> bool:
    return line.outcome not in _NOT_DONE and (line.verb == "delete" or line.subresource == "eviction")


def record_words(line: AuditLine) -> str:
    """``alice changed spec.replicas 3 → 5 through Deltaboard``; empty for what did nothing."""
    if line.outcome in _NOT_DONE or line.verb not in _VERBS:
        return ""
    who = line.person or SOMEBODY
    doubt = "" if line.outcome == "done" else ". Whether that was done is not known"
    if line.subresource == "exec":
        container = dict(line.options).get("container", "")
        return f"{who} opened a terminal in container {container} {THROUGH}"
    if line.subresource == "eviction":
        return f"{who} evicted it {THROUGH}{doubt}"
    if line.verb in ("update", "patch"):
        return f"{who} changed {_changes(line)} {THROUGH}{doubt}"
    return f"{who} {_VERBS[line.verb]} it {THROUGH}{doubt}"


def _changes(line: AuditLine) -> str:
    named = [
        each.path if each.is_hidden else f"{each.path} {_value(each.was)} → {_value(each.now)}"
        for each in line.fields[:MAX_FIELDS]
    ]
    more = len(line.fields) - len(named) + line.omitted
    named += [f"{more:,} more field{'' if more == 1 else 's'}"] if more and named else []
    return ", ".join(named) or (f"its {line.subresource}" if line.subresource else "it")


def _value(text: str) -> str:
    return limit_text(" ".join(text.split()), MAX_VALUE) or "none"
