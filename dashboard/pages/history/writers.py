"""Names of people who wrote recorded versions through Deltaboard: from the audit log, and from the table of authors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dashboard.live.history.version import Version
from dashboard.pages.audit.lines import audit_line
from dashboard.pages.audit.query import AuditRecord, MaySee, is_visible, records_of_objects
from dashboard.pages.audit.recorder import AuditRecorder
from dashboard.pages.authors.store import AuthorStore
from dashboard.runtime.database_executor import Unavailable
from dashboard.runtime.thread_pools import run_in_thread

MAX_RECORDS = 500
"""Newest records of the audit log that are searched."""
MAX_OBJECTS = 10
"""Objects of one name, the newest, of which authors are searched."""


@dataclass
class Writers:
    """Who wrote versions, as far as it is known."""

    by_version: dict[tuple[str, str], str] = field(default_factory=dict)
    """Person, by uid and resourceVersion."""
    by_deleted: dict[str, str] = field(default_factory=dict)
    """Who deleted an object, by its uid."""

    def add(self, uid: str, version: str, person: str) -> None:
        """Note who wrote a version of an object, or deleted it where there is no version; nobody who has no name."""
        if person and version:
            self.by_version[uid, version] = person
        elif person:
            self.by_deleted.setdefault(uid, person)

    def person(self, version: Version) -> str:
        """Who made a version through Deltaboard; empty where that is not known."""
        uid = version.object.uid
        if version.operation.is_end:
            return self.by_deleted.get(uid, "")
        return self.by_version.get((uid, version.resource_version), "")


async def find_writers(
    audit: AuditRecorder, authors: AuthorStore, server: str, may_see: MaySee, versions: Iterable[Version]
) -> Writers:
    """Who wrote these versions of objects of the cluster at `server`."""
    found = Writers()
    uids = list(dict.fromkeys(version.object.uid for version in versions))
    for uid in uids[:MAX_OBJECTS]:
        for write in await authors.writes_of(uid):
            found.add(uid, write.version, write.identity.owner)
    if audit.store is None or not uids:
        return found
    try:
        records = await audit.store.reader.ask(records_of_objects, server, uids, MAX_RECORDS)
    except Unavailable:
        return found
    await run_in_thread(_add_records, found, records, may_see)
    return found


def _add_records(found: Writers, records: Iterable[AuditRecord], may_see: MaySee) -> None:
    for line in (audit_line(record) for record in records if is_visible(record, may_see)):
        is_deletion = line.verb == "delete" or line.subresource == "eviction"
        if line.outcome == "done" and (is_deletion or line.new_version):
            found.add(line.uid, "" if is_deletion else line.new_version, line.person)
