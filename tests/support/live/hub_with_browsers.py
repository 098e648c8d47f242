"""A hub with two kinds and browsers at its sockets, whose tick a test turns by hand."""

from __future__ import annotations

import gzip
import json
from typing import Any

from django.http import QueryDict

from dashboard.live.hub.browser_socket import (
    Message,
    Socket,
)
from dashboard.live.hub.hub import Hub
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.live_list import open_list
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, Feeders, pod

PODS = KINDS["pods"]


class Browser:
    """The other end of a socket: what it got, decoded. It acknowledges only what a test tells it to."""

    def __init__(self, hub: Hub, clock: FakeClock) -> None:
        self.got: list[dict[str, Any]] = []
        self.units = 0
        self.closed: list[int] = []
        self.socket = Socket(self._take, self._close, clock)
        self._hub = hub
        self._clock = clock

    def join(self, query: str = "", seq: str = "") -> Browser:
        view = open_list(self._hub, PODS, Query.parse(QueryDict(query), "pods"))
        self._hub.join(self.socket, view, seq, path=f"/resources/pods/?{query}")
        return self.flush()

    def flush(self) -> Browser:
        """Take what was posted, as the writing task would."""
        while self.socket._outbox:
            message = self.socket._outbox.popleft()
            self.units += len(message)
            self.socket.delivered_units += len(message)
            self.got.append(json.loads(message if isinstance(message, str) else gzip.decompress(message)))
        return self

    def acknowledge(self) -> None:
        self._hub.acknowledge(self.socket, self.flush().units)

    @property
    def frames(self) -> list[dict[str, Any]]:
        return [message for message in self.flush().got if "content" in message]

    @property
    def updates(self) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if "after" in frame]

    @property
    def beats(self) -> list[dict[str, Any]]:
        return [message["beat"] for message in self.flush().got if "beat" in message]

    async def _take(self, message: Message) -> None:
        raise AssertionError("the test takes messages itself")

    async def _close(self, code: int) -> None:
        self.closed.append(code)


class World:
    """A hub with replicas of pods and namespaces, its tick turned by hand."""

    def __init__(self, number: int = 3) -> None:
        self.clock = FakeClock()
        self.pods = Feeder("pods", self.clock, [pod(f"p{index}") for index in range(number)])
        self.namespaces = Feeder("namespaces", self.clock)
        self.feeders = Feeders(self.pods, self.namespaces)
        self.hub = Hub(self.feeders, self.clock, timer=self.clock.now)
        self.hub.tick()

    def browser(self, query: str = "") -> Browser:
        return Browser(self.hub, self.clock).join(query)

    def pass_time(self, seconds: float) -> float:
        self.clock.skip(seconds)
        return self.hub.tick()
