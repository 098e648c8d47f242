"""With whose hand one request writes, and how others' writes are named to whoever made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.authors.authors import Authors, Write
from dashboard.drafts.draft import Whose
from dashboard.resources.words import moment_of
from informerd.clock import Clock

AGAIN = 0.25
"""Seconds after which a fresh write that nobody has put a name to is looked for once more: another process may be
about to, and a watch tells of a write sooner than its answer comes."""
FRESH = 10.0
"""Seconds."""


class Pen:
    """Puts a name to what one person writes, and names to what was written. `manager` is our field manager."""

    def __init__(self, authors: Authors, whose: Whose, manager: str, clock: Clock) -> None:
        self._authors = authors
        self._whose = whose
        self._manager = manager
        self._clock = clock

    def wrote(self, stored: Mapping[str, Any]) -> None:
        """`stored` is what the API server answered to a write that changed something."""
        metadata = stored["metadata"]
        self._remember(metadata.get("uid", ""), metadata["resourceVersion"], _newest(metadata, self._manager))

    def deleted(self, uid: str) -> None:
        """The API server took a deletion, whether it is done by now or not."""
        self._remember(uid, "", "")

    async def writer(self, live: Mapping[str, Any], by: str, at: str) -> str:
        """Who wrote `live` last, where its managedFields say `by` and `at`: a person's name or ourselves, else `by`.

        The resourceVersion tells surely. Where only the status was written since, the time does, to a second; who
        took a field out and set none, or scaled, has no time of their own there, and is not known then.
        """
        metadata = live["metadata"]
        is_ours = bool(at) and (by == self._manager or _newest(metadata, self._manager) == at)

        def named(writes: Sequence[Write]) -> str:
            sure = [write for write in writes if write.version == metadata["resourceVersion"]]
            same = [write for write in writes if is_ours and write.at == at]
            return next((self._words(write.whose) for write in (*sure, *same)), "")

        found = named(await self._authors.of(metadata["uid"]))
        if not found and is_ours and self._is_fresh(at):
            await self._clock.sleep(AGAIN)
            found = named(await self._authors.of(metadata["uid"]))
        return found or by

    async def deleter(self, uid: str) -> str:
        """Who deleted that object first; empty where it was not done here, or nobody knows."""
        writes = await self._authors.of(uid)
        return next((self._words(write.whose) for write in reversed(writes) if not write.version), "")

    def _remember(self, uid: str, version: str, at: str) -> None:
        if uid:
            self._authors.remember(Write(uid, version, at, self._whose))

    def _is_fresh(self, at: str) -> bool:
        moment = moment_of(at)
        return moment is not None and abs(self._clock.time() - moment) < FRESH

    def _words(self, whose: Whose) -> str:
        """Whoever it is, as the reader calls them; empty where there is no word for them."""
        if whose == self._whose and whose.browser:
            return "You (in another window)"
        if whose.owner:
            return "You (in another browser)" if whose.owner == self._whose.owner else whose.owner
        return "Somebody in another browser" if self._whose.browser else ""


def _newest(metadata: Mapping[str, Any], manager: str) -> str:
    entries = metadata.get("managedFields") or ()
    return max((str(each.get("time", "")) for each in entries if each.get("manager") == manager), default="")
