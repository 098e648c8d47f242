"""Tests of rights that pages of Deltaboard's own need: what is not known is denied."""

from __future__ import annotations

import pytest

from dashboard.access.rights import UNLIMITED, Rights, Rule
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from tests.support.pages.site_without_cluster import Site

GET = Rule(frozenset({"get"}), frozenset({"deltaboard"}), frozenset({"controllers"}))


@pytest.mark.parametrize(
    ("rights", "status"),
    [
        (UNLIMITED, 200),
        (Rights([GET]), 200),
        (Rights([]), 403),
        (Rights([Rule(frozenset({"*"}), frozenset({""}), frozenset({"*"}))]), 403),
        (Rights([], owner="somebody whose rights could not all be listed"), 403),
    ],
)
async def test_the_controllers_page_needs_a_right(rights: Rights, status: int) -> None:
    site = Site()
    site.parts.rights = rights  # type: ignore[attr-defined]
    response = await site.client.get("/controllers/")
    assert response.status_code == status
    assert ("do not let you get controllers.deltaboard" in response.content.decode()) is (status == 403)


async def test_where_the_api_server_does_not_answer_nobody_is_let_in() -> None:
    site = Site()
    site.parts.rights = Rights([], owner="somebody")  # type: ignore[attr-defined]
    async with Client(ClusterConfig(name="c", server="http://127.0.0.1:1")) as client:
        site.parts.client = client
        assert (await site.client.get("/controllers/")).status_code == 403
        assert (await site.client.post("/controllers/requeue/", {"item": "a/b/c"})).status_code == 403
