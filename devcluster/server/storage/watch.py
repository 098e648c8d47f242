"""Filtered watches from a resource version on, with bookmarks and initial events.

Guarantees: no event is missed or doubled after the requested version; a version out of the window gives one ERROR event
(410 Expired) and the end; a watcher whose unread events exceed `MAX_PENDING_BYTES` is closed. Source: apiserver's
storage/cacher.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import msgspec

from devcluster.server.api_errors import Failure, expired, too_large_version
from devcluster.server.kinds import Kind
from devcluster.server.storage import object_codec as objects
from devcluster.server.storage.selectors import Selection
from devcluster.server.storage.store import Change, Compacted, Record, Store, event_line

MAX_PENDING_BYTES = 8 << 20
"""Bytes that wait for one watcher before it is closed."""

LINGER_SECONDS = 0.01
"""Seconds for which a busy watcher's events are gathered: a write costs as much for one event as for ten."""

INITIAL_EVENTS_END = "k8s.io/initial-events-end"


@dataclass(frozen=True)
class WatchQuery:
    """A watch request's parameters, checked."""

    version: int = 0
    selection: Selection = field(default_factory=Selection)
    bookmarks: bool = False
    initial_events: bool = False
    """Whether the watch begins with the existing objects, and then a bookmark where bookmarks are asked for."""
    render: Callable[[Record], bytes] | None = None
    """How objects are shown; None for their own JSON."""
    bookmark_type: tuple[str, str] | None = None
    """Kind and apiVersion of bookmarks; None for the objects' own."""


class Watcher:
    """One open watch. Create it, then read `lines()` to its end; `close` ends it from elsewhere."""

    def __init__(
        self,
        store: Store,
        kind: Kind,
        query: WatchQuery,
        *,
        bookmark_seconds: float = 60.0,
        linger: float = LINGER_SECONDS,
    ) -> None:
        self._store = store
        self.kind = kind
        self._query = query
        self._predicate = query.selection.predicate()
        self._bookmark_seconds = bookmark_seconds
        self._linger = linger
        self._pending: deque[bytes] = deque()
        self._pending_bytes = 0
        self._ready = asyncio.Event()
        self._ended = False
        self._stalled = False
        self.on_overflow: Callable[[], None] = lambda: None
        """Called when the watcher is closed because nobody reads it."""
        self._unlisten = store.listen(kind.key, self._offer)
        self._begin()

    async def lines(self) -> AsyncIterator[bytes]:
        """Events as they come, several lines at a time: the first at once, those that follow closely together."""
        clock, sent = asyncio.get_running_loop().time, 0.0
        while True:
            if self._pending and not self._stalled:
                early = sent + self._linger - clock()
                if early > 0 and not self._ended:
                    await asyncio.sleep(early)
                    continue
                sent = clock()
                yield self._take()
            elif self._ended:
                return
            else:
                await self._wait()

    def close(self) -> None:
        """End the stream after the pending events."""
        if not self._ended:
            self._ended = True
            self._unlisten()
        self._ready.set()

    def stall(self, stalled: bool) -> None:
        """Hold everything back while `stalled`, as a half-open connection does."""
        self._stalled = stalled
        self._ready.set()

    async def _wait(self) -> None:
        self._ready.clear()
        try:
            async with asyncio.timeout(self._bookmark_seconds):
                await self._ready.wait()
        except TimeoutError:
            if self._query.bookmarks and not self._stalled:
                self._push(self._bookmark())

    def _take(self) -> bytes:
        chunk = b"".join(self._pending)
        self._pending.clear()
        self._pending_bytes = 0
        return chunk

    def _begin(self) -> None:
        query = self._query
        if query.initial_events and query.version > self._store.revision:
            self._fail(too_large_version(query.version, self._store.revision))
        elif query.initial_events:
            self._send_state()
        elif query.version:
            self._replay()

    def _send_state(self) -> None:
        for record in self._store.records(self.kind.key).values():
            if self._predicate is None or self._predicate(record):
                self._push(self._line("ADDED", record))
        if self._query.bookmarks:
            self._push(self._bookmark(initial=True))

    def _replay(self) -> None:
        try:
            changes = self._store.changes_since(self._query.version, self.kind.key)
        except Compacted:
            self._fail(expired(f"too old resource version: {self._query.version} ({self._store.compacted})"))
            return
        for change in changes:
            self._offer(change)

    def _fail(self, failure: Failure) -> None:
        self._push(event_line("ERROR", msgspec.json.encode(failure.status())))
        self.close()

    def _offer(self, change: Change) -> None:
        if change.revision <= self._query.version:
            return
        if self._predicate is None and self._query.render is None:
            self._push(change.line())
        elif (seen := self._filtered(change)) is not None:
            shown = change.line() if seen == (change.operation, change.record) else None
            self._push(shown if shown and self._query.render is None else self._line(*seen))

    def _filtered(self, change: Change) -> tuple[str, Record] | None:
        """The event as this selection sees it: an object that leaves it is deleted, one that enters it is added."""
        is_in = self._matches(change.record)
        was_in = change.previous is not None and self._matches(change.previous)
        if change.operation == "DELETED":
            return ("DELETED", change.record) if was_in else None
        if is_in:
            return ("MODIFIED" if was_in else "ADDED", change.record)
        if was_in and change.previous is not None:
            return "DELETED", objects.with_revision(change.previous, change.revision)
        return None

    def _line(self, operation: str, record: Record) -> bytes:
        render = self._query.render
        return event_line(operation, record.raw if render is None else render(record))

    def _matches(self, record: Record) -> bool:
        return self._predicate is None or self._predicate(record)

    def _push(self, line: bytes) -> None:
        if self._ended:
            return
        self._pending.append(line)
        self._pending_bytes += len(line)
        self._ready.set()
        if self._pending_bytes > MAX_PENDING_BYTES and self._unread_too_long():
            self._pending.clear()
            self.close()
            self.on_overflow()

    def _unread_too_long(self) -> bool:
        """Whether too much is unread. The initial state may be of any size; the events after it may not."""
        return len(self._pending) > len(self._store.records(self.kind.key)) + 1

    def _bookmark(self, *, initial: bool = False) -> bytes:
        metadata: dict[str, object] = {"resourceVersion": str(self._store.revision)}
        if initial:
            metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
        kind, api_version = self._query.bookmark_type or (self.kind.kind, self.kind.api_version)
        obj = {"kind": kind, "apiVersion": api_version, "metadata": metadata}
        return event_line("BOOKMARK", msgspec.json.encode(obj))
