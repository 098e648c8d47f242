"""Tests of the processes for long computing."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from types import MappingProxyType

import pytest

from dashboard.runtime.work_processes import TookTooLong, WorkProcesses

pytestmark = pytest.mark.slow


@pytest.fixture
async def processes() -> AsyncIterator[WorkProcesses]:
    processes = WorkProcesses(seconds=1)
    yield processes
    processes.stop()


def other_process(parent: int, values: MappingProxyType[str, int]) -> tuple[bool, int]:
    return os.getpid() != parent, values["a"]


def endless() -> None:
    while True:
        pass


def dies() -> None:
    os._exit(7)


async def test_work_is_done_elsewhere_ended_when_its_time_is_used_up_and_other_work_goes_on(
    processes: WorkProcesses,
) -> None:
    assert await processes.run(other_process, os.getpid(), MappingProxyType({"a": 5})) == (True, 5)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.01)

    counting = asyncio.create_task(count())
    with pytest.raises(TookTooLong):
        await processes.run(endless)
    counting.cancel()
    assert turns > 10, "the event loop ran meanwhile"
    with pytest.raises(TookTooLong):
        await processes.run(dies)
    assert (await processes.run(other_process, os.getpid(), MappingProxyType({"a": 6})))[1] == 6
