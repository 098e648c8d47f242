"""Tests that a log which is read again goes on where it broke: over random histories of a file, and by example."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from informerd.logs.line_deduplicator import LineDeduplicator
from informerd.logs.log_lines import LogLineCutter, second_before, split_time
from tests.support.long_tests import examples

START = 1_800_000_000 * 10**9


def line(nanoseconds: int, text: str) -> bytes:
    """A line as the kubelet writes it."""
    seconds, rest = divmod(START + nanoseconds, 10**9)
    return f"{time_text(seconds)}.{rest:09d}Z {text}".encode()


def time_text(seconds: int) -> str:
    from datetime import UTC, datetime

    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


@dataclass
class LogFile:
    """The file that the kubelet reads: the newest one."""

    lines: list[bytes] = field(default_factory=list)

    def since(self, text: str) -> list[bytes]:
        """The kubelet's answer: each line that is not older, in the file's order."""
        return [each for each in self.lines if each[:19].decode() + "Z" >= text]


@dataclass
class Reader:
    """Takes what a follower takes."""

    seen: LineDeduplicator = field(default_factory=LineDeduplicator)
    taken: list[bytes | None] = field(default_factory=list)
    """Lines, and None for each gap."""

    def take(self, lines: Sequence[bytes]) -> None:
        new = self.seen.new_of(lines)
        assert not new.is_repeated
        if new.is_gap:
            self.taken.append(None)
        self.taken += new.lines

    def begin_again(self, file: LogFile, many: int) -> None:
        """Reads again, as many new lines as it can, or fewer."""
        since = self.seen.since
        self.seen.begin_again()
        lines = file.since(since)
        for start in range(0, len(lines), 3):
            self.take(lines[start : start + 3][: max(0, many - start)])


steps = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 700), st.sampled_from("abc")),
        st.tuples(st.just("read"), st.integers(0, 8), st.just("")),
        st.tuples(st.just("rotate"), st.just(0), st.just("")),
    ),
    max_size=60,
)


@pytest.mark.slow
@settings(max_examples=examples(600), deadline=None)
@given(steps)
def test_no_line_comes_twice_and_none_is_missing_without_a_mark(history: list[tuple[str, int, str]]) -> None:
    file, reader, written, now = LogFile(), Reader(), list[bytes](), 0
    for what, number, text in [*history, ("read", 1_000, "")]:
        if what == "write":
            now += number * 10**6
            file.lines.append(line(now, f"{text}{len(written)}"))  # of two that are equal nobody could say which it is
            written.append(file.lines[-1])
        elif what == "rotate":
            file.lines.clear()
        else:
            reader.begin_again(file, number)
    _check(written, reader.taken)


def _check(written: list[bytes], taken: list[bytes | None]) -> None:
    """Each line that was taken follows the one before it; where lines are left out, there is a gap."""
    lines = [each for each in taken if each is not None]
    position = 0
    for number, each in enumerate(taken):
        if each is None:
            continue
        at = written.index(each, position)
        if at != position and any(one is not None for one in taken[:number]):
            assert taken[number - 1] is None, f"{written[position:at]} are missing before {each!r}"
        position = at + 1
    assert len(lines) <= len(written)


def test_lines_of_the_last_second_are_left_out_once_each() -> None:
    reader = Reader()
    file = LogFile([line(0, "a"), line(0, "a"), line(1, "b")])
    reader.begin_again(file, 10)
    assert reader.seen.since == "2027-01-15T07:59:59Z"
    file.lines += [line(1, "b"), line(2, "c")]
    reader.begin_again(file, 10)
    assert reader.taken == file.lines, "the second b is a line of its own"


def test_a_rotated_file_is_a_gap_only_where_its_lines_are_not_all_had() -> None:
    reader = Reader()
    reader.begin_again(LogFile([line(0, "a"), line(1, "b")]), 10)
    newer = LogFile([line(2, "c")])
    reader.begin_again(newer, 10)
    assert reader.taken == [line(0, "a"), line(1, "b"), None, line(2, "c")]
    newer.lines.append(line(3, "d"))
    reader.begin_again(newer, 10)
    assert reader.taken[3:] == [line(2, "c"), line(3, "d")], "the old file's lines are not expected any more"


def test_where_a_second_has_too_many_lines_it_says_that_some_come_twice() -> None:
    seen = LineDeduplicator(max_bytes=100)
    many = [line(number, "x" * 20) for number in range(10)]
    for each in many:
        seen.new_of([each])
    seen.begin_again()
    new = seen.new_of(many)
    assert new.is_repeated
    assert new.lines


@pytest.mark.parametrize("zone", ["Z", "+05:30", "-08:00"])
def test_times_of_any_zone_are_understood(zone: str) -> None:
    text = f"2026-11-28T07:09:06.5{zone} hello".encode()
    nanoseconds, rest = split_time(text)
    assert rest == b"hello"
    assert nanoseconds is not None
    offset = {"Z": 0, "+05:30": 5.5 * 3600, "-08:00": -8 * 3600}[zone]
    assert nanoseconds == (1_795_849_746 - int(offset)) * 10**9 + 500_000_000
    since, begin = second_before(text, 0.25)
    assert begin == b"2026-11-28T07:09:06"
    assert since == f"{time_text(1_795_849_746 - int(offset))}Z"


def cuts(data: bytes, sizes: list[int]) -> Iterator[bytes]:
    start = 0
    for size in sizes:
        yield data[start : start + size]
        start += size
    yield data[start:]


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(
    st.lists(st.binary(max_size=12).filter(lambda text: b"\n" not in text), max_size=12), st.lists(st.integers(0, 9))
)
def test_lines_are_the_same_however_they_are_cut(lines: list[bytes], sizes: list[int]) -> None:
    cutter = LogLineCutter()
    found = [each for chunk in cuts(b"".join(text + b"\n" for text in lines), sizes) for each in cutter.cut(chunk)]
    assert found == lines
    assert cutter.rest() == b""


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_a_line_that_is_too_long_says_what_it_lacks(size: int) -> None:
    cutter = LogLineCutter(max_bytes=10)
    data = b"0123456789abc\nshort\n"
    found = [each for chunk in cuts(data, [size] * 30) for each in cutter.cut(chunk)]
    assert found == ["0123456789… (3 bytes more)".encode(), b"short"]


def test_lines_of_before_the_first_that_was_had_are_left_out_when_they_come() -> None:
    """A log is followed from its newest lines on, and a burst before them lies within the second that is read again."""
    lines = [line(number * 1000, str(number)) for number in range(20)]
    reader = Reader()
    reader.take(lines[15:])
    lines.append(line(10**9, "later"))
    reader.begin_again(LogFile(lines), 100)
    assert reader.taken == lines[15:]
