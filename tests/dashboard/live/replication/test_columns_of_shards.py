"""Tests of the columns of a kind that workers describe: those of the rows that are shown, whatever others send."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.live.replication.kind_replica import KindReplica
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.unwatched_list import KindList
from dashboard.objects.kinds.row import PrinterColumn, Row, TableDefinition
from dashboard.objects.printers import columns_for
from dashboard.runtime.shard import WHOLE, Shard
from tests.support.clock import FakeClock
from tests.support.live.replication_messages import chunk, frame
from tests.support.live.sample_rows import row

HALVES = (Shard(1, 2), Shard(2, 2))
SIZED = TableDefinition(True, (PrinterColumn("Size", "string", ".spec.size"),))
PLACED = TableDefinition(True, (PrinterColumn("Room", "string", ".spec.room"), PrinterColumn("Row", "string", ".x")))
SIZE, PLACE = ["Size"], ["Room", "Row"]


class Described:
    """A replica of a kind that is `key`, and workers that describe it."""

    def __init__(self, key: str) -> None:
        self.clock = FakeClock()
        self.replica = KindReplica(key, self.clock)
        self.changes: list[Change] = []
        self.replica.on_change(self.changes.append)

    @property
    def columns(self) -> list[str]:
        """The headers of the columns that the workers have described."""
        return [each.header for each in columns_for(self.replica.key) if each.header in {*SIZE, *PLACE}]

    def list_kind(self, shard: Shard, epoch: str, table: TableDefinition | None, *rows: Row) -> None:
        """A worker begins, and sends its rows and what their cells mean."""
        self.beat(shard, epoch, 1, None)
        self.replica.tick()
        now = self.clock.time()
        sent = chunk(epoch, 1, *rows)
        self.replica.receive_chunk(
            msgspec.structs.replace(sent, resource=self.replica.key, shard=shard, table=table, announced_from=now)
        )

    def beat(self, shard: Shard, epoch: str, seq: int, table: TableDefinition | None) -> None:
        sent = frame(epoch, seq, sent=self.clock.time())
        self.replica.receive_frame(msgspec.structs.replace(sent, resource=self.replica.key, shard=shard, table=table))


@pytest.fixture
def described(request: pytest.FixtureRequest) -> Described:
    """Of a kind that no other test has, because columns are those of the process."""
    return Described(f"{request.node.name.replace('_', '-')}.example.com")


def test_one_worker_describes_the_columns_and_describes_them_anew(described: Described) -> None:
    described.list_kind(WHOLE, "5-a", SIZED, row("web"))
    assert described.columns == SIZE
    described.beat(WHOLE, "5-a", 2, PLACED)
    assert described.columns == PLACE
    assert [each.has_new_columns for each in described.changes] == [True, True]


def test_columns_of_workers_that_are_not_shown_are_not_those_of_the_rows(described: Described) -> None:
    described.list_kind(WHOLE, "5-a", SIZED, row("web"))
    described.list_kind(HALVES[0], "6-a", PLACED, row("web"))
    assert described.replica.table == SIZED
    assert described.columns == SIZE
    described.list_kind(HALVES[1], "6-b", PLACED)
    assert described.replica.table == PLACED, "both are shown"
    assert described.columns == PLACE
    assert described.changes[-1].has_new_columns


def test_columns_that_an_older_shard_alone_has_wait_for_the_younger_one(described: Described) -> None:
    described.list_kind(HALVES[0], "5-a", SIZED, row("web"))
    described.list_kind(HALVES[1], "6-b", SIZED, row("api", uid="uid-2"))
    described.beat(HALVES[0], "5-a", 2, PLACED)
    assert (described.replica.table, described.columns) == (SIZED, SIZE)
    assert described.replica.health.state == "stale"
    described.beat(HALVES[1], "6-b", 2, PLACED)
    assert (described.replica.table, described.columns) == (PLACED, PLACE)


def test_a_shard_whose_worker_is_the_youngest_now_brings_its_columns(described: Described) -> None:
    described.list_kind(HALVES[0], "5-a", PLACED, row("web"))
    described.list_kind(HALVES[1], "6-b", SIZED, row("api", uid="uid-2"))
    assert (described.replica.table, described.columns) == (SIZED, SIZE)
    described.list_kind(HALVES[0], "7-c", PLACED, row("web"))
    assert (described.replica.table, described.columns) == (PLACED, PLACE)
    assert any(each.has_new_columns for each in described.changes[-2:])


def test_a_list_of_a_kind_that_shards_had_has_its_own_columns(described: Described) -> None:
    for number, shard in enumerate(HALVES):
        described.list_kind(shard, f"5-{number}", SIZED, row(f"web-{number}", uid=f"uid-{number}"))
    described.replica.show_list(KindList(described.clock.time(), (row("listed"),), PLACED), "no room")
    assert (described.replica.table, described.columns) == (PLACED, PLACE)
