"""Tests of accidental arguments, which are refused before anything is sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from informerd.cache.factory import SharedInformerFactory
from informerd.clients.dynamic_client import DynamicClient
from informerd.clients.resource_client import ResourceClient
from informerd.clients.typed_client import TypedClient
from informerd.errors import InvalidCall, MalformedSelector
from informerd.resource import MYDEMOS
from informerd.rest.client import Client
from informerd.rest.request import build_request
from informerd.unstructured import Json
from tests.support.informerd.stub_servers import Scripted, scripted

Accident = Callable[[ResourceClient[Json]], Awaitable[Any]]


async def echo(request: web.Request) -> web.Response:
    return web.json_response({"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "metadata": {"name": "a"}})


async def told(act: Accident) -> Scripted:
    """The server after `act` on its Mydemos."""
    async with scripted(echo) as server, Client(server.config) as client:
        await act(DynamicClient(client).resource(MYDEMOS, "default"))
        return server


@pytest.mark.parametrize(
    "accident",
    [
        lambda demos: demos.delete("a", uid=""),
        lambda demos: demos.delete("a", resource_version=""),
        lambda demos: demos.update({"metadata": {"name": "a"}}),
        lambda demos: demos.update({"metadata": {"name": "a", "resourceVersion": ""}}),
        lambda demos: demos.update({"metadata": {"name": "a", "resourceVersion": "0"}}),
        lambda demos: demos.update_status({"metadata": {"name": "a"}}),
    ],
)
async def test_what_would_go_over_whatever_is_there_is_refused(accident: Accident) -> None:
    async with scripted(echo) as server, Client(server.config) as client:
        with pytest.raises(InvalidCall, match=r"precondition|overwrite=True"):
            await accident(DynamicClient(client).resource(MYDEMOS, "default"))
        assert server.seen == []


async def test_an_update_that_is_meant_to_overwrite_does() -> None:
    server = await told(lambda demos: demos.update({"metadata": {"name": "a"}}, overwrite=True))
    assert [request.method for request in server.seen] == ["PUT"]


@pytest.mark.parametrize(
    "write",
    [
        lambda demos: demos.create({"metadata": {"name": "a"}}),
        lambda demos: demos.update({"metadata": {"name": "a", "resourceVersion": "7"}}),
        lambda demos: demos.update_status({"metadata": {"name": "a", "resourceVersion": "7"}}),
        lambda demos: demos.apply({"metadata": {"name": "a"}}),
    ],
)
async def test_kind_and_version_are_filled_in_because_custom_resources_need_them(write: Accident) -> None:
    (request,) = (await told(write)).seen
    body = await request.json()
    assert (body["kind"], body["apiVersion"]) == ("Mydemo", "crddemo.k8s.io/v1")


@pytest.mark.parametrize("selector", [None, 5, b"a", {"app": "web"}])
async def test_a_selector_that_is_no_text_is_refused(selector: Any) -> None:
    with pytest.raises(MalformedSelector, match="a selector is text or a LabelSelector"):
        await told(lambda demos: demos.list(label_selector=selector))
    with pytest.raises(MalformedSelector, match="a selector is text or a FieldSelector"):
        await told(lambda demos: demos.list(field_selector=selector))


ELSEWHERE = [":38425/api", "@other:443/api", "api", "", "//other/api", "/api v1", "/a\r\nX-Evil: 1", "/ü", "?a=b"]


@pytest.mark.parametrize("path", ELSEWHERE)
def test_a_path_that_could_name_another_host_or_another_header_is_refused(path: str) -> None:
    with pytest.raises(InvalidCall, match="a path begins with / and is percent-encoded"):
        build_request("GET", path, user_agent="test")


@pytest.mark.parametrize("method", ["G ET", "", "get", "GET\r\n"])
def test_a_method_that_is_none_is_refused(method: str) -> None:
    with pytest.raises(InvalidCall):
        build_request(method, "/api", user_agent="test")


@pytest.mark.parametrize(("version", "times"), [("7", 10), ("0", 1), ("", 1), (None, 1)])
async def test_only_an_update_of_one_version_is_sent_again(version: str | None, times: int) -> None:
    async def busy(request: web.Request) -> web.Response:
        return web.Response(status=503, headers={"Retry-After": "0"})

    meta = {"name": "a"} | ({} if version is None else {"resourceVersion": version})
    async with scripted(busy) as server, Client(server.config) as client:
        with pytest.raises(Exception, match="503"):
            await client.update(MYDEMOS, {"metadata": meta}, "default")
        assert len(server.seen) == times


@pytest.mark.parametrize(
    "accident",
    [
        lambda demos: demos.get(7),
        lambda demos: demos.delete(None),
        lambda demos: demos.patch("a", {}, "merged"),
    ],
)
async def test_names_and_patch_types_that_are_none_are_refused(accident: Accident) -> None:
    async with scripted(echo) as server, Client(server.config) as client:
        with pytest.raises(InvalidCall, match=r"is not a (valid name|patch type)"):
            await accident(DynamicClient(client).resource(MYDEMOS, "default"))
        assert server.seen == []


async def test_what_is_no_manifest_and_no_type_is_refused_by_what_it_is() -> None:
    async with scripted(echo) as server, Client(server.config) as client:
        with pytest.raises(InvalidCall, match="a manifest is a mapping, not list"):
            DynamicClient(client).for_manifest([])  # type: ignore[arg-type]
        with pytest.raises(InvalidCall, match="not 'Pod'"):
            TypedClient(client).resource(MYDEMOS, "Pod")  # type: ignore[arg-type]


async def test_an_informer_of_a_name_and_a_handler_that_is_a_function_are_refused_with_what_to_do() -> None:
    async with scripted(echo) as server, Client(server.config) as client, SharedInformerFactory(client) as factory:
        with pytest.raises(InvalidCall, match="informer_for"):
            factory.informer("pods")  # type: ignore[call-overload]
        with pytest.raises(InvalidCall, match="HandlerFunctions"):
            factory.informer(MYDEMOS).add_handler(print)  # type: ignore[arg-type]


CALLS: dict[str, Callable[[ResourceClient[Json], str], Awaitable[object]]] = {
    "get": lambda demos, name: demos.get(name),
    "patch": lambda demos, name: demos.patch(name, {}),
    "delete": lambda demos, name: demos.delete(name),
    "update": lambda demos, name: demos.update({"metadata": {"name": name, "resourceVersion": "1"}}),
    "update_status": lambda demos, name: demos.update_status({"metadata": {"name": name, "resourceVersion": "1"}}),
    "apply": lambda demos, name: demos.apply({"metadata": {"name": name}}),
    "scale": lambda demos, name: demos.subresource("scale").get(name),
    "evict": lambda demos, name: demos.subresource("eviction").create(name, {}),
    "list": lambda demos, name: demos.in_namespace(name or "/").list(),
    "create": lambda demos, name: demos.in_namespace(name or "/").create({"metadata": {"name": "a"}}),
    "delete_collection": lambda demos, name: demos.in_namespace(name or "/").delete_collection(everything=True),
    "namespace": lambda demos, name: demos.in_namespace(name or "/").get("a"),
}


@pytest.mark.parametrize("name", ["web/scale", "..", ".", "", "a%2Fb", "a?watch=true", "a#b", "../../nodes/n1"])
@pytest.mark.parametrize("call", CALLS)
async def test_a_name_or_namespace_that_leads_elsewhere_is_refused_in_every_call(call: str, name: str) -> None:
    async with scripted(echo) as server, Client(server.config) as client:
        with pytest.raises(InvalidCall, match="is not a valid name"):
            await CALLS[call](DynamicClient(client).resource(MYDEMOS, "default"), name)
        assert server.seen == []


async def test_a_watch_or_informer_of_a_namespace_that_leads_elsewhere_is_refused() -> None:
    async with scripted(echo) as server, Client(server.config) as client:
        with pytest.raises(InvalidCall, match="is not a valid namespace"):
            async with DynamicClient(client).resource(MYDEMOS, "a/b").watch():
                pass
        with pytest.raises(InvalidCall, match="is not a valid namespace"):
            SharedInformerFactory(client).informer(MYDEMOS, namespace="..")
        assert server.seen == []


@pytest.mark.parametrize("name", ["system:node:n1", "a.b-c", "Ü", "a b", "..a"])
async def test_names_that_stay_where_they_are_are_taken(name: str) -> None:
    (request,) = (await told(lambda demos: demos.get(name))).seen
    assert request.path.endswith(f"/mydemos/{name}")
