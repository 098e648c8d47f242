"""People with the same rights, and what they share: the visible part of each kind, with its lists and views.

A group costs what its hub keeps. It is made with the first page of somebody with these rights, and dropped GROUP_TTL
seconds after the last page or socket.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from dashboard.access.rights import Rights
from dashboard.access.scope_note import scope_note
from dashboard.cluster.access_reviews import DenialLookup, allow_all
from dashboard.live.hub.hub import Hub
from dashboard.live.index.usage_lookup import NO_USAGE, UsageLookup
from dashboard.live.replication.replicas import ReplicaSource
from dashboard.live.replication.scoped_history import ScopedHistory
from dashboard.live.replication.scoped_replica import ScopedReplica
from dashboard.live.replication.scoped_replicas import FindKind, ScopedReplicas
from dashboard.live.usage.scoped_usage import ScopedUsage
from dashboard.runtime.background_tasks import cancel_all, keep_running
from dashboard.runtime.time_slicing import SlicedWork, TimeSlicer, joined
from informerd.clock import Clock

GROUP_TTL = 120.0
"""Seconds that a group is kept without pages."""
SWEEP_INTERVAL = 10.0
"""Seconds between two looks for groups that nobody needs."""


GroupKey = tuple[str, str, str]
"""Fingerprint of the rights, the problem, and the set of kinds."""


@dataclass(slots=True, eq=False)
class RightsGroup:
    """What people with these rights share."""

    key: GroupKey
    rights: Rights
    replicas: ScopedReplicas
    hub: Hub
    task: asyncio.Task[None]
    """Runs the hub."""
    used_at: float
    """Monotonic seconds of the last page."""
    holds: int = 0
    """Requests and runs that use it for longer, see `RightsGroups.hold`."""
    counted: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the visible rows of all kinds are counted: until then the counts of its pages are too small."""
    counted_listeners: set[Callable[[], None]] = field(default_factory=set)
    """Called once, when `counted` is set."""

    def on_counted(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` once the rows are counted. Returns a function that ends that."""
        self.counted_listeners.add(listener)
        return lambda: self.counted_listeners.discard(listener)

    def note_counted(self) -> None:
        self.counted.set()
        for listener in list(self.counted_listeners):
            listener()
        self.counted_listeners.clear()


class RightsGroups:
    """The groups of a process, by the fingerprint of their rights. Nothing here waits."""

    def __init__(
        self,
        replicas: ReplicaSource,
        hub: Hub,
        clock: Clock,
        *,
        find_kind: FindKind,
        note_of: Callable[[Rights, Sequence[str]], str] = scope_note,
        usage: UsageLookup = NO_USAGE,
    ) -> None:
        """`note_of` returns what people see of some kinds, where that is not everything."""
        self._replicas = replicas
        self._hub = hub
        self._clock = clock
        self._find_kind = find_kind
        self._note_of = note_of
        self._usage = usage
        self._groups: dict[GroupKey, RightsGroup] = {}

    def __len__(self) -> int:
        return len(self._groups)

    def get(
        self, rights: Rights, denial_of: DenialLookup = allow_all, *, problem: str = "", kinds: str = ""
    ) -> RightsGroup:
        """The group with these rights, made where there is none. A page is open from now on.

        `denial_of` returns the denials that its pages show. `problem` is why nothing more can be shown, as a sentence,
        which its pages show. `kinds` names the set of kinds of the cluster: with another one, `find_kind` finds others.
        """
        key = rights.fingerprint, problem, kinds
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = self._make(key, rights, denial_of, problem)
        group.used_at = self._clock.now()
        return group

    @contextmanager
    def hold(
        self, rights: Rights, denial_of: DenialLookup = allow_all, *, problem: str = "", kinds: str = ""
    ) -> Iterator[RightsGroup]:
        """The same group, which does not end before the block does, however long that takes."""
        group = self.get(rights, denial_of, problem=problem, kinds=kinds)
        group.holds += 1
        try:
            yield group
        finally:
            group.holds -= 1
            group.used_at = self._clock.now()

    def _make(self, key: GroupKey, rights: Rights, denial_of: DenialLookup, problem: str) -> RightsGroup:
        counts: list[SlicedWork] = []
        rates: list[SlicedWork] = []
        """Work of what is made before there is a hub that does it."""
        slices: TimeSlicer | None = None

        def count(work: SlicedWork) -> None:
            counts.append(work) if slices is None else slices.add(work)

        def count_rates(replica: ScopedReplica) -> None:
            work = history.count_rates(replica, self._clock.time())
            rates.append(work) if slices is None else slices.add(work)

        replicas = ScopedReplicas(self._replicas, rights, self._find_kind, on_new=count_rates, schedule=count)
        history = ScopedHistory(self._hub.own_history, replicas)
        hub = self._hub.scoped(
            replicas, history, denial_of, replicas.forget,
            visibility_note=_no_note if problem else partial(self._note_of, rights), problem=problem, schedule=count,
            usage=ScopedUsage(self._usage, rights),
        )  # fmt: skip
        slices = hub.index.slices
        run = keep_running("the hub of a group of people", hub.run, self._clock)
        group = RightsGroup(key, rights, replicas, hub, asyncio.create_task(run), self._clock.now())
        slices.add(_count_all(counts, group), urgent=True)
        slices.add(joined(rates))
        return group

    async def run(self) -> None:
        """Drop what nobody needs, until cancelled; then end all groups."""
        try:
            while True:
                await self._clock.sleep(SWEEP_INTERVAL)
                await self.sweep()
        finally:
            for group in [*self._groups.values()]:
                await self._end(group)

    async def sweep(self) -> None:
        """End the groups without sockets that had no page for GROUP_TTL seconds."""
        now = self._clock.now()
        for group in [*self._groups.values()]:
            if group.hub.sockets or group.holds:
                group.used_at = now
            elif now - group.used_at >= GROUP_TTL:
                await self._end(group)

    async def _end(self, group: RightsGroup) -> None:
        del self._groups[group.key]
        self._hub.remove_scoped(group.hub)
        group.replicas.close()
        await cancel_all([group.task])


def _no_note(_: Sequence[str]) -> str:
    """What is seen is not known: the problem says so."""
    return ""


def _count_all(counts: Iterable[SlicedWork], group: RightsGroup) -> SlicedWork:
    yield from joined(counts)
    group.note_counted()
