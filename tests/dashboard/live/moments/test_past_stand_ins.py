"""Tests of what takes the place of kinds on demand and of counts at a past moment."""

from __future__ import annotations

import asyncio

from django.template.loader import render_to_string

from dashboard.live.moments.moments import Moment
from dashboard.live.moments.past_replicas import PastReplicas
from dashboard.live.moments.past_stand_ins import READ_WAIT, PastCounts, PastInterest
from dashboard.objects.kinds.catalog import KINDS
from tests.support.clock import run_ready_tasks
from tests.support.live.recorded_objects import RecordedObjects
from tests.support.objects.rows import made
from tests.support.pages.site_without_cluster import Site

PODS = [("pods", made("Pod", f"web-{number}")) for number in range(3)]


def interest_of(site: Site, history: RecordedObjects) -> tuple[Moment, PastInterest]:
    replicas = PastReplicas(site.feeds, history, site.clock.time(), site.clock)
    moment = Moment(site.clock.time(), replicas, site.clock, render_to_string)
    return moment, PastInterest(replicas, moment.hub, site.clock)


async def test_a_page_waits_for_its_kind_and_not_for_long() -> None:
    site, history = Site(watched=("pods",)), RecordedObjects(*PODS)
    history.held.clear()
    moment, interest = interest_of(site, history)
    reading = asyncio.create_task(moment.replicas.run())
    waiting = asyncio.create_task(interest.wait_until_readable("pods"))
    await run_ready_tasks()
    assert not waiting.done()
    await site.clock.advance(READ_WAIT)
    await waiting
    assert not moment.replicas.get("pods").is_live
    history.held.set()
    await interest.wait_until_readable("pods")
    assert moment.replicas.get("pods").is_live
    reading.cancel()


async def test_a_kind_that_is_not_followed_is_shown_and_not_followed() -> None:
    site = Site(watched=("pods",))
    moment, interest = interest_of(site, RecordedObjects(*PODS))
    for _ in range(2):
        assert interest.follow(KINDS["services"]) is False
    assert [kind.key for kind in moment.replicas.kinds] == ["pods", "services"]
    assert "services" in moment.hub.summaries
    assert "services" not in site.feeds
    assert interest.refusal_of("services") == ""


def test_no_kind_is_counted_in_the_past() -> None:
    site = Site(watched=("pods",))
    counts = PastCounts(site.census)
    counts.request_counts()
    assert (dict(counts.counts_by_key), list(counts.workers)) == ({}, [])
    assert counts.kinds_digest == site.census.kinds_digest
