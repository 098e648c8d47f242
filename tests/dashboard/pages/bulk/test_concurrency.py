"""Tests of the concurrent requests of runs, which wait as the API server asks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dashboard.pages.bulk.runner import MAX_CONCURRENT
from dashboard.pages.writes.object_client import ObjectClient, WriteResult
from informerd.errors import TooManyRequests
from informerd.errors.status import Status
from tests.dashboard.pages.bulk.conftest import Demos, Held, RunningElsewhere
from tests.support.wait import eventually


async def test_two_runs_together_send_no_more_at_once_than_one(demos: Demos, monkeypatch: pytest.MonkeyPatch) -> None:
    demos.make(*(f"m-{number:02}" for number in range(2 * MAX_CONCURRENT)))
    patch, sending, most, both = ObjectClient.patch, 0, 0, asyncio.Event()

    async def counted(exchange: ObjectClient, *given: Any, **named: Any) -> WriteResult:
        nonlocal sending, most
        sending += 1
        most = max(most, sending)
        await both.wait()
        try:
            return await patch(exchange, *given, **named)
        finally:
            sending -= 1

    monkeypatch.setattr(ObjectClient, "patch", counted)
    await demos.choose(verb="label", label_set="x=1")
    await demos.choose(verb="label", label_set="y=1")
    await eventually(lambda: sending >= MAX_CONCURRENT, what="as many are sent as may be")
    both.set()
    await demos.shows("Review: ")
    assert most == MAX_CONCURRENT


async def test_processes_share_what_may_be_sent_at_once_and_one_that_paused_has_no_part(
    demos: Demos, held: Held, running_elsewhere: RunningElsewhere
) -> None:
    demos.make(*(f"m-{number:02}" for number in range(MAX_CONCURRENT)))
    await running_elsewhere("")
    await running_elsewhere("pause")
    await demos.choose(verb="label", label_set="x=1")
    await eventually(lambda: held.now, what="some are asked for")
    assert held.now == MAX_CONCURRENT // 2, "all who may are let in together"
    held.free.set()
    await demos.shows("Review: ")
    assert held.begun == MAX_CONCURRENT
    assert held.most == MAX_CONCURRENT // 2


async def test_nothing_more_is_sent_once_the_server_asked_to_wait(
    demos: Demos, monkeypatch: pytest.MonkeyPatch, running_elsewhere: RunningElsewhere
) -> None:
    demos.make(*(f"m-{number}" for number in range(MAX_CONCURRENT)))
    for _ in range(MAX_CONCURRENT - 1):  # so that one is sent at a time here
        await running_elsewhere("")
    sent = 0

    async def busy(*_: Any, **__: Any) -> WriteResult:
        nonlocal sent
        sent += 1
        raise TooManyRequests(Status(code=429, message="too busy"), retry_after=60)

    monkeypatch.setattr(ObjectClient, "patch", busy)
    await demos.choose(verb="label", label_set="x=1")
    await demos.shows("The API server is busy or does not answer")
    assert sent == 1


async def test_a_run_that_waits_for_other_runs_requests_beats_and_is_cancelled_before_it_sends_any(
    demos: Demos, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make(*(f"m-{number}" for number in range(MAX_CONCURRENT)))
    records, heard = demos.parts.bulk_runs.store, list[str | None]()
    beat = records.save_checkpoint

    async def noted(key: str, *given: Any) -> str | None:
        said: str | None = await beat(key, *given)
        if key in demos.run:
            heard.append(said)
        return said

    monkeypatch.setattr(records, "save_checkpoint", noted)
    await demos.choose(verb="label", label_set="x=1")
    await eventually(lambda: held.now == MAX_CONCURRENT, what="a run asks for as many as may be")
    await demos.choose(verb="label", label_set="y=1")
    heard.clear()
    await eventually(lambda: len(heard) >= 2, what="the other one beats while it waits")
    await demos.press("cancel")
    await eventually(lambda: heard[-1] == "cancel", what="it hears while it waits")
    held.free.set()
    await demos.shows("What is to be done")
    assert held.begun == MAX_CONCURRENT, "it asked for nothing"
