"""A web process's line to the workers: hears their reports, and asks them to requeue."""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Any

import msgspec

from dashboard.controllers.board import Board
from dashboard.controllers.messages import (
    REPORT_GROUP,
    REQUEUE_GROUP,
    Answer,
    Requeue,
    answer_decoder,
    encoder,
    report_decoder,
)
from dashboard.live.layer import Inbox, Layer, Sender, Trouble
from informerd.clock import Clock

logger = logging.getLogger(__name__)

PATIENCE = 3.0
"""Seconds to wait for the answer of the worker that leads."""


class ControllerLink:
    """Fills a Board with what comes, and carries requeues the other way."""

    def __init__(self, layer: Layer, clock: Clock, *, trouble: Trouble | None = None) -> None:
        self.board = Board(clock)
        trouble = trouble or Trouble()
        self._clock = clock
        self._sender = Sender(layer, trouble)
        self._inbox = Inbox(layer, REPORT_GROUP, clock, trouble)
        self._asked: dict[str, asyncio.Future[Answer]] = {}
        self._unreadable = logging.WARNING

    async def run(self) -> None:
        """Hear until cancelled."""
        await self._inbox.run(self.take)

    async def take(self, message: dict[str, Any]) -> None:
        """Take in one message of the layer; a malformed one is dropped."""
        try:
            self._dispatch(message)
        except (KeyError, TypeError, msgspec.MsgspecError) as error:
            logger.log(self._unreadable, "dropped a report, is the worker of another version? %s", error)
            self._unreadable = logging.DEBUG

    async def requeue(self, controller: str, key: str, *, by: str = "") -> Answer | None:
        """Have the worker that leads reconcile `key` now; None where no answer came within PATIENCE seconds."""
        asked = Requeue(secrets.token_hex(8), controller, key, self._inbox.channel, by)
        answered = asyncio.get_running_loop().create_future()
        self._asked[asked.id] = answered
        waiting = asyncio.create_task(self._clock.sleep(PATIENCE))
        try:
            data = encoder.encode(asked)
            await self._sender.to_group(REQUEUE_GROUP, {"type": "controllers.requeue", "data": data})
            await asyncio.wait({answered, waiting}, return_when=asyncio.FIRST_COMPLETED)
            return answered.result() if answered.done() else None
        finally:
            waiting.cancel()
            del self._asked[asked.id]

    def _dispatch(self, message: dict[str, Any]) -> None:
        if message["type"] == "controllers.report":
            self.board.take(report_decoder.decode(message["data"]))
        elif message["type"] == "controllers.answer":
            answer = answer_decoder.decode(message["data"])
            waiting = self._asked.get(answer.id)
            if waiting is not None and not waiting.done():
                waiting.set_result(answer)
