"""Runs over many objects in this web process: AT_ONCE requests at a time at most, in slices, between which it stops.

How far a run is stands in the database after each slice, with a beat: every process shows it, and goes on with it where
this one ended. What was written and not kept by then is found out: each write carries the version that was reviewed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from dashboard.bulk.gate import Gate
from dashboard.bulk.order import Order
from dashboard.bulk.records import Records
from dashboard.bulk.run import Group, Item, Run, State
from dashboard.bulk.taken import Groups, Taken
from dashboard.bulk.work import Work, WorkOf, unknown
from dashboard.drafts.database import Unavailable
from dashboard.live.tasks import cancelled
from dashboard.repeats import is_unanswered
from informerd.clock import Clock, within
from informerd.errors import ApiError, InformerdError
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

AT_ONCE = 8
"""Requests at a time, of all runs of the cluster together, so that the API server is not flooded.

Processes that run some share them: each looks once in a SLICE how many there are, and has one at least."""
SLICE = 0.5
"""Seconds of work between two beats."""
WAIT = 1.0
"""Seconds between two beats of a run that waits: for its requests' answers, or until other runs have had theirs."""
PAUSE = 3.0
"""Seconds until the next of them, where the API server does not say how long."""
LONGEST_PAUSE = 60.0
_UNTOUCHED = ("waiting", "tried", "changed", "refused", "failed")


class Bulks:
    """The runs that this process runs. `stop` ends them; what they have done stays, and the tables say so."""

    def __init__(self, records: Records, clock: Clock, client: Callable[[], Client | None], work: WorkOf) -> None:
        self.records = records
        self._clock = clock
        self._client = client
        self._work_of = work
        self._runner = secrets.token_hex(16)
        self._gate = Gate(AT_ONCE)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def try_out(self, run: Run, order: Order) -> None:
        """Begin the dry runs of all that is not written yet; returns at once. Raises Unavailable."""
        await self._begin(run, "trying", order, _to_be_tried)

    async def start(self, run: Run) -> None:
        """Begin to write what was reviewed, or go on with it."""
        await self._begin(run, "running", run.order, tuple)

    async def again(self, run: Run) -> None:
        """Begin to write once more what was reviewed and failed."""
        await self._begin(run, "running", run.order, _to_be_written_again)

    async def look_again(self, run: Run) -> None:
        """Begin new dry runs of what changed or was refused."""
        await self._begin(run, "trying", run.order, _to_be_tried_again)

    async def go_on(self, run: Run) -> None:
        """Go on here with a run whose process has ended."""
        prepare = _to_be_tried if run.state == "trying" else tuple
        await self._begin(run, run.state, run.order, prepare)

    async def stop(self) -> None:
        tasks, self._tasks = list(self._tasks.values()), {}
        await cancelled(tasks)

    async def _begin(
        self, run: Run, state: State, order: Order | None, prepare: Callable[[Iterable[Item]], tuple[Item, ...]]
    ) -> None:
        if order is None:
            return
        items = prepare(await self.records.items(run.key))
        now = self._clock.time()
        if not await self.records.take(run, state, order, self._runner, now):
            return
        groups = await self.records.groups(run.key) if state == "running" else ()
        taken = Taken(run.key, run.resource, order, state, list(items), Groups(list(groups)), run.whose)
        task = asyncio.create_task(
            self._to_the_end(taken),
            name=f"run over {run.total} {run.resource.key}",
        )
        self._tasks[run.key] = task
        task.add_done_callback(
            lambda done: self._tasks.pop(run.key, None) if self._tasks.get(run.key) is done else None
        )

    async def _to_the_end(self, taken: Taken) -> None:
        logger.info("%s over %s begins", taken.state, taken.what)
        todo = deque(taken.places_left())
        taken.touched.update(range(len(taken.items)))
        while True:
            if taken.heard == "cancel":
                taken.state = taken.cancelled()
            elif taken.heard != "pause" and todo:
                await self._slice(taken, todo)
            if not todo and taken.state in ("trying", "running"):
                taken.state = "review" if taken.state == "trying" else "done"
            if not await self._kept(taken) or taken.state not in ("trying", "running"):
                logger.info("a run over %s ends here: %s", taken.what, taken.state)
                return
            if taken.heard == "pause" or taken.until > self._clock.now():
                await self._clock.sleep(SLICE)

    async def _kept(self, taken: Taken) -> bool:
        """Whether it is still ours. While the database is away nothing goes on, for nobody could stop it."""
        while True:
            beat, told = taken.beat(self._clock.time()), taken.touched
            taken.touched = set()  # what is done while this is written the next beat tells
            try:
                said = await self.records.beat(taken.key, self._runner, beat)
            except Unavailable as error:
                taken.touched |= told
                logger.warning("a run over %s waits for the database: %s", taken.what, error)
                await self._clock.sleep(1.0)
                continue
            if said is None:
                return False
            taken.heard = said
            return True

    async def _slice(self, taken: Taken, todo: deque[int]) -> None:
        """Work until SLICE is over, nothing is left or the API server asks to wait."""
        client = self._client()
        if client is None:
            taken.words = "There is no connection to the cluster."
            taken.until = self._clock.now() + PAUSE
            return
        began = self._clock.now()
        if taken.until > began:
            return
        taken.words, taken.until = "", 0.0
        await self._share(client)
        work, before = self._work_of(client, taken.resource, taken.order, taken.whose), len(todo)
        workers = [
            asyncio.create_task(self._work(taken, todo, work, began + SLICE)) for _ in range(min(AT_ONCE, len(todo)))
        ]
        try:
            await self._beaten(taken, workers)
            await asyncio.gather(*workers)
        finally:
            await cancelled(workers)
        took = max(self._clock.now() - began, 1e-3)
        rate = (before - len(todo)) / took
        taken.rate = rate if not taken.rate else 0.7 * taken.rate + 0.3 * rate

    async def _share(self, client: Client) -> None:
        with contextlib.suppress(Unavailable):  # the next beat waits for the database
            others = await self.records.others(self._runner, client.config.server, self._clock.time())
            self._gate.most = max(1, AT_ONCE // (1 + others))

    async def _beaten(self, taken: Taken, workers: list[asyncio.Task[None]]) -> None:
        """Beat until they have ended: a run that waits for an answer, or for other runs' requests, is not lost."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with within(WAIT, self._clock):
                    await asyncio.wait(workers)
                    return
            await self._kept(taken)

    async def _work(self, taken: Taken, todo: deque[int], work: Work, end: float) -> None:
        while todo and self._clock.now() < end and not taken.until:
            async with self._gate:
                if not todo or taken.until or taken.heard in ("pause", "cancel"):
                    return  # it came so while this waited for its turn; one that waited past the end has its turn
                await self._one(taken, todo, work)

    async def _one(self, taken: Taken, todo: deque[int], work: Work) -> None:
        place = todo.popleft()
        item = taken.items[place]
        try:
            taken.put(place, *await _done(work, item, taken.state))
        except InformerdError as error:
            if taken.tried_often(place):
                taken.put(place, unknown(item, error))
                return
            sent = taken.state == "running" and is_unanswered(error)
            taken.put(place, msgspec.structs.replace(item, sent=item.sent or sent))
            todo.append(place)
            self._wait(taken, error)

    def _wait(self, taken: Taken, error: InformerdError) -> None:
        asked = error.retry_after if isinstance(error, ApiError) else None
        pause = min(asked or PAUSE, LONGEST_PAUSE)
        taken.until = self._clock.now() + pause
        taken.words = f"The API server asks to wait, or does not answer: it is tried again in {pause:.0f} s. ({error})"


async def _done(work: Work, item: Item, state: State) -> tuple[Item, Group | None]:
    if state == "trying":
        tried = await work.try_out(item)
        return tried.item, tried.group
    return await work.write(item), None


def _to_be_tried(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(_new(item) if item.state in _UNTOUCHED or item.state == "same" else item for item in items)


def _to_be_tried_again(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(_new(item) if item.state in _UNTOUCHED else item for item in items)


def _to_be_written_again(items: Iterable[Item]) -> tuple[Item, ...]:
    wanted = (item.state == "failed" and bool(item.print) for item in items)
    return tuple(
        msgspec.structs.replace(item, state="tried", words="", said="") if again else item
        for item, again in zip(items, wanted, strict=True)
    )


def _new(item: Item) -> Item:
    return Item(item.namespace, item.name, item.uid)
