"""Tests of the view of logs: what it sends to pages."""

from __future__ import annotations

from typing import Any, cast

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from dashboard.live.rendering.renderer import Renderer
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.logs.live_logs import LiveLogs
from dashboard.pages.logs.object_or_list import open_object_logs
from tests.support.objects.rows import made, row_of
from tests.support.pages.app_state import AttributeState
from tests.support.pages.fake_log_streams import FakeLogStreams, LogsSite, logging_pod
from tests.support.pages.small_site import namespace

LINES = [b"2026-11-28T07:00:%02d.000000001Z line" % second for second in range(10, 50)]
ABOUT = {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": "web", "uid": "uid-shop-web"}


class Shown:
    """A page of a pod's logs that has its first lines."""

    def __init__(self) -> None:
        self.site = LogsSite(namespace("shop"), logging_pod("web"), streams=FakeLogStreams(lines={"main": LINES}))
        self.view: LiveLogs = open_object_logs(
            AttributeState(self.site.parts), KINDS["pods"], "shop", "web", QueryDict()
        )
        self.render = Renderer(render_to_string)

    async def begin(self) -> None:
        await self.site.clock.advance(1.0)
        self.frame()

    def frame(self) -> dict[str, Any]:
        """The lines of the next frame."""
        self.view.update(self.render)
        return cast("dict[str, Any]", self.view.extras()["log"])

    def tell(self, name: str, second: int) -> None:
        """The kubelet reports a failed probe."""
        event = made(
            "Event", name, involvedObject=ABOUT, reason="Unhealthy", message="Readiness probe failed", type="Warning",
            count=1, lastTimestamp=f"2026-11-28T07:00:{second:02d}Z",
        )  # fmt: skip
        self.site.feeder("events").put(row_of("events", event))


@pytest.mark.parametrize(("second", "is_whole"), [(48, False), (55, False), (5, True)])
async def test_an_event_among_the_lines_that_pages_have_leaves_these_as_they_are(second: int, is_whole: bool) -> None:
    shown = Shown()
    await shown.begin()
    shown.tell("probe", second)
    await shown.site.clock.advance(1.0)
    frame = shown.frame()
    marks = [entry for entry in frame["entries"] if entry[3] == "!"]
    assert [(entry[1], entry[4]) for entry in marks] == [(f"2026-11-28T07:00:{second:02d}.000000000Z", "event-warning")]
    assert frame.get("whole", False) == is_whole
    assert len(frame["entries"]) == (len(LINES) + 1 if is_whole else 1)
