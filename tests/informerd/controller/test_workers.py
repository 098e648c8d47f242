"""Tests of workers: their number, their requests, and their end."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from informerd.controller.controller import Controller
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import AlreadyStarted, InvalidCall
from informerd.workqueue.rate_limiter import ExponentialRateLimiter
from informerd.workqueue.work_queue import LOW_PRIORITY
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import A, B, C, Script, running

MANY = [Request("default", f"n{number}") for number in range(10_000)]


class Gate:
    """A reconcile that holds each request until it is let through, and knows who is inside."""

    def __init__(self) -> None:
        self.inside: Counter[Request] = Counter()
        self.most = 0
        self.most_of_one = 0
        self.ended: list[Request] = []
        self.cancelled: list[Request] = []
        self.open = asyncio.Event()

    async def __call__(self, request: Request) -> None:
        self.inside[request] += 1
        self.most = max(self.most, self.inside.total())
        self.most_of_one = max(self.most_of_one, self.inside[request])
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled.append(request)
            raise
        finally:
            self.inside[request] -= 1
        self.ended.append(request)


@pytest.mark.parametrize("workers", [1, 2, 5])
async def test_so_many_are_reconciled_at_once_as_there_are_workers(clock: FakeClock, workers: int) -> None:
    gate = Gate()
    async with running(gate, clock, workers=workers) as controller:
        for request in MANY[:20]:
            controller.requeue(request)
        await run_ready_tasks()
        assert (gate.most, controller.active, controller.state().active) == (workers, workers, workers)
        gate.open.set()
        await run_ready_tasks(50)
        assert Counter(gate.ended) == Counter(MANY[:20])


async def test_no_two_workers_are_ever_at_one_request_and_one_that_comes_again_is_reconciled_once_more(
    clock: FakeClock,
) -> None:
    gate = Gate()
    async with running(gate, clock, workers=4) as controller:
        for _ in range(3):
            for _ in range(5):
                controller.requeue(A)
            await run_ready_tasks()
        assert gate.inside[A] == 1
        gate.open.set()
        await run_ready_tasks()
        assert gate.ended == [A, A]
        assert gate.most_of_one == 1


async def test_a_poison_key_raises_while_the_others_go_on(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = KeyError("poison")
    async with running(script, clock, workers=2) as controller:
        for _ in range(10):
            for request in (A, B, C):
                controller.requeue(request)
            await run_ready_tasks()
        assert Counter(script.called) == {A: 10, B: 10, C: 10}
        assert [failed.key for failed in controller.state().failed] == ["default/a"]


async def test_ten_thousand_keys_are_each_reconciled_once_while_the_event_loop_has_its_turns(clock: FakeClock) -> None:
    script = Script()
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while len(script.called) < len(MANY):
            turns += 1
            await asyncio.sleep(0)

    async with running(script, clock, workers=4) as controller:
        for request in MANY:
            controller.requeue(request)
        await count_turns()
        assert Counter(script.called) == Counter(MANY)
        assert turns >= 20
        assert controller.state().reconciles == {"success": 10_000}


async def test_a_requeue_keeps_its_priority_unless_the_result_gives_another(clock: FakeClock) -> None:
    script = Script()
    script.answers |= {A: OSError("x"), B: Result(requeue_after=0.005), C: Result(requeue_after=0.005, priority=7)}
    gate = Request("default", "gate")
    async with running(script, clock) as controller:
        for request in (A, B, C):
            controller.queue.add(request, priority=LOW_PRIORITY)
        await run_ready_tasks()
        priorities: dict[Request, int] = {}

        async def look() -> None:
            """While the only worker is here, the others wait."""
            script.answers = dict.fromkeys((A, B, C))
            await clock.advance(0.0051)
            for each in (A, B, C):
                script.answers[each] = lambda each=each: note(each)

        async def note(request: Request) -> None:
            priorities[request] = controller.queue.priority_of(request)

        script.answers[gate] = look
        controller.requeue(gate)
        await run_ready_tasks(60)
        assert priorities == {A: LOW_PRIORITY, B: LOW_PRIORITY, C: 7}
        assert script.names.endswith("gatecab")


async def test_a_raised_item_goes_last_within_its_new_priority(clock: FakeClock) -> None:
    """The reference's test of that name."""
    script = Script()
    gate = Gate()
    script.answers[Request("", "gate")] = lambda: gate(A)
    async with running(script, clock) as controller:
        controller.requeue(Request("", "gate"))
        await run_ready_tasks()
        controller.requeue(A, priority=LOW_PRIORITY)
        controller.requeue(B)
        controller.requeue(C)
        controller.requeue(A)
        gate.open.set()
        await run_ready_tasks()
        assert script.names == "gatebca"


async def test_requeue_now_skips_the_wait_for_the_next_try(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = Result(requeue_after=3600)
    async with running(script, clock) as controller:
        controller.requeue(A)
        await run_ready_tasks()
        controller.requeue(A)
        await run_ready_tasks()
        assert script.called == [A, A]
        assert controller.state().queue.delayed == 1
        with pytest.raises(InvalidCall, match=r"'default/a' is not a Request: write Request\(namespace, name\)"):
            controller.requeue("default/a")  # type: ignore[arg-type]


async def test_stopped_it_waits_for_what_is_under_way_and_begins_nothing_more(clock: FakeClock) -> None:
    gate = Gate()
    controller = Controller("demo", gate, workers=2, clock=clock)
    run = asyncio.create_task(controller.run())
    for request in (A, B, C):
        controller.requeue(request)
    await run_ready_tasks()
    controller.stop()
    controller.stop()
    controller.requeue(Request("default", "late"))
    await run_ready_tasks()
    assert (run.done(), controller.state().phase) == (False, "stopping")
    gate.open.set()
    await run
    assert gate.ended == [A, B]
    assert controller.phase == "stopped"
    assert clock.pending_sleeps == []


async def test_cancelled_it_cancels_what_is_under_way_and_waits_for_its_end(clock: FakeClock) -> None:
    gate = Gate()
    controller = Controller("demo", gate, workers=2, clock=clock)
    run = asyncio.create_task(controller.run())
    for request in (A, B, C):
        controller.requeue(request)
    await run_ready_tasks()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert sorted(gate.cancelled) == [A, B]
    assert gate.inside.total() == 0
    assert controller.phase == "stopped"
    assert controller.counters.outcomes.total() == 0
    assert {task for task in asyncio.all_tasks() if "demo" in task.get_name()} == set()


async def test_a_loop_that_is_closed_under_it_fails_no_request_and_begins_no_other(clock: FakeClock) -> None:
    gate = Gate()
    controller = Controller("demo", gate, workers=2, clock=clock)
    run = asyncio.create_task(controller.run())
    for request in MANY[:10]:
        controller.requeue(request)
    await run_ready_tasks()
    for task in asyncio.all_tasks():  # as asyncio.run cancels what is left, here the workers first
        if task.get_name().startswith("worker"):
            task.cancel()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert sorted(gate.cancelled) == sorted(MANY[:2])
    assert controller.counters.outcomes.total() == 0


async def test_a_reconcile_that_takes_no_cancellation_is_its_workers_last(clock: FakeClock) -> None:
    async def stubborn(request: Request) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)

    controller = Controller("demo", stubborn, clock=clock)
    run = asyncio.create_task(controller.run())
    controller.requeue(A)
    controller.requeue(B)
    await run_ready_tasks()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert controller.counters.outcomes == {"success": 1}


async def test_a_controller_runs_once(clock: FakeClock) -> None:
    async with running(Script(), clock) as controller:
        with pytest.raises(AlreadyStarted, match="the controller demo was started before"):
            await controller.run()
        assert controller.phase == "running"


async def test_one_that_is_stopped_before_it_runs_ends_at_once(clock: FakeClock) -> None:
    script = Script()
    controller = Controller("demo", script, clock=clock)
    controller.requeue(A)
    controller.stop()
    await controller.run()
    assert (controller.phase, script.called) == ("stopped", [])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"name": ""}, "a controller needs a name, for logs and metrics, not ''"),
        ({"workers": 0}, "the controller demo has workers=0: give a whole number, at least 1"),
        ({"workers": 1.5}, "give a whole number"),
        ({"sync_timeout": -1}, "the controller demo has sync_timeout=-1: give seconds, more than 0, or None"),
        ({"reconcile_timeout": 0}, "give seconds"),
        ({"stuck_after": "soon"}, "give seconds"),
        ({"sources": [Script]}, "is not a source: KindSource"),
        ({"sources": ["pods"]}, "'pods' is not a source"),
        ({"sources": Script()}, "give a list, such as [KindSource(informer)]"),
        ({"limiter": ExponentialRateLimiter}, "give one, such as ExponentialRateLimiter()"),
        ({"limiter": 5}, "the controller demo has limiter=5"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_what_a_controller_cannot_be_made_of_is_refused_with_what_to_give(
    options: dict[str, object], sentence: str
) -> None:
    with pytest.raises(InvalidCall) as caught:
        Controller(**{"name": "demo", "reconcile": Script(), **options})  # type: ignore[arg-type]
    assert sentence in str(caught.value)
