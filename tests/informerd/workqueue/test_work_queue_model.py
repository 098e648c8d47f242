"""Tests of the work queue against a slow, plain model, in histories from hypothesis."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Literal, NamedTuple

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from informerd.errors import QueueShutDown
from informerd.workqueue.work_queue import WorkQueue
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.long_tests import examples

WORKERS = 3

KEYS = st.sampled_from("aaabbbccd")
PRIORITIES = st.sampled_from([0, 0, 0, -100, 1, 7])
SECONDS = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.0, 2.0, 5.0, 1000.0])


class Step(NamedTuple):
    """What somebody does; a step that cannot be done, such as done without a key that is worked on, is left out."""

    what: Literal["add", "add_after", "requeue", "get", "cancel", "done", "advance", "shut_down", "drain"]
    key: str = ""
    priority: int = 0
    seconds: float = 0.0


STEPS = st.one_of(
    st.builds(Step, st.just("add"), KEYS, PRIORITIES),
    st.builds(Step, st.just("add_after"), KEYS, PRIORITIES, SECONDS),
    st.builds(Step, st.just("requeue"), KEYS, st.just(0), SECONDS),
    st.builds(Step, st.just("get")),
    st.builds(Step, st.just("get")),
    st.builds(Step, st.just("cancel")),
    st.builds(Step, st.just("done"), KEYS),
    st.builds(Step, st.just("done"), KEYS),
    st.builds(Step, st.just("advance"), st.just(""), st.just(0), SECONDS.filter(lambda seconds: seconds > 0)),
)
ENDS = st.sampled_from([Step("shut_down"), Step("drain")])


class Waiting(msgspec.Struct):
    priority: int
    number: int


class Due(msgspec.Struct):
    at: float
    number: int
    priority: int


class Model:
    """What the queue is to do. `handed` is every key that it gives to a worker, in order."""

    def __init__(self, now: float) -> None:
        self.now = now
        self.ready: dict[str, Waiting] = {}
        self.again: dict[str, int] = {}
        self.processing: dict[str, int] = {}
        self.delayed: dict[str, Due] = {}
        self.closed = False
        self.idle = 0
        """Workers that wait in `get`."""
        self.handed: list[str] = []
        self._numbers = iter(range(10**9))

    def add(self, key: str, priority: int) -> None:
        waiting = self.ready.get(key)
        if self.closed:
            return
        if waiting:
            if priority > waiting.priority:
                self.ready[key] = Waiting(priority, next(self._numbers))
        elif key in self.again:
            self.again[key] = max(priority, self.again[key])
        else:
            due = self.delayed.pop(key, None)
            priority = max(priority, due.priority) if due else priority
            if key in self.processing:
                self.again[key] = priority
            else:
                self.ready[key] = Waiting(priority, next(self._numbers))

    def add_after(self, key: str, seconds: float, priority: int) -> None:
        if seconds <= 0 or key in self.ready or key in self.again:
            self.add(key, priority)
        elif not self.closed:
            due = self.delayed.get(key)
            sooner = Due(self.now + seconds, next(self._numbers), priority)
            if due:
                sooner = sooner if sooner.at < due.at else due
                sooner.priority = max(priority, due.priority)
            self.delayed[key] = sooner

    def done(self, key: str) -> None:
        del self.processing[key]
        if key in self.again:
            self.ready[key] = Waiting(self.again.pop(key), next(self._numbers))

    def advance(self, seconds: float) -> None:
        end = self.now + seconds
        while moments := [due.at for due in self.delayed.values() if due.at <= end]:
            self.now = min(moments)
            now_due = sorted((due.number, key) for key, due in self.delayed.items() if due.at == self.now)
            for _, key in now_due:
                self.add(key, self.delayed[key].priority)
            self.hand_out()
        self.now = end

    def close(self) -> None:
        self.closed = True
        self.delayed.clear()

    def hand_out(self) -> None:
        """Give the workers that wait what they may have; after the end they go home."""
        while self.idle and self.ready:
            key = min(self.ready, key=lambda each: (-self.ready[each].priority, self.ready[each].number))
            self.processing[key] = self.ready.pop(key).priority
            self.handed.append(key)
            self.idle -= 1
        if self.closed:
            self.idle = 0


class Trial:
    """A queue and its model, which are told the same."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.queue: WorkQueue[str] = WorkQueue("trial", clock=self.clock)
        self.model = Model(self.clock.now())
        self.handed: list[str] = []
        self.workers: deque[asyncio.Task[None]] = deque()
        self.drain: asyncio.Task[None] | None = None

    async def take(self, step: Step) -> None:
        getattr(self, f"_{step.what}")(step)
        if step.what == "advance":
            await self.clock.advance(step.seconds)
        await run_ready_tasks(5)
        self.model.hand_out()
        self.check()

    def check(self) -> None:
        model, state = self.model, self.queue.state()
        assert self.handed == model.handed
        assert state.depth == len(model.ready) + len(model.again)
        assert (state.delayed, state.processing) == (len(model.delayed), len(model.processing))
        assert {key: self.queue.priority_of(key) for key in model.processing} == model.processing
        assert self.queue._ready.count == len(model.ready)
        assert sum(not worker.done() for worker in self.workers) == model.idle
        assert bool(model.delayed) <= len(self.clock.pending_sleeps) <= 1
        if self.drain:
            assert self.drain.done() == (not (model.ready or model.again or model.processing))

    async def end(self) -> None:
        """Every worker goes on until it is sent home."""
        while self.model.processing or self.model.ready:
            for key in [*self.model.processing]:
                await self.take(Step("done", key))
            await self.take(Step("get"))
        await self.take(Step("get"))
        assert all(worker.done() for worker in self.workers)

    async def _work(self) -> None:
        try:
            self.handed.append(await self.queue.get())
        except QueueShutDown:
            assert self.queue.is_shut_down

    def _add(self, step: Step) -> None:
        self.queue.add(step.key, priority=step.priority)
        self.model.add(step.key, step.priority)

    def _add_after(self, step: Step) -> None:
        self.queue.add_after(step.key, step.seconds, priority=step.priority)
        self.model.add_after(step.key, step.seconds, step.priority)

    def _requeue(self, step: Step) -> None:
        self.queue.add_after(step.key, step.seconds)
        self.model.add_after(step.key, step.seconds, self.model.processing.get(step.key, 0))

    def _get(self, _: Step) -> None:
        if self.model.idle + len(self.model.processing) < WORKERS:
            self.workers.append(asyncio.create_task(self._work()))
            self.model.idle += 1

    def _cancel(self, _: Step) -> None:
        waiting = [worker for worker in self.workers if not worker.done()]
        if waiting:
            waiting[0].cancel()
            self.model.idle -= 1

    def _done(self, step: Step) -> None:
        if step.key in self.model.processing:
            self.queue.done(step.key)
            self.model.done(step.key)

    def _advance(self, step: Step) -> None:
        self.model.advance(step.seconds)

    def _shut_down(self, _: Step) -> None:
        self.queue.shut_down()
        self.model.close()

    def _drain(self, _: Step) -> None:
        self.drain = asyncio.create_task(self.queue.drain())
        self.model.close()


@pytest.mark.slow
@settings(max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.lists(STEPS, min_size=5, max_size=60), ENDS, st.lists(STEPS, max_size=8))
def test_in_any_history_keys_are_handed_out_as_the_model_says(before: list[Step], end: Step, after: list[Step]) -> None:
    async def trial() -> None:
        trial = Trial()
        for step in [*before, end, *after]:
            await trial.take(step)
        await trial.end()

    asyncio.run(trial())


@pytest.mark.slow
@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.lists(st.tuples(KEYS, PRIORITIES, SECONDS), min_size=1, max_size=40))
def test_whatever_several_workers_take_no_two_have_the_same_key_and_none_is_lost(
    adds: list[tuple[str, int, float]],
) -> None:
    """Here workers run by themselves, and hold a key for a while."""

    async def trial() -> None:
        clock = FakeClock()
        queue: WorkQueue[str] = WorkQueue("trial", clock=clock)
        held: set[str] = set()
        seen: dict[str, float] = {}

        async def work() -> None:
            while True:
                try:
                    key = await queue.get()
                except QueueShutDown:
                    return
                assert key not in held
                held.add(key)
                seen[key] = clock.now()
                await clock.sleep(0.7)
                held.remove(key)
                queue.done(key)

        workers = [asyncio.create_task(work()) for _ in range(WORKERS)]
        added: dict[str, float] = {}
        for key, priority, seconds in adds:
            queue.add_after(key, seconds, priority=priority)
            added[key] = clock.now()
            await clock.advance(0.3)
        await clock.advance(1001)
        await clock.advance(60)
        assert {key: seen.get(key, 0) >= at for key, at in added.items()} == dict.fromkeys(added, True)
        await queue.drain()
        await asyncio.gather(*workers)

    asyncio.run(trial())
