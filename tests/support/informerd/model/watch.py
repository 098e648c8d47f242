"""One watch as the model server serves it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

from tests.support.informerd.model.etcd_history import Change, History, State
from tests.support.informerd.model.memory_transport import Call
from tests.support.informerd.model.responses import REFUSALS, bookmark, change_event, event

BOOKMARK_EVERY = 60.0
"""Seconds, as kube-apiserver does it."""

EndOfWatch = Literal["end", "cut", "reset", "cut a line", "end in a line"]
Nonsense = Literal["no JSON", "unknown type", "another kind", "a table", "an empty line"]

_NONSENSE: dict[Nonsense, bytes] = {
    "no JSON": b'{"type":"ADDED","object":{"kind":\n',
    "unknown type": event("RENAMED", b"{}"),
    "another kind": event("ADDED", b'{"kind":"Node","apiVersion":"v1","metadata":{"name":"n","resourceVersion":"7"}}'),
    "a table": event("ADDED", b'{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"}}'),
    "an empty line": b"\n",
}


class Watch:
    """An open stream that has told of everything up to `position`."""

    def __init__(self, call: Call, history: History, position: int, *, lasting: float, ending: int) -> None:
        self.position = position
        self._loop = asyncio.get_running_loop()
        self._call = call
        self._history = history
        self._ending = ending
        """Changes after which it breaks off, counted from the first."""
        self._initial: Callable[[State], None] | None = None
        self._over = self._stalled = self._mangles = False
        call.open()
        self._loop.call_later(lasting, self.finish)

    @property
    def is_over(self) -> bool:
        """Whether nobody listens to it any more."""
        return self._over or self._call.is_gone

    @property
    def _speaks(self) -> bool:
        return not (self.is_over or self._stalled)

    def begin_list(self, state: State, bookmark_after: float, on_listed: Callable[[State], None]) -> None:
        """Send a streaming list; the bookmark that ends it comes some seconds later, changes may come before it."""
        self._initial = on_listed
        for thing in state.values():
            self._send(Change("ADDED", self.position, thing))
        self._loop.call_later(bookmark_after, self._end_list)

    def tell(self, up_to: int) -> None:
        """Send what has changed."""
        if self._speaks:
            for change in self._history.after(self.position, up_to):
                self.position = change.version
                self._send(change)
                if self.is_over:
                    return
            self.position = max(self.position, up_to)

    def bookmark(self, version: int, times: int = 1) -> None:
        """Send bookmarks; none before the one that ends a streaming list."""
        if self._speaks and self._initial is None:
            for _ in range(times):
                self._call.send(bookmark(version))

    def refuse(self, name: str) -> None:
        """An ERROR event and the end."""
        if self._speaks:
            self._call.send(event("ERROR", REFUSALS[name][1]))
            self.finish()

    def babble(self, nonsense: Nonsense) -> None:
        """Send what no API server should."""
        if self._speaks:
            self._call.send(_NONSENSE[nonsense])

    def mangle(self) -> None:
        """Spoil the line of the next change."""
        self._mangles = True

    def stall(self) -> None:
        """Say nothing more, and do not end either."""
        self._stalled = True

    def finish(self, how: EndOfWatch = "end") -> None:
        """Over, in one of several ways; half a line tells of nothing."""
        if not self._speaks:
            return
        self._over = True
        if how in ("cut a line", "end in a line"):
            self._call.send(b'{"type":"DELETED","object":{"kind":"Pod","apiVer')
        if how == "reset":
            self._call.reset()
        elif how in ("cut", "cut a line"):
            self._call.cut()
        else:
            self._call.end()

    def _send(self, change: Change) -> None:
        if self._speaks:
            line = change_event(change)
            self._call.send(line[:60] + b"}}\n" if self._mangles else line)
            self._mangles = False
            self._ending -= 1
            if self._ending == 0:
                self.finish("reset" if change.version % 2 else "cut a line")

    def _end_list(self) -> None:
        if self._speaks and self._initial is not None:
            self._call.send(bookmark(self.position, ends_initial=True))
            on_listed, self._initial = self._initial, None
            on_listed(self._history.at(self.position))
