"""Tests of the dynamic client's verbs against servers with wrong responses, page by page."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from informerd.clients.dynamic_client import DynamicClient
from informerd.clients.resource_client import ResourceClient
from informerd.clients.typed_client import TypedClient
from informerd.errors import (
    Expired,
    InformerdError,
    InvalidCall,
    MalformedAnswer,
    MalformedStream,
    NotFound,
    UnexpectedObject,
    UnusableProjection,
)
from informerd.objects import Object
from informerd.resource import PODS, Resource
from informerd.rest.client import Client
from informerd.unstructured import Json
from tests.support.informerd.stub_servers import scripted
from tests.support.scripted_api_server import ScriptedServer, bookmark, pod, status

Use = Callable[[ResourceClient[Json]], Awaitable[Any]]


def page(*names: str, version: str = "7", more: str = "") -> Json:
    items = [{"metadata": {"name": name, "namespace": "default"}} for name in names]
    return {
        "kind": "PodList",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": version, "continue": more},
        "items": items,
    }


class Pages:
    """Serves one page a request; a page may be an expired one."""

    def __init__(self, *pages: Json) -> None:
        self.pages = list(pages)
        self.asked: list[tuple[str, str, str]] = []

    async def __call__(self, request: web.Request) -> web.Response:
        query = request.query
        self.asked.append((query.get("continue", ""), query.get("limit", ""), query.get("resourceVersion", "")))
        answer = self.pages.pop(0)
        return web.json_response(answer, status=answer.get("code", 200), headers={"Warning": '299 - "old version"'})


def expired(go_on: str = "") -> Json:
    return {**status(410, "Expired", "too old"), "metadata": {"continue": go_on}}


async def names(answers: Pages, use: Callable[[ResourceClient[Json]], Awaitable[list[Json]]]) -> list[str]:
    async with scripted(answers) as server, Client(server.config, on_warning=lambda _text: None) as client:
        found = await use(DynamicClient(client).resource(PODS))
    return [each["metadata"]["name"] for each in found]


async def listed(pods: ResourceClient[Json]) -> list[Json]:
    return (await pods.list(limit=2, resource_version="5")).items


async def test_a_list_is_whole_and_its_items_have_a_kind() -> None:
    answers = Pages(page("a", "b", more="x"), page("c", "d", more="y"), page("e"))
    assert await names(answers, listed) == ["a", "b", "c", "d", "e"]
    assert answers.asked == [("", "2", "5"), ("x", "2", ""), ("y", "2", "")]
    async with scripted(Pages(page("a"))) as server, Client(server.config) as client:
        (only,) = await DynamicClient(client).resource(PODS).list()
    assert only == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "default"}}


async def test_a_list_of_which_a_page_has_expired_is_fetched_anew_and_whole() -> None:
    answers = Pages(page("a", "b", more="x"), expired(), page("b", "c", "d", version="9"))
    assert await names(answers, listed) == ["b", "c", "d"]
    assert answers.asked == [("", "2", "5"), ("x", "2", ""), ("", "", "5")]


async def test_a_list_whose_first_page_has_expired_is_an_error() -> None:
    with pytest.raises(Expired):
        await names(Pages(expired()), listed)


async def test_what_is_given_out_one_by_one_ends_with_an_error_where_a_page_has_expired() -> None:
    given: list[str] = []

    async def one_by_one(pods: ResourceClient[Json]) -> list[Json]:
        async for each in pods.iterate(limit=2):
            given.append(each["metadata"]["name"])  # noqa: PERF401 - what came before the error counts
        return []

    with pytest.raises(Expired):
        await names(Pages(page("a", "b", more="x"), expired("y")), one_by_one)
    assert given == ["a", "b"]


async def test_what_may_be_mixed_goes_on_with_the_token_that_the_server_gives() -> None:
    async def mixed(pods: ResourceClient[Json]) -> list[Json]:
        return [each async for each in pods.iterate(limit=2, mixed=True)]

    answers = Pages(page("a", "b", more="x"), expired("y"), page("c", more="z"), page("d"))
    assert await names(answers, mixed) == ["a", "b", "c", "d"]
    assert [token for token, _, _ in answers.asked] == ["", "x", "y", "z"]
    with pytest.raises(Expired):  # an old server gives none
        await names(Pages(page("a", more="x"), expired()), mixed)


USES: dict[str, Use] = {
    "get": lambda pods: pods.get("a"),
    "list": lambda pods: pods.list(),
    "each": lambda pods: _all(pods),
    "create": lambda pods: pods.create({"metadata": {"name": "a"}}),
    "update": lambda pods: pods.update({"metadata": {"name": "a", "resourceVersion": "7"}}),
    "update status": lambda pods: pods.update_status({"metadata": {"name": "a", "resourceVersion": "7"}}),
    "patch": lambda pods: pods.patch("a", {}),
    "apply": lambda pods: pods.apply({"metadata": {"name": "a"}}),
    "scale": lambda pods: pods.scale("a", 1),
    "delete": lambda pods: pods.delete("a"),
    "get a subresource": lambda pods: pods.subresource("x").get("a"),
    "create a subresource": lambda pods: pods.subresource("x").create("a", {}),
    "update a subresource": lambda pods: pods.subresource("x").update("a", {}),
}


async def _all(pods: ResourceClient[Json]) -> list[Json]:
    return [each async for each in pods.iterate()]


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"null", b'{"kind":"Pod"', b'"\xff"', b"[" * 100_000])
@pytest.mark.parametrize("use", USES.values(), ids=USES)
async def test_every_verb_refuses_a_success_that_no_api_server_sends(use: Use, body: bytes) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(body=body)

    async with scripted(answer) as server, Client(server.config) as client:
        with pytest.raises((MalformedAnswer, UnexpectedObject)):
            await use(DynamicClient(client).resource(PODS, "default"))


@pytest.mark.parametrize("use", USES.values(), ids=USES)
async def test_every_verb_hands_on_warnings_of_success_and_failure(use: Use) -> None:
    answers = {"kind": "Pod", "metadata": {}, "items": [], "spec": {"replicas": 1}}
    code = 200

    async def answer(request: web.Request) -> web.Response:
        return web.json_response(answers, status=code, headers={"Warning": '299 - "old version"'})

    said: list[str] = []
    everything: list[str] = []
    async with scripted(answer) as server, Client(server.config, on_warning=everything.append) as client:
        pods = DynamicClient(client).resource(PODS, "default", on_warning=said.append)
        await use(pods)
        code, answers = 404, status(404, "NotFound")
        with pytest.raises(NotFound):
            await use(pods)
    assert said == everything == ["old version"] * 2


async def test_a_delete_tells_what_waits_from_what_is_gone() -> None:
    answer: Json = {"kind": "Status", "status": "Success"}

    async def answering(request: web.Request) -> web.Response:
        return web.json_response(answer)

    async with scripted(answering) as server, Client(server.config) as client:
        pods = TypedClient(client).resource(PODS, Object, "default")
        assert await pods.delete("a") is None
        answer = pod("a", "7")
        waiting = await pods.delete("a")
    assert waiting is not None
    assert waiting.key == "default/a"


async def test_a_delete_tells_a_custom_resource_named_status_from_the_api_servers_word() -> None:
    answer: Json = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}

    async def answering(request: web.Request) -> web.Response:
        return web.json_response(answer)

    named_so = Resource(group="example.org", version="v1", plural="statuses", kind="Status")
    async with scripted(answering) as server, Client(server.config) as client:
        statuses = TypedClient(client).resource(named_so, Object, "default")
        assert await statuses.delete("a") is None
        answer = {"kind": "Status", "apiVersion": "example.org/v1", "metadata": {"name": "a", "namespace": "default"}}
        waiting = await statuses.delete("a")
    assert waiting is not None
    assert waiting.key == "default/a"


async def test_a_projection_refuses_an_object_of_another_kind() -> None:
    async def answering(request: web.Request) -> web.Response:
        return web.json_response({"kind": "Table", "apiVersion": "meta.k8s.io/v1"})

    async with scripted(answering) as server, Client(server.config) as client:
        with pytest.raises(UnexpectedObject, match=r"expected v1 Pod, got meta.k8s.io/v1 Table"):
            await TypedClient(client).resource(PODS, Object, "default").get("a")


class Unusable(Object, frozen=True, kw_only=True, gc=False):
    needed: int


def test_a_type_that_no_object_can_have_is_refused_at_once() -> None:
    typed = TypedClient(Client.__new__(Client))
    with pytest.raises(UnusableProjection, match="needed"):
        typed.resource(PODS, Unusable)
    with pytest.raises(InvalidCall, match="dict is neither"):
        typed.resource(PODS, dict)


# Watch


async def watched(
    server: ScriptedServer, clock: Any, *events: tuple[str, Json], raw: bytes = b"", timeout: int | None = 0
) -> list[str]:
    """What a watch gives of these events, which are then the end."""
    seen: list[str] = []
    async with server.client(clock) as client:
        watching = DynamicClient(client).resource(PODS).watch("5", label_selector="a=b", timeout=timeout)

        async def consume() -> None:
            async with watching as changes:
                try:
                    async for change in changes:
                        seen.append(f"{change.type} {change.object['metadata']['name']}")  # noqa: PERF401 - likewise
                finally:
                    seen.append(changes.resource_version)

        task = asyncio.create_task(consume())
        request = await server.take_watch()
        assert request.version == "5"
        assert request.params["labelSelector"] == "a=b"
        assert request.params.get("timeoutSeconds") == (None if timeout is None else str(timeout))
        await request.send_all(events)
        if raw:
            await request.send_raw(raw)
        request.end()
        try:
            await task
        except InformerdError as error:
            seen.append(type(error).__name__)
    return seen


async def test_a_watch_gives_changes_and_keeps_the_version_of_bookmarks(server: ScriptedServer, clock: Any) -> None:
    events = (
        ("ADDED", pod("a", "6")),
        ("MODIFIED", pod("a", "7")),
        ("DELETED", pod("a", "8")),
        ("BOOKMARK", bookmark("20")),
    )
    assert await watched(server, clock, *events) == ["ADDED a", "MODIFIED a", "DELETED a", "20"]


@pytest.mark.parametrize("timeout", [None, 60])
async def test_a_watch_that_the_server_ends_before_its_time_says_where_to_go_on(
    server: ScriptedServer, clock: Any, timeout: int | None
) -> None:
    events = (("ADDED", pod("a", "6")), ("BOOKMARK", bookmark("20")))
    assert await watched(server, clock, *events, timeout=timeout) == ["ADDED a", "20", "WatchEnded"]


async def test_a_watch_that_ends_with_an_error_raises_it(server: ScriptedServer, clock: Any) -> None:
    events = (("ADDED", pod("a", "6")), ("ERROR", status(410, "Expired")))
    assert await watched(server, clock, *events) == ["ADDED a", "6", "Expired"]


@pytest.mark.parametrize(
    "raw",
    [b"<html>\n", b'{"type":"ADDED"}\n', b'{"type":"NEW","object":{}}\n', b'{"type":"ADDED","object":{"a":"\xff"}}\n'],
)
async def test_a_watch_that_sends_no_events_is_malformed(server: ScriptedServer, clock: Any, raw: bytes) -> None:
    *_, error = await watched(server, clock, raw=raw)
    assert error in (MalformedStream.__name__, MalformedAnswer.__name__)
