"""Model of an API server: pods from a history, by LIST, streaming list and WATCH, with faults.

With a watch cache it is kube-apiserver in its default form: reads at "0" may be old, bookmarks and events wait for the
cache, and lists at a version come whole. Without one (``--watch-cache=false``) all is read from etcd.
"""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import Literal

from tests.support.informerd.model.etcd_history import History, State
from tests.support.informerd.model.lists_from_cache_or_etcd import Lists, WatchCache
from tests.support.informerd.model.memory_transport import Call, Wire
from tests.support.informerd.model.responses import NOT_FOUND, REFUSALS, list_of
from tests.support.informerd.model.watch import BOOKMARK_EVERY, EndOfWatch, Nonsense, Watch

PATH = "/api/v1/pods"
Health = Literal["answers", "fails", "refuses", "is silent"]
Fault = str
"""For the next request: a name in REFUSALS; "reset", "cut", "silence", "truncated", "garbage" or "html" instead of an
answer; "in the stream: …" for a watch that begins with an ERROR; "after …" for one that breaks off after so many
changes."""

_GARBAGE = {
    "garbage": b'{"kind":"PodList","metadata":{"resourceVersion":[',
    "html": b"<html><body>502 Bad Gateway</body></html>",
}


class ModelServer:
    """Serves `history`. Faults are queued for requests to come; what changes in open watches is told by methods."""

    def __init__(self, history: History, *, watch_cache: bool, pieces: list[int], latency: float) -> None:
        self.history = history
        self._cache = WatchCache(history, is_there=watch_cache)
        self._lists = Lists(history, self._cache)
        self.list_faults: deque[Fault] = deque()
        self.watch_faults: deque[Fault] = deque()
        self.bookmarks = True
        """Whether watches get them every minute."""
        self.bookmark_after = 0.0
        """Seconds between a streaming list and the bookmark that ends it."""
        self.health: Health = "answers"
        self.is_down = False
        self.is_absent = False
        """There is no such kind."""
        self.absences = 0
        """How often that was so."""
        self.told_to_wait = False
        """Whether the last word to a watch was 429."""
        self.listed = self._lists.listed
        """Each list that was sent whole, with its version."""
        self.requests: list[dict[str, str]] = []
        self.watches: list[Watch] = []
        self._pieces = pieces
        self._latency = latency
        self._wires: dict[Wire, None] = {}

    @property
    def connections(self) -> int:
        """Number of open connections."""
        return len(self._wires)

    def connect(self, protocol: asyncio.Protocol) -> asyncio.Transport:
        """Connect a client; for the event loop."""
        if self.is_down:
            raise ConnectionRefusedError(111, "Connect call failed")
        forget = self._wires.pop
        loop = asyncio.get_running_loop()
        pieces, latency = self._pieces, self._latency
        wire = Wire(loop, protocol, self._serve, pieces, latency, lambda wire: forget(wire, None))
        self._wires[wire] = None
        return wire

    def changed(self) -> None:
        """Tell the watches of what is new in the history."""
        self._cache.catch_up()
        self.watches = [watch for watch in self.watches if not watch.is_over]
        for watch in self.watches:
            watch.tell(self._cache.seen)

    def lag(self, lags: bool) -> None:
        """Let the watch cache fall behind, or catch up. There is none to do so where there is no cache."""
        self._cache.lags = lags and self._cache.is_there
        self.changed()

    def stop(self) -> None:
        """Break all connections and refuse new ones."""
        self.is_down = True
        for wire in [*self._wires]:
            wire.break_off(ConnectionResetError(104, "Connection reset by peer"))

    def start(self) -> None:
        """Serve again; a watch cache begins anew and knows of nothing before."""
        if self.is_down:
            self.is_down = False
            self._cache.begin_anew()

    def change_bookmarks(self, regular: bool, after: float) -> None:
        """Whether they come every minute, and how many seconds behind a streaming list."""
        self.bookmarks, self.bookmark_after = regular, after

    def take_away(self) -> None:
        """There is no such kind any more; its objects must have been deleted."""
        self.is_absent = True
        self.absences += 1
        self.end_watches("end")

    def bookmark(self, times: int = 1) -> None:
        """Send bookmarks on all watches."""
        self.changed()
        for watch in self.watches:
            if not self._cache.is_there:  # etcd tells its own version, older than the watch's or not
                watch.bookmark(self.history.version, times)
            elif watch.position <= self._cache.seen:
                watch.bookmark(watch.position, times)

    def end_watches(self, how: EndOfWatch) -> None:
        """End all watches."""
        for watch in self.watches:
            watch.finish(how)

    def refuse_watches(self, name: str) -> None:
        """End them with an ERROR event."""
        if any(not watch.is_over for watch in self.watches):
            self.told_to_wait = name.startswith("429")
        for watch in self.watches:
            watch.refuse(name)

    def babble(self, nonsense: Nonsense) -> None:
        """Send nonsense on all watches."""
        for watch in self.watches:
            watch.babble(nonsense)

    def mangle(self) -> None:
        """Spoil the line of the next change on each of them."""
        for watch in self.watches:
            watch.mangle()

    def stall(self) -> None:
        """Say nothing more on the present watches."""
        for watch in self.watches:
            watch.stall()

    def heal(self) -> None:
        """No faults any more, but for the watches that have stalled."""
        self.list_faults.clear()
        self.watch_faults.clear()
        self.bookmarks, self.bookmark_after, self.health, self.is_absent = True, 0.0, "answers", False
        self.start()
        self.lag(False)

    def _serve(self, call: Call) -> None:
        if call.is_gone:
            return
        if call.path == "/livez":
            self._livez(call)
            return
        assert call.path == PATH, call.path
        self.requests.append(call.params)
        is_watch = call.params.get("watch") == "true"
        faults = self.watch_faults if is_watch else self.list_faults
        fault = faults.popleft() if faults else ""
        self.told_to_wait = is_watch and "429" in fault
        if self.is_absent:
            call.answer(404, NOT_FOUND)
        elif not fault or fault.startswith(("after ", "in the stream: ")):
            if is_watch:
                self._watch(call, fault)
            else:
                self._lists.answer(call)
        else:
            self._fail(call, fault)

    def _livez(self, call: Call) -> None:
        match self.health:
            case "answers":
                call.answer(200, b"ok")
            case "fails":
                call.answer(*REFUSALS["500"])
            case "refuses":
                call.reset()

    def _fail(self, call: Call, fault: Fault) -> None:
        match fault:
            case "silence":
                pass
            case "reset":
                call.reset()
            case "cut":
                call.cut()
            case "truncated":
                call.answer_cut(list_of(self.history.state.values(), self.history.version, "", 0))
            case "garbage" | "html":
                call.answer(200, _GARBAGE[fault])
            case "503 in 2 s":
                call.answer(*REFUSALS["503"], {"Retry-After": "2"})
            case _:
                call.answer(*REFUSALS[fault])

    def _watch(self, call: Call, fault: Fault) -> None:
        wanted = call.params.get("resourceVersion", "")
        streaming = call.params.get("sendInitialEvents") == "true"
        assert streaming or wanted not in ("", "0"), "a watch must begin where the list ended"
        ending = int(fault.removeprefix("after ")) if fault.startswith("after ") else -1
        position = int(wanted or 0)
        watch = Watch(call, self.history, position, lasting=float(call.params["timeoutSeconds"]), ending=ending)
        oldest = max(self.history.compacted, self._cache.oldest if self._cache.is_there else 0)
        if ending == 0:
            watch.finish()
        elif fault.startswith("in the stream: "):
            watch.refuse(fault.removeprefix("in the stream: "))
        elif streaming:
            version = position or self.history.version
            too_large = partial(watch.refuse, "too large by cause")
            self._cache.when_fresh(call, version, lambda: self._stream_list(watch), too_large)
        elif position < oldest:
            watch.refuse("410 Expired")
        else:
            self._begin(watch)

    def _stream_list(self, watch: Watch) -> None:
        watch.position = self._cache.fresh

        def listed(state: State) -> None:
            self.listed.append((watch.position, state))

        watch.begin_list(self.history.at(self._cache.fresh), self.bookmark_after, listed)
        self._begin(watch)

    def _begin(self, watch: Watch) -> None:
        self.watches.append(watch)
        watch.tell(self._cache.fresh)
        asyncio.get_running_loop().call_later(BOOKMARK_EVERY, self._regular_bookmark, watch)

    def _regular_bookmark(self, watch: Watch) -> None:
        if watch.is_over:
            return
        if self.bookmarks and (not self._cache.is_there or watch.position <= self._cache.seen):
            watch.tell(self._cache.fresh)
            watch.bookmark(watch.position if self._cache.is_there else self.history.version)
        asyncio.get_running_loop().call_later(BOOKMARK_EVERY, self._regular_bookmark, watch)
