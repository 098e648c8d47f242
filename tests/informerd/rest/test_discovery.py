"""Tests of discovery: the resources, and the one that a name means."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from informerd.errors import GroupUnavailable, MalformedAnswer, ServerError, UnknownResource
from informerd.rest import discovery as discovery_module
from informerd.rest.client import Client
from informerd.rest.discovery import MAX_AGE_SECONDS, MIN_REFRESH_SECONDS, Discovery
from informerd.rest.load_config import load_kubeconfig
from tests.support.clock import FakeClock
from tests.support.controlplane import ControlPlane
from tests.support.informerd.stub_servers import scripted

CRD = Path(__file__).parents[3] / "deploy" / "crd" / "mydemos.yaml"


@pytest.fixture
async def client(controlplane: ControlPlane) -> AsyncIterator[Client]:
    controlplane.apply_crd(CRD)
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        yield client


@pytest.mark.parametrize(
    ("name", "key", "version"),
    [
        ("pods", "pods", "v1"),
        ("pod", "pods", "v1"),
        ("po", "pods", "v1"),
        ("Pod", "pods", "v1"),
        ("PODS", "pods", "v1"),
        ("pods.v1", "pods", "v1"),
        ("pods.v1.", "pods", "v1"),
        ("pods.", "pods", "v1"),
        ("deploy.app", "deployments.apps", "v1"),
        ("events", "events", "v1"),
        ("ev", "events", "v1"),
        ("events.events.k8s.io", "events.events.k8s.io", "v1"),
        ("events.v1.events.k8s.io", "events.events.k8s.io", "v1"),
        ("deploy", "deployments.apps", "v1"),
        ("Deployment.apps", "deployments.apps", "v1"),
        ("mydemos", "mydemos.crddemo.k8s.io", "v1"),
        ("Mydemo", "mydemos.crddemo.k8s.io", "v1"),
        ("mydemos.crddemo.k8s.io", "mydemos.crddemo.k8s.io", "v1"),
        ("mydemos.v1.crddemo.k8s.io", "mydemos.crddemo.k8s.io", "v1"),
        (" hpa ", "horizontalpodautoscalers.autoscaling", "v2"),
        ("hpa.v1.autoscaling", "horizontalpodautoscalers.autoscaling", "v1"),
    ],
)
async def test_a_name_means_what_kubectl_takes_it_for(client: Client, name: str, key: str, version: str) -> None:
    resource = await Discovery(client).resolve(name)
    assert (resource.key, resource.version) == (key, version)


@pytest.mark.parametrize("name", ["", "nothing", "pods.apps", "deployments.v9.apps", "."])
async def test_an_unknown_name_is_told_what_there_is(client: Client, name: str) -> None:
    with pytest.raises(UnknownResource) as unknown:
        await Discovery(client).resolve(name)
    assert {"pods", "deployments.apps", "mydemos.crddemo.k8s.io"} <= set(unknown.value.known)


async def test_a_resource_says_what_it_is_and_can_do(client: Client) -> None:
    resource = await Discovery(client).resolve("mydemos")
    assert (resource.kind, resource.singular, resource.namespaced) == ("Mydemo", "mydemo", True)
    assert {"list", "watch", "create", "update", "delete"} <= resource.verbs
    assert not (await Discovery(client).resolve("nodes")).namespaced


async def test_a_manifests_kind_is_found_by_its_very_version(client: Client) -> None:
    discovery = Discovery(client)
    assert (await discovery.resource_of("v1", "Event")).key == "events"
    assert (await discovery.resource_of("events.k8s.io/v1", "Event")).key == "events.events.k8s.io"
    assert (await discovery.resource_of("autoscaling/v1", "HorizontalPodAutoscaler")).version == "v1"
    for api_version, kind in (("v1", "Deployment"), ("apps/v1", "deployment"), ("", "Pod")):
        with pytest.raises(UnknownResource):
            await discovery.resource_of(api_version, kind)


async def test_what_has_not_changed_is_not_sent_again(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    statuses: list[int] = []
    request = client.request

    async def noted(method: str, path: str, **more: Any) -> Any:
        answer = await request(method, path, **more)
        statuses.append(answer.status)
        return answer

    monkeypatch.setattr(client, "request", noted)
    discovery = Discovery(client)
    before = await discovery.resources()
    discovery.invalidate()
    assert await discovery.resources() == before
    assert statuses == [200, 200, 304, 304]


async def test_a_group_whose_own_server_is_down_is_named_and_hides_no_other(
    client: Client, controlplane: ControlPlane
) -> None:
    services = "/apis/apiregistration.k8s.io/v1/apiservices"
    spec = {
        "group": "down.example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10,
        "insecureSkipTLSVerify": True, "service": {"namespace": "default", "name": "nobody"},
    }  # fmt: skip
    await asyncio.to_thread(controlplane.create, services, {"metadata": {"name": "v1.down.example.com"}, "spec": spec})
    try:
        async with asyncio.timeout(30):
            discovery = Discovery(client)
            while not await discovery.stale_versions():
                await asyncio.sleep(0.1)
                discovery.invalidate()
        assert await discovery.stale_versions() == ("down.example.com/v1",)
        assert (await discovery.resolve("deploy")).key == "deployments.apps"
        for name in ("things.down.example.com", "things.v1.down.example.com"):
            with pytest.raises(GroupUnavailable, match=r"the API group down.example.com is not available now") as down:
                await discovery.resolve(name)
            assert (down.value.group, down.value.versions) == ("down.example.com", ("down.example.com/v1",))
        with pytest.raises(GroupUnavailable):
            await discovery.resource_of("down.example.com/v1", "Thing")
        with pytest.raises(UnknownResource, match=r"'nonesuch'; down.example.com/v1 could not be asked"):
            await discovery.resolve("nonesuch")
    finally:
        await asyncio.to_thread(controlplane.delete, f"{services}/v1.down.example.com", {})


async def test_each_resource_comes_once_core_first_and_without_subresources(client: Client) -> None:
    resources = await Discovery(client).resources()
    keys = [each.key for each in resources]
    assert len(keys) == len(set(keys))
    assert [each.group for each in resources][: keys.index("services") + 1] == [""] * (keys.index("services") + 1)
    assert not [key for key in keys if "/" in key]


async def test_the_plain_form_says_the_same(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    aggregated = await Discovery(client).resources()
    monkeypatch.setattr(discovery_module, "AGGREGATED", "application/json")
    assert set(await Discovery(client).resources()) == set(aggregated)


class Server:
    """Answers discovery from a table of paths."""

    def __init__(self, **groups: list[str]) -> None:
        self.asked: list[str] = []
        self.unchanged: list[str] = []
        self.answers: dict[str, Any] = {
            "/api": {"kind": "APIVersions", "versions": ["v1"]},
            "/api/v1": resource_list("pods"),
            "/apis": {"kind": "APIGroupList", "groups": []},
        }
        for name, versions in groups.items():
            self.add(name, *versions)

    def add(self, name: str, *versions: str, preferred: str = "") -> None:
        items = [{"version": version} for version in versions]
        group = {"name": name, "versions": items, "preferredVersion": {"version": preferred or versions[0]}}
        self.answers["/apis"]["groups"].append(group)
        self.answers |= {f"/apis/{name}/{version}": resource_list(f"{name}s") for version in versions}

    async def __call__(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        answer = self.answers[request.path]
        if isinstance(answer, int):
            return web.Response(status=answer)
        etag = f'"{hash(str(answer))}"'
        if request.headers.get("If-None-Match") == etag:
            self.unchanged.append(request.path)
            return web.Response(status=304)
        return web.json_response(answer, headers={"ETag": etag})


def resource_list(*plurals: str) -> Any:
    items = [{"name": plural, "kind": plural[:-1].title(), "namespaced": True, "verbs": ["list"]} for plural in plurals]
    return {"kind": "APIResourceList", "resources": [*items, {"name": f"{plurals[0]}/status", "kind": "Status"}]}


async def test_the_server_is_asked_once_however_many_wait_and_again_after_invalidate() -> None:
    answers = Server(widget=["v1"])
    async with scripted(answers) as server, Client(server.config) as client:
        discovery = Discovery(client)
        await asyncio.gather(*(discovery.resolve("widgets") for _ in range(20)))
        await discovery.resources()
        assert sorted(answers.asked) == ["/api", "/api/v1", "/apis", "/apis/widget/v1"]
        discovery.invalidate()
        await discovery.resources()
        assert len(answers.asked) == 8


async def test_a_kind_created_later_is_found_without_being_told() -> None:
    answers, clock = Server(), FakeClock()
    async with scripted(answers) as server, Client(server.config) as client:
        discovery = Discovery(client, clock=clock)
        with pytest.raises(UnknownResource):
            await discovery.resolve("widgets")
        answers.add("widget", "v1")
        asked = len(answers.asked)
        with pytest.raises(UnknownResource):
            await discovery.resolve("widgets")
        assert len(answers.asked) == asked  # nothing is asked twice within a second
        await clock.advance(MIN_REFRESH_SECONDS)
        assert (await discovery.resolve("widgets")).key == "widgets.widget"


async def test_the_preferred_version_wins_and_the_others_can_be_named() -> None:
    answers = Server()
    answers.add("widget", "v2beta1", "v1", preferred="v1")
    answers.answers["/apis/widget/v2beta1"] = resource_list("widgets", "gadgets")
    async with scripted(answers) as server, Client(server.config) as client:
        discovery = Discovery(client)
        assert (await discovery.resolve("widgets")).version == "v1"
        assert (await discovery.resolve("widgets.v2beta1.widget")).version == "v2beta1"
        assert (await discovery.resolve("gadgets")).version == "v2beta1"
        assert [each.key for each in await discovery.resources()] == ["pods", "widgets.widget", "gadgets.widget"]


async def test_a_group_whose_server_is_down_hides_no_other() -> None:
    answers = Server(metric=["v1"], widget=["v1"])
    answers.answers["/apis/metric/v1"] = 503
    async with scripted(answers) as server, Client(server.config) as client:
        assert [each.key for each in await Discovery(client).resources()] == ["pods", "widgets.widget"]


async def test_an_api_server_that_is_down_is_an_error_and_asked_again() -> None:
    answers = Server()
    whole = answers.answers["/apis"]
    answers.answers["/apis"] = 500
    async with scripted(answers) as server, Client(server.config) as client:
        discovery = Discovery(client)
        with pytest.raises(ServerError):
            await discovery.resources()
        answers.answers["/apis"] = whole
        assert [each.key for each in await discovery.resources()] == ["pods"]


async def test_an_answer_under_way_does_not_count_after_invalidate() -> None:
    answers = Server()
    async with scripted(answers) as server, Client(server.config) as client:
        discovery = Discovery(client)
        early = asyncio.create_task(discovery.resources())
        await asyncio.sleep(0)
        discovery.invalidate()
        await asyncio.gather(early, discovery.resources())
        assert answers.asked.count("/apis") == 2


async def test_a_version_whose_server_goes_down_keeps_what_it_had() -> None:
    answers = Server(metric=["v1"], widget=["v1"])
    answers.answers["/apis/widget/v1"] = resource_list("widgets", "metrics")
    async with scripted(answers) as server, Client(server.config) as client:
        discovery = Discovery(client)
        assert (await discovery.resolve("metrics")).group == "metric"
        answers.answers["/apis/metric/v1"] = 503
        discovery.invalidate()
        assert (await discovery.resolve("metrics")).group == "metric"  # and not the other one, all of a sudden
        assert await discovery.stale_versions() == ("metric/v1",)
        answers.answers["/apis/metric/v1"] = resource_list("metrics")
        discovery.invalidate()
        assert (await discovery.resolve("metrics")).group == "metric"
        assert await discovery.stale_versions() == ()


async def test_a_stale_version_of_the_aggregated_form_keeps_what_it_had() -> None:
    answers = Server()
    resource = {"resource": "metrics", "responseKind": {"kind": "Metric"}}
    fresh = {"version": "v1", "resources": [resource], "freshness": "Current"}
    form = {"kind": "APIGroupDiscoveryList", "items": [{"metadata": {"name": "metric"}, "versions": [fresh]}]}
    answers.answers["/apis"] = form
    async with scripted(answers) as server, Client(server.config) as client:
        discovery = Discovery(client)
        assert await discovery.stale_versions() == ()
        form["items"] = [{"metadata": {"name": "metric"}, "versions": [{"version": "v1", "freshness": "Stale"}]}]
        discovery.invalidate()
        assert await discovery.stale_versions() == ("metric/v1",)
        assert (await discovery.resolve("Metric")).plural == "metrics"


async def test_only_what_has_changed_is_sent_again() -> None:
    answers = Server(widget=["v1"])
    async with scripted(answers) as server, Client(server.config) as client:
        discovery = Discovery(client)
        await discovery.resources()
        answers.answers["/apis/widget/v1"] = resource_list("widgets", "gadgets")
        discovery.invalidate()
        assert (await discovery.resolve("gadgets")).group == "widget"
        assert sorted(answers.unchanged) == ["/api", "/api/v1", "/apis"]


async def test_what_is_old_is_asked_for_again_and_kept_while_the_server_is_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers, clock = Server(), FakeClock()
    whole = answers.answers["/apis"]
    async with scripted(answers) as server, Client(server.config) as client:
        discovery = Discovery(client, clock=clock)
        await discovery.resources()
        await clock.advance(MAX_AGE_SECONDS - 1)
        await discovery.resources()
        assert answers.asked.count("/apis") == 1
        answers.answers["/apis"] = 500
        await clock.advance(1)
        assert [each.key for each in await discovery.resources()] == ["pods"]
        assert [each.key for each in await discovery.resources()] == ["pods"]
        assert answers.asked.count("/apis") == 2
        assert "the API server's resources are 600 s old: HTTP 500" in caplog.text
        answers.answers["/apis"] = whole
        answers.add("widget", "v1")
        await clock.advance(MAX_AGE_SECONDS / 10)
        assert [each.key for each in await discovery.resources()] == ["pods", "widgets.widget"]


@pytest.mark.parametrize("body", ["<html>sign in</html>", "[]", "{}", '{"groups":[{"name":1}]}'])
async def test_what_is_no_discovery_is_malformed_and_not_an_empty_server(body: str) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=body)

    async with scripted(answer) as server, Client(server.config) as client:
        with pytest.raises(MalformedAnswer):
            await Discovery(client).resources()
