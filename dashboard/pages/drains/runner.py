"""Drain runner of this web process: evicts pods, retries those that a budget blocks, and waits until all are gone.

The progress is in the database, with a beat: other processes show it, and can continue it when this process ends.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable

import msgspec

from dashboard.access.person import Person
from dashboard.pages.audit.entry import Actor
from dashboard.pages.audit.observer import recorded_client
from dashboard.pages.audit.recorder import AuditRecorder
from dashboard.pages.drains.state import Drain, DrainedPod
from dashboard.pages.drains.store import DrainStore, NewDrain
from dashboard.pages.evictions.budgets import budgets_in, budgets_of
from dashboard.pages.evictions.evict import Blocked, Evicted, Failed, Gone, evict
from dashboard.runtime.app_state import Key
from dashboard.runtime.background_tasks import cancel_all
from dashboard.runtime.database_executor import Unavailable
from informerd.clock import Clock
from informerd.errors import Forbidden, InformerdError, NotFound
from informerd.resource import PODS
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

CHECK_INTERVAL = 1.0
"""Seconds between two checks of a drain."""
MAX_EVICTIONS = 5
"""Most evictions in one check, so that the API server is not flooded."""
MAX_RETRY_AFTER = 30.0
"""Seconds between two tries of a blocked pod."""


class DrainRunner:
    """The drains that this process runs. `stop` ends them; completed evictions stay, and the table has the progress.

    `client_of` returns the client that acts for whoever started a drain or took it over. The API server checks each
    eviction by their rights of that moment.
    """

    def __init__(
        self,
        store: DrainStore,
        clock: Clock,
        client_of: Callable[[Person], Client | None],
        *,
        audit: AuditRecorder | None = None,
    ) -> None:
        self.store = store
        self._clock = clock
        self._client_of = client_of
        self._audit = audit or AuditRecorder(clock)
        self._runner = secrets.token_hex(16)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def start(self, new_drain: NewDrain) -> Drain:
        """Start to evict these pods, or return the running drain of that node; returns immediately.

        Raises Unavailable where the database cannot be used; then nothing has started.
        """
        drain, is_new = await self.store.create(new_drain, self._runner, self._clock.time())
        if is_new:
            self._run(drain)
        return drain

    async def resume(self, drain: Drain, person: Person) -> None:
        """Continue a drain whose process has ended, as requested by `person` and with their rights."""
        if await self.store.take_over(drain, self._runner, self._clock.time(), person):
            again = (msgspec.structs.replace(pod, next=0.0) for pod in drain.pods)
            self._run(msgspec.structs.replace(drain, pods=tuple(again), acts_for=person, state="running", wish=""))

    async def stop(self) -> None:
        tasks, self._tasks = list(self._tasks.values()), {}
        await cancel_all(tasks)

    def _run(self, drain: Drain) -> None:
        task = asyncio.create_task(self._to_the_end(drain), name=f"drain of {drain.node}")
        self._tasks[drain.key] = task
        task.add_done_callback(lambda _: self._tasks.pop(drain.key, None))

    async def _to_the_end(self, drain: Drain) -> None:
        pods, state = drain.pods, drain.state
        wish, words = drain.wish, ""
        logger.info("drain of node %s begins: %d pods", drain.node, len(pods))
        while True:
            if wish == "cancel":
                state, pods = "cancelled", tuple(_stays(pod) for pod in pods)
            else:
                state = "paused" if wish == "pause" else "running"
                pods, words = await self._step(drain, pods, evicting=state == "running")
                if all(pod.is_over for pod in pods):
                    state = "failed" if any(pod.state == "failed" for pod in pods) else "done"
            try:
                new_wish = await self.store.save_checkpoint(
                    drain.key, self._runner, pods, state, words, self._clock.time()
                )
            except Unavailable as error:  # nobody could stop it: it waits until somebody can
                logger.warning("drain of node %s waits for the database: %s", drain.node, error)
                wish = "pause" if wish != "cancel" else wish
                await self._clock.sleep(CHECK_INTERVAL)
                continue
            if new_wish is None or state in ("cancelled", "done", "failed"):
                logger.info(
                    "drain of node %s ends here: %s", drain.node, state if new_wish is not None else "taken over"
                )
                return
            wish = new_wish
            await self._clock.sleep(CHECK_INTERVAL)

    async def _step(
        self, drain: Drain, pods: tuple[DrainedPod, ...], *, evicting: bool
    ) -> tuple[tuple[DrainedPod, ...], str]:
        """Check every pod; returns why nothing can continue, as a sentence, else empty."""
        client = self._client_of(drain.person)
        if client is None:
            return pods, "Deltaboard is not connected to the cluster."
        client = recorded_client(self._audit, client, Actor(drain.person, run=drain.key))
        left, now, after, words = MAX_EVICTIONS, self._clock.time(), [], ""
        for pod in pods:
            try:
                if pod.state == "leaving":
                    pod = await _check_pod(client, pod)
                elif evicting and left and pod.state in ("waiting", "held") and pod.next <= now:
                    left -= 1
                    pod = await _evicted(client, pod, drain.grace, now)
            except InformerdError as error:
                words = f"The API server answered with an error: {error}"
            after.append(pod)
        return tuple(after), words


DRAIN_RUNNER: Key[DrainRunner] = Key("drain runs")


async def _evicted(client: Client, pod: DrainedPod, grace: int | None, now: float) -> DrainedPod:
    tries = pod.tries + 1
    outcome = await evict(client, pod.namespace, pod.name, pod.uid, grace=grace)
    match outcome:
        case Evicted():
            return msgspec.structs.replace(pod, state="leaving", words="evicted, is shutting down", tries=tries)
        case Gone(replaced=replaced):
            words = "is gone; another one has its name" if replaced else "is gone"
            return msgspec.structs.replace(pod, state="gone", words=words, tries=tries)
        case Blocked():
            pause = min(max(outcome.retry_after, 1.0), MAX_RETRY_AFTER)
            words = await _why_held(client, pod, outcome)
            return msgspec.structs.replace(pod, state="held", words=words, next=now + pause, tries=tries)
        case Failed(error=error):
            state = "failed" if isinstance(error, Forbidden) else "held"
            return msgspec.structs.replace(pod, state=state, words=str(error), next=now + 5.0, tries=tries)


async def _why_held(client: Client, pod: DrainedPod, blocked: Blocked) -> str:
    """The budgets' names and numbers, else the API server's own words."""
    if not blocked.is_by_budget:
        return blocked.message
    try:
        live = (await client.get(PODS, pod.name, pod.namespace)).object()
    except InformerdError:
        return blocked.message
    budgets = budgets_of(live["metadata"].get("labels") or {}, await budgets_in(client, pod.namespace) or ())
    return " ".join(budget.words for budget in budgets) or blocked.message


async def _check_pod(client: Client, pod: DrainedPod) -> DrainedPod:
    try:
        live = (await client.get(PODS, pod.name, pod.namespace)).object()
    except NotFound:
        return msgspec.structs.replace(pod, state="gone", words="is gone")
    if live["metadata"]["uid"] != pod.uid:
        return msgspec.structs.replace(pod, state="gone", words="is gone; another one has its name")
    finalizers = live["metadata"].get("finalizers")
    return msgspec.structs.replace(pod, words=f"evicted, waits for {', '.join(finalizers)}") if finalizers else pod


def _stays(pod: DrainedPod) -> DrainedPod:
    return (
        pod
        if pod.is_over or pod.state == "leaving"
        else msgspec.structs.replace(pod, state="left", words="was not evicted")
    )
