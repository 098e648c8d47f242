"""Tests of faults that are asked for: failing requests, delays, and watches that send nothing."""

from __future__ import annotations

import time

import pytest

from tests.devcluster.conftest import Demo
from tests.devcluster.server.endpoints.test_http import MAPS
from tests.support.devcluster.http_client import Api, Json


async def test_faults_answer_a_share_of_requests(demo: Demo) -> None:
    assert (await demo.ask("POST", "/faults", {"status": 429, "rate": 1})).json["rate"] == 1
    reply = await demo.ask("GET", MAPS)
    assert (reply.code, reply.json["reason"]) == (429, "TooManyRequests")
    assert reply.headers["Retry-After"] == "1"
    await demo.ask("POST", "/faults", {"status": 500, "rate": 1})
    assert (await demo.ask("GET", MAPS)).code == 500
    assert (await demo.ask("GET", "/livez")).code == 200
    await demo.ask("POST", "/faults", {"rate": 0})
    assert (await demo.ask("GET", MAPS)).code == 200


async def test_a_delay_is_waited_for_by_every_request(demo: Demo) -> None:
    await demo.ask("POST", "/faults", {"delay": 0.3})
    began = time.monotonic()
    assert (await demo.ask("GET", "/version")).code == 200
    assert time.monotonic() - began >= 0.3
    assert (await demo.ask("POST", "/faults", {"delay": 0})).json["delay"] == 0


@pytest.mark.slow
async def test_stalled_watches_send_nothing_until_they_are_let_go(demo: Demo) -> None:
    path = "/api/v1/namespaces?watch=1&timeoutSeconds=1"
    await demo.ask("POST", "/faults", {"stall": True})
    assert (await demo.ask("GET", path)).text == ""
    await demo.ask("POST", "/faults", {"stall": False})
    assert "ADDED" in (await demo.ask("GET", path)).text


def test_faults_are_served_only_where_they_were_asked_for(api: Api) -> None:
    assert api.get("/faults").code == 404
    assert api.post("/faults", {"status": 500, "rate": 1}).code == 404
    assert api.get("/api/v1/namespaces").code == 200


@pytest.mark.parametrize("wish", [{"rate": 2}, {"status": 418}, {"delay": -1}, {"nonsense": 1}, {"rate": "x"}])
async def test_faults_that_cannot_be_are_refused(demo: Demo, wish: Json) -> None:
    assert (await demo.ask("POST", "/faults", wish)).code == 400
