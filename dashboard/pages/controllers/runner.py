"""Controller runner of a worker: runs the controllers in a manager, reports their state each second, and requeues keys
on request.

It shares only the event loop and the layer with the feed: the manager has its own client and informers, so that a
controller's fault, a flood of its requests or the end of its manager does not affect the feed.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from dashboard.live.replication.channel_layer import (
    UNREADABLE,
    ChannelLayer,
    ChannelLayerHealth,
    GroupChannel,
    Sender,
)
from dashboard.live.replication.epoch import new_epoch
from dashboard.pages.controllers.reconcile_history import HistoryRecorder
from dashboard.pages.controllers.worker_messages import (
    REPORT_GROUP,
    REQUEUE_GROUP,
    Report,
    RequeueRequest,
    RequeueResult,
    encoder,
    requeue_problem,
    requeue_request_decoder,
)
from dashboard.runtime.background_tasks import cancel_all, keep_running
from informerd.clock import Clock
from informerd.controller.request import Request
from informerd.errors import InformerdError
from informerd.manager.state import ManagerState

logger = logging.getLogger(__name__)

REPORT_INTERVAL = 1.0
"""Seconds between two reports."""
RESTART_DELAY = 10.0
"""Seconds until an ended manager is replaced by another one."""


class RequeueTarget(Protocol):
    """The part of a controller that requeues need."""

    name: str

    def requeue(self, request: Request) -> None: ...


class ManagerLike(Protocol):
    """An informerd Manager with its controllers added."""

    @property
    def controllers(self) -> Sequence[RequeueTarget]: ...

    async def run(self) -> None: ...

    def state(self) -> ManagerState: ...


class ControllerRunner:
    """Runs the managers of `new_manager` until it is stopped; without `controller_names` it only reports that.

    When a manager ends, because it lost its lease or could not be created, the report and the log have the reason, and
    another one is created RESTART_DELAY seconds later.
    """

    def __init__(
        self,
        controller_names: tuple[str, ...],
        new_manager: Callable[[], ManagerLike],
        channel_layer: ChannelLayer,
        clock: Clock,
        *,
        layer_health: ChannelLayerHealth | None = None,
    ) -> None:
        self.controller_names = controller_names
        self.epoch = new_epoch(clock)
        self._new_manager = new_manager
        self._clock = clock
        layer_health = layer_health or ChannelLayerHealth()
        self._sender = Sender(channel_layer, layer_health)
        self._inbox = GroupChannel(channel_layer, REQUEUE_GROUP, clock, layer_health)
        self._manager: ManagerLike | None = None
        self._problem = ""
        self._recorders: dict[str, HistoryRecorder] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._unreadable = logging.WARNING

    @property
    def manager(self) -> ManagerLike | None:
        """The running manager; None between two of them."""
        return self._manager

    def start(self) -> None:
        """Start; returns immediately. A second call does nothing."""
        if self._tasks:
            return
        if self.controller_names:
            self._keep("the controllers", self._run_managers)
            self._keep("the receiver of requeues", self._hear)
        self._keep("the controllers' reports", self._report_for_ever)

    async def stop(self) -> None:
        """Stop the manager, which releases its lease, and the reports."""
        tasks, self._tasks = self._tasks, []
        await cancel_all(tasks)

    def report(self) -> Report:
        """The current state of the controllers."""
        now = self._clock.time()
        state = self._state()
        for controller in state.controllers:
            self._recorders.setdefault(controller.name, HistoryRecorder()).observe(controller, now)
        return Report(
            epoch=self.epoch,
            sent_at=now,
            wanted=self.controller_names,
            manager=state,
            problem=self._problem,
            history={each.name: self._recorders[each.name].history(now) for each in state.controllers},
        )

    def _keep(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        self._tasks.append(asyncio.create_task(keep_running(name, run, self._clock), name=name))

    def _state(self) -> ManagerState:
        if self._manager is None:
            return ManagerState(identity=socket.gethostname(), leads=False)
        return self._manager.state()

    async def _run_managers(self) -> None:
        while True:
            try:
                self._manager = self._new_manager()
                self._problem = ""
                await self._manager.run()
                self._problem = "The manager of the controllers has ended."
            except InformerdError as error:
                self._problem = f"The controllers ended: {_sentence(error)}"
                logger.warning("the controllers ended and restart in %g s: %s", RESTART_DELAY, error)
            except Exception as error:
                self._problem = f"The controllers ended: {_sentence(error)}"
                logger.exception("the controllers ended and restart in %g s", RESTART_DELAY)
            self._problem += f" They restart in {RESTART_DELAY:g} s."
            await self._clock.sleep(RESTART_DELAY)

    # --- reports ---

    async def _report_for_ever(self) -> None:
        while True:
            await self._send_report()
            await self._clock.sleep(REPORT_INTERVAL)

    async def _send_report(self) -> None:
        data = encoder.encode(self.report())
        await self._sender.to_group(REPORT_GROUP, {"type": "controllers.report", "data": data})

    # --- requeues ---

    async def _hear(self) -> None:
        await self._inbox.run(self._receive_message)

    async def _receive_message(self, message: dict[str, Any]) -> None:
        try:
            request = requeue_request_decoder.decode(message["data"])
        except UNREADABLE as error:
            logger.log(self._unreadable, "dropped a request; does a web process run another version? %s", error)
            self._unreadable = logging.DEBUG
            return
        answer = self._answer(request)
        if answer is not None:
            data = encoder.encode(answer)
            await self._sender.to_channel(request.reply_channel, {"type": "controllers.answer", "data": data})
            await self._send_report()

    def _answer(self, request: RequeueRequest) -> RequeueResult | None:
        """The answer; None from a worker that does not lead, since the leader is asked too."""
        manager = self._manager
        if manager is None or not manager.state().leads:
            return None
        problem = requeue_problem(manager.state(), request.controller, request.key)
        if problem:
            return RequeueResult(request.id, done=False, words=problem)
        controller = next(each for each in manager.controllers if each.name == request.controller)
        controller.requeue(Request.from_key(request.key))
        logger.info(
            "%s of %s is requeued, requested by %s",
            request.key,
            request.controller,
            request.requested_by or "the dashboard",
        )
        return RequeueResult(request.id, done=True)


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."
