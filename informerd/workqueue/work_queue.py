"""Work queue: hands out keys to workers, each key to one worker at a time.

It joins client-go's queue.go, delaying_queue.go and rate_limiting_queue.go, with the priorities of controller-runtime's
priorityqueue.go.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import isfinite
from typing import Generic, TypeVar

from informerd.clock import Clock, SystemClock
from informerd.errors import InvalidCall, NotProcessed, QueueShutDown, UnusableKey
from informerd.workqueue.counters import QueueCounters
from informerd.workqueue.deadline_timer import Timer
from informerd.workqueue.delaying_queue import DelayingQueue
from informerd.workqueue.priority_queue import PriorityQueue
from informerd.workqueue.queue_state import QueueState
from informerd.workqueue.rate_limiter import ExponentialRateLimiter, RateLimiter
from informerd.workqueue.waiters import WRONG_THREAD_HINT, Waiters, running_loop

K = TypeVar("K", bound=Hashable)

LOW_PRIORITY = -100
"""Of what is not urgent: the initial list, and updates that changed nothing (controller-runtime's LowPriority)."""


_Mark = tuple[int, float]
"""The priority of a key, and since when (the clock's seconds) it has waited or been worked on."""


class WorkQueue(Generic[K]):
    """Keys wait once, however often they are added, and no two workers have the same one.

    A key that is added while a worker has it is handed out once more after `done`. Higher priorities go first; within
    one, keys go in the order in which they came. A key waits or is due later, never both: the earliest moment and the
    highest priority that it was added with win. To be used from one event loop; `state` and `counters` may be read
    from any thread.
    """

    def __init__(self, name: str = "", *, clock: Clock | None = None, limiter: RateLimiter[K] | None = None) -> None:
        self.name = name
        self.counters = QueueCounters()
        self._clock = clock or SystemClock()
        self._now = self._clock.now
        self._limiter: RateLimiter[K] = limiter or ExponentialRateLimiter()
        self._dirty: dict[K, _Mark] = {}
        """All that are to be handed out: those that are ready, and those that are worked on and were added again."""
        self._ready: PriorityQueue[K] = PriorityQueue()
        self._processing: dict[K, _Mark] = {}
        self._delayed: DelayingQueue[K] = DelayingQueue()
        self._alarm = Timer(self._add_due, self._clock, f"delays of the work queue {name}".rstrip())
        self._workers = Waiters(self._title)
        """Those that wait in `get`."""
        self._drains = Waiters(self._title)
        self._is_shut_down = False

    @property
    def is_shut_down(self) -> bool:
        """Whether it accepts no more keys."""
        return self._is_shut_down

    def add(self, item: K, *, priority: int = 0) -> None:
        """Have `item` handed out. If it waits already, it moves up to a higher priority, and goes last within it.

        Raises UnusableKey and InvalidCall. After shut_down nothing happens.
        """
        if priority.__class__ is not int:
            priority = _as_priority(priority)
        try:
            mark = self._dirty.get(item)
        except TypeError:
            raise UnusableKey(self.name, item) from None
        if self._is_shut_down:
            return
        if mark is None:
            if self._delayed:
                before = self._delayed.discard(item)
                if before is not None and before > priority:
                    priority = before
            self._put(item, priority, self._now())
        elif priority > mark[0]:
            self._move_up(item, mark, priority)

    def add_after(self, item: K, seconds: float, *, priority: int | None = None) -> None:
        """Add `item` after so many seconds, at once for 0 or less; sooner if it waits or is due sooner.

        By default it keeps the priority with which it is being worked on, else 0. Raises as `add` does, and
        InvalidCall for seconds that are no number and where no event loop runs.
        """
        if priority is None:
            mark = self._mark_of(item)
            priority = mark[0] if mark else 0
        if not _is_number(seconds):
            raise InvalidCall(f"{item} cannot be added to {self._title} after {seconds} seconds: give a finite number")
        if not self._is_shut_down:
            self.counters.retries += 1
        if seconds <= 0 or item in self._dirty:
            self.add(item, priority=priority)
        elif not self._is_shut_down:
            self._delay(item, self._now() + seconds, _as_priority(priority))

    def add_rate_limited(self, item: K, *, priority: int | None = None) -> float:
        """Add `item` after the limiter's delay; returns that delay in seconds. Otherwise as `add_after`."""
        self._mark_of(item)
        seconds = self._limiter.when(item)
        self.add_after(item, seconds, priority=priority)
        return seconds

    def forget(self, item: K) -> None:
        """Reset the limiter's failure count of `item`. Leaves the queue as it is."""
        self._mark_of(item)
        self._limiter.forget(item)

    def num_requeues(self, item: K) -> int:
        """Number of times that the limiter added `item` since it was forgotten."""
        self._mark_of(item)
        return self._limiter.num_requeues(item)

    async def get(self) -> K:
        """The next key, for whose end `done` is to be called. Waits for one; raises QueueShutDown if none will come.

        While keys wait it returns without giving the event loop a turn: a worker whose work never awaits must do that.
        """
        while not self._ready.count:
            if self._is_shut_down:
                raise QueueShutDown(self.name)
            await self._workers.wait(pass_on=True)
        item = self._ready.pop()
        priority, since = self._dirty.pop(item)
        now = self._now()
        self._processing[item] = (priority, now)
        self.counters.latency.add(now - since)
        return item

    def priority_of(self, item: K) -> int:
        """The priority with which `item`, which is being worked on, was handed out. Raises NotProcessed."""
        mark = self._mark_of(item)
        if mark is None:
            raise NotProcessed(self.name, item)
        return mark[0]

    def done(self, item: K) -> None:
        """The worker is through with `item`. If it was added meanwhile, it waits again. Raises NotProcessed."""
        try:
            _, since = self._processing.pop(item)
        except (KeyError, TypeError):
            raise NotProcessed(self.name, item) from None
        self.counters.work.add(self._now() - since)
        if again := self._dirty.get(item):
            self._make_ready(item, again[0])
        elif self._drains.waiting and not self._dirty and not self._processing:
            self._drains.wake_all()

    def shut_down(self) -> None:
        """Accept no more keys and drop delayed ones. Waiting keys are still handed out. Ends every `drain`."""
        self._close()
        self._drains.wake_all()

    async def drain(self) -> None:
        """Shut down, and wait until all that waited has been handed out and is done (ShutDownWithDrain).

        Like asyncio.Queue.join it needs workers that go on; `shut_down` ends the wait without them.
        """
        self._close()
        if self._dirty or self._processing:
            await self._drains.wait()

    def state(self) -> QueueState:
        """Its present state."""
        now = self._now()
        oldest_key, oldest_since = _first(self._dirty, now)
        longest_key, longest_since = _first(self._processing, now)
        return QueueState(
            depth=len(self._dirty),
            delayed=len(self._delayed),
            processing=len(self._processing),
            oldest_key=oldest_key,
            oldest_seconds=now - oldest_since,
            longest_key=longest_key,
            longest_seconds=now - longest_since,
            unfinished_seconds=sum(now - since for _, since in [*self._processing.values()]),
            adds=self.counters.adds,
            retries=self.counters.retries,
        )

    @property
    def _title(self) -> str:
        return f"the work queue {self.name!r}"

    def _mark_of(self, item: K) -> _Mark | None:
        try:
            return self._processing.get(item)
        except TypeError:
            raise UnusableKey(self.name, item) from None

    def _put(self, item: K, priority: int, since: float) -> None:
        self._dirty[item] = (priority, since)
        self.counters.adds += 1
        if item not in self._processing:
            self._make_ready(item, priority)

    def _make_ready(self, item: K, priority: int) -> None:
        self._ready.add(item, priority)
        if self._workers.waiting:
            self._workers.wake()

    def _move_up(self, item: K, mark: _Mark, priority: int) -> None:
        before, since = mark
        self._dirty[item] = (priority, since)
        if item not in self._processing:
            self._ready.move(item, before, priority)

    def _delay(self, item: K, at: float, priority: int) -> None:
        if running_loop() is None:
            raise InvalidCall(f"{item} cannot be added to {self._title} with a delay here: {WRONG_THREAD_HINT}")
        self._alarm.set(at)
        self._delayed.add(item, at, priority)

    def _add_due(self) -> None:
        for item, at, priority in self._delayed.pop(self._now()):
            self._put(item, priority, at)
        if (next_at := self._delayed.next_at) is not None:
            self._alarm.set(next_at)

    def _close(self) -> None:
        self._is_shut_down = True
        self._delayed.clear()
        self._alarm.cancel()
        self._workers.wake_all()


def _first(marks: Mapping[K, _Mark], now: float) -> tuple[str, float]:
    """The key that came first and since when; "" and `now` where there is none."""
    while True:
        try:
            item, mark = next(iter(marks.items()), (None, None))
        except RuntimeError:  # read from another thread while it changed
            continue
        return ("", now) if mark is None else (str(item), mark[1])


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and isfinite(given)


def _as_priority(priority: int) -> int:
    if not isinstance(priority, int):
        raise InvalidCall(
            f"{priority!r} is not a priority: give a whole number, 0 by default, {LOW_PRIORITY} for later"
        )
    return int(priority)
