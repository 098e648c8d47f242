"""Faults of the database and of the recorder's process: nothing is slow, nothing is corrupt, and gaps are true."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dashboard.live.history import kind_recording, recorder, recorder_thread, sqlite_parts
from dashboard.live.history import reader as history_reader
from dashboard.live.history.change_queue import ChangeQueue
from dashboard.live.history.part import HistoryUnavailable, Part, PartConnection, Parts, RecorderSession
from dashboard.live.history.reader import HistoryReader
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.history.verify import verify_part
from dashboard.live.history.version import Operation
from tests.support.e2e.postgresql_database import Database
from tests.support.live.history import ListedPods, postgresql_parts, recorded, recording, whole_object
from tests.support.program import ROOT
from tests.support.wait import eventually, until

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals in which tests need not wait."""
    monkeypatch.setattr(recorder, "TICK", 0.02)
    monkeypatch.setattr(recorder_thread, "IDLE_SECONDS", 0.0)
    monkeypatch.setattr(recorder_thread, "RETRY_SECONDS", 0.02)
    monkeypatch.setattr(recorder_thread, "MAX_RETRY_SECONDS", 0.02)
    monkeypatch.setattr(recorder_thread, "STANDBY_SECONDS", 0.02)
    monkeypatch.setattr(sqlite_parts, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr(kind_recording, "CATCH_UP", 1000)
    monkeypatch.setattr(history_reader, "GRACE", 0)


@pytest.fixture
def database() -> Iterator[Database]:
    made = Database()
    made.create()
    yield made
    made.drop()


def now() -> int:
    return int(time.time() * 1e6)


def reader(parts: Parts) -> HistoryReader:
    return HistoryReader(parts, "cluster")


def is_covered(parts: Parts, at: int) -> bool:
    try:
        return reader(parts).gap_at("pods", at) is None
    except HistoryUnavailable:
        return False


def gaps(parts: Parts, since: int) -> list[str]:
    """Reasons of the gaps that have ended."""
    return [gap.reason for gap in reader(parts).gaps("pods", since, now()) if gap.until is not None]


async def covered(parts: Parts) -> None:
    """Wait until it is known that all was recorded until this moment."""
    at = now()

    def is_recorded() -> bool:
        try:
            return (reader(parts).recorded_until("pods") or 0) >= at
        except HistoryUnavailable:
            return False

    await eventually(is_recorded)


def check(parts: Parts) -> None:
    for part in parts.list("cluster"):
        assert verify_part(parts, part).problems == []


async def changes_during_a_fault(parts: Parts, pods: ListedPods, number: int = 20) -> int:
    """Change pods while the fault lasts. Returns the time of the first change."""
    begin = now()
    for place in range(number):
        pods.put("a", number=place)
        await asyncio.sleep(0.01)
    return begin


@pytest.mark.postgresql
async def test_a_recorder_says_since_when_it_records_what_waits_and_what_failed_last(database: Database) -> None:
    parts, pods = postgresql_parts(database.url), ListedPods(whole_object("a", 1))
    async with recording(parts, ("pods", pods)) as running:
        await covered(parts)
        assert re.fullmatch(rf"recording since {TIME}, [01] changes wait", running.describe())
        async with recording(parts, ("pods", pods)) as second:
            await eventually(lambda: second.thread is not None)
            await eventually(lambda: second.describe() == "standing by for another worker")
        database.shut()
        await eventually(lambda: "last failure" in running.describe())
        failure = rf"last failure at {TIME}: (AdminShutdown|OperationalError|InterfaceError)"
        assert re.fullmatch(rf"cannot be written, [\d,]+ changes wait, {failure}", running.describe())
        database.reopen()
        await covered(parts)
        assert re.fullmatch(rf"recording since {TIME}, [\d,]+ changes wait, {failure}", running.describe())
    parts.close()


@pytest.mark.postgresql
async def test_nothing_is_lost_while_the_connection_to_postgresql_is_killed(database: Database) -> None:
    parts, pods = postgresql_parts(database.url), ListedPods(whole_object("a", 1))
    async with recording(parts, ("pods", pods)) as running:
        await covered(parts)
        begin = now()
        for number in range(60):
            pods.put("a", number=number)
            await asyncio.sleep(0.005)
            if number % 20 == 10:
                database.shut()
                database.reopen()
        await recorded(parts, pods.objects["uid-a"])
        found = [each.operation for each in reader(parts).versions("pods", "default", "a", since=begin)]
        assert found == [Operation.MODIFIED] * 60
        assert running.thread is not None
        assert running.thread.retries > 0
        await covered(parts)
        assert gaps(parts, begin) == []
        check(parts)
    parts.close()


@pytest.mark.postgresql
async def test_a_database_that_is_away_for_long_is_a_gap_with_its_reason(database: Database) -> None:
    parts, pods = postgresql_parts(database.url), ListedPods(whole_object("a", 1), whole_object("b", 2))
    async with recording(parts, ("pods", pods), queue=ChangeQueue(max_changes=10)) as running:
        await covered(parts)
        database.shut()
        await eventually(lambda: running.problem)
        begin = await changes_during_a_fault(parts, pods)
        pods.delete("b")
        assert running.lost > 0
        database.reopen()
        await recorded(parts, pods.objects["uid-a"])
        await covered(parts)
        assert not running.problem
        (reason,) = gaps(parts, begin)
        assert reason.startswith("the database could not be written: ")
        stored = reader(parts).object_at("pods", "default", "b", now())
        assert stored is not None
        assert stored.version.operation is Operation.MISSING
        check(parts)
    parts.close()


async def test_a_locked_file_loses_nothing(tmp_path: Path) -> None:
    parts, pods = SqliteParts(tmp_path), ListedPods(whole_object("a", 1))
    async with recording(parts, ("pods", pods)) as running:
        await covered(parts)
        (part,) = parts.list("cluster")
        other = sqlite3.connect(tmp_path / "cluster" / f"{part.id}.sqlite3", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        begin = await changes_during_a_fault(parts, pods)
        await eventually(lambda: "locked" in running.problem)
        other.execute("ROLLBACK")
        other.close()
        await recorded(parts, pods.objects["uid-a"])
        assert len(reader(parts).versions("pods", "default", "a", since=begin)) == 20
        await covered(parts)
        assert gaps(parts, begin) == []
        assert not running.problem
        check(parts)


class LimitedSession:
    """A session of which a test says what happens to its writes."""

    def __init__(self, session: RecorderSession, on_connect: Any) -> None:
        self._session = session
        self._on_connect = on_connect

    def create_part(self, begin: int) -> Part:
        return self._session.create_part(begin)

    def connect(self, part: Part) -> PartConnection:
        connection = self._session.connect(part)
        self._on_connect(connection)
        return connection

    def close(self) -> None:
        self._session.close()


class LimitedParts(SqliteParts):
    """SQLite files of at most `max_pages` pages, as on a disk that is full, each commit of which takes `seconds`."""

    max_pages = 0
    seconds = 0.0
    is_read_only = False

    def begin_recording(self, cluster: str) -> Any:
        session = super().begin_recording(cluster)
        return session and LimitedSession(session, self._limit)

    def _limit(self, connection: PartConnection) -> None:
        if self.is_read_only:
            connection.query("PRAGMA query_only = 1")
        if self.max_pages:
            connection.query(f"PRAGMA max_page_count = {self.max_pages}")
        commit = connection.commit

        def slow() -> None:
            time.sleep(self.seconds)
            commit()

        connection.commit = slow  # type: ignore[method-assign]


async def test_a_full_disk_is_a_gap_and_damages_nothing(tmp_path: Path) -> None:
    parts, pods = LimitedParts(tmp_path), ListedPods(whole_object("a", 1))
    parts.max_pages = 40
    async with recording(parts, ("pods", pods), queue=ChangeQueue(max_changes=20)) as running:
        await covered(parts)
        begin = now()
        while "full" not in running.problem:
            if len(running.queue) < 10:  # no more than is written: that would be a gap with another reason
                pods.put("a", text=os.urandom(2000).hex())
            await asyncio.sleep(0.002)
        while not running.lost:
            pods.put("a", text=os.urandom(2000).hex())
        check(parts)
        parts.max_pages = 10_000
        await recorded(parts, pods.objects["uid-a"])
        await covered(parts)
        assert "full" in gaps(parts, begin)[0]
        check(parts)


async def test_a_read_only_database_is_tried_until_it_can_be_written(tmp_path: Path) -> None:
    parts, pods = LimitedParts(tmp_path), ListedPods(whole_object("a", 1))
    async with recording(parts, ("pods", pods)):
        await covered(parts)
    parts.is_read_only = True
    async with recording(parts, ("pods", pods)) as running:
        await eventually(lambda: "readonly" in running.problem)
        await changes_during_a_fault(parts, pods, 5)
        parts.is_read_only = False
        await recorded(parts, pods.objects["uid-a"])
        await eventually(lambda: not running.problem)
        check(parts)


async def test_a_folder_that_cannot_be_made_is_a_problem_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    pods = ListedPods(whole_object("a", 1))
    async with recording(SqliteParts(tmp_path / "file" / "history"), ("pods", pods)) as running:
        await eventually(lambda: running.problem)
        pods.put("a", spec=1)
        assert not running.is_recording


async def test_a_slow_database_keeps_nothing_waiting(tmp_path: Path) -> None:
    parts, pods = LimitedParts(tmp_path), ListedPods(whole_object("a", 1))
    parts.seconds = 0.1
    async with recording(parts, ("pods", pods)) as running:
        await covered(parts)
        begin = now()
        for number in range(1000):
            pods.put("a", number=number)
        assert len(running.queue) > 0  # they were put, and nothing waited for the database
        await recorded(parts, pods.objects["uid-a"])
        assert len(reader(parts).versions("pods", "default", "a", since=begin)) == 1000
        await covered(parts)
        assert gaps(parts, begin) == []


PROGRAM = """
import asyncio, json, sys, time
from pathlib import Path
from dashboard.live.history import recorder, recorder_thread
from dashboard.live.history.sqlite_parts import SqliteParts
from tests.support.live.history import ListedPods, json_of, recording, whole_object

recorder.TICK, recorder_thread.IDLE_SECONDS = 0.02, 0.0

async def main():
    pods = ListedPods(*(whole_object(f"pod-{number}", number + 1) for number in range(20)))
    async with recording(SqliteParts(Path(sys.argv[1])), ("pods", pods)):
        number = 0
        while True:
            number += 1
            at = int(time.time() * 1e6)
            obj = pods.put(f"pod-{number % 20}", number=number)
            print(json.dumps([at, obj.metadata.name, json_of(obj).decode()]), flush=True)
            await asyncio.sleep(0.001)

asyncio.run(main())
"""


@pytest.mark.program
async def test_what_a_killed_worker_recorded_is_there_and_the_rest_is_a_gap(tmp_path: Path) -> None:
    log = tmp_path / "changes"
    with log.open("wb") as out:
        command = [sys.executable, "-c", PROGRAM, str(tmp_path / "history")]
        child = subprocess.Popen(command, cwd=ROOT, stdout=out)  # noqa: ASYNC220 -- nothing else runs meanwhile
        try:
            until(lambda: log.read_bytes().count(b"\n") > 500, within=60)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
    killed = now()
    parts = SqliteParts(tmp_path / "history")
    check(parts)
    pods = ListedPods()
    async with recording(parts, ("pods", pods)):
        await covered(parts)
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.endswith("]")]
    in_gap = recorded_ones = 0
    versions = {name: reader(parts).versions("pods", "default", name) for name in {name for _, name, _ in lines}}
    for at, name, content in lines:
        after = [each for each in versions[name] if each.time >= at and not each.operation.is_end]
        stored = reader(parts).read(after[0]) if after else None
        if stored is not None and stored.json.decode() == content:
            recorded_ones += 1
        else:
            in_gap += 1
            assert not is_covered(parts, at + 1)
    assert recorded_ones > 300
    assert any(
        gap.until is not None and gap.since <= killed <= gap.until
        for gap in reader(parts).gaps("pods", lines[0][0], now())
    )
    assert all(each[-1].operation is Operation.MISSING for each in versions.values())
    check(parts)


@pytest.mark.postgresql
async def test_rows_that_the_database_refuses_stop_nothing_but_themselves(database: Database) -> None:
    parts, pods = postgresql_parts(database.url), ListedPods(whole_object("a", 1))
    async with recording(parts, ("pods", pods)):
        await covered(parts)
        begin = now()
        odd = pods.put("odd\0name")
        pods.objects.pop(odd.metadata.uid)
        await recorded(parts, pods.put("a", spec=1))
        await covered(parts)
        assert any("refused" in reason for reason in gaps(parts, begin))
        check(parts)
    parts.close()


async def test_a_part_of_another_format_is_left_alone_and_another_one_begun(tmp_path: Path) -> None:
    parts, pods = SqliteParts(tmp_path), ListedPods(whole_object("a", 1))
    session = parts.begin_recording("cluster")
    assert session is not None
    connection = session.connect(session.create_part(now()))
    connection.execute("UPDATE {meta} SET value = '99' WHERE name = 'format'")
    connection.commit()
    session.close()
    async with recording(parts, ("pods", pods)):
        await recorded(parts, pods.objects["uid-a"])
        assert len(parts.list("cluster")) == 2
