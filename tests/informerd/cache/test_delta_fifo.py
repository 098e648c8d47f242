"""Tests of the delta FIFO: order, batches, and the moment of sync."""

from __future__ import annotations

import asyncio

import pytest

from informerd.cache.delta import Added, Bookmark, Deleted, ReplacedAll, SyncAll, Updated
from informerd.cache.delta_fifo import DeltaFifo, FifoClosed
from informerd.objects import Object, ObjectMeta
from tests.support.clock import run_ready_tasks


def obj(name: str, version: str = "1") -> Object:
    return Object(api_version="v1", kind="Pod", metadata=ObjectMeta(name=name, resource_version=version))


def added(name: str) -> Added[Object]:
    return Added(name, obj(name))


def updated(name: str, version: str) -> Updated[Object]:
    return Updated(name, obj(name, version))


@pytest.fixture
def fifo() -> DeltaFifo[Object]:
    return DeltaFifo()


async def test_deltas_come_out_in_the_order_in_which_they_went_in(fifo: DeltaFifo[Object]) -> None:
    fifo.replace({}, "1")
    fifo.extend([added("a"), added("b")])
    fifo.bookmark(Bookmark("3"))
    fifo.extend([Deleted("a", obj("a"))])
    fifo.sync_all()
    fifo.extend([added("c")])
    batches = [await fifo.pop() for _ in range(6)]
    kinds = [[type(delta).__name__ for delta in batch] for batch in batches]
    assert kinds == [["ReplacedAll"], ["Added", "Added"], ["Bookmark"], ["Deleted"], ["SyncAll"], ["Added"]]


async def test_a_batch_ends_before_a_key_that_it_has(fifo: DeltaFifo[Object]) -> None:
    fifo.extend([added("a"), added("b"), updated("a", "2"), updated("a", "3"), added("c")])
    batches = [await fifo.pop() for _ in range(3)]
    assert [[delta.key for delta in batch if isinstance(delta, Added | Updated)] for batch in batches] == [
        ["a", "b"],
        ["a"],
        ["a", "c"],
    ]


async def test_a_batch_has_at_most_1000_keys(fifo: DeltaFifo[Object]) -> None:
    fifo.extend([added(str(number)) for number in range(2500)])
    assert [len(await fifo.pop()) for _ in range(3)] == [1000, 1000, 500]


async def test_lists_resyncs_and_bookmarks_travel_alone(fifo: DeltaFifo[Object]) -> None:
    fifo.replace({"a": obj("a")}, "1")
    fifo.replace({}, "2")
    fifo.sync_all()
    fifo.bookmark(Bookmark("3"))
    fifo.bookmark(Bookmark("4"))
    batches = [await fifo.pop() for _ in range(5)]
    assert [len(batch) for batch in batches] == [1, 1, 1, 1, 1]
    assert isinstance(batches[0][0], ReplacedAll)
    assert isinstance(batches[2][0], SyncAll)


async def test_synced_once_the_first_list_has_been_processed(fifo: DeltaFifo[Object]) -> None:
    fifo.replace({"a": obj("a")}, "1")
    fifo.extend([added("b")])
    batch = await fifo.pop()
    assert not fifo.has_synced
    fifo.done(batch)
    assert fifo.has_synced


async def test_an_empty_first_list_counts(fifo: DeltaFifo[Object]) -> None:
    fifo.replace({}, "1")
    fifo.done(await fifo.pop())
    assert fifo.has_synced


async def test_synced_at_once_where_a_change_came_before_any_list(fifo: DeltaFifo[Object]) -> None:
    fifo.bookmark(Bookmark("1"))
    assert not fifo.has_synced
    fifo.extend([added("a")])
    assert fifo.has_synced


async def test_pop_waits_for_a_delta(fifo: DeltaFifo[Object]) -> None:
    popping = asyncio.create_task(fifo.pop())
    await run_ready_tasks()
    assert not popping.done()
    fifo.extend([added("a")])
    assert [type(delta) for delta in await popping] == [Added]


async def test_close_wakes_a_blocked_pop_and_takes_nothing_more(fifo: DeltaFifo[Object]) -> None:
    popping = asyncio.create_task(fifo.pop())
    await run_ready_tasks()
    fifo.close()
    with pytest.raises(FifoClosed):
        await popping
    with pytest.raises(FifoClosed):
        fifo.extend([added("a")])
    with pytest.raises(FifoClosed):
        fifo.replace({}, "1")
    assert len(fifo) == 0


async def test_what_was_queued_before_close_is_still_given_out(fifo: DeltaFifo[Object]) -> None:
    fifo.extend([added("a")])
    fifo.close()
    assert len(await fifo.pop()) == 1
    with pytest.raises(FifoClosed):
        await fifo.pop()


async def test_processed_waits_for_what_is_queued_now(fifo: DeltaFifo[Object]) -> None:
    await fifo.wait_until_processed()
    fifo.extend([added("a"), added("a")])
    waiting = asyncio.create_task(fifo.wait_until_processed())
    await run_ready_tasks()
    fifo.extend([added("b")])
    fifo.done(await fifo.pop())
    await run_ready_tasks()
    assert not waiting.done()
    fifo.done(await fifo.pop())
    await waiting


@pytest.mark.parametrize(
    ("keys", "batches"),
    [
        ("a b c", ["a b c"]),
        ("a a", ["a", "a"]),
        ("a b b c", ["a b", "b c"]),
        ("a b c b d", ["a b c", "b d"]),
        ("a a a b", ["a", "a", "a b"]),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
async def test_batches_hold_each_key_once_however_the_changes_came(
    fifo: DeltaFifo[Object], keys: str, batches: list[str], at_once: bool
) -> None:
    """The reference's PopMultipleDeltaInBatch."""
    fifo.replace({"a": obj("a"), "b": obj("b")}, "1")
    changes = [added(key) for key in keys.split()]
    if at_once:
        fifo.extend(changes)
    else:
        for change in changes:
            fifo.extend([change])
    assert [type(delta) for delta in await fifo.pop()] == [ReplacedAll], "the initial list is a batch of its own"
    popped = [await fifo.pop() for _ in batches]
    assert [" ".join(delta.key for delta in batch if isinstance(delta, Added)) for batch in popped] == batches
    assert len(fifo) == 0


async def test_a_deletion_that_came_first_counts_as_a_change(fifo: DeltaFifo[Object]) -> None:
    fifo.extend([Deleted("a", obj("a"))])
    assert fifo.has_synced


async def test_the_second_list_does_not_undo_the_sync(fifo: DeltaFifo[Object]) -> None:
    """The reference's HasSyncedCorrectOnDeletion: synced by the first list as a whole, its deletes included."""
    for version in ("1", "2"):
        fifo.replace({"a": obj("a")}, version)
    first = await fifo.pop()
    assert not fifo.has_synced
    fifo.done(first)
    assert fifo.has_synced
    fifo.done(await fifo.pop())
    assert fifo.has_synced
