"""Tests of what is read of a log before the lines that are followed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dashboard.live.logs.container_stream import ContainerId
from dashboard.objects.logs.line_filter import ANY_LINE, parse_line_filter
from dashboard.pages.logs import filtered_log_reader
from dashboard.pages.logs.filtered_log_reader import LineSpan, ReadProgress, read_history
from informerd.errors import BadRequest, Status
from informerd.rest.client import Client

CONTAINER = ContainerId("shop", "web", "uid-1", "main")


def line(number: int) -> bytes:
    return b"2026-11-28T07:00:%02d.000000000Z line %d" % (number, number)


class Kubelet:
    """Has the lines of the present run, and of the one before it where there is one."""

    def __init__(self, present: list[int], before: list[int] | None = None) -> None:
        self.present, self.before = present, before

    @asynccontextmanager
    async def stream(self, path: str, params: Mapping[str, Any]) -> AsyncIterator[Any]:
        numbers = self.before if params.get("previous") else self.present
        if numbers is None:
            raise BadRequest(Status(code=400, reason="BadRequest", message="previous terminated container not found"))
        chunks = [line(number) + b"\n" for number in numbers]

        async def read() -> bytes:
            return chunks.pop(0) if chunks else b""

        yield SimpleNamespace(read=read)


async def read(
    kubelet: Kubelet,
    *,
    first_line: bytes = b"",
    typed: str = "",
    progress: ReadProgress | None = None,
    note_newest: Callable[[bytes], None] | None = None,
) -> list[bytes]:
    found = read_history(
        cast("Client", kubelet),
        CONTAINER,
        parse_line_filter(typed) if typed else ANY_LINE,
        LineSpan(),
        progress or ReadProgress(),
        with_previous=True,
        first_line=lambda: first_line,
        note_newest=note_newest,
    )
    return [each async for batch in found for each in batch]


async def test_the_run_before_comes_first_and_there_may_be_none() -> None:
    assert await read(Kubelet([3, 4], before=[1, 2])) == [line(1), line(2), line(3), line(4)]
    assert await read(Kubelet([3, 4])) == [line(3), line(4)]
    assert await read(Kubelet([3, 4], before=[])) == [line(3), line(4)]


async def test_a_run_that_the_kubelet_gives_as_both_is_read_once() -> None:
    """As in CrashLoopBackOff, until the container runs again."""
    assert await read(Kubelet([1, 2], before=[1, 2])) == [line(1), line(2)]
    assert await read(Kubelet([1, 2], before=[1, 2]), typed='"line 2"') == [line(2)]


@pytest.mark.parametrize(("present", "before"), [([3, 4, 5], [1, 2]), ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])])
async def test_it_ends_before_the_first_followed_line(present: list[int], before: list[int]) -> None:
    assert await read(Kubelet(present, before), first_line=line(4)) == [line(1), line(2), line(3)]


async def test_nothing_is_read_twice_where_the_run_before_was_followed() -> None:
    assert await read(Kubelet([5, 6], before=[1, 2, 3, 4]), first_line=line(3)) == [line(1), line(2)]


async def test_what_is_had_by_following_is_not_counted_as_read() -> None:
    progress = ReadProgress()
    await read(Kubelet([1, 2, 3, 4]), first_line=line(3), typed="nowhere", progress=progress)
    assert progress == ReadProgress(len(line(1) + line(2)) + 2, 2)


@pytest.mark.parametrize(("first", "expected"), [(0, [1, 2, 3, 4, 5]), (4, [1, 2, 3]), (1, [])])
async def test_the_newest_line_is_told_whatever_is_followed(first: int, expected: list[int]) -> None:
    newest: list[bytes] = []
    progress = ReadProgress()
    found = await read(
        Kubelet([1, 2, 3, 4, 5], before=[0]), first_line=line(first) if first else b"", typed='"line"',
        progress=progress, note_newest=newest.append,
    )  # fmt: skip
    assert found == [line(each) for each in [0, *expected]]
    assert newest == [line(5) + b"\n"]
    assert progress.lines_read == len(found)  # the followed lines are counted as they come


async def test_no_more_lines_are_read_for_it_than_a_followed_log_begins_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filtered_log_reader, "TAIL", 3)
    newest: list[bytes] = []
    await read(Kubelet([*range(1, 50)]), first_line=line(10), note_newest=newest.append)
    assert newest == [line(12) + b"\n"]
