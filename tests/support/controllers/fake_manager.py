"""Fake of informerd's Manager for the worker of the controllers page."""

from __future__ import annotations

import asyncio
from typing import Any

from informerd.controller.request import Request
from informerd.controller.state import ControllerState
from informerd.manager.state import ManagerState
from tests.support.controllers.report_samples import manager


class FakeController:
    """Fails at keys until they are requeued."""

    def __init__(self, state: ControllerState) -> None:
        self.name = state.name
        self.state = state
        self.requeued: list[str] = []

    def requeue(self, request: Request) -> None:
        self.requeued.append(request.key)


class FakeManager:
    """Stands for an informerd Manager: says what it is told to, ends when it is told to."""

    def __init__(self, *controllers: ControllerState, **changes: Any) -> None:
        self.controllers = [FakeController(each) for each in controllers]
        self.changes = changes
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.running = False

    async def run(self) -> None:
        self.running = True
        try:
            await self.ended
        finally:
            self.running = False

    def state(self) -> ManagerState:
        return manager(*(each.state for each in self.controllers), **self.changes)
