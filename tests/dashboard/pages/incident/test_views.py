"""Tests of what the incident page says of causes, and of what it leaves out."""

from __future__ import annotations

from dashboard.pages.causes.find_causes import MAX_EXAMINED
from dashboard.pages.incident.views import causes_of, what_is_left_out
from tests.dashboard.pages.incident.test_timeline import World, pod_of

FAILED = {"status": {"phase": "Failed", "reason": "Evicted"}}
UNHEALTHY = ("n-1", "web-rs-1", "web-rs-2")
"""What is unhealthy in the world from the beginning."""


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
    found = causes_of(world.hub, family)
    assert [cause.count for cause in found.shown] == [MAX_EXAMINED]
    said = what_is_left_out(family, is_full=False, are_causes_cut=found.is_cut)
    assert any("1,000 worst objects: more may be wrong" in sentence for sentence in said)
