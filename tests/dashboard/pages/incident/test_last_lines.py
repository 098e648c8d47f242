"""Tests of last lines of containers: they stand under the end of the run that wrote them, or are left out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web

from dashboard.live.hub.hub import Hub
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.incident.family import find_family
from dashboard.pages.incident.last_lines import MAX_CACHED, last_lines
from informerd.lru_cache import LruCache
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, Feeders
from tests.support.objects.rows import Json, made, row_of
from tests.support.pages.app_state import AttributeState
from tests.support.scripted_exec import client_of

FIRST = {
    "exitCode": 1,
    "containerID": "cri://1",
    "startedAt": "2027-01-15T07:50:00Z",
    "finishedAt": "2027-01-15T07:58:00Z",
}
SECOND = {
    "exitCode": 1,
    "containerID": "cri://2",
    "startedAt": "2027-01-15T07:58:10Z",
    "finishedAt": "2027-01-15T07:59:00Z",
}
LINE = "2027-01-15T07:57:59.999999999Z panic: no settings\n"
LATE_LINE = "2027-01-15T07:58:10.500000000Z all is well\n"
MAY_BE_LATER = (
    "Some last lines of containers are left out: the log of container main in shop/web may be of a later run."
)


def pod_with(state: Json, last: Json | None = None, *, uid: str = "uid-shop-web") -> Json:
    status = {"name": "main", "state": state, "lastState": {"terminated": last} if last is not None else {}}
    spec = {"containers": [{"name": "main"}]}
    return made("Pod", "web", metadata={"uid": uid}, spec=spec, status={"containerStatuses": [status]})


RESTARTED = pod_with({"running": {"startedAt": SECOND["startedAt"]}}, FIRST)
WAITS = pod_with({"waiting": {"reason": "CrashLoopBackOff"}}, FIRST)
ENDED_AGAIN = pod_with({"terminated": SECOND}, FIRST)


class Cluster:
    """An API server with one pod, as `now` is, and its log."""

    def __init__(self) -> None:
        self.now: Json = RESTARTED
        self.log = LINE
        self.asked: list[str] = []
        """Queries of the reads of the log."""
        self.parts: Any = SimpleNamespace(client=None, last_lines=LruCache(MAX_CACHED))

    async def answer(self, request: web.Request) -> web.Response:
        if request.path.endswith("/log"):
            self.asked.append(request.query.get("previous", "false"))
            return web.Response(text=self.log)
        return web.json_response(self.now)

    async def read(self, row: Json = RESTARTED) -> tuple[list[tuple[str, ...]], str]:
        """The lines of each entry where the dashboard knows the pod as `row`, and why some are left out."""
        clock = FakeClock()
        hub = Hub(Feeders(Feeder("pods", clock, [row_of("pods", row)])), clock)
        family = await find_family(hub, KINDS["pods"], "shop", "web")
        entries, why_not = await last_lines(AttributeState(self.parts), family.pods)
        return [tuple(map(str, entry.lines)) for entry in entries], why_not


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    made_cluster = Cluster()
    async with client_of(made_cluster.answer) as client:
        made_cluster.parts.client = client
        yield made_cluster


async def test_lines_of_the_run_that_ended_are_read_once(cluster: Cluster) -> None:
    for _ in range(2):
        assert await cluster.read() == ([("panic: no settings",)], "")
    assert cluster.asked == ["true"]


async def test_a_run_that_no_other_followed_has_the_present_log(cluster: Cluster) -> None:
    cluster.now = WAITS
    assert await cluster.read(WAITS) == ([("panic: no settings",)], "")
    assert cluster.asked == ["false"]


@pytest.mark.parametrize(
    ("row", "now"),
    [
        pytest.param(RESTARTED, ENDED_AGAIN, id="the next run ended, too"),
        pytest.param(WAITS, RESTARTED, id="the next run began"),
        pytest.param(WAITS, pod_with({"running": {}}, SECOND), id="the next run came and went"),
        pytest.param(RESTARTED, {**RESTARTED, "metadata": {"name": "web", "uid": "other"}}, id="another pod"),
    ],
)
async def test_where_the_pod_went_on_meanwhile_no_lines_are_shown_and_none_kept(
    cluster: Cluster, row: Json, now: Json
) -> None:
    cluster.now = now
    assert await cluster.read(row) == ([], MAY_BE_LATER)
    cluster.now = row
    assert await cluster.read(row) == ([("panic: no settings",)], "")


async def test_lines_from_after_the_end_are_of_a_later_run_whatever_the_status_says(cluster: Cluster) -> None:
    cluster.now, cluster.log = WAITS, LATE_LINE
    assert await cluster.read(WAITS) == ([], MAY_BE_LATER)
    cluster.log = "no time\n"
    assert await cluster.read(WAITS) == ([], MAY_BE_LATER)


async def test_a_run_that_wrote_nothing_has_no_entry(cluster: Cluster) -> None:
    cluster.log = ""
    assert await cluster.read() == ([], "")


async def test_a_run_that_ended_well_and_for_good_has_no_lines(cluster: Cluster) -> None:
    done = {"terminated": {**FIRST, "exitCode": 0, "reason": "Completed"}}
    assert await cluster.read(pod_with(done)) == ([], "")
    assert cluster.asked == []
