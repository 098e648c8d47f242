"""Objects, changes and databases for tests of history."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import zstandard

from dashboard.live.history.carry_over import CarryOver
from dashboard.live.history.change_queue import Change, ChangeQueue, Covered, Item, ListBegin, ListEnd, Tick
from dashboard.live.history.part import FOREVER, HistoryUnavailable, Parts, RecorderSession
from dashboard.live.history.part_reader import PartReader
from dashboard.live.history.part_rows import MINUTE
from dashboard.live.history.part_writer import Counts, PartWriter
from dashboard.live.history.postgresql_parts import PostgresqlParts
from dashboard.live.history.reader import HistoryReader
from dashboard.live.history.recorder import Recorder
from dashboard.live.history.retention import Retention
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.history.version import Operation, StoredVersion
from dashboard.live.history.version_json import version_json
from informerd.cache.handler import Handler
from informerd.cache.health import Health, State
from informerd.clock import Clock, SystemClock
from informerd.objects import Blob, Object, ObjectMeta
from tests.support.e2e.postgresql_database import Database
from tests.support.wait import eventually

START = 1_800_000_000_000_000
"""Unix microseconds: noon of no day, so that no part ends by its day."""


def postgresql_parts(url: str) -> PostgresqlParts:
    return PostgresqlParts(lambda: psycopg.conninfo.conninfo_to_dict(url))


@contextmanager
def history_database(kind: str, folder: Path) -> Iterator[Parts]:
    """Parts in `folder` (``sqlite``) or in a database of their own (``postgresql``)."""
    if kind == "sqlite":
        yield SqliteParts(folder)
        return
    database = Database()
    database.create()
    parts = postgresql_parts(database.url)
    try:
        yield parts
    finally:
        parts.close()
        database.drop()


def whole_object(name: str, version: int, *, uid: str = "", namespace: str = "default", **content: Any) -> Object:
    """An object with its whole JSON, as an informer has it."""
    meta = {
        "name": name,
        "namespace": namespace,
        "uid": uid or f"uid-{name}",
        "resourceVersion": str(version),
        "managedFields": [{"manager": "kubectl", "time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:a": {}}}],
    }
    raw = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": meta, **content}, separators=(",", ":")).encode()
    metadata = ObjectMeta(name=name, namespace=namespace, uid=str(meta["uid"]), resource_version=str(version))
    return Object(metadata=metadata, blob=Blob(zstandard.compress(raw)))


def json_of(obj: Object) -> bytes:
    """What history stores of it."""
    assert obj.blob is not None
    return version_json(obj.blob.json())


@dataclass
class Log:
    """A cluster of history that a test writes to, and all that it wrote."""

    parts: Parts
    cluster: str = field(default_factory=lambda: str(uuid.uuid4()))
    now: int = START
    since: int = START
    """Since when `tick` says that everything was recorded; what was before is a gap."""
    version: int = 100
    objects: dict[tuple[str, str], Object] = field(default_factory=dict)
    """By kind and uid what exists."""
    truth: list[tuple[int, str, Operation, Object]] = field(default_factory=list)
    """Time, kind, operation and object of each version that was to be recorded."""
    timeline: list[tuple[int, str, dict[str, Object]]] = field(default_factory=list)
    """By uid what existed of a kind since a time."""

    def __post_init__(self) -> None:
        self.reader = HistoryReader(self.parts, self.cluster)
        self.counts = Counts()
        self.session: RecorderSession | None = None
        self.carry: CarryOver | None = None
        self.batch: list[Item] = []
        self.open()

    def open(self) -> None:
        """Begin to record, as a process that starts."""
        session = self.parts.begin_recording(self.cluster)
        assert session is not None
        self.session = session
        listed = self.parts.list(self.cluster)
        part = listed[-1] if listed else session.create_part(self.now)
        self.writer = PartWriter(session.connect(part), self.counts)
        if not self.writer.is_complete:
            if len(listed) < 2:
                self.writer.mark_complete()
            else:
                self.carry = CarryOver(PartReader(self.parts.connect(listed[-2])), self.writer)
                while self.carry_step():
                    pass

    def carry_step(self) -> bool:
        """Copy some of what a new part begins with. Whether there is more."""
        if self.carry is None:
            return False
        if self.carry.step():
            return True
        self.carry.close()
        self.carry = None
        return False

    def begin_part(self) -> None:
        """Begin another part, of which nothing is copied yet."""
        while self.carry_step():
            pass
        assert self.session is not None
        self.tick()
        part = self.session.create_part(max(self.now, self.writer.last_time + 1))
        self.now = part.begin
        writer = PartWriter(self.session.connect(part), self.counts)
        writer.take_over(self.writer)
        self.carry = CarryOver(PartReader(self.parts.connect(self.writer.part)), writer)
        self.writer = writer

    def close(self) -> None:
        """End without a word, as a process that is killed."""
        if self.carry is not None:
            self.carry.close()
            self.carry = None
        if self.session is not None:
            self.session.close()
            self.session = None
        self.batch = []

    def change(self, kind: str, operation: Operation, obj: Object, *, is_seen: bool = True) -> Change:
        """A change of the cluster, which the recorder sees or not."""
        self.now += 1000
        change = Change(kind, operation, obj, self.now)
        if operation.is_end:
            self.objects.pop((kind, obj.metadata.uid), None)
        else:
            self.objects[kind, obj.metadata.uid] = obj
        existing = {uid: each for (of, uid), each in self.objects.items() if of == kind}
        self.timeline.append((self.now, kind, existing))
        if is_seen:
            self.truth.append((self.now, kind, operation, obj))
            self.batch.append(change)
        return change

    def next_version(self) -> int:
        self.version += 1
        return self.version

    def write(self) -> None:
        """Write what has gathered."""
        self.writer.write(self.batch)
        self.batch = []

    def tick(self, *kinds: str, since: int | None = None, reason: str = "") -> None:
        """Write what has gathered, and that all was recorded."""
        self.now += 1000
        begun = since if since is not None else self.since
        self.batch.append(Tick(tuple(Covered(kind, begun, self.now, reason) for kind in kinds)))
        self.write()

    def list_again(self, *kinds: str) -> None:
        """Have the recorder compare what exists with what was recorded."""
        for kind in kinds:
            self.batch.append(ListBegin(kind))
            for (of, _), obj in [*self.objects.items()]:
                if of == kind:
                    self.now += 1000
                    self.batch.append(Change(kind, Operation.FOUND, obj, self.now))
            self.now += 1000
            self.batch.append(ListEnd(kind, self.now))
        self.write()


class RandomLife:
    """Random changes of pods and nodes in a Log."""

    def __init__(self, log: Log, seed: int) -> None:
        self.log = log
        self.chance = random.Random(seed)
        self.serial = 0

    def do(self, *, is_seen: bool = True) -> None:
        """One change: an object comes, changes, beats its heart or goes."""
        log, kind = self.log, self.chance.choice(["pods", "nodes"])
        of_kind = [obj for (of, _), obj in log.objects.items() if of == kind]
        act = self.chance.choice(["add", "change", "change", "change", "beat", "delete"]) if of_kind else "add"
        if act == "add":
            self.serial += 1
            name = f"{kind}-{self.chance.randrange(6)}"
            if any(obj.metadata.name == name for obj in of_kind):
                return
            log.change(kind, Operation.ADDED, self._made(name, f"uid-{self.serial}", self._content()), is_seen=is_seen)
            return
        obj = self.chance.choice(of_kind)
        meta, content = obj.metadata, obj.full()
        if act == "delete":
            log.change(kind, Operation.DELETED, self._made(meta.name, meta.uid, content["spec"]), is_seen=is_seen)
        elif act == "beat":
            beaten = self._made(meta.name, meta.uid, content["spec"])
            log.change(kind, Operation.MODIFIED, beaten, is_seen=is_seen)
            if is_seen:
                log.truth.pop()  # it makes no version
        else:
            log.change(kind, Operation.MODIFIED, self._made(meta.name, meta.uid, self._content()), is_seen=is_seen)

    def _made(self, name: str, uid: str, spec: dict[str, Any]) -> Object:
        return whole_object(name, self.log.next_version(), uid=uid, spec=spec)

    def _content(self) -> dict[str, Any]:
        return {"number": self.chance.randrange(10**9), "text": "é" * self.chance.randrange(4)}


class ListedPods:
    """Stands for an informer of one kind: a test changes its objects, and handlers hear of it at once."""

    def __init__(self, *objects: Object) -> None:
        self.objects = {obj.metadata.uid: obj for obj in objects}
        self.unreadable: dict[str, Any] = {}
        self.state: State = "live"
        self.namespaces: tuple[str, ...] = ()
        self.relists = 0
        self.has_synced = True
        self.depth = 0
        self.oldest_age = 0.0
        self.handler: Handler[Any] | None = None
        self._version = 1_000

    def health(self) -> Health:
        return Health(self.state, 0.0, relists=self.relists, namespaces=self.namespaces)

    def add_handler(self, handler: Handler[Any]) -> ListedPods:
        self.handler = handler
        for obj in self.objects.values():
            handler.on_add(obj, True)
        return self

    def remove(self) -> None:
        self.handler = None

    def put(self, name: str, **content: Any) -> Object:
        """Create or change an object; returns its new version."""
        self._version += 1
        obj = whole_object(name, self._version, **content)
        old = self.objects.get(obj.metadata.uid)
        self.objects[obj.metadata.uid] = obj
        if self.handler is not None:
            self.handler.on_add(obj, False) if old is None else self.handler.on_update(old, obj)
        return obj

    def delete(self, name: str) -> None:
        """Delete an object."""
        obj = self.objects.pop(f"uid-{name}")
        if self.handler is not None:
            self.handler.on_delete(obj, False)


@asynccontextmanager
async def recording(
    parts: Parts, *informers: tuple[str, ListedPods], clock: Clock | None = None, queue: ChangeQueue | None = None,
    retention: Retention | None = None, cluster: str = "cluster",
) -> AsyncIterator[Recorder]:  # fmt: skip
    """A recorder of these kinds that runs."""

    async def identity() -> str:
        return cluster

    recorder = Recorder(parts, identity, lambda _: True, clock or SystemClock(), retention, queue)
    for key, informer in informers:
        recorder.follow(key, informer)
    async with running_recorder(recorder):
        yield recorder


@asynccontextmanager
async def running_recorder(recorder: Recorder) -> AsyncIterator[None]:
    running = asyncio.create_task(recorder.run())
    try:
        yield
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def recorded(parts: Parts, obj: Object, kind: str = "pods", cluster: str = "cluster") -> StoredVersion:
    """Wait until the last version of the object that is recorded is `obj`."""
    meta, reader = obj.metadata, HistoryReader(parts, cluster)

    def found() -> StoredVersion | None:
        try:
            stored = reader.object_at(kind, meta.namespace, meta.name, FOREVER - 1)
        except HistoryUnavailable:
            return None
        return stored if stored is not None and stored.json == json_of(obj) else None

    stored = await eventually(found)
    assert stored is not None
    return stored


def shift_sqlite_history(folder: Path, microseconds: int) -> None:
    """Make all that SQLite has recorded below a folder older by whole minutes, while nobody has it open."""
    for path in [*folder.glob("*/*.sqlite3")]:
        connection = sqlite3.connect(path)
        connection.execute("UPDATE version SET time = time - ?", (microseconds,))
        connection.execute("UPDATE span SET since = since - ?1, until = until - ?1", (microseconds,))
        connection.execute("UPDATE meta SET value = CAST(value AS INTEGER) - ? WHERE name = 'last'", (microseconds,))
        connection.execute("UPDATE change_count SET minute = -(minute - ?)", (microseconds // MINUTE,))
        connection.execute("UPDATE change_count SET minute = -minute")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        path.rename(path.with_name(f"{int(path.stem) - microseconds}.sqlite3"))
