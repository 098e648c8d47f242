"""Tests of the freshness panel: why a page is live or not, by kind and worker."""

from __future__ import annotations

from django.template.loader import render_to_string

from dashboard.live.object_counts.messages import ObjectCounts
from dashboard.pages.layout.freshness_panel_views import kinds_freshness, workers_freshness
from informerd.cache.health import Health
from tests.support.live.replica_feeder import EPOCH
from tests.support.pages.app_state import AttributeState
from tests.support.pages.site_without_cluster import Site


def made() -> Site:
    site = Site(watched=["pods", "namespaces"], silent=["nodes"])
    site.census.receive(ObjectCounts(EPOCH, (), "machine, process 7"))
    return site


def test_each_kind_says_what_was_heard_and_what_was_mended() -> None:
    site = made()
    now = site.clock.time()
    health = Health("live", now, heard=now, last_event=now - 5, last_bookmark=None, reconnects=3, relists=1)
    site.feeder("pods").beat(health)
    pods, _, nodes = kinds_freshness(AttributeState(site.parts))
    assert (pods.state, pods.tone, pods.problem, pods.is_always_followed) == ("live", "ok", "", True)
    assert (pods.reconnects, pods.relists, pods.last_bookmark) == (3, 1, "")
    assert pods.last_event < pods.last_heard
    assert (nodes.state, nodes.problem, nodes.last_heard) == (
        "starting",
        "Waiting for the first message from the worker.",
        "",
    )


def test_a_kind_that_is_polled_says_how_often_and_claims_no_events_to_come() -> None:
    site = made()
    now = site.clock.time()
    site.feeder("pods").beat(Health("live", now, heard=now, polled=30.0))
    kinds = kinds_freshness(AttributeState(site.parts))
    assert [kind.polled for kind in kinds[:2]] == [30.0, 0.0]
    page = render_to_string("layout/_freshness_details.html", {"kinds": kinds[:1], "workers": ()})
    assert "polled every 30 s" in page
    assert "none yet" not in page


def test_objects_that_cannot_be_read_are_counted() -> None:
    site = made()
    site.feeder("pods").beat(Health("live", site.clock.time(), unreadable=1200))
    kinds = kinds_freshness(AttributeState(site.parts))
    page = render_to_string("layout/_freshness_details.html", {"kinds": kinds, "workers": ()})
    assert page.count("cannot be read") == 1
    assert "1,200 cannot be read" in page


def test_what_keeps_a_kind_from_being_live_is_a_sentence_with_a_time() -> None:
    site = made()
    site.feeder("pods").beat(Health("stale", 1_795_262_400.0, heard=1_795_262_400.0))
    found = kinds_freshness(AttributeState(site.parts))[0]
    assert (found.state, found.tone) == ("stale", "warn")
    assert "has not answered since 2026-11-21 12:00:00 UTC." in found.problem


def test_the_worker_is_named_and_one_that_is_silent_is_said_to_be() -> None:
    site = made()
    site.census.receive(ObjectCounts("1700000000000-old", (), "machine, process 6"))
    first, other = workers_freshness(AttributeState(site.parts))
    assert (first.name, first.is_followed, first.is_publishing) == ("machine, process 7", True, True)
    assert (other.name, other.is_followed) == ("machine, process 6", False)
    assert first.since.startswith("2027-01-15T08:00:00")
    site.clock.skip(5)
    for key in ("pods", "namespaces"):
        site.feeder(key).replica.tick()
    assert not workers_freshness(AttributeState(site.parts))[0].is_publishing
