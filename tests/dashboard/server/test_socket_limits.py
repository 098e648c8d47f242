"""Tests of the limits of open sockets, and of whose socket one is."""

from __future__ import annotations

from django.http import HttpResponse

from dashboard.access.identity import BROWSER_COOKIE, USER_KEY, remember_browser
from dashboard.server.socket_limits import ReachedLimit, SocketLimits, socket_user


def test_a_user_has_so_many_sockets_and_all_have_so_many_together() -> None:
    limits = SocketLimits(in_all=3, per_user=2)
    assert [limits.enter(user) for user in ("ann", "ann", "ann", "bob", "bob")] == [
        None,
        None,
        ReachedLimit.USER,
        None,
        ReachedLimit.PROCESS,
    ]
    limits.leave("ann")
    assert [limits.enter(user) for user in ("bob", "ann")] == [None, ReachedLimit.PROCESS]


def test_a_socket_is_the_signed_in_users_or_the_browsers() -> None:
    response, browser = HttpResponse(), "b" * 32
    remember_browser(response, browser)
    cookie = f"other=1; {BROWSER_COOKIE}={response.cookies[BROWSER_COOKIE].value}".encode()
    assert socket_user({"headers": [(b"cookie", cookie)], USER_KEY: "ann"}) == "ann"
    assert socket_user({"headers": [(b"cookie", cookie)], USER_KEY: ""}) == browser
    assert socket_user({"headers": [(b"cookie", cookie + b"forged")], USER_KEY: ""}) == ""
    assert socket_user({"headers": []}) == ""
