"""Tests of Django's handler on the event loop."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from asgiref.sync import SyncToAsync

from tests.support.asgi_requests import handled


@pytest.mark.usefixtures("urls")
async def test_a_request_stays_on_the_event_loops_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    hops: list[object] = []

    async def hop(self: SyncToAsync[..., Any], *args: Any, **kwargs: Any) -> None:
        hops.append(self.func)

    monkeypatch.setattr(SyncToAsync, "__call__", hop)
    before = {*threading.enumerate()}  # others of them may end meanwhile
    for address in ("/show/", "/static/css/base.css"):
        sent = await handled(address)
        assert sent[0]["type"] == "http.response.start"
    assert hops == []
    assert {*threading.enumerate()} <= before


async def test_an_address_that_cannot_be_read_gets_a_sentence_that_may_run_nothing() -> None:
    start, body = await handled("/", query=b"q=\xff")
    assert start["status"] == 400
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert b"cannot be read" in body["body"]
