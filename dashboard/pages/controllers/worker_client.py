"""Client of a web process for the workers' controllers: receives their reports, and sends requeues."""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Any

from dashboard.live.replication.channel_layer import (
    UNREADABLE,
    ChannelLayer,
    ChannelLayerHealth,
    GroupChannel,
    Sender,
)
from dashboard.pages.controllers.reports import ControllerReports
from dashboard.pages.controllers.worker_messages import (
    REPORT_GROUP,
    REQUEUE_GROUP,
    RequeueRequest,
    RequeueResult,
    encoder,
    report_decoder,
    requeue_result_decoder,
)
from dashboard.runtime.app_state import Key
from informerd.clock import Clock

logger = logging.getLogger(__name__)

ANSWER_TIMEOUT = 3.0
"""Seconds to wait for the answer of the leading worker."""


class ControllersClient:
    """Passes reports to ControllerReports, and requeues to the workers."""

    def __init__(
        self, channel_layer: ChannelLayer, clock: Clock, *, layer_health: ChannelLayerHealth | None = None
    ) -> None:
        self.reports = ControllerReports(clock)
        layer_health = layer_health or ChannelLayerHealth()
        self._clock = clock
        self._sender = Sender(channel_layer, layer_health)
        self._inbox = GroupChannel(channel_layer, REPORT_GROUP, clock, layer_health)
        self._pending: dict[str, asyncio.Future[RequeueResult]] = {}
        self._unreadable = logging.WARNING

    async def run(self) -> None:
        """Receive messages until cancelled."""
        await self._inbox.run(self.receive)

    async def receive(self, message: dict[str, Any]) -> None:
        """Handle one message of the layer; a malformed one is dropped."""
        try:
            self._dispatch(message)
        except UNREADABLE as error:
            logger.log(self._unreadable, "dropped a report; does the worker run another version? %s", error)
            self._unreadable = logging.DEBUG

    async def requeue(self, controller: str, key: str, *, requested_by: str = "") -> RequeueResult | None:
        """Have the leading worker reconcile `key` now; None where no answer comes within ANSWER_TIMEOUT seconds."""
        request = RequeueRequest(secrets.token_hex(8), controller, key, self._inbox.channel_name, requested_by)
        answered = asyncio.get_running_loop().create_future()
        self._pending[request.id] = answered
        waiting = asyncio.create_task(self._clock.sleep(ANSWER_TIMEOUT))
        try:
            data = encoder.encode(request)
            await self._sender.to_group(REQUEUE_GROUP, {"type": "controllers.requeue", "data": data})
            await asyncio.wait({answered, waiting}, return_when=asyncio.FIRST_COMPLETED)
            return answered.result() if answered.done() else None
        finally:
            waiting.cancel()
            del self._pending[request.id]

    def _dispatch(self, message: dict[str, Any]) -> None:
        if message["type"] == "controllers.report":
            self.reports.receive(report_decoder.decode(message["data"]))
        elif message["type"] == "controllers.answer":
            answer = requeue_result_decoder.decode(message["data"])
            waiting = self._pending.get(answer.id)
            if waiting is not None and not waiting.done():
                waiting.set_result(answer)


CONTROLLERS_CLIENT: Key[ControllersClient] = Key("controllers client")
