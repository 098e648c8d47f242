"""Tests of who a request's work is counted for."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse

from dashboard.access.identity import BROWSER_COOKIE, remember_browser
from dashboard.access.person import PERSON_KEY, Person
from dashboard.access.quota_owner import quota_owners

BROWSER = "0123456789abcdef" * 2


def scope(cookie: str = "", client: list[object] | None = None, user: str = "") -> dict[str, Any]:
    return {"headers": [(b"cookie", cookie.encode())], "client": client, PERSON_KEY: Person(user)}


def signed() -> str:
    response = HttpResponse()
    remember_browser(response, BROWSER)
    return f"{BROWSER_COOKIE}={response.cookies[BROWSER_COOKIE].value}"


def test_with_sign_in_it_is_the_user_whatever_the_cookie_and_the_address() -> None:
    assert quota_owners(scope(signed(), ["10.0.0.1", 5], "alice")) == ("user alice",)


def test_without_sign_in_it_is_the_browser_and_the_address() -> None:
    assert quota_owners(scope(signed(), ["10.0.0.1", 5])) == (f"browser {BROWSER}", "address 10.0.0.1")


@pytest.mark.parametrize("cookie", ["", f"{BROWSER_COOKIE}={BROWSER}", f"{BROWSER_COOKIE}={BROWSER}:forged"])
def test_without_a_cookie_of_this_server_it_is_the_address(cookie: str) -> None:
    assert quota_owners(scope(cookie, ["10.0.0.1", 5])) == ("address 10.0.0.1",)


@pytest.mark.parametrize("client", [None, ["127.0.0.1", 5], ["127.8.9.10", 5], ["::1", 5], ["::ffff:127.0.0.1", 5]])
def test_all_addresses_of_this_machine_are_one(client: list[object] | None) -> None:
    assert quota_owners(scope("", client)) == ("address this machine",)
