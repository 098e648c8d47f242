"""Tests of the metrics of a client: each attempt is counted by the code of its answer."""

from __future__ import annotations

import pytest
from aiohttp import web

from informerd.errors import Conflict, TooManyRequests, Unreachable
from informerd.metrics import ClientCollector
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig, Impersonation
from tests.support.informerd.metrics_scrape import Scrape
from tests.support.informerd.stub_servers import scripted


async def test_each_attempt_is_counted_also_those_in_somebody_elses_name() -> None:
    codes = [429, 429, 200, 409]

    async def answer(_: web.Request) -> web.Response:
        return web.json_response({"gitVersion": "v1"}, status=codes.pop(0), headers={"Retry-After": "0"})

    async with scripted(answer) as server, Client(server.config) as client:
        with pytest.raises(TooManyRequests):
            await client.request("GET", "/a", patient=False)
        await client.version()
        with pytest.raises(Conflict):
            await client.impersonate(Impersonation(user="bob")).request("PUT", "/a", body={})
        scrape = Scrape(ClientCollector(client, cluster="main"))
    assert scrape.get("client_requests_total", cluster="main", method="GET", code="429") == 2
    assert scrape.get("client_requests_total", method="GET", code="200") == 1
    assert scrape.get("client_requests_total", method="PUT", code="409") == 1


async def test_a_request_that_nobody_answers_has_the_code_of_an_error() -> None:
    async with Client(ClusterConfig(name="none", server="http://127.0.0.1:1")) as client:
        with pytest.raises(Unreachable):
            await client.version()
        assert Scrape(ClientCollector(client)).get("client_requests_total", method="GET", code="<error>") == 1
