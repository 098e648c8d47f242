"""Tests of the view of logs: what it sends to pages."""

from __future__ import annotations

from typing import Any, cast

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from dashboard.live.rendering.renderer import Renderer
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.logs.live_logs import LiveLogs
from dashboard.pages.logs.object_or_list import open_object_logs, open_selection_logs
from informerd.logs.log_events import LogLines
from tests.support.objects.rows import Json, made, row_of
from tests.support.pages.app_state import AttributeState
from tests.support.pages.fake_log_streams import FakeLogStreams, LogsSite, logging_pod
from tests.support.pages.small_site import namespace

LINES = [b"2026-11-28T07:00:%02d.000000001Z line" % second for second in range(10, 50)]
ABOUT = {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": "web", "uid": "uid-shop-web"}


DEPLOYMENT = made(
    "Deployment", "web", metadata={"uid": "uid-deployment"}, spec={"selector": {"matchLabels": {"app": "web"}}}
)
OWNER = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "uid-deployment", "controller": True}


class Shown:
    """A page of a pod's logs that has its first lines; with `listed`, that of a list with this pod."""

    def __init__(self, params: str = "", *objects: tuple[str, Json], kind: str = "pods", listed: bool = False) -> None:
        pod = logging_pod("web", labels={"app": "web"}, ownerReferences=[OWNER])
        self.site = LogsSite(namespace("shop"), pod, *objects, streams=FakeLogStreams(lines={"main": LINES}))
        self.open(params, kind=kind, listed=listed)

    def roll_out(self, words: str, path: str) -> None:
        """The feed tells a change of a field of the Deployment."""
        row = row_of("deployments.apps", DEPLOYMENT)
        self.site.feeder("deployments.apps").put(row, words=words, fields=((path, "new"),))

    def open(self, params: str, *, kind: str = "pods", listed: bool = False) -> None:
        state = AttributeState(self.site.parts)
        self.view: LiveLogs = (
            open_selection_logs(state, QueryDict(params))
            if listed
            else open_object_logs(state, KINDS[kind], "shop", "web", QueryDict(params))
        )
        self.render = Renderer(render_to_string)

    async def begin(self) -> None:
        await self.site.clock.advance(1.0)
        self.frame()

    def frame(self) -> dict[str, Any]:
        """The lines of the next frame."""
        self.view.update(self.render)
        return cast("dict[str, Any]", self.view.extras()["log"])

    def tell(self, name: str, second: int, about: Json = ABOUT) -> None:
        """The kubelet reports a failed probe."""
        event = made(
            "Event", name, involvedObject=about, reason="Unhealthy", message="Readiness probe failed", type="Warning",
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


def marks_of(frame: dict[str, Any]) -> list[str]:
    """Those that tell of the cluster."""
    return [entry[5] for entry in frame["entries"] if entry[3] == "!" and entry[4].startswith(("event", "rollout"))]


@pytest.mark.parametrize(
    ("params", "listed"),
    [("namespace=shop&q=label:app=web", True), ("namespace=shop&find=nowhere", True), ("q=nowhere", False)],
)
async def test_events_stand_in_the_logs_of_a_list_and_between_the_lines_that_a_filter_lets_through(
    params: str, listed: bool
) -> None:
    shown = Shown(params, listed=listed)
    shown.tell("before", 48)
    shown.tell("other", 49, {**ABOUT, "name": "db", "uid": "uid-db"})
    await shown.begin()
    assert marks_of(shown.view.window()) == [f"{'Pod web: ' * listed}Unhealthy: Readiness probe failed"]
    shown.tell("now", 55)
    assert marks_of(shown.frame()) == [f"{'Pod web: ' * listed}Unhealthy: Readiness probe failed"]


async def test_lines_that_come_just_after_the_histogram_was_drawn_are_in_the_next_one_though_no_more_come() -> None:
    shown = Shown()
    await shown.begin()
    await shown.site.clock.advance(1.0)
    shown.frame()
    container = shown.view.sources[0].container
    shown.view.readers.log_event(container, LogLines("main", [b"2026-11-28T07:00:55.000000001Z ERROR last"]))
    shown.frame()
    assert shown.view.bars is not None
    assert "error" not in dict(shown.view.bars.totals), "it is drawn once a second"
    shown.view.dirty = False
    for _ in range(3):
        await shown.site.clock.advance(1.0)
    assert shown.view.dirty
    assert "error" in dict(shown.view.bars.totals)


async def test_events_and_rollouts_can_be_hidden() -> None:
    shown = Shown("events=0", listed=True)
    shown.tell("probe", 48)
    await shown.begin()
    assert marks_of(shown.view.window()) == []
    html = await shown.site.page("/logs/?namespace=shop&events=0&find=line")
    assert '<a class="chip" href="/logs/?namespace=shop&amp;find=line" title=' in html
    assert "Show Events</a>" in html
    assert "events=0" in (await shown.site.page("/logs/?namespace=shop")).partition("Hide Events")[0][-200:]


@pytest.mark.parametrize(("kind", "listed"), [("pods", False), ("pods", True), ("deployments.apps", False)])
async def test_a_rollout_stands_in_the_logs_of_its_deployment_and_of_its_pods(kind: str, listed: bool) -> None:
    shown = Shown("", ("deployments.apps", DEPLOYMENT), kind=kind, listed=listed)
    shown.roll_out("images web:1 → web:2", "images")  # before anybody looks
    await shown.begin()
    first = marks_of(shown.view.window())
    assert first == ["Rollout of Deployment web: images web:1 → web:2"]
    shown.roll_out("desired 1 → 2", "desired")
    shown.roll_out("LEVEL=debug", "spec.template.spec.containers[0].env")
    assert marks_of(shown.frame()) == ["Rollout of Deployment web: LEVEL=debug"]
