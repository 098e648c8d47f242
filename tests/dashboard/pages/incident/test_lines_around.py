"""Tests of lines around ends of containers: they stand beside the end of the run that wrote them, or are left out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web

from dashboard.live.hub.hub import Hub
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.incident.family import find_family
from dashboard.pages.incident.lines_around import LINES, MAX_CACHED, MAX_ENDS, lines_around_ends
from informerd.lru_cache import LruCache
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, Feeders
from tests.support.objects.rows import Json, made, row_of
from tests.support.pages.app_state import AttributeState
from tests.support.scripted_exec import client_of

FIRST = {
    "containerID": "cri://1",
    "exitCode": 1,
    "startedAt": "2027-01-15T07:50:00Z",
    "finishedAt": "2027-01-15T07:58:00Z",
}
SECOND = {
    "containerID": "cri://2",
    "exitCode": 1,
    "startedAt": "2027-01-15T07:58:10Z",
    "finishedAt": "2027-01-15T07:59:00Z",
}
LINE = "2027-01-15T07:57:59.999999999Z panic: no settings\n"
LATE_LINE = "2027-01-15T07:58:10.500000000Z all is well\n"
MAY_BE_LATER = (
    "Some lines around the ends of containers are left out: the log of container main in shop/web may be of a "
    "later run."
)
LAST, GONE, FIRST_AFTER, SILENT = (
    "the last lines of container main before it ended",
    "the lines of container main around this are gone: the kubelet does not keep them any more",
    "the first lines of container main after it was started again",
    "container main has written nothing since it was started again",
)
Entries = list[tuple[str, tuple[str, ...]]]


def pod_with(state: Json, last: Json | None = None, *, uid: str = "uid-shop-web", restarts: int = 0) -> Json:
    status = {
        "name": "main",
        "state": state,
        "lastState": {"terminated": last} if last is not None else {},
        "restartCount": restarts,
    }
    spec = {"containers": [{"name": "main"}]}
    return made("Pod", "web", metadata={"uid": uid}, spec=spec, status={"containerStatuses": [status]})


RESTARTED = pod_with({"running": {"startedAt": SECOND["startedAt"]}}, FIRST)
WAITS = pod_with({"waiting": {"reason": "CrashLoopBackOff"}}, FIRST)
ENDED_AGAIN = pod_with({"terminated": SECOND}, FIRST)


class Cluster:
    """An API server with one pod, as `now` is, and its logs."""

    def __init__(self) -> None:
        self.now: Json = RESTARTED
        self.logs: dict[str, str | None] = {"true": LINE, "false": ""}
        """By `previous`; None where the kubelet has none."""
        self.asked: list[str] = []
        """Queries of the reads of the logs."""
        self.parts: Any = SimpleNamespace(client=None, lines_around=LruCache(MAX_CACHED))

    async def answer(self, request: web.Request) -> web.Response:
        if not request.path.endswith("/log"):
            return web.json_response(self.now)
        which = request.query.get("previous", "false")
        self.asked.append(f"{which} {request.query.get('tailLines', request.query.get('sinceTime'))}")
        if (log := self.logs[which]) is None:
            return web.json_response({"kind": "Status", "code": 400, "message": "not found"}, status=400)
        return web.Response(text=log)

    async def read(self, *rows: Json) -> tuple[Entries, str]:
        """The words and lines of each entry, newest first, where the dashboard knows the pods so, and why some are left
        out.
        """
        clock = FakeClock()
        known = [row_of("pods", row) for row in rows or [RESTARTED]]
        hub = Hub(Feeders(Feeder("pods", clock, known)), clock)
        pods = [pod for row in known for pod in (await find_family(hub, KINDS["pods"], "shop", row.name)).pods]
        entries, why_not = await lines_around_ends(AttributeState(self.parts), pods)
        entries.sort(key=lambda entry: -entry.at)
        return [(entry.words, tuple(map(str, entry.lines))) for entry in entries], " ".join(why_not)


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    made_cluster = Cluster()
    async with client_of(made_cluster.answer) as client:
        made_cluster.parts.client = client
        yield made_cluster


PANIC = (LAST, ("panic: no settings",))


async def test_lines_of_the_run_that_ended_are_read_once(cluster: Cluster) -> None:
    for _ in range(2):
        assert await cluster.read() == ([(SILENT, ()), PANIC], "")
    since = f"false {SECOND['startedAt']}"
    assert cluster.asked == [f"true {LINES}", since, since]


async def test_the_first_lines_of_the_run_after_an_end_stand_above_it(cluster: Cluster) -> None:
    second = "2027-01-15T07:58:1{}.500000000Z line {}\n"
    cluster.logs["false"] = "".join(second.format(number % 10, number) for number in range(LINES + 5))
    for _ in range(2):
        entries, _ = await cluster.read()
        assert entries == [(FIRST_AFTER, tuple(f"line {number}" for number in range(LINES))), PANIC]
    assert len(cluster.asked) == 2  # they stay the same
    cluster.parts.lines_around = LruCache(MAX_CACHED)
    cluster.logs["false"] = "2027-01-15T08:10:10.000000000Z late\n"
    (words, lines), _ = (await cluster.read())[0]
    assert (words, lines) == ("the first lines that the kubelet has of container main, 12m after its start", ("late",))


async def test_both_ends_that_the_kubelet_knows_have_their_lines(cluster: Cluster) -> None:
    cluster.now = ENDED_AGAIN
    cluster.logs["false"] = LATE_LINE
    entries, why_not = await cluster.read(ENDED_AGAIN)
    assert entries == [(LAST, ("all is well",)), (FIRST_AFTER, ("all is well",)), PANIC]
    assert why_not == ""


async def test_where_the_lines_are_gone_it_is_said(cluster: Cluster) -> None:
    cluster.logs["true"] = None
    assert await cluster.read() == ([(SILENT, ()), (GONE, ())], "")
    cluster.now = pod_with({"running": {"startedAt": SECOND["startedAt"]}}, FIRST, restarts=7)
    entries, _ = await cluster.read(cluster.now)
    words = "the kubelet keeps no lines of 6 earlier runs of container main: it has the last two at most"
    assert entries == [(SILENT, ()), (GONE, ()), (words, ())]


async def test_of_very_many_ends_the_last_ones_have_lines_and_the_page_says_so(cluster: Cluster) -> None:
    statuses = [
        {"name": f"main-{number}", "state": {"waiting": {}}, "lastState": {"terminated": FIRST}, "restartCount": 0}
        for number in range(MAX_ENDS + 3)
    ]
    spec = {"containers": [{"name": each["name"]} for each in statuses]}
    cluster.now = made("Pod", "web", spec=spec, status={"containerStatuses": statuses})
    cluster.logs["false"] = LINE
    entries, why_not = await cluster.read(cluster.now)
    assert len(entries) == len(cluster.asked) == MAX_ENDS
    assert why_not == f"Lines around the last {MAX_ENDS} ends of containers are shown, of {MAX_ENDS + 3}."


async def test_a_container_that_ended_well_once_is_not_read(cluster: Cluster) -> None:
    cluster.now = pod_with({"terminated": {**FIRST, "exitCode": 0}})
    assert await cluster.read(cluster.now) == ([], "")
    assert cluster.asked == []


async def test_a_run_that_no_other_followed_has_the_present_log(cluster: Cluster) -> None:
    cluster.now, cluster.logs["false"] = WAITS, LINE
    assert await cluster.read(WAITS) == ([PANIC], "")
    assert cluster.asked == [f"false {LINES}"]


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
    cluster.now, cluster.logs["false"] = now, LINE
    assert await cluster.read(row) == ([], MAY_BE_LATER)
    cluster.now = row
    entries, why_not = await cluster.read(row)
    assert PANIC in entries
    assert why_not == ""


async def test_lines_from_after_the_end_are_of_a_later_run_whatever_the_status_says(cluster: Cluster) -> None:
    cluster.now, cluster.logs["false"] = WAITS, LATE_LINE
    assert await cluster.read(WAITS) == ([], MAY_BE_LATER)
    cluster.logs["false"] = "no time\n"
    assert await cluster.read(WAITS) == ([], MAY_BE_LATER)


async def test_a_run_without_lines_says_so(cluster: Cluster) -> None:
    cluster.logs["true"] = ""
    words = "the kubelet has no line of container main from before it ended"
    assert await cluster.read() == ([(SILENT, ()), (words, ())], "")
