"""Tests of the overview in, after and of a moment after a gap of history."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from django.template.loader import render_to_string

from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.spans import NO_RECORDER
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.history.version import Operation
from dashboard.live.moments.at_parameter import format_at
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.live.moments.moments import Moments
from dashboard.live.rendering.renderer import Renderer
from dashboard.pages.overview.live_overview import GAPS_RECORDED, RETRY_INTERVAL, open_overview
from tests.support.clock import run_ready_tasks
from tests.support.live.history import START, Log
from tests.support.live.recorded_objects import RecordedObjects
from tests.support.objects.rows import made
from tests.support.pages.recorded_site import RecordedSite
from tests.support.pages.site_with_history import SiteWithHistory
from tests.support.pages.small_site import words
from tests.support.wait import eventually

MINUTE = 60_000_000
GAP = "may be missing from 2027-01-15 03:00:00 UTC to 2027-01-15 07:55:00 UTC"


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """A pod was added five hours ago; then nothing was recorded until five minutes ago, when it had changed."""
    log = Log(SqliteParts(tmp_path), now=START - 300 * MINUTE)
    site = RecordedSite(log)
    log.since = log.now
    for version, operation, now in ((1, Operation.ADDED, log.now), (2, Operation.DIFFERS, START - 5 * MINUTE)):
        log.now = max(log.now, now)
        log.since = log.now
        meta = {"resourceVersion": str(version), "uid": "web", "labels": {"version": str(version)}}
        site.record(operation, made("Pod", "web", namespace="shop", metadata=meta), "pods")
    log.now = START
    log.tick("pods")
    return log


async def overview(log: Log, minutes: int) -> str:
    """The HTML of the overview as of so many minutes before START."""
    site = RecordedSite(log).site
    moments = Moments(
        site.feeds, HistoryObjects(lambda: log.reader, site.clock), site.clock, lambda _: render_to_string
    )
    running = asyncio.create_task(moments.run())
    past, at = SiteWithHistory(site, RecordedObjects(), moments), START / 1e6 - 60 * minutes
    try:
        await past.get(f"/?at={format_at(at)}")
        replica = moments.open(at).replicas.get("pods")
        await eventually(lambda: replica.announced_from is not None, what="its feed is read")
        return (await past.get(f"/?at={format_at(at)}")).content.decode()
    finally:
        running.cancel()
        await asyncio.wait([running])


def chart_gaps(html: str) -> str:
    return words(html.partition('<div class="chart-gaps"')[2].partition(">")[2].partition("</div>")[0])


def latest(html: str) -> list[str]:
    card = html[html.index('id="latest-') :]
    return [words(each) for each in re.findall(r"<li[ >].*?</li>", card[: card.index("</ol>")], re.DOTALL)]


async def test_a_moment_in_a_gap_has_the_last_changes_before_the_gap_and_says_that_it_lies_in_one(log: Log) -> None:
    html = await overview(log, 60)
    assert "This moment lies in a gap of history" in html
    gap, added, *_ = latest(html)
    assert gap == f"Changes may be missing from 2027-01-15 03:00:00 UTC to 2027-01-15 07:00:00 UTC ({NO_RECORDER})."
    assert "added" in added
    assert "web" in added


async def test_a_moment_after_a_gap_draws_it_in_the_chart_and_between_the_latest_changes(log: Log) -> None:
    html = await overview(log, 1)
    assert "lies in a gap" not in html
    changed, gap, *_ = latest(html)
    assert "modified" in changed
    assert GAP in gap, "also where an hour is read"
    assert re.search(r'"gaps": \[\[1799999045, 1799999700\.\d+\]\]', html), "from where the chart begins"
    assert chart_gaps(html) == f"Changes {GAP} ({NO_RECORDER}).", "from where it begins"


async def test_what_was_before_recording_began_is_not_known_and_not_a_gap(log: Log) -> None:
    html = await overview(log, 299)
    gap, added = latest(html)
    assert "from 2027-01-15 03:00:00 UTC to 2027-01-15 03:01:00 UTC" in gap, "the moment lies in it"
    assert "added" in added
    assert chart_gaps(html).startswith("Changes before 2027-01-15 03:00:00 UTC are not in this chart: its counts begin")


async def test_a_gap_before_the_worker_began_is_told_with_its_beginning_and_reason(log: Log) -> None:
    recorded = RecordedSite(log)
    recorded.site.clock.skip(GAPS_RECORDED)
    view, render = open_overview(recorded.site.parts.hub, (), recorded.parts.history), Renderer(render_to_string)
    await eventually(lambda: "may be missing" in view.render_window(render), what="the gap is read")
    uncounted = "Changes before 2027-01-15 08:00:00 UTC are not in this chart: its counts begin then."
    assert chart_gaps(view.render_window(render)) == f"Changes of Pods {GAP} ({NO_RECORDER}). {uncounted}"


async def test_gaps_are_read_again_where_history_could_not_be_read(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded, asked = RecordedSite(log), asyncio.Event()
    clock, history = recorded.site.clock, recorded.parts.history

    async def fail(_: str) -> None:
        asked.set()
        raise HistoryUnavailable("the database is away")

    clock.skip(GAPS_RECORDED)
    with monkeypatch.context() as patch:
        patch.setattr(history, "recorded_since", fail)
        view, render = open_overview(recorded.site.parts.hub, (), history), Renderer(render_to_string)
        await asked.wait()
        await run_ready_tasks()
    await clock.advance(RETRY_INTERVAL)
    view.pass_time(clock.time())
    await eventually(lambda: "may be missing" in view.render_window(render), what="the gap is read")
