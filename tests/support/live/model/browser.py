"""Browser of the model: static/js/live/main.js and page/row_swap.js applied to frames, without a page."""

from __future__ import annotations

import gzip
import json
from typing import Any

from dashboard.live.hub.browser_socket import Message, Socket
from dashboard.live.hub.hub import HUB, Hub
from dashboard.live.moments.history_objects import HISTORY
from dashboard.runtime.app_state import AppState
from dashboard.server.live_view_routing import open_live_view
from tests.support.clock import FakeClock
from tests.support.live.hx_partial_interpreter import Page, ops_of


class ModelBrowser:
    """Shows the page of an address. A slow one reads and acknowledges only when it is told to."""

    def __init__(self, hub: Hub, clock: FakeClock, address: str) -> None:
        self.address = address
        self.slow = False
        self.page = Page()
        self.parts: dict[str, str] = {}
        self.beats: list[dict[str, Any]] = []
        self.closed = 0
        self._hub = hub
        self._clock = clock
        self._seq = ""
        self._view = ""
        self._connect()

    def read(self) -> None:
        """Take in all that has come, and say so; connect again where the server asked for that."""
        if self._lost:
            self._connect()
            self.collect()
        while self._inbox:
            message = self._inbox.pop(0)
            self._received += len(message)
            text = message if isinstance(message, str) else gzip.decompress(message).decode()
            self._take(json.loads(text))
        self._hub.acknowledge(self.socket, self._received)

    def collect(self) -> None:
        """What the server has posted reaches the browser's end of the wire."""
        self._inbox += self.socket._outbox
        self.socket._outbox.clear()
        self.socket.delivered_units = self.socket.sent_units

    def go(self, address: str) -> None:
        """Another page, on the same socket: what it shows comes as a window."""
        self.address, self._seq = address, ""
        if not self._lost:
            self._join()

    def leave(self) -> None:
        self._hub.leave(self.socket)

    def _connect(self) -> None:
        self.socket = Socket(_sent, self._close, self._clock)
        self._inbox: list[Message] = []
        self._received = 0
        self._lost = False
        self._join()

    def _join(self) -> None:
        self._hub.join(
            self.socket,
            open_live_view(AppState({HUB: self._hub, HISTORY: None}), self.address),
            self._seq,
            path=self.address,
        )

    async def _close(self, code: int) -> None:
        assert code == 4012
        self.closed += 1
        self._lost = True

    def _take(self, said: dict[str, Any]) -> None:
        if "beat" in said:
            self.beats.append(said["beat"])
        elif "fetch" in said:
            self._ask_again()
        elif "content" in said:
            self._frame(said)
        elif said["path"] == self.address:
            if said["view"] != self._view:
                self.page, self.parts = Page(), {}
            self._view = said["view"]
            self._seq = said["seq"] or self._seq

    def _frame(self, frame: dict[str, Any]) -> None:
        if frame["view"] != self._view:
            return
        if "after" in frame and frame["after"] != self._seq:
            if self._seq:
                self._ask_again()
            return
        self._seq = frame["seq"]
        self.page.apply(frame["content"])
        for op in ops_of(frame["content"]):
            if not op.target.startswith("#rows-"):
                self.parts[op.target] = op.html
        assert not self.page.lost, "a row was to be placed before one that is not there"

    def _ask_again(self) -> None:
        self._seq = ""
        self._join()


async def _sent(_: Message) -> None:
    """The model takes what is posted from the outbox."""
