"""Tests of OpenID Connect Back-Channel Logout 1.0 with a real provider: what ends sessions, and what does not."""

from __future__ import annotations

import secrets
import time
from typing import Any

import pytest
import requests

from dashboard.access.oidc.tokens import LOGOUT_EVENT
from tests.support.local_dashboard import LocalDashboard
from tests.support.sign_in.dashboard import PlainBrowser
from tests.support.sign_in.provider import Provider

NOW = int(time.time())


def told(process: LocalDashboard, token: str, issuer: str = "main") -> requests.Response:
    """As the provider sends it: without a cookie or a token of ours."""
    return requests.post(f"{process.url}/accounts/logout/{issuer}/", data={"logout_token": token}, timeout=30)


def signed_in(browser: PlainBrowser, provider: Provider, **claims: str) -> dict[str, Any]:
    """Sign in as somebody new."""
    provider.person = {**provider.person, "sub": secrets.token_hex(4), "sid": secrets.token_hex(4), **claims}
    assert browser.sign_in().status_code == 303
    return provider.person


def is_signed_in(browser: PlainBrowser) -> bool:
    return browser.get("/feed/").status_code == 200


@pytest.mark.long
def test_it_ends_the_session_of_a_sid(process: LocalDashboard, provider: Provider, browser: PlainBrowser) -> None:
    other = PlainBrowser(process.url)
    person = signed_in(browser, provider)
    signed_in(other, provider, sub=person["sub"])
    done = told(process, provider.logout_token(sid=person["sid"], sub=person["sub"]))
    assert (done.status_code, done.text) == (200, "")
    assert done.headers["Cache-Control"] == "no-store"
    assert not is_signed_in(browser)
    assert is_signed_in(other)


def test_without_a_sid_it_ends_all_of_a_subject(
    process: LocalDashboard, provider: Provider, browser: PlainBrowser
) -> None:
    other = PlainBrowser(process.url)
    person = signed_in(browser, provider)
    signed_in(other, provider, sub=person["sub"])
    assert told(process, provider.logout_token(sub=person["sub"])).status_code == 200
    assert not is_signed_in(browser)
    assert not is_signed_in(other)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"iss": "https://evil.example"}, "another issuer"),
        ({"aud": "another"}, "another client"),
        ({"aud": None}, "another client"),
        ({"iat": NOW - 3_600}, "too long ago"),
        ({"iat": NOW + 3_600}, "clocks"),
        ({"iat": None}, "does not say when"),
        ({"exp": NOW - 600}, "expired"),
        ({"events": None}, "lacks the event"),
        ({"events": {"another": {}}}, "lacks the event"),
        ({"events": {LOGOUT_EVENT: None}}, "lacks the event"),
        ({"events": [LOGOUT_EVENT]}, "lacks the event"),
        ({"nonce": "x"}, "has a nonce"),
        ({"jti": None}, "not valid"),
        ({"jti": 7}, "not valid"),
        ({"sub": None, "sid": None}, "neither a session (sid) nor a subject"),
        ({"sid": 7}, "neither a session (sid) nor a subject"),
    ],
)
def test_a_token_that_breaks_a_rule_ends_nothing(
    process: LocalDashboard, provider: Provider, browser: PlainBrowser, changes: dict[str, Any], words: str
) -> None:
    person = signed_in(browser, provider)
    refused = told(process, provider.logout_token(**{"sub": person["sub"], **changes}))
    assert refused.status_code == 400
    assert refused.json()["error"] == "invalid_request"
    assert words in refused.json()["error_description"]
    assert is_signed_in(browser)


def test_a_token_of_another_key_or_of_no_shape_ends_nothing(
    process: LocalDashboard, provider: Provider, browser: PlainBrowser
) -> None:
    person = signed_in(browser, provider)
    right = provider.logout_token(sub=person["sub"])
    head, payload, signature = right.split(".")
    claims = {"iss": provider.url, "aud": "deltaboard", "iat": int(time.time()), "jti": "x", "sub": person["sub"]}
    forged = provider.signed({**claims, "events": {LOGOUT_EVENT: {}}}, Provider().key)
    for token in (forged, f"{head}.{payload}.", f"{head}.{payload}.{signature[::-1]}", "", "a.b.c", "x" * 50_000):
        assert told(process, token).status_code == 400, token[:80]
    assert is_signed_in(browser)
    assert requests.post(f"{process.url}/accounts/logout/main/", timeout=30).status_code == 400
    assert requests.get(f"{process.url}/accounts/logout/main/", timeout=30).status_code == 405


def test_a_token_counts_once(process: LocalDashboard, provider: Provider, browser: PlainBrowser) -> None:
    """Else whoever has seen it could end each new session of that person for some minutes."""
    person = signed_in(browser, provider)
    token = provider.logout_token(sub=person["sub"])
    assert told(process, token).status_code == 200
    assert browser.sign_in().status_code == 303
    refused = told(process, token)
    assert refused.status_code == 400
    assert "used before" in refused.json()["error_description"]
    assert is_signed_in(browser)


def test_one_issuer_ends_no_session_of_another(
    process: LocalDashboard, providers: tuple[Provider, Provider], provider: Provider, browser: PlainBrowser
) -> None:
    person = signed_in(browser, provider)
    for sent in (providers[1].logout_token(sub=person["sub"]), provider.logout_token(sub=person["sub"])):
        told(process, sent, "partner")
    assert is_signed_in(browser)
    assert told(process, providers[1].logout_token(sub=person["sub"]), "partner").status_code == 200
    assert is_signed_in(browser), "it is another issuer's person of that name"
    assert told(process, provider.logout_token(sub=person["sub"]), "nobody").status_code == 400
