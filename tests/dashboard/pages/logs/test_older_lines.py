"""Tests of lines that a page loads from a moment on: how far the kubelet reads for them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.logs.object_or_list import object_pods
from dashboard.pages.logs.older_lines import LOADED_LINES, later_lines, lines_around
from dashboard.pages.logs.query import LogsQuery
from informerd.errors import BadRequest, Status
from tests.support.pages.app_state import AttributeState
from tests.support.pages.fake_log_streams import LogsSite, logging_pod
from tests.support.pages.small_site import namespace

HALF = LOADED_LINES // 2
BUSY, QUIET = "main-0", "main-1"


def at(number: int) -> str:
    """The time of the line of that number: 1,000 a second."""
    return f"2026-11-28T07:{number // 60_000:02d}:{number // 1000 % 60:02d}.{number % 1000:03d}000000Z"


class Kubelet:
    """Has a log of so many lines, 1,000 a second; of a quiet container one in 1,000."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.asked: list[Any] = []
        self.read = 0
        """Lines that were read."""

    @asynccontextmanager
    async def stream(self, path: str, params: Mapping[str, Any]) -> AsyncIterator[Any]:
        if params.get("previous"):
            raise BadRequest(Status(code=400, reason="BadRequest", message="previous terminated container not found"))
        self.asked.append(params.get("sinceTime"))
        step = 1000 if params["container"] == QUIET else 1
        numbers = [each for each in range(0, self.count, step) if at(each)[:19] >= params.get("sinceTime", "")[:19]]
        chunks = [numbers[place : place + 100] for place in range(0, len(numbers), 100)]

        async def read() -> bytes:
            part = chunks.pop(0) if chunks else []
            self.read += len(part)
            return b"".join(b"%s line %d\n" % (at(each).encode(), each) for each in part)

        yield SimpleNamespace(read=read)


class Page:
    def __init__(self, kubelet: Kubelet, containers: int = 1, params: str = "") -> None:
        site = LogsSite(namespace("shop"), logging_pod("web", containers))
        site.parts.client = kubelet  # type: ignore[assignment]  # as much of one as is needed
        self.about = (
            AttributeState(site.parts), LogsQuery.parse({}), object_pods(KINDS["pods"], "shop", "web", ())
        )  # fmt: skip


def times(answer: dict[str, Any]) -> list[str]:
    return [entry[1] for entry in answer["entries"]]


async def test_of_a_hot_log_only_the_lines_around_a_moment_are_read() -> None:
    kubelet = Kubelet(60_000)
    answer = await lines_around(*Page(kubelet).about, at(50_000))
    assert kubelet.asked == ["2026-11-28T07:00:49Z"]
    assert kubelet.read <= 1000 + HALF + 100
    assert times(answer) == [at(number) for number in range(50_000 - HALF, 50_000 + HALF)]
    assert (answer["begin"], answer["end"], answer["is_end"]) == (at(50_000 - HALF), at(50_000 + HALF - 1), False)


async def test_around_a_moment_no_lines_of_a_busy_container_are_left_out_between_those_of_a_quiet_one() -> None:
    answer = await lines_around(*Page(Kubelet(60_000), 2).about, at(50_000))
    found = times(answer)
    assert found.count(at(50_000)) == 2
    assert sorted(set(found)) == [at(each) for each in range(50_000 - HALF, 50_000 + HALF - 1)]
    assert found[-1] == answer["end"]
    assert not answer["is_end"]


async def test_near_the_end_of_a_log_there_are_no_later_lines() -> None:
    answer = await lines_around(*Page(Kubelet(10_000)).about, at(9_900))
    assert times(answer) == [at(number) for number in range(9_900 - HALF, 10_000)]
    assert answer["is_end"]


async def test_what_lies_between_two_moments_is_read_a_part_at_a_time() -> None:
    kubelet = Kubelet(60_000)
    about = Page(kubelet).about
    answer = await later_lines(*about, at(50_000), at(51_500))
    assert times(answer) == [at(number) for number in range(50_000, 50_000 + LOADED_LINES)]
    assert not answer["is_end"]
    assert kubelet.read <= LOADED_LINES + 100
    answer = await later_lines(*about, answer["end"], at(51_500))
    assert times(answer) == [at(number) for number in range(50_999, 51_501)]
    assert answer["is_end"]


async def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="“noon” is no time"):
        await lines_around(*Page(Kubelet(1)).about, "noon")
