"""Tests of sources: the path of an event into the queue, with any exception on it."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest

from informerd.cache.shared_informer import SharedInformer
from informerd.controller.enqueuer import Enqueuer, EnqueueTarget
from informerd.controller.events import Created, GenericEvent, ObjectEvent, Updated
from informerd.controller.handlers import EnqueueHandler, EnqueueMapped, EnqueueObject
from informerd.controller.predicates import GenerationChanged, Predicate, predicate
from informerd.controller.request import Request
from informerd.controller.sources import ChannelSource, KindSource
from informerd.errors import InvalidCall
from informerd.objects import Object
from informerd.workqueue.work_queue import LOW_PRIORITY, WorkQueue
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import A, B, Script, running
from tests.support.informerd.create_update_delete_events import obj, updated


class Taken:
    """A queue that writes down what is added, with its priority."""

    def __init__(self) -> None:
        self.items: list[tuple[Request, int]] = []

    def add(self, item: Request, *, priority: int = 0) -> None:
        self.items.append((item, priority))


@pytest.fixture
def taken() -> Taken:
    return Taken()


@pytest.fixture
def target(taken: Taken, clock: FakeClock) -> EnqueueTarget:
    return EnqueueTarget("demo", taken, clock)


def test_what_was_there_at_first_and_updates_that_repeat_a_version_have_low_priority(
    target: EnqueueTarget, taken: Taken
) -> None:
    enqueuing: Enqueuer[Object] = Enqueuer(target, EnqueueObject(), [])
    for event in (Created(obj(), True), Updated(obj(), obj()), Created(obj()), updated({}, {}), GenericEvent(obj())):
        enqueuing.enqueue(event)
    assert [priority for _, priority in taken.items] == [LOW_PRIORITY, LOW_PRIORITY, 0, 0, 0]


def test_all_predicates_must_let_an_event_pass(target: EnqueueTarget, taken: Taken) -> None:
    is_a: Predicate[Object] = predicate(lambda event: event.objects[-1].metadata.name == "a")
    enqueuing: Enqueuer[Object] = Enqueuer(target, EnqueueObject(), [GenerationChanged(), is_a])
    enqueuing.enqueue(Created(obj("b")))
    enqueuing.enqueue(updated({}, {}))
    assert taken.items == []
    enqueuing.enqueue(updated({"generation": 1}, {"generation": 2}))
    assert taken.items == [(A, 0)]


def faulty(event: ObjectEvent[Object]) -> bool:
    raise KeyError("no such label")


async def asynchronous(event: ObjectEvent[Object]) -> bool:
    return False


@pytest.mark.parametrize(
    ("function", "said"), [(faulty, "no such label"), (asynchronous, "must be a plain function that returns True")]
)
def test_a_predicate_that_raises_is_logged_with_its_name_and_lets_the_event_pass(
    target: EnqueueTarget, taken: Taken, caplog: pytest.LogCaptureFixture, function: Any, said: str
) -> None:
    enqueuing: Enqueuer[Object] = Enqueuer(target, EnqueueObject(), [predicate(function)])
    enqueuing.enqueue(Created(obj()))
    assert taken.items == [(A, 0)]
    assert f"the predicate {function.__name__} of the controller demo failed on default/a" in caplog.text
    assert said in caplog.text


def test_a_map_function_that_raises_is_logged_with_its_name_and_loses_nothing_else(
    target: EnqueueTarget, taken: Taken, caplog: pytest.LogCaptureFixture
) -> None:
    def by_generation(each: Object) -> Iterable[Request]:
        if not each.metadata.generation:
            raise ZeroDivisionError
        return [Request("default", f"g{each.metadata.generation}")]

    enqueuing: Enqueuer[Object] = Enqueuer(target, EnqueueMapped(by_generation), [])
    enqueuing.enqueue(updated({}, {"generation": 1}))
    enqueuing.enqueue(Created(obj(generation=2)))
    assert [request.name for request, _ in taken.items] == ["g1", "g2"]
    name = "test_a_map_function_that_raises_is_logged_with_its_name_and_loses_nothing_else.by_generation"
    assert f"the handler {name[-79:]}"[-60:] in caplog.text
    assert "of the controller demo failed on default/a" in caplog.text


def test_a_storm_of_failures_is_a_handful_of_lines(
    target: EnqueueTarget, taken: Taken, caplog: pytest.LogCaptureFixture
) -> None:
    enqueuing: Enqueuer[Object] = Enqueuer(target, EnqueueObject(), [predicate(faulty)])
    for _ in range(1000):
        enqueuing.enqueue(Created(obj()))
    assert len(taken.items) == 1000
    assert len(caplog.records) == 6


class Twice(EnqueueHandler[Object]):
    """A handler of a user's own, which looks at the event itself."""

    def __call__(self, event: ObjectEvent[Object], /) -> Iterable[Request]:
        yield Request.of(event.objects[-1])
        if isinstance(event, Created):
            yield Request("", "created")


def test_a_handler_of_ones_own_sees_the_event(target: EnqueueTarget, taken: Taken) -> None:
    enqueuing = Enqueuer(target, Twice(), [])
    enqueuing.enqueue(Created(obj()))
    assert [str(request) for request, _ in taken.items] == ["default/a", "created"]
    assert Twice().name == "Twice"


async def test_a_queue_from_outside_brings_objects_events_and_requests(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    channel: asyncio.Queue[Any] = asyncio.Queue()
    script = Script()
    async with running(script, clock, sources=[ChannelSource(channel)]) as controller:
        for item in (obj("a"), GenericEvent(obj("b")), Request("default", "c"), "default/d", None, obj("e")):
            channel.put_nowait(item)
        await run_ready_tasks()
        assert script.names == "abce"
        assert "a channel must deliver objects, GenericEvents or Requests, not 'default/d'" in caplog.text
        await channel.join()
        assert controller.phase == "running"


async def ends() -> AsyncIterator[Object]:
    yield obj("a")
    yield obj("b")


async def raises() -> AsyncIterator[Object]:
    yield obj("a")
    raise OSError("the printer is gone")


async def is_cancelled() -> AsyncIterator[Object]:
    yield obj("a")
    raise asyncio.CancelledError  # such as of a task that it awaits


async def endless() -> AsyncIterator[Object]:
    while True:
        yield obj("a")


@pytest.mark.parametrize(
    ("channel", "names", "said"),
    [
        (ends, "ab", "the source printer of the controller demo has ended"),
        (is_cancelled, "a", "the source printer of the controller demo has failed and delivers nothing more"),
        (raises, "a", "the source printer of the controller demo has failed and delivers nothing more"),
    ],
)
async def test_an_iterator_from_outside_that_ends_or_raises_is_logged_and_the_controller_goes_on(
    clock: FakeClock, caplog: pytest.LogCaptureFixture, channel: Any, names: str, said: str
) -> None:
    script = Script()
    with caplog.at_level("INFO"):
        async with running(script, clock, sources=[ChannelSource(channel(), name="printer")]) as controller:
            await run_ready_tasks()
            assert script.names == names
            assert said in caplog.text
            controller.requeue(B)
            await run_ready_tasks()
            assert script.called[-1] == B


async def test_an_iterator_that_never_waits_leaves_the_event_loop_its_turns_and_ends_with_the_controller(
    clock: FakeClock,
) -> None:
    script = Script()
    async with running(script, clock, sources=[ChannelSource(endless())]):
        await run_ready_tasks()
        assert script.called
    assert [task for task in asyncio.all_tasks() if "demo" in task.get_name()] == []


async def test_a_channel_goes_through_predicates_and_handler(clock: FakeClock) -> None:
    channel: asyncio.Queue[Object] = asyncio.Queue()
    script = Script()
    is_b: Predicate[Object] = predicate(lambda event: event.objects[-1].metadata.name == "b")
    handler: EnqueueMapped[Object] = EnqueueMapped(lambda each: [Request("mapped", each.metadata.name)])
    async with running(script, clock, sources=[ChannelSource(channel, handler, is_b)]):
        channel.put_nowait(obj("a"))
        channel.put_nowait(obj("b"))
        await run_ready_tasks()
    assert script.called == [Request("mapped", "b")]


def test_a_handler_or_a_predicate_that_is_none_is_refused_with_what_to_write() -> None:
    informer: SharedInformer[Object] = SharedInformer.__new__(SharedInformer)
    wrong: list[tuple[Any, str]] = [
        ((informer, EnqueueObject), r"write EnqueueObject\(…\)"),
        ((informer, GenerationChanged()), r"GenerationChanged is a predicate where a handler is expected"),
        ((informer, Request.of), r"EnqueueMapped\(function\) makes one"),
        ((informer, EnqueueObject(), GenerationChanged), r"write GenerationChanged\(\)"),
        ((informer, EnqueueObject(), faulty), r"faulty is not a predicate: predicate\(function\) makes one"),
        (("pods",), "KindSource needs a SharedInformer, such as"),
    ]
    for arguments, sentence in wrong:
        with pytest.raises(InvalidCall, match=sentence):
            KindSource(*arguments)
    channels: list[Any] = [[], queue.Queue(), ends]
    for channel in channels:
        with pytest.raises(InvalidCall, match=r"takes an async iterable or an asyncio\.Queue"):
            ChannelSource(channel)


def test_the_work_queue_is_what_a_source_feeds(clock: FakeClock) -> None:
    queue: WorkQueue[Request] = WorkQueue("demo", clock=clock)
    Enqueuer(EnqueueTarget("demo", queue, clock), EnqueueObject(), []).enqueue(Created(obj()))
    assert queue.state().depth == 1
