"""Processes for long computing that note whose work they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from dashboard.runtime.compute_process_pool import NeededTooMuchMemory, WorkProcesses
from dashboard.runtime.concurrency_limit import Owners

T = TypeVar("T")


class NotedWorkProcesses(WorkProcesses):
    """Real ones; where `is_ended` is set all work needs too much memory."""

    def __init__(self) -> None:
        super().__init__()
        self.owners: list[Owners] = []
        self.is_ended = False

    async def run(self, owners: Owners, function: Callable[..., T], *arguments: object) -> T:
        self.owners.append(owners)
        if self.is_ended:
            raise NeededTooMuchMemory
        return await super().run(owners, function, *arguments)
