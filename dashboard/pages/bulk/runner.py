"""Bulk runner of this web process: at most MAX_CONCURRENT requests at a time, in slices, between which a run can stop.

The progress is in the database after each slice, with a beat: every process shows it, and can continue it when this
process ends. Each write carries the reviewed version, so a write that was sent but not recorded by then is detected.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from dashboard.access.person import Person
from dashboard.pages.audit.entry import Actor
from dashboard.pages.audit.observer import recorded_client
from dashboard.pages.audit.recorder import AuditRecorder
from dashboard.pages.bulk.active_run import ActiveRun, GroupRegister
from dashboard.pages.bulk.concurrency_limiter import Limiter
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.run import ChangeGroup, ExecutorFactory, Item, ItemExecutor, Run, RunState, mark_unanswered
from dashboard.pages.bulk.store import RunStore
from dashboard.runtime.app_state import Key
from dashboard.runtime.background_tasks import cancel_all
from dashboard.runtime.database_executor import Unavailable
from dashboard.runtime.request_retry import is_unanswered
from informerd.clock import Clock, within
from informerd.errors import ApiError, CallRefused, InformerdError
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

MAX_CONCURRENT = 8
"""Most concurrent requests of all runs of the cluster, so that the API server is not flooded.

Processes with runs share them: each counts the processes once in a CHECKPOINT_INTERVAL, and has at least one request.
"""
CHECKPOINT_INTERVAL = 0.5
"""Seconds of work between two beats."""
HEARTBEAT_INTERVAL = 1.0
"""Seconds between two beats of a run that waits: for its requests' answers, or for slots of other runs."""
DEFAULT_RETRY_AFTER = 3.0
"""Seconds until the next request, where the API server sets no delay."""
MAX_RETRY_AFTER = 60.0
_UNTOUCHED = ("waiting", "tried", "changed", "refused", "failed")


class BulkRunner:
    """The runs of this process. `stop` ends them; completed writes stay, and the tables have the progress.

    `client_of` returns the client that acts for whoever started a phase. The API server checks each write by their
    rights of that moment.
    """

    def __init__(
        self,
        store: RunStore,
        clock: Clock,
        client_of: Callable[[Person], Client | None],
        executor_factory: ExecutorFactory,
        *,
        audit: AuditRecorder | None = None,
    ) -> None:
        self.store = store
        self._clock = clock
        self._client_of = client_of
        self._executor_factory = executor_factory
        self._audit = audit or AuditRecorder(clock)
        self._runner = secrets.token_hex(16)
        self._limiter = Limiter(MAX_CONCURRENT)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def start_dry_runs(self, run: Run, person: Person, operation: BulkOperation) -> None:
        """Start the dry runs of all objects that are not written yet; returns immediately. Raises Unavailable where the
        database cannot be used.
        """
        await self._start_phase(run, person, "trying", operation, _reset_items)

    async def start_writes(self, run: Run, person: Person) -> None:
        """Start or continue the reviewed writes."""
        await self._start_phase(run, person, "running", run.order, tuple)

    async def retry_failed(self, run: Run, person: Person) -> None:
        """Start the failed writes again, as reviewed."""
        await self._start_phase(run, person, "running", run.order, _reset_failed_items)

    async def retry_dry_runs(self, run: Run, person: Person) -> None:
        """Start new dry runs of changed and refused objects."""
        await self._start_phase(run, person, "trying", run.order, _reset_open_items)

    async def resume(self, run: Run, person: Person) -> None:
        """Continue a run whose process has ended."""
        prepare = _reset_items if run.state == "trying" else tuple
        await self._start_phase(run, person, run.state, run.order, prepare)

    async def stop(self) -> None:
        tasks, self._tasks = list(self._tasks.values()), {}
        await cancel_all(tasks)

    async def _start_phase(
        self,
        run: Run,
        person: Person,
        state: RunState,
        operation: BulkOperation | None,
        prepare: Callable[[Iterable[Item]], tuple[Item, ...]],
    ) -> None:
        if operation is None:
            return
        items = prepare(await self.store.items(run.key))
        now = self._clock.time()
        if not await self.store.claim(run, state, operation, self._runner, now):
            return
        groups = await self.store.groups(run.key) if state == "running" else ()
        active_run = ActiveRun(
            run.key, run.resource, operation, state, list(items), GroupRegister(list(groups)), run.identity, person
        )
        task = asyncio.create_task(
            self._run_to_end(active_run),
            name=f"run over {run.total} {run.resource.key}",
        )
        self._tasks[run.key] = task
        task.add_done_callback(
            lambda done: self._tasks.pop(run.key, None) if self._tasks.get(run.key) is done else None
        )

    async def _run_to_end(self, active_run: ActiveRun) -> None:
        logger.info("%s over %s begins", active_run.state, active_run.description)
        todo = deque(active_run.positions_left())
        active_run.dirty_positions.update(range(len(active_run.items)))
        while True:
            if active_run.acknowledged_wish == "cancel":
                active_run.state = active_run.cancel()
            elif active_run.acknowledged_wish != "pause" and todo:
                await self._slice(active_run, todo)
            if not todo and active_run.state in ("trying", "running"):
                active_run.state = "review" if active_run.state == "trying" else "done"
            if not await self._save_checkpoint(active_run) or active_run.state not in ("trying", "running"):
                logger.info("a run over %s ends here: %s", active_run.description, active_run.state)
                return
            if active_run.acknowledged_wish == "pause" or active_run.resume_at > self._clock.now():
                await self._clock.sleep(CHECKPOINT_INTERVAL)

    async def _save_checkpoint(self, active_run: ActiveRun) -> bool:
        """Whether this process still owns the run. Without the database the run waits, since no user could stop it."""
        while True:
            beat, dirty_positions = active_run.checkpoint(self._clock.time()), active_run.dirty_positions
            active_run.dirty_positions = set()  # items that change during this save are in the next one
            try:
                wish = await self.store.save_checkpoint(active_run.key, self._runner, beat)
            except Unavailable as error:
                active_run.dirty_positions |= dirty_positions
                logger.warning("a run over %s waits for the database: %s", active_run.description, error)
                await self._clock.sleep(1.0)
                continue
            if wish is None:
                return False
            active_run.acknowledged_wish = wish
            return True

    async def _slice(self, active_run: ActiveRun, todo: deque[int]) -> None:
        """Work until CHECKPOINT_INTERVAL is over, nothing is left or the API server asks to wait."""
        client = self._client_of(active_run.person)
        if client is None:
            active_run.words = "Deltaboard is not connected to the cluster."
            active_run.resume_at = self._clock.now() + DEFAULT_RETRY_AFTER
            return
        began = self._clock.now()
        if active_run.resume_at > began:
            return
        active_run.words, active_run.resume_at = "", 0.0
        await self._share(client)
        actor = Actor(active_run.person, run=active_run.key)
        client = recorded_client(self._audit, client, actor)
        work = self._executor_factory(client, active_run.resource, active_run.order, active_run.identity)
        before = len(todo)
        workers = [
            asyncio.create_task(self._work(active_run, todo, work, began + CHECKPOINT_INTERVAL))
            for _ in range(min(MAX_CONCURRENT, len(todo)))
        ]
        try:
            await self._save_until_done(active_run, workers)
            await asyncio.gather(*workers)
        finally:
            await cancel_all(workers)
        took = max(self._clock.now() - began, 1e-3)
        rate = (before - len(todo)) / took
        active_run.rate = rate if not active_run.rate else 0.7 * active_run.rate + 0.3 * rate

    async def _share(self, client: Client) -> None:
        with contextlib.suppress(Unavailable):  # the next beat waits for the database
            others = await self.store.count_other_runners(self._runner, client.config.server, self._clock.time())
            self._limiter.limit = max(1, MAX_CONCURRENT // (1 + others))

    async def _save_until_done(self, active_run: ActiveRun, workers: list[asyncio.Task[None]]) -> None:
        """Beat until the requests have ended, so that a waiting run does not count as lost."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with within(HEARTBEAT_INTERVAL, self._clock):
                    await asyncio.wait(workers)
                    return
            await self._save_checkpoint(active_run)

    async def _work(self, active_run: ActiveRun, todo: deque[int], work: ItemExecutor, end: float) -> None:
        while todo and self._clock.now() < end and not active_run.resume_at:
            async with self._limiter:
                if not todo or active_run.resume_at or active_run.acknowledged_wish in ("pause", "cancel"):
                    return  # all of that may have come during the wait for a slot; `end` is not checked again
                await self._run_next(active_run, todo, work)

    async def _run_next(self, active_run: ActiveRun, todo: deque[int], work: ItemExecutor) -> None:
        place = todo.popleft()
        item = active_run.items[place]
        try:
            active_run.set_item(place, *await _execute(work, item, active_run.state))
        except InformerdError as error:
            if not isinstance(error, CallRefused) and active_run.count_try(place):
                active_run.set_item(place, mark_unanswered(item, error))
                return
            sent = active_run.state == "running" and is_unanswered(error)
            active_run.set_item(place, msgspec.structs.replace(item, is_unconfirmed=item.is_unconfirmed or sent))
            todo.append(place)
            self._wait(active_run, error)

    def _wait(self, active_run: ActiveRun, error: InformerdError) -> None:
        retry_after = error.retry_after if isinstance(error, ApiError) else None
        pause = min(retry_after or DEFAULT_RETRY_AFTER, MAX_RETRY_AFTER)
        active_run.resume_at = self._clock.now() + pause
        if isinstance(error, CallRefused):
            active_run.words = f"{error} Next try in {pause:.0f} s."
            return
        active_run.words = f"The API server is busy or does not answer. Next try in {pause:.0f} s. ({error})"


BULK_RUNNER: Key[BulkRunner] = Key("bulk runs")


async def _execute(work: ItemExecutor, item: Item, state: RunState) -> tuple[Item, ChangeGroup | None]:
    if state == "trying":
        result = await work.dry_run(item)
        return result.item, result.group
    return await work.write(item), None


def _reset_items(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(_new(item) if item.state in _UNTOUCHED or item.state == "same" else item for item in items)


def _reset_open_items(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(_new(item) if item.state in _UNTOUCHED else item for item in items)


def _reset_failed_items(items: Iterable[Item]) -> tuple[Item, ...]:
    wanted = (item.state == "failed" and bool(item.fingerprint) for item in items)
    return tuple(
        msgspec.structs.replace(item, state="tried", words="", said="") if again else item
        for item, again in zip(items, wanted, strict=True)
    )


def _new(item: Item) -> Item:
    return Item(item.namespace, item.name, item.uid, undone=item.undone)
