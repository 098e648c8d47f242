"""Cluster of the model and the workers that follow it, with real publishers."""

from __future__ import annotations

import random

import msgspec

from dashboard.live.replication.messages import SnapshotRequest
from dashboard.live.replication.publisher import Publisher
from dashboard.objects.kinds.row import Owner, Row
from informerd.cache.health import Health, State
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.replica_feeder import pod

STATUSES = (("Running", "ok"), ("Pending", "busy"), ("CrashLoopBackOff", "bad"))
TEAMS = ("team-1", "team-2", "a")
NAMES = 40
MANY = NAMES * len(TEAMS)


class Cluster:
    """Objects by uid, and the past: `states` has the uids and versions of each moment."""

    def __init__(self, chance: random.Random, clock: FakeClock) -> None:
        self.rows: dict[str, Row] = {}
        self.states: list[tuple[float, dict[str, str]]] = []
        self.changes: list[tuple[float, tuple[str, str]]] = []
        """Each change that there ever was: when, and its object's uid with its version, or without it for a delete."""
        self._chance = chance
        self._clock = clock
        self._count = 0

    def change(self) -> tuple[Row | None, Row | None]:
        """Create, change or delete one object. Returns it before and after."""
        old, new = self._changed()
        uid = (new or old).uid  # type: ignore[union-attr]
        self.changes.append((self._clock.time(), (uid, new.version if new is not None else "")))
        return old, new

    def _changed(self) -> tuple[Row | None, Row | None]:
        kind = self._chance.random()
        if kind < 0.3 or not self.rows:
            return None, self._made(f"pod-{self._chance.randrange(NAMES)}", self._chance.choice(TEAMS))
        old = self._chance.choice(list(self.rows.values()))
        if kind < 0.85:
            return old, self._made(old.name, old.namespace, old.uid, old.created)
        del self.rows[old.uid]
        return old, None

    def remember(self) -> None:
        """Record the state of this moment."""
        self.states.append((self._clock.now(), {uid: row.version for uid, row in self.rows.items()}))

    def _made(self, name: str, namespace: str, uid: str = "", created: float | None = None) -> Row:
        """A row of that name; where another object has it, that one is what changes."""
        self._count += 1
        same = next((row for row in self.rows.values() if (row.namespace, row.name) == (namespace, name)), None)
        if not uid and same is not None:
            uid, created = same.uid, same.created
        status, tone = self._chance.choice(STATUSES)
        row = pod(
            name,
            namespace=namespace,
            uid=uid or f"uid-{self._count}",
            version=self._count,
            status=status,
            tone=tone,  # type: ignore[arg-type]
            created=created or self._clock.time() - self._chance.choice([0, 3500, 3590, 9000]),
            restarts=self._chance.randrange(4),
            obj={"metadata": {"name": name, "namespace": namespace, "resourceVersion": str(self._count)}},
        )
        if self._count % 4:
            number = self._count % 7
            owner = ("ReplicaSet", f"set-{number}", f"uid-set-{number}")
            both = (
                Owner("apps", *owner, is_controller=True),
                Owner("", "ConfigMap", "settings", f"uid-map-{number % 3}"),
            )
            row = msgspec.structs.replace(row, owner=owner, owners=() if self._count % 3 else both)
        self.rows[row.uid] = row
        return row


class ModelWorker:
    """A real publisher fed as an informer would: first a list, which takes a while, then each change."""

    def __init__(self, cluster: Cluster, layer: RecordingLayer, clock: FakeClock, *, listing: float) -> None:
        self.publisher = Publisher("pods", layer, clock)
        self.publisher.health = lambda: self._health
        self.stuck_until = 0.0
        self.knew_at_least = MANY
        """Rows that it had when its watch broke, the fewest until it listed again: what it has is as old as that."""
        self._cluster = cluster
        self._clock = clock
        self._listed_at = clock.now() + listing
        self._missed: list[tuple[Row | None, Row | None]] = []
        self._watching = True
        self._health = Health(state="starting", since=clock.time())

    def hear(self, old: Row | None, new: Row | None) -> None:
        """A change of the cluster, which is missed before the list and while the watch is broken."""
        if self._health.state == "live" and self._watching:
            self._apply(old, new)

    def break_watch(self) -> None:
        """Nothing is heard of the API server any more, and it says so."""
        if self._health.state == "live":
            self._watching = False
            self.knew_at_least = min(self.knew_at_least, len(self.publisher.rows))
            self._say("stale")

    async def step(self) -> None:
        """Let time pass, and send pending frames."""
        if self._clock.now() < self.stuck_until:
            return
        if self._health.state != "live" and self._watching and self._clock.now() >= self._listed_at:
            self._list(quiet=True)
        await self.publisher.flush()

    def relist(self) -> None:
        """The watch is restored: a list brings the missed changes."""
        if not self._watching:
            self._watching = True
            self._list(quiet=False)

    def _list(self, *, quiet: bool) -> None:
        for uid in [uid for uid in self.publisher.rows if uid not in self._cluster.rows]:
            self._apply(self.publisher.rows[uid], None)
        for uid, row in self._cluster.rows.items():
            before = self.publisher.rows.get(uid)
            if before is None and quiet:
                self.publisher.put(row)
            elif before != row:
                self._apply(before, row)
        self.knew_at_least = MANY
        self._say("live")

    def _apply(self, old: Row | None, new: Row | None) -> None:
        if new is not None:
            self.publisher.put(new)
            self.publisher.add_entry("modified" if old is not None else "added", new, "changed", new.tone)
        elif old is not None:
            self.publisher.remove(old.uid)
            self.publisher.add_entry("deleted", old, "deleted", "idle")

    def _say(self, state: State) -> None:
        self._health = Health(state=state, since=self._clock.time(), heard=self._clock.time())

    async def answer(self, ask: SnapshotRequest) -> None:
        if self._clock.now() >= self.stuck_until:
            await self.publisher.answer(ask)
