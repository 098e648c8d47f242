"""Runs drains in this web process: evicts pods, keeps trying those that a budget holds, waits until all are gone.

How far it is stands in the database, with a beat: another process shows it, and goes on with it where this one ended.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable

import msgspec

from dashboard.drafts.database import Unavailable
from dashboard.drains.drain import Drain, DrainedPod
from dashboard.drains.records import Begin, Records
from dashboard.evictions.budgets import budgets_in, budgets_of
from dashboard.evictions.eviction import Evicted, Failed, Gone, Held, evict
from dashboard.live.tasks import cancelled
from informerd.clock import Clock
from informerd.errors import Forbidden, InformerdError, NotFound
from informerd.resource import PODS
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

TICK = 1.0
"""Seconds between two looks at a drain."""
AT_ONCE = 5
"""Evictions a tick at most, so that the API server is not flooded."""
LONGEST_PAUSE = 30.0
"""Seconds between two tries of a pod that is held."""


class Drains:
    """The drains that this process runs. `stop` ends them; what they have done stays, and the table says so."""

    def __init__(self, records: Records, clock: Clock, client: Callable[[], Client | None]) -> None:
        self.records = records
        self._clock = clock
        self._client = client
        self._runner = secrets.token_hex(16)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def begin(self, begin: Begin) -> Drain:
        """Begin to evict these pods, or the drain of that node that runs already; returns at once.

        Raises Unavailable, and then nothing has begun.
        """
        drain, is_new = await self.records.begin(begin, self._runner, self._clock.time())
        if is_new:
            self._run(drain)
        return drain

    async def go_on(self, drain: Drain, by: str) -> None:
        """Go on here with a drain whose process has ended, as `by` wants."""
        if await self.records.take_over(drain, self._runner, self._clock.time(), by):
            again = (msgspec.structs.replace(pod, next=0.0) for pod in drain.pods)
            self._run(msgspec.structs.replace(drain, pods=tuple(again), state="running", wish=""))

    async def stop(self) -> None:
        tasks, self._tasks = list(self._tasks.values()), {}
        await cancelled(tasks)

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
                state, pods = "cancelled", tuple(_left(pod) for pod in pods)
            else:
                state = "paused" if wish == "pause" else "running"
                pods, words = await self._step(pods, drain.grace, evicting=state == "running")
                if all(pod.is_over for pod in pods):
                    state = "failed" if any(pod.state == "failed" for pod in pods) else "done"
            try:
                said = await self.records.beat(drain.key, self._runner, pods, state, words, self._clock.time())
            except Unavailable as error:  # nobody could stop it: it waits until somebody can
                logger.warning("drain of node %s waits for the database: %s", drain.node, error)
                wish = "pause" if wish != "cancel" else wish
                await self._clock.sleep(TICK)
                continue
            if said is None or state in ("cancelled", "done", "failed"):
                logger.info("drain of node %s ends here: %s", drain.node, state if said is not None else "taken over")
                return
            wish = said
            await self._clock.sleep(TICK)

    async def _step(
        self, pods: tuple[DrainedPod, ...], grace: int | None, *, evicting: bool
    ) -> tuple[tuple[DrainedPod, ...], str]:
        """One look at every pod; what keeps all of it from going on, as a sentence."""
        client = self._client()
        if client is None:
            return pods, "There is no connection to the cluster."
        left, now, after, words = AT_ONCE, self._clock.time(), [], ""
        for pod in pods:
            try:
                if pod.state == "leaving":
                    pod = await _looked_at(client, pod)
                elif evicting and left and pod.state in ("waiting", "held") and pod.next <= now:
                    left -= 1
                    pod = await _evicted(client, pod, grace, now)
            except InformerdError as error:
                words = f"The API server does not answer as it should: {error}"
            after.append(pod)
        return tuple(after), words


async def _evicted(client: Client, pod: DrainedPod, grace: int | None, now: float) -> DrainedPod:
    tries = pod.tries + 1
    outcome = await evict(client, pod.namespace, pod.name, pod.uid, grace=grace)
    match outcome:
        case Evicted():
            return msgspec.structs.replace(pod, state="leaving", words="evicted, is shutting down", tries=tries)
        case Gone(replaced=replaced):
            words = "is gone; another one has its name" if replaced else "is gone"
            return msgspec.structs.replace(pod, state="gone", words=words, tries=tries)
        case Held():
            pause = min(max(outcome.again_after, 1.0), LONGEST_PAUSE)
            words = await _why_held(client, pod, outcome)
            return msgspec.structs.replace(pod, state="held", words=words, next=now + pause, tries=tries)
        case Failed(error=error):
            state = "failed" if isinstance(error, Forbidden) else "held"
            return msgspec.structs.replace(pod, state=state, words=str(error), next=now + 5.0, tries=tries)


async def _why_held(client: Client, pod: DrainedPod, held: Held) -> str:
    """The budgets' names and numbers, else the API server's own words."""
    if not held.by_budget:
        return held.said
    try:
        live = (await client.get(PODS, pod.name, pod.namespace)).object()
    except InformerdError:
        return held.said
    found = budgets_of(live["metadata"].get("labels") or {}, await budgets_in(client, pod.namespace) or ())
    return " ".join(budget.words for budget in found) or held.said


async def _looked_at(client: Client, pod: DrainedPod) -> DrainedPod:
    try:
        live = (await client.get(PODS, pod.name, pod.namespace)).object()
    except NotFound:
        return msgspec.structs.replace(pod, state="gone", words="is gone")
    if live["metadata"]["uid"] != pod.uid:
        return msgspec.structs.replace(pod, state="gone", words="is gone; another one has its name")
    held = live["metadata"].get("finalizers")
    return msgspec.structs.replace(pod, words=f"evicted, waits for {', '.join(held)}") if held else pod


def _left(pod: DrainedPod) -> DrainedPod:
    return (
        pod
        if pod.is_over or pod.state == "leaving"
        else msgspec.structs.replace(pod, state="left", words="was not evicted")
    )
