"""Moments of the past that pages show: each has its replicas and its hub, and is shared by all who look at it.

A moment takes as much memory as the rows of the present do, so that there are MAX_MOMENTS at most. One that nobody has
looked at for MOMENT_TTL seconds is dropped; where there are too many, the one that was left first is.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.hub.heartbeat_message import ClusterInfoSource
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.rights_groups import RightsGroups
from dashboard.live.index.usage_lookup import NoUsage
from dashboard.live.moments.past_clock import PastClock
from dashboard.live.moments.past_objects import PastObjects
from dashboard.live.moments.past_replicas import PastReplicas
from dashboard.live.replication.replicas import ReplicaSource
from dashboard.live.replication.scoped_replicas import FindKind
from dashboard.runtime.app_state import Key
from dashboard.runtime.background_tasks import cancel_all, keep_running
from dashboard.runtime.read_only import past_is_shown
from informerd.clock import Clock

MAX_MOMENTS = 4
"""Moments that are kept at the same time."""
MOMENT_TTL = 120.0
"""Seconds that a moment is kept without pages."""
SWEEP_INTERVAL = 10.0
"""Seconds between two looks for moments that nobody looks at."""


NOT_KEPT = NoUsage("History does not keep what objects use.")


class TooManyMoments(Exception):
    """As many moments as can be kept are being looked at."""

    def __init__(self) -> None:
        super().__init__(
            f"{MAX_MOMENTS} other moments of the past are being looked at, and more cannot be kept. "
            "Try again in a few minutes."
        )


class Moment:
    """The cluster at Unix time `at`. Use `hub` as that of the present; `groups` has those of people's rights."""

    def __init__(
        self,
        at: float,
        replicas: PastReplicas,
        clock: Clock,
        render: Callable[..., str],
        *,
        note: Callable[[], str] = lambda: "",
        cluster: ClusterInfoSource = lambda: None,
        find_kind: FindKind = lambda _kind, _group: None,
    ) -> None:
        self.at = at
        self.clock = PastClock(clock, at)
        self.replicas = replicas
        self.hub = Hub(replicas, self.clock, render, note=note, cluster=cluster, usage=NOT_KEPT)
        self.groups = RightsGroups(replicas, self.hub, self.clock, find_kind=find_kind)
        self.used_at = clock.now()
        """Monotonic seconds of the last page."""
        self.has_ended = False
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to read it, on the running event loop."""
        with past_is_shown():  # what the hub draws
            for name, run in (
                ("the hub of a past moment", self.hub.run),
                ("groups of people at a past moment", self.groups.run),
            ):
                self._tasks.append(asyncio.create_task(keep_running(name, run, self.clock), name=name))
            self._tasks.append(asyncio.create_task(self.replicas.run(), name="reading a past moment"))

    async def end(self) -> None:
        """Stop all that runs for it."""
        self.has_ended = True
        tasks, self._tasks = self._tasks, []
        await cancel_all(tasks)
        self.hub.close()

    @property
    def is_viewed(self) -> bool:
        """Whether a page that shows it is open."""
        return any(hub.sockets for hub in self.hub.all_hubs)


class Moments:
    """The moments of a process. Nothing here waits but `run`, which drops those that nobody looks at, and finds out how
    far history reaches back.
    """

    def __init__(
        self,
        base: ReplicaSource,
        history: PastObjects,
        clock: Clock,
        render: Callable[[float], Callable[..., str]],
        *,
        note: Callable[[], str] = lambda: "",
        cluster: ClusterInfoSource = lambda: None,
        find_kind: FindKind = lambda _kind, _group: None,
    ) -> None:
        """`render` returns the renderer of templates for a moment, `note` what its hub has under this name."""
        self._base = base
        self._history = history
        self.next_change, self.object_at = history.next_change, history.object_at
        self._clock = clock
        self._render = render
        self._note = note
        self._cluster = cluster
        self._find_kind = find_kind
        self.begin: float | None = None
        """Unix seconds of the oldest moment that can be shown, infinite where there is none; None where it is not
        known. It is read every SWEEP_INTERVAL seconds.
        """
        self._moments: dict[float, Moment] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._moments)

    def now(self) -> float:
        """Unix seconds of the present."""
        return self._clock.time()

    def open(self, at: float) -> Moment:
        """The moment at Unix time `at`, which is being read. Raises TooManyMoments."""
        moment = self._moments.get(at)
        if moment is None:
            if len(self._moments) >= MAX_MOMENTS:
                self._make_room()
            replicas = PastReplicas(self._base, self._history, at, self._clock)
            moment = self._moments[at] = Moment(
                at,
                replicas,
                self._clock,
                self._render(at),
                note=self._note,
                cluster=self._cluster,
                find_kind=self._find_kind,
            )
            moment.start()
        moment.used_at = self._clock.now()
        return moment

    async def run(self) -> None:
        """Drop what nobody looks at, until cancelled; then end all moments."""
        try:
            while True:
                await self._read_begin()
                await self._clock.sleep(SWEEP_INTERVAL)
                self.sweep()
        finally:
            await self.drop_all()

    async def drop_all(self) -> None:
        """Drop all moments, as they are of another cluster: open pages connect again, and get theirs of this one.
        Returns when nothing is read for them any more.
        """
        self.begin = None
        for at in [*self._moments]:
            self._drop(at)
        await asyncio.gather(*self._ending)

    def sweep(self) -> None:
        """Drop the moments that have had no page for MOMENT_TTL seconds."""
        now = self._clock.now()
        for at, moment in [*self._moments.items()]:
            if moment.is_viewed:
                moment.used_at = now
            elif now - moment.used_at >= MOMENT_TTL:
                self._drop(at)

    async def _read_begin(self) -> None:
        try:
            begin = await self._history.begin()
        except HistoryUnavailable:  # what needs it says so
            self.begin = None
        else:
            self.begin = math.inf if begin is None else begin

    def _make_room(self) -> None:
        idle = [each for each in self._moments.values() if not each.is_viewed]
        if not idle:
            raise TooManyMoments
        self._drop(min(idle, key=lambda each: each.used_at).at)

    def _drop(self, at: float) -> None:
        task = asyncio.create_task(self._moments.pop(at).end(), name="ending a past moment")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


MOMENTS: Key[Moments | None] = Key("moments")
"""None where no history is kept."""
MOMENT: Key[Moment | None] = Key("moment")
"""The moment of the past that a request shows; None in the present."""
