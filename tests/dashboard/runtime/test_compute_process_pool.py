"""Tests of the processes for long computing."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import MappingProxyType

import pytest

from dashboard.objects.manifests.document import DocumentError
from dashboard.runtime.compute_process_pool import (
    LONG_TEXT,
    MEMORY,
    NeededTooMuchMemory,
    TookTooLong,
    WorkEnded,
    WorkProcesses,
)
from tests.support.clock import run_ready_tasks
from tests.support.wait import eventually

pytestmark = pytest.mark.slow


ADA, BOB = ("user ada",), ("user bob",)


@pytest.fixture
async def processes() -> AsyncIterator[WorkProcesses]:
    processes = WorkProcesses(seconds=1)
    yield processes
    processes.stop()


def other_process(parent: int, values: MappingProxyType[str, int]) -> tuple[bool, int]:
    return os.getpid() != parent, values["a"]


def process_id() -> int:
    return os.getpid()


def endless() -> None:
    while True:
        pass


def dies() -> None:
    os._exit(7)


def is_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def allocates() -> int:
    return len(bytearray(2 * MEMORY))


def fails() -> None:
    raise DocumentError("It is wrong.", 3, 4)


def lock() -> object:
    return threading.Lock()


def appends(path: str, line: str) -> None:
    with Path(path).open("a") as file:
        file.write(f"{line}\n")


def waits(path: str) -> None:
    """Until a file is there."""
    appends(f"{path}.begun", "begun")
    while not Path(path).exists():
        time.sleep(0.01)


@pytest.mark.long
async def test_work_is_done_elsewhere_ended_when_its_time_is_used_up_and_other_work_goes_on(
    processes: WorkProcesses,
) -> None:
    assert await processes.run(ADA, other_process, os.getpid(), MappingProxyType({"a": 5})) == (True, 5)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.01)

    counting = asyncio.create_task(count())
    with pytest.raises(TookTooLong, match="takes too long"):
        await processes.run(ADA, endless)
    counting.cancel()
    assert turns > 10, "the event loop ran meanwhile"
    assert (await processes.run(ADA, other_process, os.getpid(), MappingProxyType({"a": 6})))[1] == 6


@pytest.mark.parametrize(
    ("work", "reason", "words"),
    [
        pytest.param(is_killed, NeededTooMuchMemory, "too much memory", marks=pytest.mark.long),
        (allocates, NeededTooMuchMemory, "too much memory"),
        (dies, WorkEnded, "the process for it ended"),
    ],
)
async def test_work_whose_process_ends_says_why_and_the_next_has_another_process(
    processes: WorkProcesses, work: Callable[[], None], reason: type[WorkEnded], words: str
) -> None:
    first = await processes.run(ADA, process_id)
    with pytest.raises(WorkEnded, match=words) as found:
        await processes.run(ADA, work)
    assert type(found.value) is reason
    assert await processes.run(ADA, process_id) != first


async def test_exceptions_of_the_work_come_back_and_its_process_goes_on(processes: WorkProcesses) -> None:
    first = await processes.run(ADA, process_id)
    with pytest.raises(DocumentError, match="It is wrong") as error:
        await processes.run(ADA, fails)
    assert (error.value.line, error.value.column) == (3, 4)
    with pytest.raises(TypeError, match="pickle"):
        await processes.run(ADA, lock)
    assert await processes.run(ADA, process_id) == first


async def test_owners_take_turns_whoever_has_more_work(processes: WorkProcesses, tmp_path: Path) -> None:
    gate, done = str(tmp_path / "gate"), str(tmp_path / "done")
    first = asyncio.create_task(processes.run(ADA, waits, gate))
    await eventually((tmp_path / "gate.begun").exists, what="the first work has begun")
    more = [asyncio.create_task(processes.run(ADA, appends, done, f"ada {number}")) for number in range(4)]
    await run_ready_tasks()
    more += [asyncio.create_task(processes.run(BOB, appends, done, f"bob {number}")) for number in range(2)]
    await run_ready_tasks()
    await asyncio.to_thread(Path(gate).touch)
    await asyncio.gather(first, *more)
    assert (await asyncio.to_thread(Path(done).read_text)).splitlines() == [
        "ada 0",
        "bob 0",
        "ada 1",
        "bob 1",
        "ada 2",
        "ada 3",
    ]


async def test_work_ends_with_its_caller(processes: WorkProcesses, tmp_path: Path) -> None:
    work = asyncio.create_task(processes.run(ADA, waits, str(tmp_path / "gate")))
    await eventually((tmp_path / "gate.begun").exists, what="the work has begun")
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert await processes.run(BOB, other_process, os.getpid(), MappingProxyType({"a": 1})) == (True, 1)


async def test_only_long_texts_need_a_process(processes: WorkProcesses) -> None:
    assert await processes.run_if_long(ADA, process_id, size=LONG_TEXT) == os.getpid()
    assert await processes.run_if_long(ADA, process_id, size=LONG_TEXT + 1) != os.getpid()
