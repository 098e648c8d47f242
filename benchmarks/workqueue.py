"""Benchmark of the work queue: keys added, handed out and done a second on one core, compared with asyncio's queues.

    python -m benchmarks.workqueue

Processor time is what counts, so that a busy machine changes little; of several `--rounds` the best one counts.
asyncio.Queue and asyncio.PriorityQueue do less: a key that is added twice is there twice, two workers may have it at
once, and nothing is delayed, limited or counted.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable

import uvloop

from benchmarks.support.result_table import Line, main
from informerd.controller.request import Request
from informerd.workqueue.work_queue import LOW_PRIORITY, WorkQueue

OURS = "informerd: 10,000 keys wait"
WORKERS = 4

Keys = list[Request]
QueueCase = Callable[[Keys], Awaitable[int]]
"""Puts the keys through a queue. Returns how many came out."""


async def drain_backlog(keys: Keys) -> int:
    queue: WorkQueue[Request] = WorkQueue("benchmark")
    for key in keys:
        queue.add(key)
    for _ in keys:
        queue.done(await queue.get())
    return len(keys)


async def one_by_one(keys: Keys) -> int:
    queue: WorkQueue[Request] = WorkQueue("benchmark")
    for key in keys:
        queue.add(key)
        queue.done(await queue.get())
    return len(keys)


async def duplicates(keys: Keys) -> int:
    queue: WorkQueue[Request] = WorkQueue("benchmark")
    for _ in range(3):
        for key in keys:
            queue.add(key)
    for _ in keys:
        queue.done(await queue.get())
    return len(keys)


async def priorities(keys: Keys) -> int:
    queue: WorkQueue[Request] = WorkQueue("benchmark")
    for number, key in enumerate(keys):
        queue.add(key, priority=0 if number % 2 else LOW_PRIORITY)
    for _ in keys:
        queue.done(await queue.get())
    return len(keys)


async def add_delayed(keys: Keys) -> int:
    """Each by the limiter, as after a failure; they become due while others are still added."""
    queue: WorkQueue[Request] = WorkQueue("benchmark")
    for key in keys:
        queue.add_rate_limited(key)
    for _ in keys:
        key = await queue.get()
        queue.forget(key)
        queue.done(key)
    return len(keys)


async def wake_workers(keys: Keys) -> int:
    """Workers wait, and each key wakes one of them."""
    queue: WorkQueue[Request] = WorkQueue("benchmark")

    async def work() -> None:
        for _ in range(len(keys) // WORKERS):
            queue.done(await queue.get())

    workers = [asyncio.create_task(work()) for _ in range(WORKERS)]
    for start in range(0, len(keys), WORKERS):
        await asyncio.sleep(0)
        for key in keys[start : start + WORKERS]:
            queue.add(key)
    await asyncio.gather(*workers)
    return len(keys)


async def asyncio_queue(keys: Keys) -> int:
    queue: asyncio.Queue[Request] = asyncio.Queue()
    for key in keys:
        queue.put_nowait(key)
    for _ in keys:
        await queue.get()
        queue.task_done()
    return len(keys)


async def asyncio_priority_queue(keys: Keys) -> int:
    queue: asyncio.PriorityQueue[tuple[int, int, Request]] = asyncio.PriorityQueue()
    for number, key in enumerate(keys):
        queue.put_nowait((0, number, key))
    for _ in keys:
        await queue.get()
        queue.task_done()
    return len(keys)


CASES: dict[str, QueueCase] = {
    OURS: drain_backlog,
    "informerd: one key at a time": one_by_one,
    "informerd: each key added three times": duplicates,
    "informerd: two priorities": priorities,
    "informerd: each key by the rate limiter": add_delayed,
    f"informerd: {WORKERS} workers that wait": wake_workers,
    "asyncio.Queue: 10,000 keys wait": asyncio_queue,
    "asyncio.PriorityQueue: 10,000 keys wait": asyncio_priority_queue,
}


def keys_a_second(case: QueueCase, keys: Keys, rounds: int) -> float:
    """The best of the rounds."""

    async def once() -> float:
        began = time.process_time()
        count = await case(keys)
        return count / (time.process_time() - began)

    return max(uvloop.run(once()) for _ in range(rounds))


def measure(arguments: argparse.Namespace) -> list[Line]:
    keys = [Request(f"team-{number % 20}", f"web-7d9c-{number:05d}") for number in range(arguments.keys)]
    found: dict[str, float] = {}
    for name, measured in CASES.items():
        print(f"{name} …", file=sys.stderr)
        found[name] = keys_a_second(measured, keys, arguments.rounds)
    return [
        Line(name, {"keys a second": rate, "µs a key": 1e6 / rate}, {"informerd's": f"× {found[OURS] / rate:.2f}"})
        for name, rate in found.items()
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=10_000, help="how many, each added, handed out and done")
    parser.add_argument("--rounds", type=int, default=7)
    return parser


if __name__ == "__main__":
    main("Work queue: add, get and done, on one core", measure, _parser())
