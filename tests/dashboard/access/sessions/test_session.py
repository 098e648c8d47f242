"""Tests of session cookies, and of the words for a device."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import signing
from django.http import HttpResponse

from dashboard.access.sessions.session import (
    cookie_of,
    delete_session_cookie,
    device_of,
    new_cookie,
    session_id,
    set_session_cookie,
)


def test_each_cookie_is_a_key_of_its_own_and_its_id_is_another_text() -> None:
    first, second = new_cookie(), new_cookie()
    assert session_id(first) != session_id(second)
    assert re.fullmatch(r"[0-9a-f]{64}", session_id(first))
    assert session_id(first) not in first


def test_a_cookie_that_this_installation_did_not_make_has_no_session() -> None:
    cookie = new_cookie()
    for made_up in ("", "x", f"{cookie}x", cookie[1:], cookie.partition(":")[0], "x" * 10_000, "\0"):
        assert session_id(made_up) == "", made_up
    assert session_id(cookie)
    other = signing.Signer(key="another installation's", salt="dashboard.access.sessions")
    assert session_id(other.sign(cookie.partition(":")[0])) == ""


@pytest.mark.parametrize(("is_secure", "name"), [(True, "__Host-deltaboard_session"), (False, "deltaboard_session")])
def test_over_https_browsers_bind_the_cookie_to_the_host(settings: Any, is_secure: bool, name: str) -> None:
    settings.CSRF_COOKIE_SECURE = is_secure
    response = HttpResponse()
    set_session_cookie(response, "value", max_age=60)
    cookie = response.cookies[name]
    assert (cookie["path"], cookie["domain"], bool(cookie["secure"])) == ("/", "", is_secure)
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert cookie_of({"headers": [(b"cookie", f"a=b; {name}=value".encode())]}) == "value"
    delete_session_cookie(response)
    cookie = response.cookies[name]
    assert (cookie["max-age"], cookie["path"], bool(cookie["secure"])) == (0, "/", is_secure)


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/18 Safari/605", "Safari on macOS"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18 like Mac OS X) CriOS/140 Safari/604", "Chrome on iPhone"),
        ("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Safari/537.36", "Chrome on Android"),
        ("curl/8.5", "curl"),
        ("<script>", "An unknown device"),
        ("", "An unknown device"),
        ("Linux" * 100_000, "A browser on Linux"),
    ],
)
def test_a_device_has_a_few_words(user_agent: str, words: str) -> None:
    assert device_of(user_agent) == words
