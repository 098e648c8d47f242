"""Tests of one eviction: what is asked of the API server, and what a pod that is not found may mean."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from dashboard.pages.evictions.evict import Evicted, Eviction, Failed, Gone, evict
from informerd.errors import NotFound
from informerd.rest.client import Client
from tests.support.informerd.stub_servers import scripted
from tests.support.scripted_api_server import pod, status


class Evictions:
    """An API server with one answer to evictions, and perhaps a pod of this uid."""

    def __init__(self, code: int, uid: str = "") -> None:
        self.code, self.uid = code, uid
        self.bodies: list[dict[str, Any]] = []

    async def __call__(self, request: web.Request) -> web.Response:
        if request.method == "GET":
            there = pod("web-1", "7", uid=self.uid) if self.uid else status(404, "NotFound")
            return web.json_response(there, status=there.get("code", 200))
        self.bodies.append(await request.json())
        if self.code == 404:
            return web.json_response(status(404, "NotFound", "the server could not find it"), status=404)
        return web.json_response({"kind": "Status", "apiVersion": "v1", "status": "Success"}, status=self.code)


async def outcome(server: Evictions, **options: Any) -> Eviction:
    async with scripted(server) as served, Client(served.config) as client:
        return await evict(client, "default", "web-1", "the uid", **options)


@pytest.mark.parametrize(("options", "grace"), [({}, {}), ({"grace": 0}, {"gracePeriodSeconds": 0})])
async def test_the_uid_is_asked_for_and_a_grace_period_only_where_one_is_given(
    options: dict[str, int], grace: dict[str, int]
) -> None:
    server = Evictions(201)
    assert await outcome(server, **options) == Evicted()
    assert [body["deleteOptions"] for body in server.bodies] == [{"preconditions": {"uid": "the uid"}, **grace}]


async def test_a_pod_that_is_there_although_its_eviction_is_not_found_is_not_taken_for_gone() -> None:
    """As on an API server that does not support evictions."""
    found = await outcome(Evictions(404, uid="the uid"))
    assert isinstance(found, Failed)
    assert isinstance(found.error, NotFound)
    assert "the server could not find it" in str(found.error)
    assert await outcome(Evictions(404, uid="another")) == Gone(replaced=True)
    assert await outcome(Evictions(404)) == Gone(replaced=False)
