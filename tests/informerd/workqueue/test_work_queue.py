"""Tests of the work queue: each key once, one worker a key, until the end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from informerd.errors import InvalidCall, NotProcessed, QueueShutDown, UnusableKey
from informerd.workqueue.work_queue import LOW_PRIORITY, WorkQueue
from tests.support.clock import FakeClock, run_ready_tasks


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def queue(clock: FakeClock) -> WorkQueue[str]:
    return WorkQueue("test", clock=clock)


async def take_all(queue: WorkQueue[str]) -> list[str]:
    """Everything that waits, each begun and ended."""
    taken = []
    getting = asyncio.ensure_future(queue.get())
    await run_ready_tasks()
    while getting.done():
        taken.append(getting.result())
        queue.done(getting.result())
        getting = asyncio.ensure_future(queue.get())
        await run_ready_tasks()
    getting.cancel()
    await run_ready_tasks()
    return taken


class TestKeys:
    async def test_keys_are_handed_out_in_the_order_in_which_they_came(self, queue: WorkQueue[str]) -> None:
        for key in "abc":
            queue.add(key)
        assert await take_all(queue) == ["a", "b", "c"]

    async def test_a_key_that_waits_is_handed_out_once_however_often_it_is_added(self, queue: WorkQueue[str]) -> None:
        for key in "abaaba":
            queue.add(key)
        assert await take_all(queue) == ["a", "b"]
        assert queue.state().adds == 2

    async def test_a_key_that_is_added_while_it_is_worked_on_runs_once_more_after_it_is_done(
        self, queue: WorkQueue[str]
    ) -> None:
        """client-go's TestReinsert and TestCollapseWhileProcessing."""
        queue.add("a")
        assert await queue.get() == "a"
        for _ in range(3):
            queue.add("a")
        waiting = asyncio.ensure_future(queue.get())
        await run_ready_tasks()
        assert not waiting.done()
        queue.done("a")
        assert await waiting == "a"
        queue.done("a")
        assert await take_all(queue) == []

    async def test_get_does_not_give_up_the_loop_while_keys_wait(self, queue: WorkQueue[str]) -> None:
        queue.add("a")
        with pytest.raises(StopIteration) as stopped:
            queue.get().send(None)
        assert stopped.value.value == "a"

    async def test_every_worker_that_waits_gets_a_key_of_its_own(self, queue: WorkQueue[str]) -> None:
        workers = [asyncio.ensure_future(queue.get()) for _ in range(3)]
        await run_ready_tasks()
        for key in "abc":
            queue.add(key)
        assert await asyncio.gather(*workers) == ["a", "b", "c"]

    async def test_a_worker_that_is_cancelled_loses_no_key_to_the_others(self, queue: WorkQueue[str]) -> None:
        first, second = (asyncio.ensure_future(queue.get()) for _ in range(2))
        await run_ready_tasks()
        queue.add("a")
        first.cancel()
        assert await second == "a"
        assert first.cancelled()

    async def test_a_worker_that_is_being_cancelled_is_passed_over(self, queue: WorkQueue[str]) -> None:
        first, second = (asyncio.ensure_future(queue.get()) for _ in range(2))
        await run_ready_tasks()
        first.cancel()
        queue.add("a")
        assert await second == "a"

    async def test_a_worker_that_is_cancelled_while_nothing_waits_is_not_woken_later(
        self, queue: WorkQueue[str]
    ) -> None:
        first, second = (asyncio.ensure_future(queue.get()) for _ in range(2))
        await run_ready_tasks()
        first.cancel()
        await run_ready_tasks()
        queue.add("a")
        assert await second == "a"


class TestMisuse:
    async def test_a_key_without_a_hash_is_refused(self) -> None:
        queue: WorkQueue[Any] = WorkQueue("pods")
        for use in (queue.add, queue.add_rate_limited, queue.forget, queue.num_requeues, queue.priority_of):
            with pytest.raises(UnusableKey, match=r"\{'name': 'a'\}.*'pods'.*dict has no hash: use a Request"):
                use({"name": "a"})
        with pytest.raises(UnusableKey):
            queue.add_after([], 1)
        assert queue.state().depth == 0

    async def test_done_of_a_key_that_nobody_has_is_refused(self, queue: WorkQueue[str]) -> None:
        queue.add("a")
        for key in ("a", "b"):
            with pytest.raises(NotProcessed, match="call done once for each key that get gave"):
                queue.done(key)
        queue.done(await queue.get())
        with pytest.raises(NotProcessed):
            queue.done("a")
        with pytest.raises(NotProcessed):
            queue.priority_of("a")

    @pytest.mark.parametrize("seconds", [float("nan"), float("inf"), float("-inf"), "5", None])
    async def test_a_delay_that_is_no_number_is_refused(self, queue: WorkQueue[str], seconds: Any) -> None:
        with pytest.raises(InvalidCall, match=r"a cannot be added to the work queue 'test' after .* a finite number"):
            queue.add_after("a", seconds)

    @pytest.mark.parametrize("priority", [float("nan"), 0.5, "high"])
    async def test_a_priority_that_is_no_whole_number_is_refused(self, queue: WorkQueue[str], priority: Any) -> None:
        with pytest.raises(InvalidCall, match="is not a priority: give a whole number"):
            queue.add("a", priority=priority)
        with pytest.raises(InvalidCall):
            queue.add_after("a", 1, priority=priority)
        assert queue.state().depth == queue.state().delayed == 0

    def test_a_delay_outside_an_event_loop_is_refused(self, queue: WorkQueue[str]) -> None:
        with pytest.raises(InvalidCall, match=r"loop.call_soon_threadsafe"):
            queue.add_after("a", 1)

    async def test_waking_a_worker_from_another_thread_is_refused(self, queue: WorkQueue[str]) -> None:
        worker = asyncio.ensure_future(queue.get())
        await run_ready_tasks()
        with pytest.raises(InvalidCall, match=r"outside its event loop.*loop.call_soon_threadsafe"):
            await asyncio.to_thread(queue.add, "a")
        queue.add("b")
        assert await worker == "a"


class TestPriorities:
    async def test_higher_priorities_go_first_and_within_one_the_first_that_came(self, queue: WorkQueue[str]) -> None:
        for key, priority in (("a", 0), ("low", LOW_PRIORITY), ("b", 0), ("high", 5), ("higher", 7), ("c", 0)):
            queue.add(key, priority=priority)
        assert await take_all(queue) == ["higher", "high", "a", "b", "c", "low"]

    async def test_a_key_that_is_added_with_a_higher_priority_moves_up_and_goes_last_there(
        self, queue: WorkQueue[str]
    ) -> None:
        queue.add("a", priority=LOW_PRIORITY)
        queue.add("b", priority=LOW_PRIORITY)
        queue.add("c")
        queue.add("a")
        assert await take_all(queue) == ["c", "a", "b"]

    async def test_a_lower_or_the_same_priority_changes_nothing(self, queue: WorkQueue[str]) -> None:
        queue.add("a")
        queue.add("b")
        queue.add("a", priority=LOW_PRIORITY)
        queue.add("a", priority=0)
        assert await take_all(queue) == ["a", "b"]

    async def test_a_key_added_while_it_is_worked_on_keeps_the_highest_priority_that_it_was_added_with(
        self, queue: WorkQueue[str]
    ) -> None:
        queue.add("a")
        await queue.get()
        for priority in (LOW_PRIORITY, 3, 1):
            queue.add("a", priority=priority)
        queue.add("b", priority=2)
        queue.done("a")
        assert await queue.get() == "a"
        assert queue.priority_of("a") == 3

    async def test_a_requeue_keeps_the_priority(self, queue: WorkQueue[str], clock: FakeClock) -> None:
        queue.add("a", priority=4)
        await queue.get()
        queue.add_rate_limited("a")
        queue.done("a")
        await clock.advance(1)
        await queue.get()
        assert queue.priority_of("a") == 4
        queue.add_after("a", 5)
        queue.done("a")
        await clock.advance(5)
        await queue.get()
        assert queue.priority_of("a") == 4

    async def test_a_requeue_may_set_another_priority(self, queue: WorkQueue[str], clock: FakeClock) -> None:
        queue.add("a", priority=4)
        await queue.get()
        queue.add_rate_limited("a", priority=-1)
        queue.done("a")
        await clock.advance(1)
        await queue.get()
        assert queue.priority_of("a") == -1

    async def test_many_priorities_that_come_and_go_leave_nothing_behind(self, queue: WorkQueue[str]) -> None:
        for priority in range(1000):
            queue.add("a", priority=priority)
            queue.done(await queue.get())
        assert len(queue._ready._levels) == len(queue._ready._ranked) <= 17


class TestDelays:
    @pytest.mark.parametrize("seconds", [0, -1])
    async def test_a_delay_of_nothing_is_now(self, queue: WorkQueue[str], seconds: float) -> None:
        queue.add_after("a", seconds)
        assert queue.state().depth == 1

    async def test_a_delayed_key_comes_at_its_time_and_not_before(
        self, queue: WorkQueue[str], clock: FakeClock
    ) -> None:
        queue.add_after("a", 10)
        await clock.advance(9)
        assert (queue.state().depth, queue.state().delayed) == (0, 1)
        await clock.advance(1)
        assert (queue.state().depth, queue.state().delayed) == (1, 0)
        assert await take_all(queue) == ["a"]

    async def test_of_several_delays_of_a_key_the_earliest_wins(self, queue: WorkQueue[str], clock: FakeClock) -> None:
        """client-go's TestDeduping of the delaying queue."""
        queue.add_after("a", 50)
        queue.add_after("a", 70)
        await clock.advance(60)
        assert await take_all(queue) == ["a"]
        await clock.advance(20)
        assert await take_all(queue) == []
        queue.add_after("a", 50)
        queue.add_after("a", 30)
        await clock.advance(40)
        assert await take_all(queue) == ["a"]
        await clock.advance(20)
        assert await take_all(queue) == []

    async def test_keys_that_become_due_come_in_the_order_of_their_times(
        self, queue: WorkQueue[str], clock: FakeClock
    ) -> None:
        for key, seconds in (("c", 3), ("a", 1), ("b", 2), ("d", 3), ("c", 3)):
            queue.add_after(key, seconds)
        await clock.advance(5)
        assert await take_all(queue) == ["a", "b", "c", "d"]

    async def test_one_timer_does_for_all_keys(self, queue: WorkQueue[str], clock: FakeClock) -> None:
        for number in range(100):
            queue.add_after(str(number), 100 - number)
        await run_ready_tasks()
        assert clock.pending_sleeps == [1]
        await clock.advance(50)
        assert queue.state().depth == 50
        assert clock.pending_sleeps == [1]

    async def test_a_key_that_is_added_for_now_is_not_due_later_too(
        self, queue: WorkQueue[str], clock: FakeClock
    ) -> None:
        queue.add_after("a", 10, priority=2)
        queue.add("a")
        assert await queue.get() == "a"
        assert queue.priority_of("a") == 2
        queue.done("a")
        await clock.advance(10)
        assert await take_all(queue) == []

    async def test_a_key_that_waits_already_is_not_due_later_too_but_moves_up(
        self, queue: WorkQueue[str], clock: FakeClock
    ) -> None:
        queue.add("a")
        queue.add("b")
        queue.add_after("b", 10, priority=1)
        assert await take_all(queue) == ["b", "a"]
        await clock.advance(10)
        assert await take_all(queue) == []

    async def test_a_delay_asked_for_while_the_key_is_worked_on_counts(
        self, queue: WorkQueue[str], clock: FakeClock
    ) -> None:
        queue.add("a")
        await queue.get()
        queue.add_after("a", 10)
        await clock.advance(10)
        assert queue.state().depth == 1
        queue.done("a")
        assert await take_all(queue) == ["a"]

    async def test_a_delay_that_was_overtaken_is_not_taken_for_a_later_one(
        self, queue: WorkQueue[str], clock: FakeClock
    ) -> None:
        queue.add_after("a", 5)
        queue.add("a")
        queue.done(await queue.get())
        queue.add_after("a", 10)
        await clock.advance(9)
        assert queue.state().depth == 0
        await clock.advance(1)
        assert queue.state().depth == 1

    async def test_of_several_delays_of_a_key_the_highest_priority_wins(
        self, queue: WorkQueue[str], clock: FakeClock
    ) -> None:
        for key, delays in (("a", ((5, 3), (2, 1))), ("b", ((2, 1), (5, 3)))):
            for seconds, priority in delays:
                queue.add_after(key, seconds, priority=priority)
        await clock.advance(2)
        assert {key: queue.priority_of(key) for key in (await queue.get(), await queue.get())} == {"a": 3, "b": 3}

    async def test_what_is_overtaken_again_and_again_does_not_pile_up(
        self, queue: WorkQueue[str], clock: FakeClock
    ) -> None:
        for _ in range(1000):
            queue.add_after("a", 1000)
            queue.add("a")
            queue.done(await queue.get())
        assert len(queue._delayed._heap) <= 65

    async def test_a_delay_of_many_days_is_slept_in_pieces(self, queue: WorkQueue[str], clock: FakeClock) -> None:
        queue.add_after("a", 1e6)
        await run_ready_tasks()
        assert clock.pending_sleeps == [86400]
        await clock.advance(1e6 - 1)
        assert queue.state().depth == 0
        await clock.advance(1)
        assert queue.state().depth == 1


class TestRateLimits:
    async def test_a_key_waits_longer_with_each_failure_until_it_is_forgotten(
        self, queue: WorkQueue[str], clock: FakeClock
    ) -> None:
        assert [queue.add_rate_limited("a") for _ in range(3)] == [0.005, 0.01, 0.02]
        assert queue.num_requeues("a") == 3
        queue.forget("a")
        assert queue.num_requeues("a") == 0
        assert queue.add_rate_limited("a") == 0.005
        await clock.advance(0.005)
        assert await take_all(queue) == ["a"]


class TestShutDown:
    async def test_what_waits_is_still_handed_out_and_then_the_workers_end(self, queue: WorkQueue[str]) -> None:
        queue.add("a")
        queue.add("c")
        queue.shut_down()
        queue.add("b")
        queue.add("c", priority=1)
        assert queue.is_shut_down
        assert [await queue.get(), await queue.get()] == ["a", "c"]
        with pytest.raises(QueueShutDown, match="'test' is shut down and empty: end the worker"):
            await queue.get()

    async def test_workers_that_wait_are_told(self, queue: WorkQueue[str]) -> None:
        workers = [asyncio.ensure_future(queue.get()) for _ in range(3)]
        await run_ready_tasks()
        queue.shut_down()
        answers = await asyncio.gather(*workers, return_exceptions=True)
        assert [type(answer) for answer in answers] == [QueueShutDown] * 3

    async def test_what_is_not_due_is_dropped(self, queue: WorkQueue[str], clock: FakeClock) -> None:
        queue.add_after("a", 10)
        queue.shut_down()
        queue.add_after("b", 10)
        queue.add_rate_limited("c")
        await clock.advance(20)
        assert clock.pending_sleeps == []
        assert queue.state().delayed == queue.state().depth == 0

    async def test_a_drain_waits_until_nothing_is_worked_on(self, queue: WorkQueue[str]) -> None:
        """client-go's TestQueueDrainageUsingShutDownWithDrain."""
        queue.add("a")
        queue.add("b")
        first, second = await queue.get(), await queue.get()
        draining = asyncio.ensure_future(queue.drain())
        await run_ready_tasks()
        queue.done(first)
        await run_ready_tasks()
        assert not draining.done()
        queue.done(second)
        await draining
        with pytest.raises(QueueShutDown):
            await queue.get()

    async def test_a_drain_waits_for_what_waits(self, queue: WorkQueue[str]) -> None:
        queue.add("a")
        queue.add("b")
        draining = asyncio.ensure_future(queue.drain())
        await run_ready_tasks()
        queue.done(await queue.get())
        await run_ready_tasks()
        assert not draining.done()
        queue.done(await queue.get())
        await draining

    async def test_a_drain_waits_for_what_was_added_again_while_it_was_worked_on(self, queue: WorkQueue[str]) -> None:
        """client-go's TestQueueDrainageUsingShutDownWithDrainWithDirtyItem."""
        queue.add("a")
        await queue.get()
        queue.add("a")
        draining = asyncio.ensure_future(queue.drain())
        await run_ready_tasks()
        queue.done("a")
        await run_ready_tasks()
        assert not draining.done()
        assert await queue.get() == "a"
        queue.done("a")
        await draining
        with pytest.raises(QueueShutDown):
            await queue.get()

    async def test_nothing_to_wait_for_ends_a_drain_at_once(self, queue: WorkQueue[str]) -> None:
        await queue.drain()
        assert queue.is_shut_down

    async def test_a_drain_ends_when_the_queue_is_shut_down_again(self, queue: WorkQueue[str]) -> None:
        """client-go's TestForceQueueShutdownUsingShutDown: the second signal."""
        queue.add("a")
        await queue.get()
        drains = [asyncio.ensure_future(queue.drain()) for _ in range(2)]
        await run_ready_tasks()
        queue.shut_down()
        await asyncio.gather(*drains)

    async def test_a_drain_may_be_cancelled(self, queue: WorkQueue[str]) -> None:
        queue.add("a")
        await queue.get()
        draining = asyncio.ensure_future(queue.drain())
        await run_ready_tasks()
        draining.cancel()
        await run_ready_tasks()
        queue.done("a")
        await queue.drain()


class TestState:
    async def test_it_says_what_waits_and_what_is_worked_on_and_since_when(
        self, queue: WorkQueue[str], clock: FakeClock
    ) -> None:
        queue.add("a")
        await clock.advance(1)
        queue.add("b")
        queue.add_after("c", 100)
        await queue.get()
        await clock.advance(2)
        state = queue.state()
        assert (state.depth, state.delayed, state.processing) == (1, 1, 1)
        assert (state.oldest_key, state.oldest_seconds) == ("b", 2)
        assert (state.longest_key, state.longest_seconds, state.unfinished_seconds) == ("a", 2, 2)
        assert (state.adds, state.retries) == (2, 1)

    async def test_of_an_empty_queue_it_says_nothing(self, queue: WorkQueue[str]) -> None:
        state = queue.state()
        assert (state.depth, state.oldest_key, state.oldest_seconds) == (0, "", 0)
        assert (state.processing, state.longest_key, state.longest_seconds, state.unfinished_seconds) == (0, "", 0, 0)

    async def test_what_a_key_waited_and_took_is_counted(self, queue: WorkQueue[str], clock: FakeClock) -> None:
        queue.add("a")
        await clock.advance(5)
        await queue.get()
        await clock.advance(0.5)
        queue.done("a")
        assert (queue.counters.latency.sum, queue.counters.work.sum) == (5, 0.5)
