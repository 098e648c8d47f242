"""Tests of a run that is paused, cancelled, retried, or interrupted by the end of its process."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.bulk.models import BulkRun
from dashboard.pages.bulk.run import HEARTBEAT_TIMEOUT
from dashboard.pages.writes.object_client import ObjectClient, WriteResult
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.clock import SystemClock
from informerd.errors import TooManyRequests, Unreachable
from informerd.errors.status import Status
from tests.dashboard.pages.bulk.conftest import ALIAS, Demos, bulks_for
from tests.support.edit.no_script_browser import Browser
from tests.support.wait import eventually


class Held:
    """Lets so many writes through, then holds the next ones back."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, through: int) -> None:
        self.sent = 0
        self.through = through
        self.patch = ObjectClient.patch
        monkeypatch.setattr(ObjectClient, "patch", self._made())

    def _made(self) -> object:
        held = self

        async def patch(exchange: ObjectClient, *given: Any, dry_run: bool, **named: Any) -> WriteResult:
            if not dry_run:
                held.sent += 1
                if held.sent > held.through:
                    raise TooManyRequests(Status(code=429, message="too busy"), retry_after=0.2)
            return await held.patch(exchange, *given, dry_run=dry_run, **named)

        return patch


async def test_it_says_that_the_server_is_busy_and_is_cancelled_in_the_middle_and_goes_on(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make(*(f"m-{number}" for number in range(4)))
    await demos.review(verb="label", label_set="x=1")
    held = Held(monkeypatch, through=1)
    monkeypatch.setattr("dashboard.pages.bulk.active_run.MAX_TRIES", 10_000)
    await demos.press("start")
    await demos.shows("The API server is busy or does not answer")
    await demos.press("cancel")
    page = await demos.shows("Cancelled.")
    assert "3 are unchanged" in page.text
    assert sum(demos.labels(name) == {"x": "1"} for name in demos.names()) == 1
    held.through = 10_000
    await demos.press("start")
    await demos.shows("4 changed.")


async def test_of_what_was_sent_without_an_answer_a_cancelled_run_does_not_say_that_it_is_as_it_was(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    patch = ObjectClient.patch

    async def lost(exchange: ObjectClient, *given: Any, dry_run: bool, **named: Any) -> WriteResult:
        stored = await patch(exchange, *given, dry_run=dry_run, **named)
        if not dry_run:
            raise Unreachable("connection reset")
        return stored

    monkeypatch.setattr(ObjectClient, "patch", lost)
    await demos.press("start")
    await demos.shows("does not answer")
    await demos.press("cancel")
    page = await demos.shows("Cancelled.")
    assert "0 are unchanged" in page.text
    assert "It is not known whether it was stored." in page.text
    monkeypatch.undo()
    await demos.press("again")
    await demos.shows("needed no change")


async def test_a_run_is_found_again_by_its_browser(demos: Demos) -> None:
    demos.make("a", "b")
    await demos.review(verb="label", label_set="x=1")
    page = await demos.browser.open("/runs/")
    assert f'href="{demos.run}"' in page.body
    assert "Labels: 2 Mydemos waits for its review to be confirmed" in page.text
    assert "None so far" in (await Browser(demos.parts).open("/runs/")).text


async def test_a_run_that_was_never_begun_is_thrown_away_and_one_that_wrote_is_not(demos: Demos) -> None:
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    begun = demos.run
    await demos.press("start")
    await demos.shows("1 changed.")
    await demos.review(verb="label", label_set="y=1")
    page = await demos.browser.open("/runs/")
    assert page.body.count('name="discard"') == 1
    await demos.press("discard")
    page = await demos.browser.open("/runs/")
    assert demos.run not in page.body
    assert begun in page.body
    demos.run = begun
    await demos.press("discard")
    assert begun in (await demos.browser.open("/runs/")).body


async def test_a_run_of_a_newer_version_is_shown_as_one(demos: Demos) -> None:
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    newer = {"verb": "teleport", "patch": {}}
    key = demos.run.rstrip("/").rpartition("/")[2]
    database = DatabaseExecutor(SystemClock(), alias=ALIAS, time_limit=60)
    await database.ask(lambda alias: BulkRun.objects.using(alias).filter(key=key).update(order=newer))
    page = await demos.browser.open("/runs/")
    assert "1 Mydemo made by a newer version of Deltaboard, which shows it" in page.text
    page = await demos.browser.open(demos.run)
    assert page.status == 409
    assert "A newer version of Deltaboard made this run" in page.text


async def test_it_pauses_and_goes_on(demos: Demos, monkeypatch: pytest.MonkeyPatch) -> None:
    demos.make("a", "b")
    await demos.review(verb="label", label_set="x=1")
    held = Held(monkeypatch, through=0)
    monkeypatch.setattr("dashboard.pages.bulk.active_run.MAX_TRIES", 10_000)
    await demos.press("start")
    await demos.press("pause")
    await demos.shows("Paused: 0 of 2")
    held.through = 10_000
    await demos.press("go")
    await demos.shows("2 changed.")


async def test_what_failed_is_tried_again(demos: Demos, monkeypatch: pytest.MonkeyPatch) -> None:
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    held = Held(monkeypatch, through=0)
    monkeypatch.setattr("dashboard.pages.bulk.active_run.MAX_TRIES", 1)
    await demos.press("start")
    page = await demos.shows("too busy")  # once the run has ended
    assert "1 failed" in page.text
    held.through = 10
    await demos.press("again")
    await demos.shows("1 changed.")


class Later(SystemClock):
    """A clock that is so far ahead that a silent process counts as ended."""

    def time(self) -> float:
        return super().time() + HEARTBEAT_TIMEOUT + 5


async def test_another_process_says_when_the_one_that_ran_it_ended_and_goes_on(
    demos: Demos, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make("a", "b", "c")
    await demos.review(verb="label", label_set="x=1")
    held = Held(monkeypatch, through=1)
    monkeypatch.setattr("dashboard.pages.bulk.active_run.MAX_TRIES", 10_000)
    await demos.press("start")
    await demos.shows("The API server is busy or does not answer")
    await demos.parts.bulk_runs.stop()
    demos.parts.clock = Later()
    demos.parts.bulk_runs = bulks_for(demos.parts, database)
    page = await demos.shows("The process that ran this has ended.")
    assert "1 done" in page.text
    held.through = 10_000

    async def taken_over() -> bool:
        """A beat that was on its way to the database when its process ended is one more sign of life: press again."""
        await demos.press("take_over")
        return "The process that ran this has ended." not in (await demos.browser.open(demos.run)).text

    await eventually(taken_over)
    await demos.shows("3 changed.")
