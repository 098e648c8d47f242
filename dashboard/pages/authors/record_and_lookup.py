"""Recorder of one request's writes, which also names the authors of other writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.access.identity import Identity
from dashboard.objects.fields.managed_fields import last_write
from dashboard.pages.authors.store import AuthorStore, Write
from dashboard.runtime.counts_and_times import parse_timestamp
from informerd.clock import Clock

RETRY_DELAY = 0.25
"""Seconds after which the author of a fresh write is looked up again: another process may be about to record it, and a
watch may report a write before its answer arrives.
"""
FRESH_FOR = 10.0
"""Seconds after a write for which its author is looked up again."""


class WriteRecorder:
    """Records the writes of one user, and looks up authors. `manager` is our field manager."""

    def __init__(self, authors: AuthorStore, identity: Identity, manager: str, clock: Clock) -> None:
        self._authors = authors
        self._identity = identity
        self._manager = manager
        self._clock = clock

    def record_write(self, stored: Mapping[str, Any]) -> None:
        """Record a write that changed something; `stored` is the API server's answer."""
        metadata = stored["metadata"]
        self._remember(metadata.get("uid", ""), metadata["resourceVersion"], last_write(stored, self._manager))

    def record_deletion(self, uid: str) -> None:
        """Record a deletion that the API server accepted, whether it is complete or not."""
        self._remember(uid, "", "")

    async def last_author(self, live: Mapping[str, Any], by: str, at: str) -> str:
        """The author of the last write of `live`: a user in words; the field manager `by` where no user is known.

        `by` and `at` are the manager and the time of that write, from the object's managedFields.

        The resourceVersion is exact. Where only the status was written since, the time is compared, to a second; a
        write that only removed a field, or scaled, has no time of its own there, and its author is unknown then.
        """
        metadata = live["metadata"]
        is_ours = bool(at) and (by == self._manager or last_write(live, self._manager) == at)

        def named(writes: Sequence[Write]) -> str:
            sure = [write for write in writes if write.version == metadata["resourceVersion"]]
            same = [write for write in writes if is_ours and write.at == at]
            return next((self._words(write.identity) for write in (*sure, *same)), "")

        author = named(await self._authors.writes_of(metadata["uid"]))
        if not author and is_ours and self._is_fresh(at):
            await self._clock.sleep(RETRY_DELAY)
            author = named(await self._authors.writes_of(metadata["uid"]))
        return author or by

    async def deleter(self, uid: str) -> str:
        """The first user who deleted that object; empty where it was not deleted here, or the user is unknown."""
        writes = await self._authors.writes_of(uid)
        return next((self._words(write.identity) for write in reversed(writes) if not write.version), "")

    def _remember(self, uid: str, version: str, at: str) -> None:
        if uid:
            self._authors.remember(Write(uid, version, at, self._identity))

    def _is_fresh(self, at: str) -> bool:
        moment = parse_timestamp(at)
        return moment is not None and abs(self._clock.time() - moment) < FRESH_FOR

    def _words(self, identity: Identity) -> str:
        """The author as shown to the reader; empty where there is no name."""
        if identity == self._identity and identity.browser:
            return "You (in another window)"
        if identity.owner:
            return "You (in another browser)" if identity.owner == self._identity.owner else identity.owner
        return "Somebody in another browser" if self._identity.browser else ""
