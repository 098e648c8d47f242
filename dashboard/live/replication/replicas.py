"""All replicas of one web process: one channel for all of them, whatever the number of kinds and browsers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from dashboard.live.layer import Inbox, Layer, Sender, Trouble
from dashboard.live.messages import ASK_GROUP, FEED_GROUP, Ask, Want, chunk_decoder, encoder, frame_decoder
from dashboard.live.replica import Replica
from dashboard.live.slices import Slices
from dashboard.live.tasks import cancelled, kept_running
from dashboard.resources.kinds import KindInfo
from informerd.clock import Clock

logger = logging.getLogger(__name__)

TICK = 0.25
"""Seconds between two looks at the clock: silence is noticed that much late at most."""
SLICE = 0.003
"""Seconds of a slice of what replicas do in slices; lists may take one, too, in the same turn of the event loop."""


class Replicas:
    """Subscribes to the feed and hands each message to the replica it is for.

    The replica of each kind of the settings exists from the start, so that views can listen to one before anything has
    been heard; those of other kinds come and go with who looks at them (dashboard.live.interest).
    """

    def __init__(
        self, layer: Layer, kinds: Iterable[KindInfo], clock: Clock, *, trouble: Trouble | None = None
    ) -> None:
        self.kinds = tuple(kinds)
        """What is followed, in the order of the settings, then what somebody looks at; discovery may add to a kind."""
        self.steady = frozenset(kind.key for kind in self.kinds)
        """Keys of those that are followed whether anybody looks or not."""
        self._trouble = trouble or Trouble()
        self._sender = Sender(layer, self._trouble)
        self._clock = clock
        self._slices = Slices(SLICE)
        self._replicas = {kind.key: self._replica(kind.key) for kind in self.kinds}
        self._inbox = Inbox(layer, FEED_GROUP, clock, self._trouble)
        self._asking: list[asyncio.Task[None]] = []
        self._unreadable = logging.WARNING

    def __iter__(self) -> Iterator[Replica]:
        return iter(list(self._replicas.values()))

    def __contains__(self, key: str) -> bool:
        return key in self._replicas

    def get(self, key: str) -> Replica:
        """The replica of a kind. Raises KeyError for a kind that is not watched."""
        return self._replicas[key]

    def _replica(self, key: str) -> Replica:
        return Replica(key, self._clock, later=self._slices.add)

    def follow(self, kind: KindInfo) -> None:
        """Listen to what workers say of one more kind; `want` has them say it."""
        if kind.key not in self._replicas:
            self._replicas[kind.key] = self._replica(kind.key)
            self.kinds += (kind,)

    def unfollow(self, key: str) -> None:
        """Forget a kind that is not one of the settings'."""
        if key not in self.steady and self._replicas.pop(key, None) is not None:
            self.kinds = tuple(kind for kind in self.kinds if kind.key != key)

    async def want(self, want: Want) -> None:
        """Tell the workers which kinds are open here. A word that is lost is made good by the next."""
        await self._sender.to_group(ASK_GROUP, {"type": "feed.want", "data": encoder.encode(want)})

    @property
    def channel_problem(self) -> str:
        """Why the channel layer cannot be used; empty while it can."""
        return self._trouble.problem

    async def run(self) -> None:
        """Follow the feed until cancelled."""
        ticking = asyncio.create_task(kept_running("the replicas' clock", self._tick, self._clock))
        try:
            await self._inbox.run(self.take)
        finally:
            await cancelled([ticking, *self._asking])
            await self._slices.stop()

    async def take(self, message: dict[str, Any]) -> None:
        """Hand one message of the layer to its replica and send what that asks; a malformed one is dropped.

        The first of those is a warning, for a worker of another version makes nothing else: nobody hears it.
        """
        try:
            question = self._dispatched(message)
        except (KeyError, TypeError, msgspec.MsgspecError) as error:
            logger.log(self._unreadable, "dropped a message of the feed, is the worker of another version? %s", error)
            self._unreadable = logging.DEBUG
            return
        if question is not None:
            await self._ask(question)

    def _dispatched(self, message: dict[str, Any]) -> Ask | None:
        if message["type"] == "feed.frame":
            frame = frame_decoder.decode(message["data"])
            replica = self._replicas.get(frame.resource)
            return replica.frame(frame) if replica else None
        if message["type"] == "feed.chunk":
            chunk = chunk_decoder.decode(message["data"])
            replica = self._replicas.get(chunk.resource)
            return replica.chunk(chunk) if replica else None
        return None

    async def _tick(self) -> None:
        while True:
            self._look()
            await self._clock.sleep(TICK)

    def _look(self) -> None:
        """Let time pass in every replica, whatever the layer does, and send what they ask where it can be heard.

        A layer may hang in each send for seconds. Nobody waits for that here, and no more is sent meanwhile.
        """
        asks = self._inbox.joined and all(task.done() for task in self._asking)  # subscribe first, then ask
        ticked = [replica.tick(asks=asks) for replica in self._replicas.values()]
        questions = [question for question in ticked if question is not None]
        if questions:
            self._asking = [asyncio.create_task(self._ask(question)) for question in questions]

    async def _ask(self, question: Ask) -> None:
        if not self._inbox.channel:
            return
        asked = msgspec.structs.replace(question, reply=self._inbox.channel)
        await self._sender.to_group(ASK_GROUP, {"type": "feed.ask", "data": encoder.encode(asked)})
