"""Tests of the access token's place in addresses and of its cookie. tests/hostile/test_access_without_token.py sees the
whole program refuse what has none.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from dashboard.server.access_token import (
    COOKIE_MAX_AGE,
    START_CODE_SECONDS,
    AccessToken,
    hide_token,
    tokens_of,
    without_token,
)

TOKEN = AccessToken("the token")


def scope(path: str = "/", query: str = "", method: str = "GET", host: str = "localhost:8000", **headers: str) -> Any:
    """The ASGI scope of a request; an underscore in a header's name stands for a dash."""
    named = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    where = {"path": path, "raw_path": path.encode(), "query_string": query.encode()}
    return {"type": "http", "method": method, "headers": [(b"host", host.encode()), *named], **where}


@pytest.mark.parametrize(
    ("query", "tokens", "rest"),
    [
        ("", [], ""),
        ("token=abc", ["abc"], ""),
        ("q=x&token=a%20b&ns=y", ["a b"], "q=x&ns=y"),
        ("to%6ben=abc&q=1", ["abc"], "q=1"),
        ("token=a&token=b", ["a", "b"], ""),
        ("q=token=a&mytoken=b", [], "q=token=a&mytoken=b"),
    ],
)
def test_each_token_parameter_is_found_however_it_is_written(query: str, tokens: list[str], rest: str) -> None:
    assert tokens_of(query.encode()) == tokens
    assert without_token(query.encode()).decode() == rest


def test_no_log_line_has_a_token() -> None:
    assert hide_token("/feed/?q=1&to%6ben=abc&ns=a") == "/feed/?q=1&token=…&ns=a"
    assert hide_token("/feed/") == "/feed/"


@pytest.mark.parametrize(
    ("path", "query", "location"),
    [
        ("/", "token=the+token", "./"),
        ("/resources/pods/", "q=a&token=the+token", "./?q=a"),
        ("//evil.example", "token=the+token", "./evil.example"),
        ("/resources/pods/shop/a%2Fb", "token=the+token", "./a%2Fb"),
    ],
)
def test_the_redirect_stays_at_the_address_without_the_token(path: str, query: str, location: str) -> None:
    headers = dict(TOKEN.redirect_headers(scope(path, query)) or ())
    assert headers[b"location"].decode() == location


def test_a_write_is_not_admitted_by_its_address() -> None:
    assert TOKEN.admits(scope(query="token=the+token"))
    assert not TOKEN.admits(scope(query="token=the+token", method="POST"))
    assert not TOKEN.admits(scope(query="token=the+token&token=the+token"))
    assert TOKEN.redirect_headers(scope(query="token=the+token", method="POST")) is None


def test_a_cookie_is_valid_for_one_token_one_port_and_thirty_days(monkeypatch: pytest.MonkeyPatch) -> None:
    headers = dict(TOKEN.redirect_headers(scope(query="token=the+token")) or ())
    cookie = headers[b"set-cookie"].decode().partition(";")[0]
    assert TOKEN.admits(scope(cookie=cookie))
    assert TOKEN.admits(scope(cookie=cookie, method="POST"))
    assert not TOKEN.admits(scope(cookie=cookie, host="localhost:8001"))
    assert not AccessToken("another").admits(scope(cookie=cookie))
    moment = time.time()
    monkeypatch.setattr("django.core.signing.time.time", lambda: moment + COOKIE_MAX_AGE + 5)
    assert not TOKEN.admits(scope(cookie=cookie))


@pytest.mark.parametrize(("scheme", "secure"), [("http", False), ("https", True)])
def test_over_https_the_cookie_stays_there(scheme: str, secure: bool) -> None:
    headers = dict(TOKEN.redirect_headers({**scope(query="token=the+token"), "scheme": scheme}) or ())
    assert ("Secure" in headers[b"set-cookie"].decode()) == secure


def test_a_start_code_lets_one_browser_in_for_a_while() -> None:
    token = AccessToken("the token")
    code = token.new_start_code()
    shown = scope(query=f"token={code}")
    assert token.admits(shown)
    headers = dict(token.redirect_headers(shown) or ())
    assert code not in headers[b"location"].decode()
    assert not token.admits(shown)
    cookie = headers[b"set-cookie"].decode().partition(";")[0]
    assert token.admits(scope(cookie=cookie))


def test_a_start_code_is_no_bearer_token_and_none_of_another_process() -> None:
    token = AccessToken("the token")
    code = token.new_start_code()
    assert not token.admits(scope(authorization=f"Bearer {code}"))
    assert not AccessToken("the token").admits(scope(query=f"token={code}"))
    assert not AccessToken("the token").admits(scope(query="token="))


def test_a_start_code_is_forgotten_when_the_browser_did_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    token = AccessToken("the token")
    shown = scope(query=f"token={token.new_start_code()}")
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + START_CODE_SECONDS + 1)
    assert not token.admits(shown)
