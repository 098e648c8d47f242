"""Tests of a followed log whose pod's status comes late, and of an answer that stops in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

from informerd.logs.log_events import LogEvent, LogLines
from informerd.logs.log_follower import RUN_WAIT, LogFollower
from informerd.logs.log_lines import split_time
from informerd.rest.client import Client
from tests.support.clock import FakeClock
from tests.support.wait import eventually

Run = tuple[str, str, Sequence[bytes]]
"""Id, start and lines."""
FIRST: Run = ("c://1", "2026-11-28T07:00:00Z", (b"2026-11-28T07:00:01.1Z one", b"2026-11-28T07:00:01.2Z two"))
SECOND: Run = ("c://2", "2026-11-28T07:00:03Z", (b"2026-11-28T07:00:04.1Z three", b"2026-11-28T07:00:04.2Z four"))


class Kubelet:
    """A container's runs as its kubelet knows them, and as the pod's status has them (a client and a PodSource)."""

    def __init__(self, clock: FakeClock) -> None:
        self.runs: list[Run] = [FIRST]
        self.known = 1
        """How many of the runs the status has."""
        self.lines_before_silence: int | None = None
        """Lines after which the next answer stops."""
        self.changed = asyncio.Event()
        self._clock = clock

    @asynccontextmanager
    async def stream(self, path: str, params: Mapping[str, Any]) -> AsyncIterator[Any]:
        _, _, lines = self.runs[-2 if params.get("previous") else -1]
        since = params.get("sinceTime", "1970-01-01T00:00:00Z").encode()
        lines = [line for line in lines if (split_time(line)[0] or 0) >= (split_time(since)[0] or 0)]
        stops, self.lines_before_silence = self.lines_before_silence, None
        chunks = [line + b"\n" for line in lines[:stops]] + ([] if stops is not None else [b""])

        async def read() -> bytes:
            if not chunks:
                await asyncio.Event().wait()
            return chunks.pop(0)

        yield SimpleNamespace(read=read, close=lambda: None)

    async def pod(self) -> Mapping[str, Any]:
        each, started, _ = self.runs[self.known - 1]
        status = {"name": "main", "containerID": each, "restartCount": self.known - 1}
        status["state"] = {"running": {"startedAt": started}}
        if self.known > 1:
            before, began, _ = self.runs[self.known - 2]
            over = {"containerID": before, "startedAt": began, "finishedAt": started, "exitCode": 1}
            status["lastState"] = {"terminated": over}
        return {"spec": {"containers": [{"name": "main"}]}, "status": {"containerStatuses": [status]}}

    async def wait(self, seconds: float) -> None:
        changed = asyncio.create_task(self.changed.wait())
        slept = asyncio.create_task(self._clock.sleep(seconds))
        await asyncio.wait([changed, slept], return_when=asyncio.FIRST_COMPLETED)
        changed.cancel()
        slept.cancel()
        self.changed.clear()


class Followed:
    """A log that is followed while the block lasts."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.kubelet = Kubelet(self.clock)
        self.events: list[LogEvent] = []
        follower = LogFollower(
            cast("Client", self.kubelet), self.kubelet, "shop", "web", "main", self.events.append, clock=self.clock
        )
        self._task = asyncio.create_task(follower.run())

    async def __aenter__(self) -> Followed:
        return self

    async def __aexit__(self, *error: object) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    @property
    def texts(self) -> list[str]:
        found: list[str] = []
        for event in self.events:
            if isinstance(event, LogLines):
                found += [line.split(b" ")[1].decode() for line in event.lines]
            else:
                found.append(f"[{event.kind}]")
        return found

    async def becomes(self, *texts: str, step: float = 1.0) -> None:
        """Let time pass until these came."""

        async def look() -> bool:
            if self.texts != list(texts):
                await self.clock.advance(step)
            return self.texts == list(texts)

        await eventually(look, what=f"{texts}, not {self.texts}")


async def test_lines_of_a_new_run_wait_for_the_status_and_come_after_the_rest_of_the_run_before() -> None:
    async with Followed() as log:
        await log.becomes("one", "two")
        last = (*FIRST[2], b"2026-11-28T07:00:02.9Z last-words")
        log.kubelet.runs = [(*FIRST[:2], last), SECOND]
        await log.clock.advance(1.0)
        assert log.texts == ["one", "two"]
        log.kubelet.known = 2
        log.kubelet.changed.set()
        await log.becomes("one", "two", "last-words", "[ended]", "[restarted]", "three", "four")


async def test_where_the_status_comes_too_late_a_gap_is_marked_and_no_line_comes_twice() -> None:
    async with Followed() as log:
        await log.becomes("one", "two")
        log.kubelet.runs.append(SECOND)
        await log.becomes("one", "two", "[gap]", "three", "four", step=RUN_WAIT)
        log.kubelet.known = 2
        log.kubelet.changed.set()
        seen = ("one", "two", "[gap]", "three", "four", "[gap]", "[restarted]")
        await log.becomes(*seen)
        log.kubelet.runs[-1] = (*SECOND[:2], (*SECOND[2], b"2026-11-28T07:00:05.1Z five"))
        await log.becomes(*seen, "five")


async def test_a_new_run_that_is_read_before_the_first_line_of_the_one_before_does_not_come_twice() -> None:
    async with Followed() as log:
        log.kubelet.runs = [(*FIRST[:2], ()), SECOND]
        await log.becomes("three", "four")
        log.kubelet.known = 2
        log.kubelet.changed.set()
        await log.becomes("three", "four", "[gap]", "[restarted]")


async def test_a_node_whose_log_has_times_of_another_zone_makes_no_difference() -> None:
    def two_hours_east(run: Run) -> Run:
        return (*run[:2], [line.replace(b"T07:", b"T09:").replace(b"Z ", b"+02:00 ") for line in run[2]])

    async with Followed() as log:
        log.kubelet.runs = [two_hours_east(FIRST)]
        await log.becomes("one", "two")
        log.kubelet.runs = [two_hours_east(FIRST), two_hours_east(SECOND)]
        log.kubelet.known = 2
        log.kubelet.changed.set()
        await log.becomes("one", "two", "[ended]", "[restarted]", "three", "four")


async def test_an_answer_of_a_run_that_is_over_which_stops_in_the_middle_is_not_its_end() -> None:
    async with Followed() as log:
        await log.becomes("one", "two")
        last = (*FIRST[2], b"2026-11-28T07:00:02.8Z nearly", b"2026-11-28T07:00:02.9Z last-words")
        log.kubelet.runs = [(*FIRST[:2], last), SECOND]
        log.kubelet.known, log.kubelet.lines_before_silence = 2, 3
        log.kubelet.changed.set()
        before = ("one", "two", "nearly", "[interrupted]", "[resumed]", "last-words")
        await log.becomes(*before, "[ended]", "[restarted]", "three", "four")
