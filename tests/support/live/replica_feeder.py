"""Minimal worker that brings a real replica to any state, frame by frame, without a channel layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import zstandard

from dashboard.live.replication.entry_builder import EntryTimes
from dashboard.live.replication.kind_replica import KindReplica
from dashboard.live.replication.messages import Frame, InterestMessage, SnapshotChunk
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replicas import Replicas
from dashboard.objects.kinds.catalog import KindInfo, find_kind
from dashboard.objects.kinds.feed_entry import Entry, EventSubject, Operation
from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.printers import columns_for
from dashboard.runtime.shard import WHOLE
from informerd.cache.health import Health
from informerd.clock import Clock
from informerd.objects import Blob

EPOCH = "1800000000000-abc"


def pod(name: str, *, namespace: str = "default", uid: str = "", version: int = 1, status: str = "Running",
        tone: Tone = "ok", created: float = 1.8e9, obj: dict[str, Any] | None = None, **cells: Any) -> Row:  # fmt: skip
    """A row of the list of pods; `cells` by column id."""
    known = {"namespace": namespace, "name": name, "status": status, "ready": "1/1", "restarts": 0, "age": created}
    values = {**known, **cells}
    whole = obj or {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}}
    return Row(
        uid=uid or f"uid-{namespace}-{name}", namespace=namespace, name=name, version=str(version), created=created,
        status=status, tone=tone, cells=tuple(values.get(column.id) for column in columns_for("pods")),
        labels={"app": name}, blob=Blob(zstandard.compress(msgspec.json.encode(whole))),
    )  # fmt: skip


def hold(replica: Replica | KindReplica, *rows: Row, gone: Iterable[str] = ()) -> None:
    """Have a replica that nobody feeds hold these, and no longer those that are gone."""
    undivided = replica.replica_of(WHOLE) if isinstance(replica, KindReplica) else replica
    assert undivided is not None
    undivided._holding.apply_frame(rows, gone)


class Feeder:
    """Feeds one replica as a worker would; everything it does is visible in the replica when it returns."""

    def __init__(
        self,
        key: str,
        clock: Clock,
        rows: Iterable[Row] = (),
        entries: Iterable[Entry] = (),
        *,
        health: Health | None = None,
        times: EntryTimes | None = None,
    ) -> None:
        self.key = key
        self.replica = Replica(key, clock)
        self.health = health or Health(state="live", since=clock.time(), heard=clock.time())
        self._clock = clock
        self._times = times or EntryTimes(clock)
        self._seq = 0
        self._entry_seq = 0
        self.replica.receive_frame(self._frame())
        self.replica.receive_chunk(
            SnapshotChunk(key, EPOCH, 0, "s", 0, 1, self.health, rows=tuple(rows), entries=tuple(entries))
        )  # fmt: skip
        assert self.replica.state == "live"

    def put(
        self,
        *rows: Row,
        op: Operation = "modified",
        words: str = "changed",
        about: EventSubject | None = None,
        fields: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """One frame with these rows, and a feed entry for each; `about` is what Events are about."""
        entries = (self.entry(row, op, words, about) for row in rows)
        self._send(rows=rows, entries=tuple(msgspec.structs.replace(each, fields=fields) for each in entries))

    def drop(self, *uids: str) -> None:
        rows = [self.replica.rows[uid] for uid in uids]
        self._send(gone=uids, entries=tuple(self.entry(row, "deleted", "was there") for row in rows))

    def put_and_drop(self, rows: Iterable[Row], gone: Iterable[str]) -> None:
        self._send(rows=tuple(rows), gone=tuple(gone))

    def say(self, number: int, *, namespace: str = "default") -> None:
        """One frame with that many feed entries, of an object each, and nothing else."""
        rows = [pod(f"busy-{self._entry_seq + index}", namespace=namespace) for index in range(number)]
        self._send(entries=tuple(self.entry(row, "modified", f"restarts {i} → {i + 1}") for i, row in enumerate(rows)))

    def lose_entries(self, number: int) -> None:
        """So many entries are made and never sent, as when they came while the replica heard nothing."""
        self._entry_seq += number

    def beat(self, health: Health | None = None) -> None:
        self.health = health or msgspec.structs.replace(self.health, heard=self._clock.time())
        self.replica.receive_frame(self._frame())

    def entry(self, row: Row, op: Operation, words: str, about: EventSubject | None = None) -> Entry:
        self._entry_seq += 1
        time, behind = self._times.next()
        return Entry(
            self._entry_seq,
            time,
            op,
            row.namespace,
            row.name,
            row.uid,
            row.version,
            words,
            row.tone,
            EPOCH,
            about=about,
            behind=behind,
        )

    def _send(self, rows: tuple[Row, ...] = (), gone: tuple[str, ...] = (), entries: tuple[Entry, ...] = ()) -> None:
        self._seq += 1
        self.replica.receive_frame(self._frame(rows, gone, entries))

    def _frame(self, rows: tuple[Row, ...] = (), gone: tuple[str, ...] = (), entries: tuple[Entry, ...] = ()) -> Frame:
        ops = [entry.op for entry in entries]
        return Frame(
            self.key, EPOCH, self._seq, self._clock.time(), self.health, rows, gone, entries,
            (ops.count("added"), ops.count("modified"), ops.count("deleted")),
        )  # fmt: skip


def put_feeders(replicas: Replicas, *feeders: Feeder) -> None:
    """Have a web process's `replicas` keep what these feed in place of their own, which a channel would feed."""
    for feeder in feeders:
        replicas._replicas[feeder.key] = feeder.replica  # type: ignore[assignment] # read as one of the same interface


class Feeders:
    """Several replicas, as the hub knows them."""

    def __init__(self, *feeders: Feeder) -> None:
        self.feeders = {feeder.key: feeder for feeder in feeders}
        self.channel_problem = ""
        self.wants: list[InterestMessage] = []

    @property
    def kinds(self) -> tuple[KindInfo, ...]:
        return tuple(kind for key in self.feeders if (kind := find_kind(key)) is not None)

    def follow(self, kind: KindInfo) -> None:
        first = next(iter(self.feeders.values()))
        self.feeders[kind.key] = Feeder(kind.key, first._clock)

    def unfollow(self, key: str) -> None:
        del self.feeders[key]

    async def send_interest(self, want: InterestMessage) -> None:
        self.wants.append(want)

    def __iter__(self) -> Iterator[Replica]:
        return iter([feeder.replica for feeder in self.feeders.values()])

    def __contains__(self, key: str) -> bool:
        return key in self.feeders

    def get(self, key: str) -> Replica:
        return self.feeders[key].replica
