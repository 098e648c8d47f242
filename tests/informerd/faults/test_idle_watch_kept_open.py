"""Tests of idle watches, of a kind that never sends bookmarks too, which are not taken for dead."""

from __future__ import annotations

import time

from tests.support.informerd.faults.faulty_proxy import proxied
from tests.support.informerd.faults.informer_rig import EVENTS, Rig
from tests.support.wait import eventually

LASTING = 6.0


async def test_an_idle_watch_of_events_is_left_alone_until_its_time_out(rig: Rig) -> None:
    """Silence is suspicious after half a second here, but only on watches that have sent periodic bookmarks."""
    async with proxied(rig.controlplane, rig.client.config) as proxy:
        factory = rig.factory(proxy.config, probe=0.5, silence=0.5, watch_timeout=LASTING, chance=lambda: 0.0)
        followed = rig.follow(factory, EVENTS)
        await followed.becomes("live")
        began, count = time.monotonic(), len(proxy.watches("events"))
        await eventually(lambda: len(proxy.watches("events")) > count, within=LASTING + 5, what="a second watch")
        assert time.monotonic() - began > LASTING - 1
    assert followed.states == ["syncing", "live"]
    assert followed.errors == []
    assert [each.query.get("sendInitialEvents") for each in proxy.watches("events")] == ["true", None]
    assert proxy.lists("events") == []
