"""Tests that the client raises informerd's errors only, for any request and response."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from informerd.cache.delta import Added
from informerd.cache.list_watch import ListWatch
from informerd.errors import (
    ApiError,
    BadRequest,
    ConfigError,
    Conflict,
    Expired,
    InformerdError,
    InvalidCall,
    MalformedAnswer,
    MalformedStream,
    Unreachable,
)
from informerd.objects import Object
from informerd.resource import PODS, Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig, Impersonation, UserConfig
from tests.support.informerd.stub_servers import chunk, head, raw_server, read_head, scripted

NODES = Resource(version="v1", plural="nodes", kind="Node", namespaced=False)
DEEP = b"[" * 100_000
PACKED = gzip.compress(b'{"gitVersion":"v1"}')


def answering(content: bytes) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    """A server that sends these bytes for whatever comes, and closes."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        writer.write(content)
        await writer.drain()

    return answer


NO_HTTP = {
    "nothing": b"",
    "another protocol": b"SSH-2.0-OpenSSH_9.2p1\r\n",
    "a TLS alert": b"\x15\x03\x01\x00\x02\x02\x16",
    "a status that is no number": b"HTTP/1.1 2OO OK\r\n\r\n",
    "an endless header": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
    "a header that is none": b"HTTP/1.1 200 OK\r\nContent Length 3\r\n\r\n{}",
    "a length that is no number": head("Content-Length: minus"),
}
BROKEN_BODIES = {
    "a body cut short": head("Content-Length: 100") + b'{"gitVersion":',
    "chunks without an end": head("Transfer-Encoding: chunked") + chunk(b'{"git'),
    "a chunk without a size": head("Transfer-Encoding: chunked") + b"zz\r\n{}\r\n",
    "gzip that is none": head("Content-Encoding: gzip", "Content-Length: 2") + b"{}",
    "deflate that is none": head("Content-Encoding: deflate", "Content-Length: 2") + b"{}",
    "gzip cut short": head("Content-Encoding: gzip", f"Content-Length: {len(PACKED) - 12}") + PACKED[:-12],
}


@pytest.mark.parametrize("verb", ["get", "write", "stream", "download", "probe"])
@pytest.mark.parametrize("content", NO_HTTP.values(), ids=NO_HTTP)
async def test_an_answer_that_is_no_http_is_unreachable(content: bytes, verb: str) -> None:
    async with (
        raw_server(answering(content)) as address,
        Client(ClusterConfig(name="raw", server=f"http://{address}")) as client,
    ):
        with pytest.raises(Unreachable):
            await _asked(client, verb)


@pytest.mark.parametrize("verb", ["get", "write", "download"])
@pytest.mark.parametrize("content", BROKEN_BODIES.values(), ids=BROKEN_BODIES)
async def test_a_body_that_breaks_off_is_unreachable_or_malformed(content: bytes, verb: str) -> None:
    async with (
        raw_server(answering(content)) as address,
        Client(ClusterConfig(name="raw", server=f"http://{address}")) as client,
    ):
        with pytest.raises((Unreachable, MalformedAnswer)):
            await _asked(client, verb)


async def _asked(client: Client, verb: str) -> None:
    match verb:
        case "get":
            await client.version()
        case "write":
            (await client.request("POST", "/", body={})).object()
        case "probe":
            await client.probe()
        case "stream":
            async with client.stream("/") as stream:
                await stream.batch()
        case "download":
            async with client.download("/") as body:
                content = b""
                while part := await body.read():
                    content += part
            if not content.endswith(b"}"):
                raise MalformedAnswer("the end is missing")  # which the list's splitter tells


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"", "empty"),
        (b"<html>\n<h1>Sign in</h1>", r"text/html, <html> <h1>Sign in</h1>"),
        (b'{"gitVersion":"v1"', "gitVersion"),
        (b'{"gitVersion":"\xff"}', "gitVersion"),
        (DEEP, r"\[\[\["),
        (b"[]", r"\[\]"),
        (b'{"gitVersion":7}', "no gitVersion"),
        (b"{}", "no gitVersion"),
    ],
)
async def test_a_success_that_no_api_server_sends_shows_how_it_begins(body: bytes, shown: str) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(body=body, content_type="text/html")

    async with scripted(answer) as server, Client(server.config) as client:
        with pytest.raises(MalformedAnswer, match=shown):
            await client.version()


@pytest.mark.parametrize("body", [b"", b"<html>no", b'{"kind":"Status","code":', b"\xff\xfe", DEEP, b'{"kind":7}'])
async def test_a_failure_whose_body_is_no_status_is_typed_by_its_code(body: bytes) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=409, body=body)

    async with scripted(answer) as server, Client(server.config) as client:
        with pytest.raises(Conflict, match="HTTP 409"):
            await client.request("PUT", "/")


async def test_a_continue_token_that_expired_names_the_one_to_go_on_with() -> None:
    async def answer(request: web.Request) -> web.Response:
        status = {"kind": "Status", "code": 410, "reason": "Expired", "metadata": {"continue": "on"}, "message": "old"}
        return web.json_response(status, status=410)

    async with scripted(answer) as server, Client(server.config) as client:
        with pytest.raises(Expired, match="old") as expired:
            await client.list(PODS)
    assert expired.value.continue_token == "on"


async def test_a_refusal_carries_the_warnings_that_came_with_it() -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=400, headers={"Warning": '299 - "v1beta1 is going away"'})

    said: list[str] = []
    async with scripted(answer) as server, Client(server.config, on_warning=said.append) as client:
        with pytest.raises(BadRequest) as refused:
            await client.request("GET", "/")
    assert refused.value.warnings == tuple(said) == ("v1beta1 is going away",)


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:99999", "http://" + "a" * 64 + ".invalid", "http://a..b.invalid", "http://%zz", "x"]
)
async def test_an_address_that_cannot_be_one_is_named(address: str) -> None:
    async with Client(ClusterConfig(name="odd", server=address)) as client:
        for verb in ("get", "write", "stream", "probe"):
            with pytest.raises((Unreachable, ConfigError)) as error:
                await _asked(client, verb)
            assert address in str(error.value)


# What cannot be asked for


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda client: client.get(PODS, "", "default"), "'' in namespace 'default' is not a valid name for pods"),
        (lambda client: client.delete(PODS, "", "default"), "'' in namespace 'default' is not a valid name"),
        (lambda client: client.delete(PODS, "..", "default"), "'..' in namespace 'default' is not a valid name"),
        (
            lambda client: client.update(PODS, {"metadata": {}}, "default"),
            "'' in namespace 'default' is not a valid name",
        ),
        (lambda client: client.patch(PODS, ".", "default", {}), "'.' in namespace 'default' is not a valid name"),
        (lambda client: client.delete_collection(PODS), "pods are deleted one namespace at a time"),
        (lambda client: client.delete_collection(NODES, "default"), "nodes are cluster-scoped"),
        (lambda client: client.create(PODS, b"{", "default"), "the body is not JSON"),
        (lambda client: client.create(PODS, b"[]", "default"), "not a Kubernetes object"),
        (lambda client: client.create(PODS, {"metadata": "x"}, "default"), "not a Kubernetes object"),
        (lambda client: client.create(PODS, {"spec": object()}, "default"), "cannot be written as JSON"),
        (lambda client: client.create(PODS, {"spec": "\ud800"}, "default"), "cannot be written as JSON"),
        (lambda client: client.request("GET", "/", headers={"X": "a\r\nY: b"}), "the header 'X' holds line breaks"),
        (lambda client: client.request("GET", "/", headers={"X Y": "a"}), "the header 'X Y'"),
    ],
)
async def test_what_cannot_be_asked_for_is_refused_and_nothing_is_sent(
    call: Callable[[Client], Awaitable[Any]], why: str
) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({})

    async with scripted(answer) as server, Client(server.config) as client:
        with pytest.raises(InvalidCall) as refused:
            await call(client)
        assert why in str(refused.value)
        assert server.seen == []


async def test_a_user_to_act_as_cannot_smuggle_headers_in() -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({})

    impersonation = Impersonation(user="alice\r\nImpersonate-Group: system:masters")
    async with scripted(answer) as server:
        credentials = UserConfig(impersonation=impersonation)
        async with Client(ClusterConfig(name="x", server=server.url, credentials=credentials)) as client:
            with pytest.raises(InvalidCall, match="Impersonate-User"):
                await client.request("GET", "/")
        assert server.seen == []


@pytest.mark.slow
async def test_lists_and_watches_of_what_is_no_json_are_malformed() -> None:
    pod = b'{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":' + DEEP + b"}"

    async def answer(request: web.Request) -> web.Response:
        if "watch" in request.query:
            return web.Response(body=b'{"type":"ADDED","object":' + pod + b"}\n")
        return web.Response(body=b'{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[' + pod + b"]}")

    async with scripted(answer) as server, Client(server.config) as client:
        list_watch = ListWatch(client, PODS, projection=Object)
        with pytest.raises(MalformedStream):
            await list_watch.page("0")
        stream = await list_watch.watch("1", timeout=300)
        try:
            with pytest.raises(MalformedStream):
                await stream.batch()
        finally:
            await stream.release()


async def test_an_object_whose_name_cannot_be_read_is_left_out_of_lists_and_watches() -> None:
    pods = [b'{"kind":"Pod","apiVersion":"v1","metadata":{"name":"%b"}}' % name for name in (b"\xff", b"a")]

    async def answer(request: web.Request) -> web.Response:
        if "watch" in request.query:
            return web.Response(body=b"".join(b'{"type":"ADDED","object":%b}\n' % pod for pod in pods))
        return web.Response(
            body=b'{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[' + b",".join(pods) + b"]}"
        )

    async with scripted(answer) as server, Client(server.config) as client:
        list_watch = ListWatch(client, PODS, projection=Object)
        assert [obj.key for obj in (await list_watch.page("0")).objects] == ["a"]
        stream = await list_watch.watch("1", timeout=300)
        try:
            assert [event.key for event in await stream.batch() if isinstance(event, Added)] == ["a"]
        finally:
            await stream.release()
        assert list_watch.faults.counts["unexpected"] == 2


def test_every_error_of_the_edge_is_in_the_one_tree() -> None:
    for error in (ApiError, Unreachable, ConfigError, InvalidCall, MalformedAnswer):
        assert issubclass(error, InformerdError)
