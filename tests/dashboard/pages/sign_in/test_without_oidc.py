"""Tests of the pages of sign-in and sessions where people do not sign in by OIDC: a sentence."""

from __future__ import annotations

import pytest
from django.test import AsyncClient

from tests.support.pages.site_without_cluster import Site


@pytest.fixture
def client() -> AsyncClient:
    return Site().client


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/sign-in/", "Deltaboard has no sign-in of its own here: nobody signs in."),
        ("/accounts/main/sign-in/", "Deltaboard has no sign-in of its own here"),
        ("/accounts/main/callback/?code=x", "Deltaboard has no sign-in of its own here"),
        ("/sessions/", "Nobody signs in here. Deltaboard keeps no sessions then."),
    ],
)
async def test_the_page_says_that_there_is_none(client: AsyncClient, address: str, words: str) -> None:
    answer = await client.get(address)
    assert answer.status_code == 404
    assert words in answer.content.decode()


async def test_behind_a_proxy_the_page_says_whose_work_it_is(client: AsyncClient, settings: object) -> None:
    settings.DELTABOARD_SIGN_IN = "proxy"  # type: ignore[attr-defined]
    assert "a proxy signs people in" in (await client.get("/sign-in/")).content.decode()
    assert "The proxy signs people in and out." in (await client.get("/sessions/")).content.decode()


async def test_a_logout_token_ends_nothing(client: AsyncClient) -> None:
    answer = await client.post("/accounts/logout/main/", {"logout_token": "x"})
    assert answer.status_code == 400
    assert answer.json()["error_description"] == "There is no such issuer."


async def test_to_end_sessions_is_a_sentence(client: AsyncClient) -> None:
    assert (await client.post("/sessions/end/", {"which": "all"})).status_code == 404
    assert (await client.post("/accounts/sign-out/")).status_code == 303
