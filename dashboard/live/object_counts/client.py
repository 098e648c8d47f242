"""A web process's end: keeps the newest census, and says to the workers that somebody looks at counts."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from dashboard.census.messages import CENSUS_GROUP, LOOK_GROUP, Census, Counted, census_decoder
from dashboard.live.layer import Inbox, Layer, Sender, Trouble
from dashboard.live.tasks import cancelled, kept_running
from informerd.clock import Clock

logger = logging.getLogger(__name__)

SAID = 10.0
"""Seconds between two words to the workers, however many browsers look."""
SILENCE = 30.0
"""Seconds without a word of a worker after which an older one is believed too."""


class CensusLink:
    """What is known of kinds that nobody watches, each count with its date; empty until a worker has said it."""

    def __init__(self, layer: Layer, clock: Clock, *, trouble: Trouble | None = None) -> None:
        trouble = trouble or Trouble()
        self.kinds: Mapping[str, Counted] = {}
        """By key, in discovery's order."""
        self.names = ""
        """Changes with the kinds that there are, not with their counts."""
        self._sender = Sender(layer, trouble)
        self._inbox = Inbox(layer, CENSUS_GROUP, clock, trouble)
        self._clock = clock
        self._workers: dict[str, tuple[str, float]] = {}
        self._epoch = ""
        self._heard = float("-inf")
        self._said = float("-inf")
        self._wake = asyncio.Event()
        self._unreadable = logging.WARNING

    def look(self) -> None:
        """Somebody looks at counts: they are kept no older than a minute for a while. Costs nothing."""
        if self._clock.now() - self._said >= SAID:
            self._said = self._clock.now()
            self._wake.set()

    async def run(self) -> None:
        """Hear and say until cancelled."""
        saying = asyncio.create_task(kept_running("the saying of looks", self._say, self._clock))
        try:
            await self._inbox.run(self._take)
        finally:
            await cancelled([saying])

    def take(self, census: Census) -> None:
        """Take in a worker's word: of two workers the younger is believed while it is heard."""
        now = self._clock.now()
        self._workers[census.epoch] = (census.worker, now)
        if census.epoch < self._epoch and now - self._heard < SILENCE:
            return
        self._epoch, self._heard = census.epoch, now
        self.kinds = {counted.resource.key: counted for counted in census.kinds}
        self.names = hashlib.blake2b(" ".join(self.kinds).encode(), digest_size=6).hexdigest() if self.kinds else ""

    @property
    def workers(self) -> Iterator[tuple[str, str]]:
        """Epoch and name of each worker that was heard of late."""
        now = self._clock.now()
        self._workers = {epoch: each for epoch, each in self._workers.items() if now - each[1] < SILENCE}
        return ((epoch, name) for epoch, (name, _) in self._workers.items())

    async def _take(self, message: dict[str, Any]) -> None:
        try:
            if message["type"] == "census.counts":
                self.take(census_decoder.decode(message["data"]))
        except (KeyError, TypeError, msgspec.MsgspecError) as error:
            logger.log(self._unreadable, "dropped a census, is the worker of another version? %s", error)
            self._unreadable = logging.DEBUG

    async def _say(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self._sender.to_group(LOOK_GROUP, {"type": "census.look"})
