"""Sources of a controller's events (controller-runtime's source package)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from informerd.cache.health import not_synced_reason
from informerd.cache.shared_informer import Registration, SharedInformer
from informerd.controller.enqueuer import Enqueuer, EnqueueTarget
from informerd.controller.events import Created, Deleted, GenericEvent, Updated
from informerd.controller.handlers import EnqueueHandler, EnqueueObject, check_handler
from informerd.controller.predicates import Predicate, check_predicate
from informerd.controller.request import Request
from informerd.errors import InvalidCall
from informerd.objects import Object

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

EVENTS_PER_TURN = 100
"""Items of a channel that are taken in a row before the event loop gets its turn."""

_QUEUE_SHUT_DOWN: tuple[type[Exception], ...] = (
    (asyncio.QueueShutDown,) if hasattr(asyncio, "QueueShutDown") else ()  # since Python 3.13
)


class RunningSource(Protocol):
    """A source at work for one controller."""

    @property
    def has_synced(self) -> bool:
        """Whether its handler has processed all initial objects."""
        ...

    @property
    def not_synced_reason(self) -> str:
        """Why it has not synced, in words."""
        ...

    async def wait_for_sync(self) -> None:
        """Wait until `has_synced`. Raises InformerStopped."""
        ...

    async def stop(self) -> None:
        """End it, and wait for that."""
        ...


class Source(Protocol):
    """Puts requests into a controller's queue from its start on."""

    @property
    def name(self) -> str:
        """Its name in logs and errors."""
        ...

    def start(self, target: EnqueueTarget) -> RunningSource:
        """Begin, in the running event loop. Raises InformerStopped."""
        ...


class KindSource(Generic[T]):
    """The objects of an informer. Predicates, all of which must let an event pass, come before the handler.

    The owner of the informer starts it, such as a factory or a manager. Resyncs and relists, which repeat a resource
    version, make events too; ResourceVersionChanged() leaves them out. `resync` (seconds, 0 for none) is by default the
    informer's. Raises InvalidCall.
    """

    def __init__(
        self,
        informer: SharedInformer[T],
        handler: EnqueueHandler[T] | None = None,
        *predicates: Predicate[T],
        resync: float | None = None,
    ) -> None:
        if not isinstance(informer, SharedInformer):
            wanted = "such as kind.informer or factory.informer(PODS)"
            raise InvalidCall(f"KindSource needs a SharedInformer, {wanted}, not {informer!r}")
        self.informer = informer
        self._resync = resync
        self._handler: EnqueueHandler[T] = EnqueueObject() if handler is None else check_handler(handler)
        self._predicates: Sequence[Predicate[T]] = [check_predicate(each) for each in predicates]

    @property
    def name(self) -> str:
        resource = self.informer.resource.key
        return f"{resource} in {self.informer.namespace}" if self.informer.namespace else resource

    def start(self, target: EnqueueTarget) -> RunningSource:
        enqueuing = Enqueuer(target, self._handler, self._predicates)
        registration = self.informer.add_handler(
            _KindHandler(enqueuing),
            resync=self._resync,
            same_version_updates=True,
            name=f"controller {target.controller}",
        )
        return _StartedKind(self.informer, registration)


class _KindHandler(Generic[T]):
    """An informer's handler that makes events."""

    def __init__(self, enqueuing: Enqueuer[T]) -> None:
        self._take = enqueuing.enqueue

    def on_add(self, obj: T, is_in_initial_list: bool) -> None:
        self._take(Created(obj, is_in_initial_list))

    def on_update(self, old: T, new: T) -> None:
        self._take(Updated(old, new))

    def on_delete(self, obj: T, final_state_unknown: bool) -> None:
        self._take(Deleted(obj, final_state_unknown))


class _StartedKind(Generic[T]):
    def __init__(self, informer: SharedInformer[T], registration: Registration[T]) -> None:
        self._informer = informer
        self._registration = registration

    @property
    def has_synced(self) -> bool:
        return self._registration.has_synced

    @property
    def not_synced_reason(self) -> str:
        if self._informer.has_synced:
            return f"listed, with {self._registration.depth} objects still to be handled"
        why = not_synced_reason(self._informer.health())
        return "not started: factory.start() does that, or a manager" if why == "starting" else why

    async def wait_for_sync(self) -> None:
        await self._registration.wait_for_sync()

    async def stop(self) -> None:
        self._registration.remove()


Channel: TypeAlias = (
    AsyncIterable[T | GenericEvent[T] | Request]
    | asyncio.Queue[T | GenericEvent[T] | Request]
    | asyncio.Queue[T]
    | asyncio.Queue[GenericEvent[T]]
    | asyncio.Queue[Request]
)
"""An async iterator, or a queue that others put into."""


class ChannelSource(Generic[T]):
    """Events from outside the cluster: an async iterator, or an asyncio.Queue that others put into.

    Its items are objects or GenericEvents, which go through predicates and handler, or Requests, which do not. What is
    none of these is logged, and so is what the iterator raises, which ends it, but not the controller. One iterator or
    queue is for one controller. Raises InvalidCall.
    """

    def __init__(
        self,
        channel: Channel[T],
        handler: EnqueueHandler[T] | None = None,
        *predicates: Predicate[T],
        name: str = "channel",
    ) -> None:
        if not isinstance(channel, asyncio.Queue | AsyncIterable):
            raise InvalidCall(f"ChannelSource takes an async iterable or an asyncio.Queue, not {channel!r}")
        self.name = name
        self._channel = channel
        self._handler: EnqueueHandler[T] = EnqueueObject() if handler is None else check_handler(handler)
        self._predicates: Sequence[Predicate[T]] = [check_predicate(each) for each in predicates]

    def start(self, target: EnqueueTarget) -> RunningSource:
        enqueuing = Enqueuer(target, self._handler, self._predicates)
        return _StartedChannel(self.name, _items(self._channel), enqueuing, target)


async def _items(channel: Channel[T]) -> AsyncGenerator[Any, None]:
    """Every item, until an iterator ends or a queue is shut down."""
    if isinstance(channel, asyncio.Queue):
        with contextlib.suppress(*_QUEUE_SHUT_DOWN):
            while True:
                yield await channel.get()
                channel.task_done()
    else:
        async for item in channel:
            yield item


class _StartedChannel(Generic[T]):
    has_synced = True
    not_synced_reason = ""

    def __init__(
        self,
        name: str,
        items: AsyncGenerator[T | GenericEvent[T] | Request, None],
        enqueuing: Enqueuer[T],
        target: EnqueueTarget,
    ) -> None:
        self._name = name
        self._items = items
        self._enqueuing = enqueuing
        self._target = target
        self._stopping = False
        self._task = asyncio.create_task(self._run(), name=f"{name} of the controller {target.controller}")

    async def wait_for_sync(self) -> None:
        """There is nothing at first."""

    async def stop(self) -> None:
        self._stopping = True
        self._task.cancel()
        await asyncio.wait((self._task,))

    async def _run(self) -> None:
        fields = {"controller": self._target.controller}
        try:
            await self._take_all()
        except (Exception, asyncio.CancelledError):
            if self._stopping:
                raise
            text = "the source %s of the controller %s has failed and delivers nothing more"
            log.exception(text, self._name, self._target.controller, extra=fields)
        else:
            log.info("the source %s of the controller %s has ended", self._name, self._target.controller, extra=fields)

    async def _take_all(self) -> None:
        count = 0
        async with contextlib.aclosing(self._items) as items:
            async for item in items:
                self._take(item)
                count += 1
                if count % EVENTS_PER_TURN == 0:
                    await asyncio.sleep(0)

    def _take(self, item: T | GenericEvent[T] | Request) -> None:
        if isinstance(item, Request):
            self._target.queue.add(item)
        elif isinstance(item, GenericEvent):
            self._enqueuing.enqueue(item)
        else:
            self._take_object(item)

    def _take_object(self, item: T) -> None:
        given: object = item
        if isinstance(given, Object):
            self._enqueuing.enqueue(GenericEvent(item))
        else:
            error = InvalidCall(f"a channel must deliver objects, GenericEvents or Requests, not {given!r}")
            self._target.log_error("source", self._name, repr(given)[:80], error)
