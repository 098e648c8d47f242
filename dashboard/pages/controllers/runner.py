"""The worker's end: runs the controllers in a manager, reports how they are each second, and requeues keys on demand.

Nothing here is shared with the feed but the event loop and the layer: the manager has a client and informers of its
own, so that a controller's fault, a flood of its requests or the end of its manager stays here.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

import msgspec

from dashboard.controllers.history import Recorder
from dashboard.controllers.messages import (
    REPORT_GROUP,
    REQUEUE_GROUP,
    Answer,
    Report,
    Requeue,
    encoder,
    requeue_decoder,
)
from dashboard.controllers.refusal import refusal
from dashboard.live.epoch import new_epoch
from dashboard.live.layer import Inbox, Layer, Sender, Trouble
from dashboard.live.tasks import cancelled, kept_running
from informerd.clock import Clock
from informerd.controller.request import Request
from informerd.errors import InformerdError
from informerd.manager.state import ManagerState

logger = logging.getLogger(__name__)

BEAT = 1.0
"""Seconds between two reports."""
RETRY = 10.0
"""Seconds until another manager is made, after one that has ended by itself."""


class Requeues(Protocol):
    """A controller, as far as it is asked for anything here."""

    name: str

    def requeue(self, request: Request) -> None: ...


class Managing(Protocol):
    """An informerd Manager with its controllers added."""

    @property
    def controllers(self) -> Sequence[Requeues]: ...

    async def run(self) -> None: ...

    def state(self) -> ManagerState: ...


class ControllerRunner:
    """Runs what `new_manager` makes, for as long as it lives; with nothing in `wanted` it only says so.

    A manager that ends, be it that it lost its lease or that it could not be made, is said in the report and in the
    log, and another one is made RETRY seconds later.
    """

    def __init__(
        self,
        wanted: tuple[str, ...],
        new_manager: Callable[[], Managing],
        layer: Layer,
        clock: Clock,
        *,
        trouble: Trouble | None = None,
    ) -> None:
        self.wanted = wanted
        self.epoch = new_epoch(clock)
        self._new_manager = new_manager
        self._clock = clock
        trouble = trouble or Trouble()
        self._sender = Sender(layer, trouble)
        self._inbox = Inbox(layer, REQUEUE_GROUP, clock, trouble)
        self._manager: Managing | None = None
        self._problem = ""
        self._recorders: dict[str, Recorder] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._unreadable = logging.WARNING

    @property
    def manager(self) -> Managing | None:
        """What runs them now; None between two of them."""
        return self._manager

    def start(self) -> None:
        """Begin; returns at once. A second call changes nothing."""
        if self._tasks:
            return
        if self.wanted:
            self._keep("the controllers", self._run_managers)
            self._keep("the hearing of requeues", self._hear)
        self._keep("the controllers' reports", self._report_for_ever)

    async def stop(self) -> None:
        """End the manager, which gives its lease up, and the reports."""
        tasks, self._tasks = self._tasks, []
        await cancelled(tasks)

    def report(self) -> Report:
        """How the controllers are now."""
        now = self._clock.time()
        state = self._state()
        for controller in state.controllers:
            self._recorders.setdefault(controller.name, Recorder()).look(controller, now)
        return Report(
            epoch=self.epoch,
            sent=now,
            wanted=self.wanted,
            manager=state,
            problem=self._problem,
            history={each.name: self._recorders[each.name].history(now) for each in state.controllers},
        )

    def _keep(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        self._tasks.append(asyncio.create_task(kept_running(name, run, self._clock), name=name))

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
                logger.warning("the controllers ended and are started again in %g s: %s", RETRY, error)
            except Exception as error:
                self._problem = f"The controllers ended: {_sentence(error)}"
                logger.exception("the controllers ended and are started again in %g s", RETRY)
            self._problem += f" They are started again in {RETRY:g} s."
            await self._clock.sleep(RETRY)

    # --- reports ---

    async def _report_for_ever(self) -> None:
        while True:
            await self._send_report()
            await self._clock.sleep(BEAT)

    async def _send_report(self) -> None:
        data = encoder.encode(self.report())
        await self._sender.to_group(REPORT_GROUP, {"type": "controllers.report", "data": data})

    # --- requeues ---

    async def _hear(self) -> None:
        await self._inbox.run(self._take)

    async def _take(self, message: dict[str, Any]) -> None:
        try:
            asked = requeue_decoder.decode(message["data"])
        except (KeyError, TypeError, msgspec.MsgspecError) as error:
            logger.log(self._unreadable, "dropped a question, is a web process of another version? %s", error)
            self._unreadable = logging.DEBUG
            return
        answer = self._answer(asked)
        if answer is not None:
            data = encoder.encode(answer)
            await self._sender.to_channel(asked.reply, {"type": "controllers.answer", "data": data})
            await self._send_report()

    def _answer(self, asked: Requeue) -> Answer | None:
        """What to say; None from a worker that does not lead, for the one that does is asked too."""
        manager = self._manager
        if manager is None or not manager.state().leads:
            return None
        problem = refusal(manager.state(), asked.controller, asked.key)
        if problem:
            return Answer(asked.id, done=False, words=problem)
        controller = next(each for each in manager.controllers if each.name == asked.controller)
        controller.requeue(Request.from_key(asked.key))
        logger.info("%s of %s is requeued, asked for by %s", asked.key, asked.controller, asked.by or "the dashboard")
        return Answer(asked.id, done=True)


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."
