"""Tests of what the incident page says of causes, and of what it leaves out."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.pages.causes.grouped_problems import MAX_EXAMINED
from dashboard.pages.causes.live_causes import MIN_INTERVAL
from dashboard.pages.incident.views import cause_sentence, causes_of, what_is_left_out
from tests.dashboard.pages.incident.test_timeline import World, pod_of
from tests.support.objects.rows import made, row_of

FAILED = {"status": {"phase": "Failed", "reason": "Evicted"}}
UNHEALTHY = ("n-1", "web-rs-1", "web-rs-2")
"""What is unhealthy in the world from the beginning."""


@pytest.mark.slow
async def test_more_unhealthy_pods_than_are_examined_are_said_to_be_more() -> None:
    world = World()
    for number in range(MAX_EXAMINED - 1 - len(UNHEALTHY)):
        world.feeders["pods"].put(pod_of(f"p-{number}", **FAILED))
    family = await world.family("deployments.apps", "web")
    found = causes_of(world.hub, family)
    assert [cause.count for cause in found.shown] == [MAX_EXAMINED - 1]
    said = what_is_left_out(family, is_full=False, are_causes_cut=found.is_cut)
    assert not any("more may be wrong" in sentence for sentence in said)
    for number in range(50):
        world.feeders["pods"].put(pod_of(f"q-{number}", **FAILED))
    world.clock.skip(MIN_INTERVAL)
    found = causes_of(world.hub, family)
    assert [cause.count for cause in found.shown] == [MAX_EXAMINED]
    said = what_is_left_out(family, is_full=False, are_causes_cut=found.is_cut)
    assert any("1,000 worst objects: more may be wrong" in sentence for sentence in said)


async def test_what_changed_before_is_said_and_where_the_feed_begins_later_that_too() -> None:
    world = World()
    failed = {"type": "Available", "status": "False", "lastTransitionTime": "2027-01-15T08:00:30Z"}
    stalled = {"type": "Progressing", "status": "False", "reason": "Late", "lastTransitionTime": "2027-01-15T08:01:00Z"}
    deployment = made("Deployment", "api", api_version="apps/v1", status={"conditions": [failed, stalled]})
    feeder = world.feeders["deployments.apps"]
    line = feeder.entry(row_of("deployments.apps", deployment), "modified", "images web:1 → web:2")
    world.clock.skip(120)
    feeder._send(rows=(row_of("deployments.apps", deployment),))
    family = await world.family("deployments.apps", "api")

    def sentence() -> str:
        world.clock.skip(MIN_INTERVAL)
        (cause,) = causes_of(world.hub, family).shown
        return cause_sentence(cause)

    begins = "Changes of Deployments before 2027-01-15 08:00:00 UTC are not in the feed."
    assert sentence() == f"Deployment shop/api: rollout is stuck: Late, since 2027-01-15 08:01:00 UTC. {begins}"
    feeder._send(entries=(msgspec.structs.replace(line, fields=(("images", "web:2"),)),))
    since = "Deployment shop/api: rollout is stuck: Late, since 2027-01-15 08:01:00 UTC"
    assert sentence() == f"{since}; 60s after: images web:1 → web:2"
