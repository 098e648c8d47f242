"""Benchmark of history: what recording costs, what a change takes, and how fast it is read, in each database.

    python -m benchmarks.history                    # 2,000 changes a second of 50,000 pods for 10 minutes
    python -m benchmarks.history --copies 80        # and 80 times as much to read from, some 100 million changes

PostgreSQL is the server of TEST_DATABASE_URL, where a database is made and dropped; the local one by default. SQLite is
in --folder. "of a core" is the worker's: its thread that records and what its event loop does for it, without
PostgreSQL's own.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import sqlite3
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.support.changing_pods import ChangingPods
from benchmarks.support.result_table import Line, main
from dashboard.live.history.list_differences import ChangedPart, changed_part, list_differences
from dashboard.live.history.part import FOREVER, Part, Parts
from dashboard.live.history.part_rows import MINUTE
from dashboard.live.history.part_writer import Counts, PartWriter
from dashboard.live.history.postgresql_parts import PostgresqlParts
from dashboard.live.history.reader import HistoryReader
from dashboard.live.history.recorder import Recorder
from dashboard.live.history.retention import Retention
from dashboard.live.history.sqlite_parts import SqliteParts
from informerd.cache.handler import Handler
from informerd.cache.health import Health
from informerd.clock import SystemClock
from informerd.objects import Object
from informerd.testing.polling import eventually

CLUSTER = "benchmark"
KIND = "pods"
PAGE = 51
"""Versions that a page of an object's history reads."""
STEP = 3600
"""Seconds of a bar of the feed's histogram."""


class Informer:
    """Stands for an informer of pods that is live."""

    unreadable: dict[str, Any] = {}
    has_synced = True
    depth = 0
    oldest_age = 0.0

    def __init__(self, pods: list[Object]) -> None:
        self._pods = pods
        self.handler: Handler[Any] | None = None

    def health(self) -> Health:
        return Health("live", 0.0)

    def add_handler(self, handler: Handler[Any]) -> Informer:
        self.handler = handler
        for pod in self._pods:
            handler.on_add(pod, True)
        return self

    def remove(self) -> None:
        self.handler = None


async def record_list(parts: Parts, pods: ChangingPods) -> int:
    """Record a first list and nothing else. Returns its bytes."""

    async def identity() -> str:
        return "list"

    recorder = Recorder(parts, identity, lambda _: True, SystemClock(), Retention(0))
    recorder.follow(KIND, Informer(pods.pods))
    running = asyncio.create_task(recorder.run())
    await eventually(lambda: recorder.counts.written >= len(pods.pods), within=600)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    size = _total(parts)
    for part in parts.list("list"):
        parts.drop(part)
    return size


async def record(parts: Parts, arguments: argparse.Namespace) -> dict[str, float]:
    """Record the changes at their rate. Returns the figures of recording."""
    pods = ChangingPods(arguments.pods)
    list_bytes = await record_list(parts, pods)
    gc.freeze()
    recorder = Recorder(parts, _identity, lambda _: True, SystemClock(), Retention(arguments.megabytes * 2**20))
    informer = Informer(pods.pods)
    recorder.follow(KIND, informer)
    running = asyncio.create_task(recorder.run())
    await eventually(lambda: recorder.counts.written >= arguments.pods, within=600)
    await asyncio.sleep(2)
    assert recorder.thread is not None
    thread_before = recorder.thread.cpu_seconds()
    written_before, loop_seconds, sent, longest = recorder.counts.written, 0.0, 0, 0
    begun = time.monotonic()
    while (elapsed := time.monotonic() - begun) < arguments.seconds:
        while sent < elapsed * arguments.rate:
            old, new = pods.change()
            at = time.thread_time()
            assert informer.handler is not None
            informer.handler.on_update(old, new)
            loop_seconds += time.thread_time() - at
            sent += 1
            if sent % 20 == 0:
                await asyncio.sleep(0)
        longest = max(longest, len(recorder.queue))
        await asyncio.sleep(0.005)
    await eventually(lambda: not len(recorder.queue), within=600)
    await asyncio.sleep(2)
    thread_seconds = recorder.thread.cpu_seconds() - thread_before
    written = recorder.counts.written + recorder.counts.heartbeats - written_before
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    seconds = sent / arguments.rate
    return {
        "changes": float(sent),
        "lost": float(sent - written),
        "of a core, %": 100 * (thread_seconds + loop_seconds) / seconds,
        "µs a change": 1e6 * (thread_seconds + loop_seconds) / sent,
        "event loop, µs": 1e6 * loop_seconds / sent,
        "bytes a change": (_total(parts) - list_bytes) / sent,
        "first list, MB": list_bytes / 1e6,
        "most in the queue": float(longest),
    }


async def _identity() -> str:
    return CLUSTER


def _total(parts: Parts) -> int:
    return sum(parts.sizes().values())


def read(parts: Parts, arguments: argparse.Namespace) -> dict[str, float]:
    """Read at random moments. Returns the figures of reading."""
    reader, chance = HistoryReader(parts, CLUSTER), random.Random(2)
    listed = parts.list(CLUSTER)
    newest = int(time.time() * 1e6)
    names = [
        (f"team-{number % 20}", f"web-7d9c-{number:05d}")
        for number in chance.sample(range(arguments.pods), min(arguments.reads, arguments.pods))
    ]
    moments = [chance.randrange(listed[0].begin, newest) for _ in names]
    at = _times(lambda place: reader.object_at(KIND, *names[place], moments[place]), len(names))
    versions = _times(lambda place: reader.versions(KIND, *names[place]), len(names))
    page = _times(lambda place: reader.newest_states(KIND, *names[place], FOREVER, PAGE), len(names))
    counted = time.perf_counter()
    counts = reader.change_counts(listed[0].begin, newest, STEP, [KIND])
    counted = time.perf_counter() - counted
    assert sum(sum(each.counts) for each in counts)
    begun, first, number = time.perf_counter(), 0.0, 0
    for step in reader.objects_at(KIND, moments[0]):
        first = first or time.perf_counter() - begun
        number += len(step.objects)
    assert number <= arguments.pods
    return {
        "object at a moment, p50 ms": at[len(at) // 2],
        "p99 ms": at[int(len(at) * 0.99)],
        "its newest 50 with JSON, p99 ms": page[int(len(page) * 0.99)],
        "all its versions, p99 ms": versions[int(len(versions) * 0.99)],
        "histogram of all s": counted,
        "list of all pods, first rows s": first,
        "all s": time.perf_counter() - begun,
        "parts": float(len(listed)),
        "GB": _total(parts) / 1e9,
    }


def compare(parts: Parts, since: int, until: int) -> dict[str, float]:
    """Compare the list of pods at two moments, as its page does. Returns the figures of that."""
    reader, begun, first, found = HistoryReader(parts, CLUSTER), time.perf_counter(), 0.0, 0
    for step in list_differences(reader, KIND, since, until):
        for each in step.differences:
            found += each.was is None or each.json is None or changed_part(each.was, each.json) > ChangedPart.NOTHING
        if found and not first:
            first = time.perf_counter() - begun
    return {"differ": float(found), "first rows s": first, "all s": time.perf_counter() - begun}


def newest_change(parts: Parts) -> int:
    connection = parts.connect(parts.list(CLUSTER)[-1])
    ((newest,),) = connection.query("SELECT MAX(time) FROM {version}")
    connection.close()
    return int(newest)


def _times(call: Callable[[int], object], number: int) -> list[float]:
    found = []
    for place in range(number):
        begun = time.perf_counter()
        call(place)
        found.append(1000 * (time.perf_counter() - begun))
    return sorted(found)


def start(parts: Parts) -> float:
    """Seconds until a recorder that starts knows every pod."""
    begun = time.perf_counter()
    session = parts.begin_recording(CLUSTER)
    assert session is not None
    PartWriter(session.connect(parts.list(CLUSTER)[-1]), Counts()).states(KIND)
    session.close()
    return time.perf_counter() - begun


def copy_sqlite(folder: Path, part: Part, shift: int) -> None:
    """A copy of a part as if it had been recorded `shift` microseconds earlier."""
    path = folder / CLUSTER / f"{part.begin - shift}.sqlite3"
    source = sqlite3.connect(folder / CLUSTER / f"{part.id}.sqlite3")
    target = sqlite3.connect(path)
    source.backup(target)
    for statement in ("version SET time = time - ?", "span SET since = since - ?1, until = until - ?1"):
        target.execute(f"UPDATE {statement}", (shift,))
    # through negative numbers, because each minute becomes another one that is there, too
    target.execute("UPDATE change_count SET minute = -(minute - ?)", (shift // MINUTE,))
    target.execute("UPDATE change_count SET minute = -minute")
    target.commit()
    for connection in (source, target):
        connection.close()


def copy_postgresql(connection: psycopg.Connection[Any], part: Part, shift: int) -> None:
    """The same."""
    sql = "INSERT INTO history_part (cluster, begin) VALUES (%s, %s) RETURNING id"
    (number,) = connection.execute(sql, (CLUSTER, part.begin - shift)).fetchone() or (0,)
    for table in ("meta", "kind", "manager", "object", "version", "span", "change_count"):
        old, new = f"history_{part.id}_{table}", f"history_{number}_{table}"
        connection.execute(f"CREATE TABLE {new} (LIKE {old} INCLUDING ALL)".encode())
        moved = f"SELECT time - {shift}, object, depth, operation, manager, resource_version, data FROM {old}"
        if table == "span":
            moved = f"SELECT id, kind, since - {shift}, until - {shift}, reason FROM {old}"
        elif table == "change_count":
            columns = "kind, added, modified, deleted, namespace"
            moved = f"SELECT minute - {shift // MINUTE}, {columns} FROM {old}"
        elif table != "version":
            moved = f"SELECT * FROM {old}"
        connection.execute(f"INSERT INTO {new} {moved}".encode())
    connection.commit()


@contextmanager
def sqlite_database(arguments: argparse.Namespace) -> Iterator[tuple[Parts, Callable[[Part, int], None]]]:
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        parts = SqliteParts(Path(name))
        yield parts, lambda part, shift: copy_sqlite(Path(name), part, shift)


@contextmanager
def postgresql_database(_: argparse.Namespace) -> Iterator[tuple[Parts, Callable[[Part, int], None]]]:
    server = os.environ.get("TEST_DATABASE_URL") or "postgres://postgres@127.0.0.1:5432/postgres"
    name = f"deltaboard_benchmark_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
        try:
            url = f"{server.rsplit('/', 1)[0]}/{name}"
            parts = PostgresqlParts(lambda: psycopg.conninfo.conninfo_to_dict(url))
            with psycopg.connect(url) as copying:
                yield parts, lambda part, shift: copy_postgresql(copying, part, shift)
            parts.close()
        finally:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())


DATABASES = {"sqlite": sqlite_database, "postgresql": postgresql_database}


def measure(arguments: argparse.Namespace) -> list[Line]:
    lines = []
    for name in arguments.databases.split(","):
        with DATABASES[name](arguments) as (parts, copy):
            print(f"{name}: recording for {arguments.seconds} s …", file=sys.stderr)
            recorded = asyncio.run(record(parts, arguments))
            lines.append(Line(f"{name}: recording", recorded))
            alone, listed = start(parts), parts.list(CLUSTER)
            span = -(-(int(time.time() * 1e6) - listed[0].begin) // MINUTE) * MINUTE
            for number in range(arguments.copies):
                print(f"{name}: copy {number + 1} of {arguments.copies} …", file=sys.stderr)
                for part in listed:
                    copy(part, (number + 1) * span)
            print(f"{name}: reading …", file=sys.stderr)
            figures = {"changes": recorded["changes"] * (1 + arguments.copies), **read(parts, arguments)}
            figures |= {"start s": start(parts), "start without the copies s": alone}
            lines.append(Line(f"{name}: reading", figures))
            print(f"{name}: comparing …", file=sys.stderr)
            first, begin, end = listed[0].begin, listed[-1].begin, newest_change(parts)
            for words, since in (
                ("2 s apart", max(begin, end - 2_000_000)),
                (f"{arguments.seconds:.0f} s apart", max(begin, end - int(arguments.seconds * 1e6))),
                ("in the first and the last part", first - arguments.copies * span + (end - first) // 2),
            ):
                lines.append(Line(f"{name}: two moments {words}", compare(parts, since, end)))
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=int, default=50_000)
    parser.add_argument("--rate", type=float, default=2_000, help="changes a second")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--megabytes", type=int, default=0, help="size limit of history (default: none)")
    parser.add_argument("--copies", type=int, default=0, help="how often what was recorded is copied to be read, too")
    parser.add_argument("--reads", type=int, default=500)
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--folder", help="folder for SQLite files (default: that of temporary files)")
    return parser


if __name__ == "__main__":
    main("History: recording and reading", measure, _parser())
