"""Simulation of the whole: cluster, workers, a layer that fails, real replicas and hubs, browsers."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Iterator
from typing import Any

from dashboard.live.hub.hub import Hub
from dashboard.live.replication.entry_deduplicator import OVERLAP, UnannouncedPeriod
from dashboard.live.replication.messages import Frame, SnapshotRequest, frame_decoder, snapshot_chunk_decoder
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KINDS, KindInfo
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.runtime.time_slicing import SlicedWork
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.live.fake_channel_layer import LossyQueue, RecordingLayer
from tests.support.live.model.browser import ModelBrowser
from tests.support.live.model.cluster_and_workers import Cluster, ModelWorker
from tests.support.live.replication_messages import check_names

STEP = 0.05
ADDRESSES = (
    "/resources/pods/",
    "/resources/pods/?sort=-restarts",
    "/resources/pods/?q=status%3DRunning&sort=-age",
    "/resources/pods/?q=age%3C1h",
    "/resources/pods/?namespace=team-1&sort=restarts&q=-status%3DPending",
    "/resources/pods/?q=pod-1&page=2",
    "/resources/pods/team-1/pod-3/",
    "/feed/",
    "/",
)


def render(template: str, context: dict[str, Any]) -> str:
    """What a template would show, in short: enough to tell two states apart."""
    if template.endswith("_row.html"):
        line = context["line"]
        return f'<tr id="{line.id}">{line.row.version} {line.row.status}</tr>'
    view = context.get("view")
    if view is None:
        return template
    if view.template == "list":
        facets = sorted((facet.status, facet.count) for facet in view.facets)
        return f"{template} {view.total} of {view.kind_total}: {facets} {view.paging.page}"
    if view.template == "detail":
        return f"{template} {view.row.version if view.row is not None and view.exists else 'none'}"
    return template


class Web:
    """A web process. What its replica does in slices is done when the world says so."""

    channel_problem = ""

    def __init__(self, clock: FakeClock) -> None:
        self.works: deque[SlicedWork] = deque()
        self.replica = Replica("pods", clock, schedule=self.works.append)
        self.hub = Hub(self, clock, render, timer=lambda: 0.0)
        self.began = 0.0, 0.0
        """Unix seconds of the first snapshot, at the earliest and at the latest: what was before need not be known."""
        self.told: dict[tuple[str, str], Entry] = {}
        """The changes that were told, as in Cluster.changes, and the entry that told each."""
        self.broken: set[str] = set()
        """Epochs of the workers whose watch was broken: what they list then, another one may have told long before."""
        self.doubled = 0
        """Changes told once more. Counted: what a listener raises is nobody's but the log's."""
        self.missed = 0
        self.holes = 0
        """How often some were missed."""
        self.untold: list[UnannouncedPeriod] = []
        self.gaps = 0
        self.shown = 0
        """Rows at the last look."""
        self.replica.on_change(self._heard)

    def __iter__(self) -> Iterator[Replica]:
        return iter([self.replica])

    def __contains__(self, key: str) -> bool:
        return key == "pods"

    @property
    def kinds(self) -> tuple[KindInfo, ...]:
        return (KINDS["pods"],)

    def get(self, key: str) -> Replica:
        if key != "pods":
            raise KeyError(key)
        return self.replica

    def _heard(self, change: Change) -> None:
        if change.is_first_snapshot:
            self.began = self.replica.announced_from or 0.0, self.replica._clock.time()
        for entry in change.entries:
            said = (entry.uid, "" if entry.op == "deleted" else entry.version)
            self.doubled += self._is_double(entry, self.told.get(said))
            self.told[said] = entry
        self.missed += change.missed_entries
        self.holes += change.missed_entries > 0
        if change.unannounced is not None:
            self.untold.append(change.unannounced)

    def _is_double(self, entry: Entry, before: Entry | None) -> bool:
        """Whether it should have been known as told: further apart than OVERLAP only a broken watch excuses it."""
        if before is None:
            return False
        excused = entry.epoch != before.epoch and entry.epoch in self.broken
        return not excused or abs(entry.time - before.time) <= OVERLAP

    def lost(self, cluster: Cluster) -> tuple[int, int]:
        """How many changes nobody told, beside those of times of which it is said that nobody did: at least, at most.

        What changed in the moment in which such a time begins may have been before it or in it.
        """
        lost = [when for when, said in cluster.changes if said not in self.told]
        earliest, latest = self.began
        surely = [when for when in lost if when > latest and not any(begin <= when < end for begin, end in self.untold)]
        perhaps = [
            when for when in lost if when > earliest and not any(begin < when < end for begin, end in self.untold)
        ]
        return len(surely), len(perhaps)

    def work(self, steps: int) -> None:
        for _ in range(steps):
            if not self.works:
                return
            if next(self.works[0], "end") == "end":
                self.works.popleft()

    def expect(self, frame: Frame) -> None:
        """Count, from outside, the holes that a live replica meets."""
        same = self.replica.state == "live" and frame.epoch == self.replica.epoch
        self.gaps += same and frame.seq > self.replica.seq + frame.has_content


class World:
    """Turn it with `do`; `end` lets everything come through and wait for the truth."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.clock = FakeClock()
        self.cluster = Cluster(self.chance, self.clock)
        self.layer = RecordingLayer()
        self.queues = [LossyQueue(self.chance, loss=0.0, doubling=0.0, delay=0.05) for _ in range(2)]
        self.webs = [Web(self.clock) for _ in range(2)]
        self.workers = [self._worker(0.0)]
        self.browsers: list[ModelBrowser] = []
        self.silent_until = 0.0
        self.summed_up = False
        """Whether a watch was broken: a list tells what many changes came to, not each."""
        self.cluster.remember()

    def _worker(self, listing: float) -> ModelWorker:
        return ModelWorker(self.cluster, self.layer, self.clock, listing=listing)

    # --- what may happen ---

    async def do(self, name: str, number: int) -> None:
        """One thing happens, then a moment passes."""
        getattr(self, f"_{name}")(number)
        await self.step()

    def _change(self, number: int) -> None:
        for _ in range(1 + number % 4):
            old, new = self.cluster.change()
            for worker in self.workers:
                worker.hear(old, new)

    def _storm(self, number: int) -> None:
        for _ in range(10 + number % 30):
            self._change(3)

    def _lose(self, number: int) -> None:
        for queue in self.queues:
            queue._loss, queue._doubling, queue._delay = (number % 4) / 10, (number % 3) / 10, (number % 5) / 10

    def _silence(self, number: int) -> None:
        self.silent_until = self.clock.now() + number % 5

    def _restart(self, number: int) -> None:
        self.workers[-1] = self._worker(number % 3)

    def _double(self, number: int) -> None:
        self.workers = [*self.workers[-1:], self._worker(number % 2)]

    def _kill(self, number: int) -> None:
        if len(self.workers) > 1:
            del self.workers[number % 2]

    def _stick(self, number: int) -> None:
        self.workers[-1].stuck_until = self.clock.now() + number % 4

    def _break(self, number: int) -> None:
        self.workers[-1].break_watch()
        self.summed_up = True
        for web in self.webs:
            web.broken.add(self.workers[-1].publisher.epoch)

    def _relist(self, number: int) -> None:
        for worker in self.workers:
            worker.relist()

    def _open(self, number: int) -> None:
        if len(self.browsers) < 12:
            web = self.webs[number % len(self.webs)]
            self.browsers.append(ModelBrowser(web.hub, self.clock, ADDRESSES[number // 2 % len(ADDRESSES)]))

    def _go(self, number: int) -> None:
        if self.browsers:
            self.browsers[number % len(self.browsers)].go(ADDRESSES[number // 12 % len(ADDRESSES)])

    def _slow(self, number: int) -> None:
        if self.browsers:
            browser = self.browsers[number % len(self.browsers)]
            browser.slow = not browser.slow

    def _leave(self, number: int) -> None:
        if self.browsers:
            self.browsers.pop(number % len(self.browsers)).leave()

    def _wait(self, number: int) -> None:
        """A long time passes at one go, as when a machine sleeps; what was on its way is lost."""
        self.clock.skip(number % 70)
        for queue in self.queues:
            queue._underway.clear()

    # --- a moment ---

    async def step(self, *, quick: bool = False) -> None:
        self.clock.skip(STEP)
        self.cluster.remember()
        for worker in self.workers:
            await worker.step()
        self._post()
        for web, queue in zip(self.webs, self.queues, strict=True):
            web.work(10_000 if quick else self.chance.randrange(5))
            await self._ask(web.replica.tick(), queue)
            for message in queue.arrived(self.clock.now()):
                await self._deliver(web, queue, message)
        await run_ready_tasks(40)
        for web in self.webs:
            web.hub.tick()
        await run_ready_tasks()
        for browser in self.browsers:
            browser.collect()
            if quick or not browser.slow:
                browser.read()
        for web in self.webs:
            self._check(web)

    def _post(self) -> None:
        """Everybody in the group gets a frame; a chunk goes to the process that asked."""
        sent, self.layer.sent = self.layer.sent, []
        for channel, message in sent:
            for number, queue in enumerate(self.queues):
                if self.clock.now() >= self.silent_until and channel in ("deltaboard.feed", f"web-{number}"):
                    queue.put(message, self.clock.now())

    async def _deliver(self, web: Web, queue: LossyQueue, message: dict[str, Any]) -> None:
        if message["type"] == "feed.chunk":
            await self._ask(web.replica.receive_chunk(snapshot_chunk_decoder.decode(message["data"])), queue)
        else:
            frame = frame_decoder.decode(message["data"])
            web.expect(frame)
            await self._ask(web.replica.receive_frame(frame), queue)

    async def _ask(self, ask: SnapshotRequest | None, queue: LossyQueue) -> None:
        lost = self.clock.now() < self.silent_until or self.chance.random() < queue._loss
        if ask is None or lost:
            return
        channel = f"web-{self.queues.index(queue)}"
        for worker in self.workers:
            await worker.answer(SnapshotRequest(ask.resource, channel, ask.snapshot, ask.index, ask.epoch))
        self._post()

    def _check(self, web: Web) -> None:
        """Whoever says live shows what the cluster had a moment ago, and everybody's count is whole."""
        replica = web.replica
        check_names(replica)
        before, web.shown = web.shown, len(replica.rows)
        few = any(each.knew_at_least < SOME for each in self.workers if each.publisher.epoch == replica.epoch)
        some = before >= SOME and len(self.cluster.rows) >= SOME and not few
        assert web.shown or not some, "all rows went, for a list that is to come"
        if not replica.is_live:
            return
        shown = {uid: row.version for uid, row in replica.rows.items()}
        since = self.clock.now() - HONEST
        recent = [state for moment, state in self.cluster.states if moment >= since]
        self.cluster.states = [each for each in self.cluster.states if each[0] >= since]
        assert shown in recent, "a page says live and shows what the cluster did not have of late"

    async def end(self) -> None:
        """Nothing fails any more: after a few seconds everything has to be right."""
        self.silent_until = 0.0
        for queue in self.queues:
            queue.be_kind()
        for worker in self.workers:
            worker.stuck_until = 0.0
            worker.relist()
        for _ in range(140):
            await self.step(quick=True)
        while any(0 <= self.clock.time() - (row.created or 0) - HOUR < 1.5 for row in self.cluster.rows.values()):
            await self.step(quick=True)  # time is looked at each second
        await asyncio.sleep(0)


HOUR = 3600.0
SOME = 8
"""Rows that do not all go in one step."""
HONEST = 2.6
"""Seconds that what is said to be live may be old: silence is noticed after 2 s, and the layer is late by 0.5."""
