"""Controller whose events and time the test controls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from informerd.controller.controller import Controller
from informerd.controller.reconcile_call import Reconcile
from informerd.controller.request import Request
from informerd.controller.result import Result
from tests.support.clock import FakeClock, run_ready_tasks

A, B, C = (Request("default", name) for name in "abc")


class Script:
    """A reconcile that writes down its requests, and does as it is told for each: give a Result, raise, or await."""

    def __init__(self) -> None:
        self.called: list[Request] = []
        self.answers: dict[Request, Any] = {}

    async def __call__(self, request: Request) -> Result | None:
        self.called.append(request)
        answer = self.answers.get(request)
        if isinstance(answer, BaseException):
            raise answer
        if callable(answer):
            answer = await answer()
        assert answer in (None, True) or isinstance(answer, Result)
        return answer if isinstance(answer, Result) else None

    @property
    def names(self) -> str:
        """The names of the requests, in one word."""
        return "".join(request.name for request in self.called)


@asynccontextmanager
async def running(reconcile: Reconcile, clock: FakeClock, **options: Any) -> AsyncIterator[Controller]:
    """A controller that reconciles; at the end it is stopped."""
    controller = Controller("demo", reconcile, clock=clock, **{"stuck_after": None, **options})
    task = asyncio.create_task(controller.run())
    await run_ready_tasks()
    try:
        yield controller
    finally:
        controller.stop()
        await run_ready_tasks()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
