"""Tests of the guard: hosts, origins, addresses, and the proxy's user."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.access.identity import user_of
from dashboard.runtime.proxy_settings import read_peers
from dashboard.server.guard import BindRefused, Guard, check_bind, is_loopback, is_same_host
from dashboard.server.trusted_proxy import TrustedProxy
from tests.support.asgi_requests import Message, scope_of

PROXY = TrustedProxy("X-Forwarded-User", read_peers("10.0.0.0/8"))
HOSTS = ["localhost", "127.0.0.1", "[::1]"]


class Inner:
    """Stands for the application; remembers what was let through."""

    def __init__(self) -> None:
        self.scopes: list[Message] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)


async def answered(guard: Guard, scope: Message) -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": f"{scope['type']}.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await guard(scope, receive, send)
    return sent


@pytest.fixture
def inner() -> Inner:
    return Inner()


@pytest.fixture
def guard(inner: Inner) -> Guard:
    return Guard(inner, allowed_hosts=HOSTS)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "[::1]:8000", "localhost.:8000"])
async def test_our_own_names_are_let_in(guard: Guard, inner: Inner, host: str) -> None:
    assert await answered(guard, scope_of(host=host)) == []
    assert len(inner.scopes) == 1


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost:99999",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "",
        "a b",
        "\xe9",
    ],
)
async def test_a_foreign_name_that_points_here_gets_nothing(guard: Guard, inner: Inner, host: str) -> None:
    """DNS rebinding: the browser believes that it speaks to its page's own host, and sends that host's name."""
    start, body = await answered(guard, scope_of(host=host))
    assert start["status"] == 400
    assert b"ALLOWED_HOSTS" in body["body"]
    socket = scope_of("websocket", host=host, origin=f"http://{host}")
    assert await answered(guard, socket) == [{"type": "websocket.close", "code": 4403}]
    assert inner.scopes == []


async def test_without_a_host_or_with_two_there_is_nothing(guard: Guard, inner: Inner) -> None:
    twice = scope_of()
    twice["headers"] = [(b"host", b"localhost"), (b"host", b"evil.example")]
    for scope in (scope_of(), twice):
        assert (await answered(guard, scope))[0]["status"] == 400
    assert inner.scopes == []


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_socket_from_our_own_page_is_let_in_whoever_ends_tls(guard: Guard, inner: Inner, scheme: str) -> None:
    await answered(guard, scope_of("websocket", host="localhost:8000", origin=f"{scheme}://localhost:8000"))
    assert len(inner.scopes) == 1


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example", "http://localhost", "http://localhost:8001", "http://127.0.0.1:8000", "null", "",
        "http://localhost:8000.evil.example", "http://localhost:8000@evil.example", "file://", "http://localhost:8000/x",
        "http://localhost:99999999", "chrome-extension://localhost:8000",
    ],
)  # fmt: skip
async def test_a_socket_from_a_foreign_page_is_refused(guard: Guard, inner: Inner, origin: str) -> None:
    scope = scope_of("websocket", host="localhost:8000", origin=origin)
    assert await answered(guard, scope) == [{"type": "websocket.close", "code": 4403}]
    assert inner.scopes == []


async def test_a_socket_without_an_origin_is_refused(guard: Guard, inner: Inner) -> None:
    assert await answered(guard, scope_of("websocket", host="localhost:8000"))
    assert inner.scopes == []


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("https://board.example", "board.example", True),
        ("https://board.example", "board.example:443", True),
        ("https://board.example:443", "board.example", True),
        ("http://board.example", "board.example:443", False),
        ("http://[::1]:8000", "[::1]:8000", True),
        ("http://[::1]:8000", "[::2]:8000", False),
        ("HTTP://Board.Example", "board.EXAMPLE", True),
        ("http://[::1", "[::1", False),
    ],
)
def test_origin_and_host_are_compared_with_the_schemes_default_port(origin: str, host: str, same: bool) -> None:
    assert is_same_host(origin, host) is same


@pytest.mark.parametrize(
    "server", [("127.0.0.1", 8000), ("::1", 8000), ("::ffff:127.0.0.1", 8000), None, ("/run/x", None)]
)
async def test_connections_to_this_machines_own_addresses_are_served(
    guard: Guard, inner: Inner, server: tuple[str, int | None] | None
) -> None:
    await answered(guard, scope_of(host="localhost", server=server))
    assert len(inner.scopes) == 1


@pytest.mark.parametrize("server", [("192.168.1.5", 8000), ("::ffff:10.0.0.1", 8000), ("fe80::1", 8000)])
async def test_a_connection_to_any_other_address_is_refused_without_sign_in(
    guard: Guard, inner: Inner, server: tuple[str, int]
) -> None:
    start, body = await answered(guard, scope_of(host="localhost", server=server))
    assert start["status"] == 403
    assert b"DELTABOARD_TRUST_PROXY_USER" in body["body"]
    assert inner.scopes == []


async def test_behind_a_signing_in_proxy_the_user_must_be_named(inner: Inner) -> None:
    guard = Guard(inner, allowed_hosts=HOSTS, proxy=PROXY)
    far = ("10.0.0.7", 8000)
    start, body = await answered(guard, scope_of(host="localhost", server=far))
    assert (start["status"], b"X-Forwarded-User" in body["body"]) == (403, True)
    assert await answered(guard, scope_of(host="localhost", server=far, x_forwarded_user="  ")) != []
    assert await answered(guard, scope_of("websocket", host="localhost", origin="http://localhost")) != []
    assert inner.scopes == []
    await answered(guard, scope_of(host="localhost", server=far, x_forwarded_user="alice"))
    assert user_of(inner.scopes[0]) == "alice"


async def test_our_own_pages_socket_is_told_that_nobody_is_signed_in(inner: Inner) -> None:
    """A browser hides a 403 before the handshake from its page, which would try for ever."""
    refused = [{"type": "websocket.accept"}, {"type": "websocket.close", "code": 4403}]
    origin = "http://localhost"
    behind_proxy = Guard(inner, allowed_hosts=HOSTS, proxy=PROXY)
    assert await answered(behind_proxy, scope_of("websocket", host="localhost", origin=origin)) == refused
    far = scope_of("websocket", server=("10.0.0.7", 8000), host="localhost", origin=origin)
    assert await answered(Guard(inner, allowed_hosts=HOSTS), far) == refused
    foreign = scope_of("websocket", host="localhost", origin="http://evil.example")
    assert await answered(behind_proxy, foreign) == refused[1:]
    assert inner.scopes == []


async def test_a_user_named_by_the_browser_counts_for_nothing_without_a_proxy(guard: Guard, inner: Inner) -> None:
    await answered(guard, scope_of(host="localhost", x_forwarded_user="mallory"))
    assert user_of(inner.scopes[0]) == ""


async def test_health_is_open_to_load_balancers(inner: Inner) -> None:
    guard = Guard(inner, allowed_hosts=HOSTS, proxy=PROXY)
    await answered(guard, {**scope_of(host="10.1.2.3:8000", server=("10.1.2.3", 8000)), "path": "/healthz"})
    assert len(inner.scopes) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "localhost", "::1", "[::1]"])
def test_our_own_addresses_may_be_bound(host: str) -> None:
    check_bind(host, signs_in=False)
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com", ""])
def test_any_other_needs_a_sign_in(host: str) -> None:
    with pytest.raises(BindRefused, match=r"DELTABOARD_SIGN_IN=oidc.* DELTABOARD_TRUST_PROXY_USER"):
        check_bind(host, signs_in=False)
    check_bind(host, signs_in=True)
