"""Tests of traces with real processes: a worker, a web process and a collector that decodes what they send."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from tests.support.controlplane import ControlPlane
from tests.support.edit.form_inputs import Inputs
from tests.support.live.worker_and_web import KIND, WorkerAndWeb
from tests.support.otlp_collector import Collector, Span

pytestmark = [pytest.mark.redis, pytest.mark.slow]

SERVER = 2


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as serving:
        yield serving


@pytest.fixture
def dashboard(controlplane: ControlPlane, tmp_path: Path, collector: Collector) -> Iterator[WorkerAndWeb]:
    traced = {"DELTABOARD_TRACES": collector.url, "DELTABOARD_TRACES_RATIO": "1"}
    with WorkerAndWeb(controlplane, tmp_path, **traced) as running:
        yield running


@pytest.fixture
def namespace(controlplane: ControlPlane) -> str:
    return controlplane.create_namespace(f"traced-{uuid.uuid4().hex[:8]}")


def configmap(name: str, value: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"key": value}}


async def test_a_delta_has_one_trace_from_the_worker_to_the_page_which_is_sent_at_the_end(
    dashboard: WorkerAndWeb, collector: Collector, controlplane: ControlPlane, namespace: str
) -> None:
    objects = f"/api/v1/namespaces/{namespace}/configmaps"
    controlplane.create(objects, configmap("first-object", "a"))
    dashboard.wait_for("first-object")
    url, path = dashboard.web.url, f"/resources/{KIND}/?namespace={namespace}"
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}/live/", params={"path": path}, origin=url) as page,
    ):
        await page.receive(timeout=30)
        controlplane.create(objects, configmap("second-object", "hidden-value"))
        while "second-object" not in str((await page.receive(timeout=30)).data):
            pass
        dashboard.worker.stop()
    dashboard.web.stop()
    (update,) = collector.named("view update", deltaboard__view="LiveList")
    trace = {span.name: span for span in collector.trace(update.trace)}
    assert trace.keys() == {"worker publish", "replica apply", "view update"}
    publish, apply = trace["worker publish"], trace["replica apply"]
    assert (publish.parent, apply.parent, update.parent) == ("", publish.id, apply.id)
    assert publish.process != apply.process == update.process
    assert publish.start <= apply.start <= update.end
    assert apply.attributes["deltaboard.applied"] is True
    assert publish.attributes["deltaboard.kind"] == KIND
    assert publish.attributes["deltaboard.changes"] == publish.attributes["deltaboard.entries"] == 1
    assert publish.attributes["deltaboard.bytes"] > 100
    assert update.attributes["deltaboard.sockets"] == 1
    assert b"second-object" not in collector.received
    assert b"hidden-value" not in collector.received
    assert namespace.encode() not in collector.received


async def test_an_edit_has_one_trace_of_its_steps_and_the_last_ones_are_sent_at_the_end(
    dashboard: WorkerAndWeb, collector: Collector, controlplane: ControlPlane, namespace: str
) -> None:
    controlplane.create(f"/api/v1/namespaces/{namespace}/configmaps", configmap("object", "before"))
    address = f"{dashboard.web.url}/resources/{KIND}/{namespace}/object/edit/"
    jar = aiohttp.CookieJar(unsafe=True)  # of an IP address, too
    async with aiohttp.ClientSession(headers={"Referer": address}, cookie_jar=jar) as session:
        form = Inputs()
        async with session.get(address) as answer:
            form.feed(await answer.text())
        text = form.values["yaml"].replace("key: before", "key: hidden-value")
        async with session.post(address, data={**form.values, "yaml": text, "review": ""}) as answer:
            review, reviewed = Inputs(), answer.headers["X-Request-Id"]
            review.feed(await answer.text())
            assert answer.status == 200
        controlplane.patch(f"/api/v1/namespaces/{namespace}/configmaps/object", {"data": {"other": "x"}})
        async with session.post(address, data={**review.values, "save": ""}) as answer:
            merged, moved = Inputs(), answer.headers["X-Request-Id"]
            merged.feed(await answer.text())
        async with session.post(address, data={**merged.values, "save": ""}, allow_redirects=False) as answer:
            saved = answer.headers["X-Request-Id"]
    dashboard.web.stop()
    assert steps(collector, reviewed) == {"check", "read", "dry run"}
    assert steps(collector, moved) == {"check", "read", "merge", "dry run"}
    assert steps(collector, saved) == {"check", "read", "write"}
    (post,) = request(collector, saved)
    assert (post.kind, post.parent, post.status) == (SERVER, "", 0)
    assert post.attributes["http.request.method"] == "POST"
    assert post.attributes["http.response.status_code"] == answer.status == 302
    assert post.name == f"POST {post.attributes['http.route']}"
    assert "<" in post.attributes["http.route"]
    assert b"hidden-value" not in collector.received
    assert namespace.encode() not in collector.received


def request(collector: Collector, request_id: str) -> list[Span]:
    return [span for span in collector.spans if span.attributes.get("deltaboard.request_id") == request_id]


def steps(collector: Collector, request_id: str) -> set[str]:
    """Names of the spans in that of a request, each of which has it or another of them as its parent."""
    (post,) = request(collector, request_id)
    trace = [span for span in collector.trace(post.trace) if span is not post]
    assert {span.parent for span in trace} <= {post.id, *(span.id for span in trace)}
    return {span.name for span in trace}
