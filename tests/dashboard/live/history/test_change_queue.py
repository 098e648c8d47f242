"""Tests of the queue between event loop and recorder, and of its ring."""

from __future__ import annotations

from dashboard.live.history.change_queue import Change, ChangeQueue, Item, ListBegin, Tick
from dashboard.live.history.version import Operation
from tests.support.live.history import whole_object


def change(number: int, operation: Operation = Operation.MODIFIED) -> Change:
    return Change("pods", operation, whole_object("a", number), number)


def times(items: list[Item]) -> list[int]:
    return [item.time for item in items if isinstance(item, Change)]


def test_there_is_room_for_so_many_changes_and_for_every_list() -> None:
    queue = ChangeQueue(max_changes=3)
    queue.become_queue()
    assert [queue.put(change(number)) for number in range(1, 6)] == [True, True, True, False, False]
    assert queue.put(ListBegin("pods"))
    assert all(queue.put(change(number, Operation.FOUND)) for number in range(6, 9))
    assert len(queue) == 3
    assert times(queue.take(2, 0)) == [1, 2]
    assert queue.put(change(9))
    assert times(queue.take(10, 0)) == [3, 6, 7, 8, 9]
    assert (len(queue), queue.size) == (0, 0)


def test_there_is_room_for_so_many_bytes() -> None:
    queue = ChangeQueue(max_bytes=1000)
    queue.become_queue()
    taken = [queue.put(change(number)) for number in range(1, 9)]
    assert 1 < taken.count(True) < 5
    assert taken == sorted(taken, reverse=True)


def test_a_ring_keeps_the_newest_and_knows_since_when_it_has_all() -> None:
    queue = ChangeQueue(max_changes=3)
    for number in range(1, 6):
        assert queue.put(change(number))
    assert queue.put(ListBegin("pods"))
    assert queue.take(10, 0) == []
    assert queue.become_queue() == 2
    assert times(queue.take(10, 0)) == [3, 4, 5]
    assert queue.become_queue() == 0


def test_a_ring_forgets_what_is_old() -> None:
    queue = ChangeQueue()
    for number in (1, 2, 200_000_000):
        queue.put(change(number))
    assert queue.become_queue() == 2
    assert len(queue) == 1


def test_who_stands_by_again_has_nothing_of_what_was_taken() -> None:
    queue = ChangeQueue()
    queue.become_queue()
    for number in (1, 2, 3):
        queue.put(change(number))
    queue.put(Tick(()))
    assert times(queue.take(2, 0)) == [1, 2]
    queue.become_ring()
    assert queue.become_queue() == 2
    assert times(queue.take(9, 0)) == [3]
