"""Tests of the client against faulty servers, proxies and certificates."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from informerd.errors import (
    ApiError,
    CredentialsError,
    ServerError,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)
from informerd.resource import PODS
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig, UserConfig
from tests.support.clock import FakeClock
from tests.support.controlplane import free_ports
from tests.support.informerd.stub_servers import chunk, head, raw_server, read_head, scripted


class Busy:
    """Says 429 or 503 so many times, then succeeds."""

    def __init__(self, times: int, status: int = 429, retry_after: str | None = "2") -> None:
        self.left, self.status = times, status
        self.headers = {} if retry_after is None else {"Retry-After": retry_after}

    async def __call__(self, request: web.Request) -> web.Response:
        if self.left:
            self.left -= 1
            return web.Response(status=self.status, headers=self.headers, text="later")
        return web.json_response({"gitVersion": "v9"})


async def told_to_wait(handler: Busy, method: str = "GET", repeatable: bool = False) -> int:
    """How many requests the server saw until the answer came; time passes by itself."""
    clock = FakeClock()
    async with scripted(handler) as server, Client(server.config, clock=clock) as client:
        asking = asyncio.create_task(client.request(method, "/version", body=None, repeatable=repeatable))
        while not asking.done():
            if clock.pending_sleeps:
                await clock.advance(clock.pending_sleeps[0])
            await asyncio.sleep(0.001)
        await asking
        return len(server.seen)


# Come again later


@pytest.mark.parametrize("status", [429, 500, 503, 504])
async def test_a_get_that_is_told_to_come_later_does(status: int) -> None:
    assert await told_to_wait(Busy(3, status)) == 4


async def test_it_waits_as_long_as_it_is_told() -> None:
    clock = FakeClock()
    async with scripted(Busy(1, retry_after="7")) as server, Client(server.config, clock=clock) as client:
        asking = asyncio.create_task(client.version())
        assert await clock.wait_for_sleeper() == 7
        await clock.advance(7)
        assert await asking == "v9"


async def test_after_ten_tries_it_gives_up() -> None:
    assert await told_to_wait(Busy(9)) == 10
    with pytest.raises(TooManyRequests):
        await told_to_wait(Busy(10))


@pytest.mark.parametrize(
    ("handler", "error"),
    [
        (Busy(1, 429, None), TooManyRequests),
        (Busy(1, 503, None), ServerError),
        (Busy(1, 429, "3600"), TooManyRequests),
    ],
)
async def test_without_a_moment_to_come_again_or_one_too_far_it_is_an_error(
    handler: Busy, error: type[ApiError]
) -> None:
    with pytest.raises(error):
        await told_to_wait(handler)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_every_write_is_repeated_after_a_429_because_nothing_was_done(method: str) -> None:
    assert await told_to_wait(Busy(9), method) == 10
    with pytest.raises(TooManyRequests):
        await told_to_wait(Busy(10), method)
    with pytest.raises(TooManyRequests):
        await told_to_wait(Busy(1, retry_after=None), method)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_a_write_is_not_repeated_after_a_5xx_unless_a_precondition_makes_it_safe(method: str) -> None:
    with pytest.raises(ServerError):
        await told_to_wait(Busy(1, 503), method)
    assert await told_to_wait(Busy(1, 503), method, repeatable=True) == 2


async def test_which_writes_are_safe() -> None:
    body = {"metadata": {"name": "a", "namespace": "b"}}
    async with scripted(Busy(100, 503, retry_after="0")) as server, Client(server.config) as client:

        async def tries(write: object) -> int:
            before = len(server.seen)
            with pytest.raises(ServerError):
                await write  # type: ignore[misc]
            return len(server.seen) - before

        assert await tries(client.create(PODS, body)) == 1
        assert await tries(client.patch(PODS, "a", "b", {})) == 1
        assert await tries(client.update(PODS, body)) == 1
        assert await tries(client.delete(PODS, "a", "b")) == 1
        assert await tries(client.update(PODS, {"metadata": {**body["metadata"], "resourceVersion": "7"}})) == 10
        assert await tries(client.delete(PODS, "a", "b", uid="u")) == 10


async def test_who_is_not_patient_gets_the_first_answer() -> None:
    body = {"metadata": {"name": "a", "namespace": "b", "resourceVersion": "7"}}
    async with scripted(Busy(100, retry_after="0")) as server, Client(server.config) as client:
        writes = (
            client.create(PODS, body, patient=False),
            client.patch(PODS, "a", "b", {}, patient=False),
            client.update(PODS, body, patient=False),
            client.delete(PODS, "a", "b", uid="u", patient=False),
        )
        for number, write in enumerate(writes, start=1):
            with pytest.raises(TooManyRequests):
                await write
            assert len(server.seen) == number


# No answer


async def test_refused() -> None:
    (port,) = free_ports(1)
    async with Client(ClusterConfig(name="none", server=f"http://127.0.0.1:{port}")) as client:
        with pytest.raises(Unreachable, match=f"http://127.0.0.1:{port} refused the connection"):
            await client.version()


async def test_a_name_that_does_not_exist() -> None:
    async with Client(ClusterConfig(name="none", server="http://no-such-host.invalid")) as client:
        with pytest.raises(Unreachable, match=r"the name in http://no-such-host.invalid cannot be resolved"):
            await client.version()


async def test_silence_is_a_time_out_for_reads_and_writes() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with raw_server(silent) as address, Client(ClusterConfig(name="raw", server=f"http://{address}")) as client:
        for method in ("GET", "PUT"):
            with pytest.raises(Unreachable, match="did not answer in time"):
                await client.request(method, "/", timeout=0.1)


@pytest.mark.slow
async def test_a_long_list_may_take_longer_than_the_time_out_while_it_flows() -> None:
    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        writer.write(head("Transfer-Encoding: chunked"))
        for _ in range(10):
            writer.write(chunk(b"x"))
            await writer.drain()
            await asyncio.sleep(0.2)
        writer.write(b"0\r\n\r\n")

    async with raw_server(slow) as address, Client(ClusterConfig(name="raw", server=f"http://{address}")) as client:
        assert (await client.request("GET", "/", timeout=1.5)).body == b"x" * 10


@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST", "PATCH"])
async def test_a_write_on_a_connection_that_breaks_is_never_sent_twice(method: str) -> None:
    heads: list[str] = []

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await read_head(reader))
        writer.write(head("Content-Length: 2") + b"{}")
        await writer.drain()
        heads.append(await read_head(reader))  # then it closes without a word

    async with raw_server(once) as address, Client(ClusterConfig(name="raw", server=f"http://{address}")) as client:
        await client.request("GET", "/")
        with pytest.raises(Unreachable, match="broke"):
            await client.request(method, "/")
    assert len(heads) == 2


async def test_a_redirect_is_not_followed_with_credentials() -> None:
    async def elsewhere(request: web.Request) -> web.Response:
        return web.Response(status=307, headers={"Location": "http://127.0.0.1:1/"})

    async with scripted(elsewhere) as server, Client(server.config) as client:
        with pytest.raises(ApiError, match="HTTP 307"):
            await client.version()


async def test_a_client_that_has_been_closed_stays_closed() -> None:
    async with scripted(Busy(0)) as server:
        client = Client(server.config)
        await client.version()
        await client.close()
        with pytest.raises(Unreachable, match="have been closed"):
            await client.version()
        with pytest.raises(Unreachable, match="have been closed"):
            async with client.stream("/"):
                pytest.fail("it began")
        await client.close()


# Credentials


@pytest.mark.parametrize("path", ["", "/k8s/clusters/c-1"])
async def test_a_slash_at_the_end_of_the_servers_address_is_left_out(path: str) -> None:
    async with scripted(Busy(0)) as server:
        async with Client(replace(server.config, server=f"{server.config.server}{path}/")) as client:
            await client.version()
        assert [request.path for request in server.seen] == [f"{path}/version"]


async def test_a_401_is_answered_with_a_token_that_has_been_renewed(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("old")

    async def guarded(request: web.Request) -> web.Response:
        if request.headers["Authorization"] == "Bearer new":
            return web.json_response({"gitVersion": "v9"})
        file.write_text("new")
        return web.Response(status=401)

    async with scripted(guarded) as server:
        config = replace(server.config, credentials=UserConfig(token_file=file))
        async with Client(config) as client:
            assert await client.version() == "v9"
        file.write_text("old")
        async with Client(config) as client, client.stream("/", {"watch": True}) as stream:
            assert await stream.batch() == [b'{"gitVersion": "v9"}']


async def test_a_401_without_other_credentials_is_not_repeated() -> None:
    async def never(request: web.Request) -> web.Response:
        return web.Response(status=401)

    async with scripted(never) as server, Client(server.config) as client:
        with pytest.raises(Unauthorized):
            await client.version()
        assert len(server.seen) == 1


async def test_credentials_that_cannot_be_had_are_unreachable_and_recover(tmp_path: Path) -> None:
    async with scripted(Busy(0)) as server:
        config = replace(server.config, credentials=UserConfig(token_file=tmp_path / "token"))
        async with Client(config) as client:
            with pytest.raises(CredentialsError):
                await client.version()
            (tmp_path / "token").write_text("t")
            assert await client.version() == "v9"


async def test_a_servers_path_stays_in_front() -> None:
    async with scripted(Busy(0)) as server:
        config = replace(server.config, server=f"{server.url}/k8s/clusters/c-1")
        async with Client(config) as client:
            await client.list(
                PODS, "a b", {"labelSelector": "app in (x,y)", "watch": False, "limit": 5, "continue": ""}
            )
        (request,) = server.seen
        assert request.path == "/k8s/clusters/c-1/api/v1/namespaces/a b/pods"
        assert dict(request.query) == {"labelSelector": "app in (x,y)", "watch": "false", "limit": "5"}


# The probe


async def test_a_probe_takes_any_answer_of_the_servers_own_for_life() -> None:
    answers = {"/livez": 403, "/healthz": 404, "/version": 200}

    async def strict(request: web.Request) -> web.Response:
        return web.Response(status=answers[request.path])

    async with scripted(strict) as server, Client(server.config) as client:
        assert await client.probe()
        assert await client.probe()
        assert [request.path for request in server.seen] == ["/livez", "/healthz", "/version", "/version"]
        answers["/version"] = 403
        assert await client.probe()
        answers["/version"] = 500
        with pytest.raises(ServerError):
            await client.probe()
