"""Tests of Warning headers, which reach the user, and of the user agent of requests."""

from __future__ import annotations

import logging

import pytest
from aiohttp import web

from informerd.errors import InvalidCall
from informerd.resource import PODS
from informerd.rest.client import Client
from informerd.rest.warning_log import WarningLog
from informerd.version import VERSION
from tests.support.informerd.stub_servers import scripted


async def deprecated(request: web.Request) -> web.Response:
    return web.json_response({}, headers={"Warning": '299 - "pods are deprecated"'})


async def test_every_warning_is_handed_on_and_stands_in_the_answer() -> None:
    said: list[str] = []
    async with scripted(deprecated) as server, Client(server.config, on_warning=said.append) as client:
        for call in (client.list(PODS), client.create(PODS, {}, "a"), client.delete(PODS, "a", "b")):
            answer = await call
            assert answer.warnings == ("pods are deprecated",)
        async with client.stream("/") as stream:
            assert stream.warnings == ("pods are deprecated",)
        async with client.download("/") as stream:
            assert stream.warnings == ("pods are deprecated",)
    assert said == ["pods are deprecated"] * 5


async def test_by_default_a_warning_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    async with scripted(deprecated) as server, Client(server.config) as client:
        for _ in range(3):
            await client.list(PODS)
    assert [record.getMessage() for record in caplog.records] == ["the API server warns: pods are deprecated"]


def test_a_log_that_has_forgotten_a_warning_says_it_again(caplog: pytest.LogCaptureFixture) -> None:
    warn = WarningLog(remembered=2)
    for text in ("a", "b", "a", "c", "b", "a"):
        warn(text)
    assert [record.getMessage()[-1] for record in caplog.records] == ["a", "b", "c", "a"]


async def test_a_function_that_fails_on_a_warning_fails_no_call(caplog: pytest.LogCaptureFixture) -> None:
    def broken(text: str) -> None:
        raise ValueError(text)

    async with scripted(deprecated) as server, Client(server.config, on_warning=broken) as client:
        assert (await client.create(PODS, {}, "a")).status == 200
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert "handed the warning 'pods are deprecated'" in record.getMessage()


async def test_requests_say_who_makes_them_and_whose_fields_writes_are() -> None:
    async with scripted(deprecated) as server:
        for client in (
            Client(server.config, on_warning=lambda _text: None),
            Client(server.config, user_agent="painter/2.1 (colours)", on_warning=lambda _text: None),
            Client(server.config, user_agent="painter/2.1", field_manager="brush", on_warning=lambda _text: None),
        ):
            async with client:
                await client.create(PODS, {}, "a")
                async with client.stream("/"):
                    pass
    own, painter, brush = server.seen[::2]
    assert own.headers["User-Agent"] == f"informerd/{VERSION}"
    assert own.query["fieldManager"] == "informerd"
    assert painter.headers["User-Agent"] == "painter/2.1 (colours)"
    assert painter.query["fieldManager"] == "painter"
    assert brush.query["fieldManager"] == "brush"
    assert {each.headers["User-Agent"] for each in server.seen[3::2]} == {"painter/2.1 (colours)", "painter/2.1"}


@pytest.mark.parametrize("agent", ["", " ", "a\r\nX: y", "Zoë/1"])
async def test_a_user_agent_that_no_header_can_carry_is_refused(agent: str) -> None:
    async with scripted(deprecated) as server:
        with pytest.raises(InvalidCall, match="is not a User-Agent"):
            Client(server.config, user_agent=agent)
