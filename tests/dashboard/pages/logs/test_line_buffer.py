"""Tests of the numbered lines of a view."""

from __future__ import annotations

from dashboard.pages.logs.line_buffer import (
    ENTRY_BYTES,
    Entry,
    LineBuffer,
    LogPageMark,
    in_time_order,
    sort_key,
    time_bytes,
)


def entries(*texts: bytes, source: int = 0) -> list[Entry]:
    return [(source, text) for text in texts]


def test_numbers_grow_and_the_oldest_block_goes_first() -> None:
    buffer = LineBuffer(max_bytes=4 * (ENTRY_BYTES + 1))
    buffer.append(entries(b"a", b"b"))
    buffer.append(entries(b"c", b"d"))
    assert (buffer.first_number, buffer.next_number, buffer.count) == (0, 4, 4)
    buffer.append(entries(b"e"))
    assert (buffer.first_number, buffer.next_number) == (2, 5)
    assert [number for number, _ in buffer.newest(10)] == [2, 3, 4]
    assert [item for _, (_, item) in buffer.between(3, 5)] == [b"d", b"e"]
    assert [item for _, (_, item) in buffer.between(0, 3)] == [b"c"]
    assert buffer.between(5, 9) == []
    assert buffer.size == 3 * (ENTRY_BYTES + 1)
    buffer.clear()
    assert (buffer.first_number, buffer.next_number, buffer.newest(5)) == (5, 5, [])


def test_the_newest_block_stays_however_large_it_is() -> None:
    buffer = LineBuffer(max_bytes=10)
    buffer.append(entries(b"x" * 100))
    buffer.append([])
    assert [item for _, (_, item) in buffer.newest(1)] == [b"x" * 100]
    buffer.append(entries(b"y"))
    assert [item for _, (_, item) in buffer.newest(5)] == [b"y"]


def at(second: int) -> bytes:
    return f"2026-11-28T07:00:{second:02d}.000000000Z x".encode()


def test_the_newest_line_before_a_number_is_known_though_it_is_not_kept() -> None:
    buffer = LineBuffer(max_bytes=5 * (ENTRY_BYTES + len(at(0))))
    buffer.append(entries(at(1), at(5)))
    buffer.append([*entries(at(2), at(3)), (0, LogPageMark(at(9), "gap", ""))])
    assert [buffer.newest_before(number) for number in (0, 1, 2, 3, 9)] == [
        b"", at(1)[:-2], at(5)[:-2], at(5)[:-2], at(5)[:-2],
    ]  # fmt: skip
    buffer.append(entries(at(6)))
    assert (buffer.first_number, buffer.lost_until) == (2, at(5)[:-2])
    buffer.clear()
    assert buffer.newest_before(buffer.next_number) == at(5)[:-2]


def test_times_are_compared_in_one_zone_and_with_nine_decimals() -> None:
    assert sort_key(b"2026-11-28T07:09:06.123456789Z text") == b"2026-11-28T07:09:06.123456789Z"
    assert sort_key(b"2026-11-28T08:09:06.1234+01:00 text") == b"2026-11-28T07:09:06.123400000Z"
    assert sort_key(b"2026-11-28T07:09:06Z ") == b"2026-11-28T07:09:06.000000000Z"
    assert sort_key(LogPageMark(b"2026-11-28T07:09:06.5Z", "gap", "")) == b"2026-11-28T07:09:06.500000000Z"
    assert time_bytes(1_795_849_746_000_000_001) == b"2026-11-28T07:09:06.000000001Z"


def test_lines_of_several_containers_are_ordered_by_time_and_those_of_one_time_as_they_came() -> None:
    early, late = b"2026-11-28T07:00:00.000000001Z a", b"2026-11-28T07:00:00.000000002Z b"
    same = b"2026-11-28T07:00:00.000000001Z c"
    assert in_time_order([(0, late), (1, early), (0, same)]) == [(1, early), (0, same), (0, late)]
