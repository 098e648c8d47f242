"""Tests of a followed log whose pod's status comes late, and of an answer that stops in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from informerd.errors import Unreachable
from informerd.logs.log_events import LogEvent, LogLines, LogMark
from informerd.logs.log_follower import FIRST_RETRY, FIRST_SILENCE, LAST_RETRY, PREVIOUS_TRIES, RUN_WAIT, LogFollower
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
        self.is_deleted = self.is_down = self.is_previous_silent = False
        self.is_waiting = False
        """Whether the status shows each run only after its end."""
        self.opened = 0
        """Answers so far."""
        self._clock = clock

    def name(self, known: int) -> None:
        """Let the status have so many of the runs."""
        self.known = known
        self.changed.set()

    @asynccontextmanager
    async def stream(self, path: str, params: Mapping[str, Any]) -> AsyncIterator[Any]:
        self.opened += 1
        if self.is_down:
            raise Unreachable("the API server does not answer")
        _, _, lines = self.runs[-2 if params.get("previous") else -1]
        since = params.get("sinceTime", "1970-01-01T00:00:00Z").encode()
        lines = [line for line in lines if (split_time(line)[0] or 0) >= (split_time(since)[0] or 0)]
        stops, self.lines_before_silence = self.lines_before_silence, None
        if self.is_previous_silent and params.get("previous"):
            stops = 0
        chunks = [line + b"\n" for line in lines[:stops]] + ([] if stops is not None else [b""])

        async def read() -> bytes:
            if not chunks:
                await asyncio.Event().wait()
            return chunks.pop(0)

        yield SimpleNamespace(read=read, close=lambda: None)

    async def pod(self) -> Mapping[str, Any] | None:
        if self.is_deleted:
            return None
        each, started, _ = self.runs[self.known - 1]
        status: dict[str, Any] = {"name": "main", "containerID": each, "restartCount": self.known - 1}
        status["state"] = {"running": {"startedAt": started}}
        if self.is_waiting:
            over = {"containerID": each, "startedAt": started, "finishedAt": started, "exitCode": 1}
            status |= {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": over}}
        elif self.known > 1:
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

    async def passes(self, seconds: float, step: float = 0.5) -> None:
        """Let time pass."""
        for _ in range(round(seconds / step)):
            await self.clock.advance(step)

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
        log.kubelet.name(2)
        await log.becomes("one", "two", "last-words", "[ended]", "[restarted]", "three", "four")


async def test_where_the_status_comes_too_late_a_gap_is_marked_and_no_line_comes_twice() -> None:
    async with Followed() as log:
        await log.becomes("one", "two")
        log.kubelet.runs.append(SECOND)
        await log.becomes("one", "two", "[gap]", "three", "four", step=RUN_WAIT)
        log.kubelet.name(2)
        seen = ("one", "two", "[gap]", "three", "four", "[gap]", "[restarted]")
        await log.becomes(*seen)
        log.kubelet.runs[-1] = (*SECOND[:2], (*SECOND[2], b"2026-11-28T07:00:05.1Z five"))
        await log.becomes(*seen, "five")


async def test_a_new_run_that_is_read_before_the_first_line_of_the_one_before_does_not_come_twice() -> None:
    async with Followed() as log:
        log.kubelet.runs = [(*FIRST[:2], ()), SECOND]
        await log.becomes("three", "four")
        log.kubelet.name(2)
        await log.becomes("three", "four", "[gap]", "[restarted]")


async def test_a_node_whose_log_has_times_of_another_zone_makes_no_difference() -> None:
    def two_hours_east(run: Run) -> Run:
        return (*run[:2], [line.replace(b"T07:", b"T09:").replace(b"Z ", b"+02:00 ") for line in run[2]])

    async with Followed() as log:
        log.kubelet.runs = [two_hours_east(FIRST)]
        await log.becomes("one", "two")
        log.kubelet.runs = [two_hours_east(FIRST), two_hours_east(SECOND)]
        log.kubelet.name(2)
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


THIRD: Run = ("c://3", "2026-11-28T07:00:06Z", (b"2026-11-28T07:00:06.1Z five",))
AT_ITS_START: Run = (*SECOND[:2], (b"2026-11-28T07:00:03.1Z three", b"2026-11-28T07:00:03.2Z four"))
"""The second run, where it writes in the second in which it starts."""


async def test_lines_of_the_second_in_which_a_run_starts_do_not_come_twice_either() -> None:
    async with Followed() as log:
        await log.becomes("one", "two")
        log.kubelet.runs.append(AT_ITS_START)
        await log.becomes("one", "two", "[gap]", "three", "four", step=RUN_WAIT)
        log.kubelet.name(2)
        seen = ("one", "two", "[gap]", "three", "four", "[gap]", "[restarted]")
        await log.becomes(*seen)
        log.kubelet.runs[-1] = (*SECOND[:2], (*AT_ITS_START[2], b"2026-11-28T07:00:05.1Z five"))
        await log.becomes(*seen, "five")


@pytest.mark.parametrize("lines", [(b"2026-11-28T07:00:02.9Z three",), ()])
async def test_a_gap_that_was_a_rotation_is_not_taken_for_lines_of_the_next_run(lines: Sequence[bytes]) -> None:
    rotated = (b"2026-11-28T07:00:02.1Z rotated",)
    async with Followed() as log:
        await log.becomes("one", "two")
        log.kubelet.runs = [(*FIRST[:2], rotated)]
        await log.becomes("one", "two", "[gap]", "rotated", step=RUN_WAIT)
        log.kubelet.runs.append(("c://2", "2026-11-28T07:00:02Z", lines))
        log.kubelet.name(2)
        await log.becomes("one", "two", "[gap]", "rotated", "[ended]", "[restarted]", *["three"][: len(lines)])


@pytest.mark.parametrize("lines", [THIRD[2], ()])
async def test_where_the_status_is_one_restart_behind_no_line_comes_twice(lines: Sequence[bytes]) -> None:
    third, last = (*THIRD[:2], lines), (*FIRST[2], b"2026-11-28T07:00:02.9Z last-words")
    async with Followed() as log:
        await log.becomes("one", "two")
        log.kubelet.runs = [(*FIRST[:2], last), SECOND, third]
        log.kubelet.name(2)
        await log.passes(4)
        log.kubelet.name(3)
        await log.passes(30)
        assert "[gap]" in log.texts
        assert [text for text in log.texts if not text.startswith("[")] == ["one", "two", *["five"][: len(lines)]]


async def test_of_a_rest_that_may_be_of_two_runs_only_lines_before_the_second_are_taken() -> None:
    async with Followed() as log:
        await log.becomes("one", "two")
        log.kubelet.runs = [FIRST, (*SECOND[:2], (b"2026-11-28T07:00:02.5Z rest", *SECOND[2])), THIRD]
        log.kubelet.name(2)
        await log.passes(3 * RUN_WAIT)
        assert log.texts[:5] == ["one", "two", "[gap]", "rest", "[ended]"]
        assert all(log.texts.count(text) == 1 for text in log.texts if not text.startswith("["))


async def test_lines_that_wait_are_told_where_the_pod_is_deleted_meanwhile() -> None:
    async with Followed() as log:
        await log.becomes("one", "two")
        log.kubelet.runs.append(SECOND)
        await log.passes(1)
        log.kubelet.is_deleted = True
        log.kubelet.changed.set()
        await log.becomes("one", "two", "[gap]", "three", "[gone]")


async def test_a_rest_that_cannot_be_read_does_not_hide_the_new_run() -> None:
    async with Followed() as log:
        await log.becomes("one", "two")
        log.kubelet.runs.append(SECOND)
        log.kubelet.is_previous_silent = True
        log.kubelet.name(2)
        await log.passes(PREVIOUS_TRIES * (FIRST_SILENCE + LAST_RETRY), step=2.5)
        assert log.texts == [
            "one",
            "two",
            "[interrupted]",
            "[gap]",
            "[ended]",
            "[restarted]",
            "[resumed]",
            "three",
            "four",
        ]


async def test_an_end_is_told_once_and_a_restart_that_was_never_seen_running_is_no_gap() -> None:
    async with Followed() as log:
        log.kubelet.is_waiting = True
        await log.becomes("one", "two", "[ended]")
        log.kubelet.runs.append(SECOND)
        log.kubelet.name(2)
        await log.becomes("one", "two", "[ended]", "[restarted]", "three", "four", "[ended]")
        log.kubelet.runs += [THIRD, ("c://4", "2026-11-28T07:00:09Z", (b"2026-11-28T07:00:09.1Z six",))]
        log.kubelet.name(4)
        seen = (
            "one",
            "two",
            "[ended]",
            "[restarted]",
            "three",
            "four",
            "[ended]",
            "[gap]",
            "[restarted]",
            "six",
            "[ended]",
        )
        await log.becomes(*seen)
        await log.passes(30)
        assert log.texts == list(seen)


async def test_an_end_that_was_told_is_not_told_again_after_lines_of_the_next_run() -> None:
    async with Followed() as log:
        log.kubelet.is_waiting = True
        await log.becomes("one", "two", "[ended]")
        log.kubelet.runs.append(SECOND)
        log.kubelet.changed.set()
        await log.passes(4 * RUN_WAIT)
        log.kubelet.is_waiting = False
        log.kubelet.name(2)
        await log.becomes("one", "two", "[ended]", "[gap]", "three", "four", "[restarted]")


async def test_an_outage_does_not_count_as_time_in_which_the_status_could_have_come() -> None:
    async with Followed() as log:
        await log.becomes("one", "two")
        log.kubelet.runs = [(*FIRST[:2], (*FIRST[2], b"2026-11-28T07:00:02.9Z last-words")), SECOND]
        await log.passes(1)
        log.kubelet.is_down = True
        await log.passes(30)
        log.kubelet.is_down = False
        while "[resumed]" not in log.texts:
            await log.passes(0.5)
        log.kubelet.name(2)
        await log.passes(15)
        expected = ["one", "two", "last-words", "[ended]", "[restarted]", "three", "four"]
        assert [text for text in log.texts if text not in ("[interrupted]", "[resumed]")] == expected


async def test_a_pod_that_changes_all_the_time_does_not_make_the_log_be_asked_for_all_the_time() -> None:
    async with Followed() as log:
        await log.becomes("one", "two")
        before = log.kubelet.opened
        for _ in range(100):
            log.kubelet.changed.set()
            await log.clock.advance(0.1)
        assert log.kubelet.opened - before <= 10 / FIRST_RETRY


async def test_an_outage_after_the_end_of_a_container_is_no_news() -> None:
    async with Followed() as log:
        log.kubelet.is_waiting = True
        await log.becomes("one", "two", "[ended]")
        log.kubelet.is_down = True
        await log.passes(30)
        log.kubelet.is_down = False
        await log.passes(30)
        assert log.texts == ["one", "two", "[ended]"]
        log.kubelet.is_down = True
        log.kubelet.runs.append(SECOND)
        log.kubelet.is_waiting = False
        log.kubelet.name(2)
        await log.becomes("one", "two", "[ended]", "[restarted]", "[interrupted]")
        log.kubelet.is_down = False
        await log.becomes("one", "two", "[ended]", "[restarted]", "[interrupted]", "[resumed]", "three", "four")


async def test_a_container_that_ends_in_an_outage_has_ended_after_it() -> None:
    async with Followed() as log:
        await log.becomes("one", "two")
        log.kubelet.is_down = True
        log.kubelet.is_waiting = True
        log.kubelet.changed.set()
        await log.becomes("one", "two", "[interrupted]")
        log.kubelet.is_down = False
        await log.becomes("one", "two", "[interrupted]", "[resumed]", "[ended]")
        assert [event.words for event in log.events if isinstance(event, LogMark)][1] == "The log can be read again."
