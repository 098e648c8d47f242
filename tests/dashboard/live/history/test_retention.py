"""Tests of the bounds: parts end, begin with what exists, and the oldest are dropped."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from dashboard.live.history import postgresql_compaction, recorder, recorder_thread
from dashboard.live.history.part import TABLES, HistoryUnavailable, Part, Parts
from dashboard.live.history.postgresql_parts import PostgresqlParts
from dashboard.live.history.reader import HistoryReader
from dashboard.live.history.retention import DAY, Retention
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.history.verify import verify_part
from dashboard.live.history.version import Operation
from tests.support.live.history import START, ListedPods, Log, json_of, recorded, recording, whole_object
from tests.support.wait import eventually


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "TICK", 0.02)
    monkeypatch.setattr(recorder_thread, "IDLE_SECONDS", 0.0)
    monkeypatch.setattr(recorder_thread, "MAINTENANCE_SECONDS", 0.0)


async def test_the_size_is_kept_and_what_exists_stays_readable(tmp_path: Path) -> None:
    parts, limit = SqliteParts(tmp_path), 2 * 2**20
    pods = ListedPods(*(whole_object(f"pod-{number}", number + 1, text="x" * 50) for number in range(30)))
    quiet = whole_object("quiet", 99, text="never changed")
    pods.objects["uid-quiet"] = quiet
    async with recording(parts, ("pods", pods), retention=Retention(limit)):
        await recorded(parts, quiet)
        first = parts.list("cluster")[0]
        for number in range(400):
            for each in range(10):
                pods.put(f"pod-{each}", text=os.urandom(200).hex())
            await asyncio.sleep(0.01)
            if number % 20 == 0:
                assert sum(parts.sizes().values()) < 1.25 * limit
            if number > 50 and first not in parts.list("cluster"):
                break
        await eventually(lambda: first not in parts.list("cluster"))
        await recorded(parts, pods.objects["uid-pod-0"])
        listed = parts.list("cluster")
        assert len(listed) > 2
        reader = HistoryReader(parts, "cluster")
        stored = reader.object_at("pods", "default", "quiet", now())
        assert stored is not None
        assert stored.json == json_of(quiet)
        assert stored.version.time < listed[0].begin  # since when it is so
        steps = reader.objects_at("pods", now())
        assert sum(len(step.objects) for step in steps) == 31
        gap = reader.gap_at("pods", first.begin)
        assert gap is not None
        assert reader.gaps("pods", listed[0].begin, listed[-1].begin) == []
    for part in parts.list("cluster"):
        assert verify_part(parts, part).problems == []


def now() -> int:
    return int(time.time() * 1e6)


def test_a_read_while_a_part_is_begun_is_of_the_part_before(log: Log) -> None:
    objects = [whole_object(f"pod-{number}", number + 1) for number in range(150)]
    for obj in objects:
        log.change("pods", Operation.ADDED, obj)
    log.tick("pods")
    before = log.now
    log.begin_part()
    changed = whole_object("pod-3", 1000, text="changed")
    log.change("pods", Operation.MODIFIED, changed)
    log.change("pods", Operation.DELETED, whole_object("pod-4", 1001))
    log.tick("pods")
    for is_begun in (False, True, True):
        if is_begun:
            log.carry_step()
        for at, number in ((before, 150), (log.now, 149)):
            found = {
                each.version.object.name: each.json
                for step in log.reader.objects_at("pods", at)
                for each in step.objects
            }
            assert len(found) == number
            assert found["pod-3"] == json_of(objects[3] if at == before else changed)
        for obj, at in ((objects[3], before), (changed, log.now), (objects[149], log.now), (objects[0], log.now)):
            stored = log.reader.object_at("pods", "default", obj.metadata.name, at)
            assert stored is not None
            assert stored.json == json_of(obj)
        assert [each.object.name for each in log.reader.find_ended("pod-4")] == ["pod-4"]
    assert not log.carry_step()
    assert log.writer.is_complete


def test_a_part_that_was_not_begun_to_the_end_is_when_the_next_process_records(log: Log) -> None:
    for number in range(150):
        log.change("pods", Operation.ADDED, whole_object(f"pod-{number}", number + 1))
    log.write()
    log.begin_part()
    log.carry_step()
    log.change("pods", Operation.MODIFIED, whole_object("pod-120", 900, text="changed"))
    log.write()
    log.close()
    log.open()
    assert log.writer.is_complete
    log.list_again("pods")
    assert sum(len(step.objects) for step in log.reader.objects_at("pods", log.now)) == 150
    versions = log.reader.versions("pods", "default", "pod-120")
    assert [each.operation for each in versions] == [Operation.ADDED, Operation.MODIFIED]
    for part in log.parts.list(log.cluster):
        assert verify_part(log.parts, part).problems == []


@pytest.mark.parametrize(
    ("size", "begun_with", "after", "is_full"),
    [
        (10, 0, 0, False),
        (100, 0, 0, True),
        (100, 60, 0, False),
        (130, 60, 0, True),
        (10, 0, DAY, True),
        (10, 0, -DAY, False),
    ],
)
def test_a_part_ends_with_its_day_and_at_an_eighth_of_the_limit(
    size: int, begun_with: int, after: int, is_full: bool
) -> None:
    part = Part(START, "cluster", "1")
    assert Retention(800).is_full(part, size, begun_with, START + after) == is_full
    assert not Retention(0).is_full(part, 10**12, 0, START)


def parts_of_days(parts: Parts, *clusters: tuple[str, int]) -> None:
    """Parts of `number` days before START, for each cluster."""
    for cluster, number in clusters:
        session = parts.begin_recording(cluster)
        assert session is not None
        for day in reversed(range(number)):
            session.create_part(START - day * DAY)
        session.close()


def test_the_oldest_parts_go_first_and_never_what_a_recorder_needs(tmp_path: Path) -> None:
    parts = SqliteParts(tmp_path)
    parts_of_days(parts, ("ours", 5), ("idle", 4), ("theirs", 4))
    own, other = parts.begin_recording("ours"), parts.begin_recording("theirs")
    assert own is not None
    assert other is not None
    recorded_part = parts.list("ours")[-1]
    assert Retention(10**9).drop_old(parts, recorded_part, START) == []
    assert len(Retention(0, 3).drop_old(parts, recorded_part, START)) == 1  # of the fifth day, which ended 3 days ago
    Retention(1).drop_old(parts, recorded_part, START)
    left = {cluster: len(parts.list(cluster)) for cluster in ("ours", "idle", "theirs")}
    assert left == {"ours": 2, "idle": 0, "theirs": 2}
    own.close()
    other.close()


@pytest.fixture
def compacted(postgresql_parts: Parts) -> Iterator[tuple[PostgresqlParts, Log]]:
    """Parts in PostgreSQL, and a history of two of them."""
    log = Log(postgresql_parts)
    for number in range(50):
        log.change("pods", Operation.ADDED, whole_object(f"pod-{number}", number + 1))
    log.tick("pods")
    log.begin_part()
    while log.carry_step():
        pass
    log.change("pods", Operation.ADDED, whole_object("later", 900))
    log.tick("pods")
    assert isinstance(postgresql_parts, PostgresqlParts)
    yield postgresql_parts, log
    log.close()


@contextmanager
def in_use(parts: Parts, part: Part) -> Iterator[None]:
    """A question to a part that lasts."""
    connection = parts.connect(part)
    connection.execute("BEGIN")
    connection.query("SELECT COUNT(*) FROM {version}")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def described(parts: Parts, part: Part) -> list[Any]:
    """Columns, indexes and options of a part's tables, without the indexes' names."""
    sql = (
        "SELECT c.relname, c.reloptions, "
        "(SELECT array_agg((a.attname, a.atttypid, a.attstorage, a.attnotnull)::text ORDER BY a.attnum) "
        "FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0), "
        "(SELECT array_agg(regexp_replace(pg_get_indexdef(i.indexrelid), 'INDEX .* ON', 'ON') ORDER BY i.indkey::text) "
        "FROM pg_index i WHERE i.indrelid = c.oid) "
        "FROM pg_class c WHERE c.relkind = 'r' AND starts_with(c.relname, ?) ORDER BY c.relname"
    )
    with closing(parts.connect(part)) as connection:
        return connection.query(sql, f"history_{part.id}_")


@pytest.mark.postgresql
async def test_a_part_that_is_compacted_can_be_read_while_others_read_it(
    compacted: tuple[PostgresqlParts, Log],
) -> None:
    parts, log = compacted
    oldest, newest = parts.list(log.cluster)
    before = described(parts, oldest)
    with in_use(parts, oldest):
        compacting = asyncio.create_task(asyncio.to_thread(parts.compact, oldest))
        await eventually(lambda: any(name.startswith("history_copy_") for name in table_names(parts, oldest)))
        steps = await asyncio.to_thread(lambda: list(log.reader.objects_at("pods", newest.begin - 1)))
        assert sum(len(step.objects) for step in steps) == 50
        log.change("pods", Operation.MODIFIED, whole_object("later", 901))
        log.tick("pods")
        assert log.reader.recorded_until("pods") == log.now
        assert oldest in await asyncio.to_thread(parts.sizes), "which the recorder asks for"
        with pytest.raises(HistoryUnavailable, match="another process is compacting it"):
            await asyncio.to_thread(parts.compact, oldest)
        assert not compacting.done(), "the tables are in use"
    await compacting
    assert described(parts, oldest) == before
    assert verify_part(parts, oldest).problems == []
    assert not any(name.startswith("history_copy_") for name in table_names(parts, oldest))


@pytest.mark.postgresql
def test_a_part_that_is_always_in_use_stays_as_it_is(
    compacted: tuple[PostgresqlParts, Log], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql_compaction, "SWAP_TRIES", 1)
    parts, log = compacted
    oldest = parts.list(log.cluster)[0]
    with in_use(parts, oldest), pytest.raises(HistoryUnavailable, match="it was read all the time"):
        parts.compact(oldest)
    assert verify_part(parts, oldest).problems == []
    assert not any(name.startswith("history_copy_") for name in table_names(parts, oldest))
    parts.drop(oldest)
    parts.compact(oldest)  # which is no more


@pytest.mark.postgresql
@pytest.mark.parametrize("statement", ["CREATE TABLE", "INSERT", "REINDEX", "LOCK TABLE"])
def test_a_part_that_is_dropped_while_it_is_compacted_leaves_nothing(
    compacted: tuple[PostgresqlParts, Log], monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    parts, log = compacted
    oldest, newest = parts.list(log.cluster)
    run = postgresql_compaction._run

    def run_after_drop(connection: psycopg.Connection[Any], text: str) -> None:
        if text.startswith(statement) and oldest in parts.list(log.cluster):
            parts.drop(oldest)
        run(connection, text)

    monkeypatch.setattr(postgresql_compaction, "_run", run_after_drop)
    parts.compact(oldest)
    assert parts.list(log.cluster) == [newest]
    left = table_names(parts, newest)
    assert not [name for name in left if name.startswith(("history_copy_", f"history_{oldest.id}_"))]


@pytest.mark.postgresql
def test_a_compaction_in_many_pieces_that_ended_before_is_begun_anew(
    compacted: tuple[PostgresqlParts, Log], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, log = compacted
    oldest = parts.list(log.cluster)[0]
    monkeypatch.setattr(postgresql_compaction, "COPIED_PAGES", 1)
    with closing(parts.connect(oldest)) as connection:
        kinds = [(100 + number, f"kind-{number}", os.urandom(1500)) for number in range(30)]  # some pages
        connection.execute_many("INSERT INTO {kind} (id, name, template) VALUES (?, ?, ?)", kinds)
        connection.execute("CREATE TABLE history_copy_1_kind (left_by TEXT)")
        before = [connection.query(f"SELECT * FROM {{{table}}} ORDER BY 1, 2") for table in TABLES]
    parts.compact(oldest)
    with closing(parts.connect(oldest)) as connection:
        assert [connection.query(f"SELECT * FROM {{{table}}} ORDER BY 1, 2") for table in TABLES] == before
    assert not any(name.startswith("history_copy_") for name in table_names(parts, oldest))


def table_names(parts: Parts, part: Part) -> list[str]:
    with closing(parts.connect(part)) as connection:
        return [name for (name,) in connection.query("SELECT relname FROM pg_class WHERE relkind = 'r'")]
