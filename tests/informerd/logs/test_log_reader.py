"""Tests of a log that is read once, as chunks of whole lines."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from informerd.logs.log_lines import omission
from informerd.logs.log_reader import ChunkCutter

LINES = st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"")), max_size=20)


@given(LINES, st.lists(st.integers(0, 60), max_size=8), st.booleans())
def test_however_bytes_come_the_chunks_are_whole_lines_and_all_of_them(
    lines: list[bytes], cuts: list[int], ends: bool
) -> None:
    content = b"\n".join(lines) + (b"\n" if ends else b"")
    places = sorted({0, *(cut for cut in cuts if cut < len(content)), len(content)})
    cutter = ChunkCutter()
    chunks = [cutter.cut(content[begin:end]) for begin, end in itertools.pairwise(places)]
    chunks.append(cutter.rest())
    assert all(chunk.endswith(b"\n") for chunk in chunks if chunk)
    assert b"".join(chunks) == (content if content.endswith(b"\n") or not content else content + b"\n")


def test_of_a_line_that_is_too_long_the_beginning_is_kept_and_its_neighbours_are_whole() -> None:
    cutter = ChunkCutter(max_bytes=10)
    chunks = [cutter.cut(part) for part in (b"a\n01234", b"56789abc", b"def\nb\n", b"c")]
    assert b"".join([*chunks, cutter.rest()]) == b"a\n0123456789" + omission(6) + b"\nb\nc\n"


def test_a_long_line_takes_no_more_memory_than_is_kept_of_it() -> None:
    cutter = ChunkCutter(max_bytes=100)
    for _ in range(1000):
        cutter.cut(b"x" * 1000)
    assert sum(map(len, cutter._begun)) == 100
    assert cutter.rest() == b"x" * 100 + omission(999_900) + b"\n"
