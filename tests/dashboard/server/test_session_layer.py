"""Tests of the layer that finds the person of a session, before anything else of Deltaboard sees a request."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from dashboard.access.person import NOBODY, PERSON_KEY, person_of
from dashboard.access.quota_owner import quota_owners
from dashboard.access.sessions.session import session_of
from dashboard.pages.sessions.registry import SessionRegistry
from dashboard.pages.sign_in.addresses import MAX_NEXT
from dashboard.runtime.database_executor import Unavailable
from dashboard.server.guard import Rejection
from dashboard.server.session_layer import SessionLayer, identify_by_cookie, without_session
from tests.support.asgi_requests import scope_of
from tests.support.clock import FakeClock
from tests.support.databases import in_file
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.sign_in.sessions import begun, registry

Message = dict[str, Any]


class Inner:
    """Keeps the scopes that it gets; it accepts a websocket and serves it to its end."""

    def __init__(self) -> None:
        self.scopes: list[Any] = []
        self.received: list[Any] = []
        self.send: Any = None
        self.is_serving = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        if scope["type"] == "websocket":
            self.send = send
            while not self.received or self.received[-1]["type"] != "websocket.disconnect":
                self.received.append(await receive())
                self.is_serving.set()


@pytest.fixture(scope="session")
def layer_alias(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    with in_file("session_layer", tmp_path_factory.mktemp("sessions"), django_db_blocker) as made:
        yield made


@pytest.fixture
def sessions(layer_alias: str) -> SessionRegistry:
    return registry(layer_alias, RecordingLayer(), FakeClock())


def request(path: str = "/feed/", *, method: str = "GET", query: bytes = b"", cookie: str = "", **more: str) -> Message:
    headers: dict[str, Any] = {**more, **({"cookie": f"a=b; deltaboard_session={cookie}"} if cookie else {})}
    return {**scope_of(**headers), "path": path, "method": method, "query_string": query}


async def answered(layer: SessionLayer, scope: Message) -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect" if scope["type"] == "websocket" else "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    await layer(scope, receive, send)
    return sent


def header(message: Message, name: bytes) -> str:
    value: bytes = dict(message["headers"])[name]
    return value.decode()


@pytest.mark.slow
async def test_a_request_with_a_session_has_its_person(sessions: SessionRegistry) -> None:
    inner = Inner()
    cookie = await begun(sessions, "alice")
    assert await answered(SessionLayer(inner, sessions), request(cookie=cookie)) == []
    assert (person_of(inner.scopes[0]).name, person_of(inner.scopes[0]).groups) == ("alice", ("dev",))
    session = session_of(inner.scopes[0])
    assert session is not None
    assert session.device == "Firefox on Linux"


@pytest.mark.parametrize("more", [{"sec_fetch_dest": "document"}, {"accept": "text/html,*/*"}])
async def test_without_one_a_page_leads_to_the_sign_in(sessions: SessionRegistry, more: dict[str, str]) -> None:
    inner = Inner()
    asked = request("/resources/pods/ø/", query=b"q=a%20b&open=x", **more)
    (start, body) = await answered(SessionLayer(inner, sessions), asked)
    assert start["status"] == 303
    assert header(start, b"location") == "/sign-in/?next=%2Fresources%2Fpods%2F%25C3%25B8%2F%3Fq%3Da%2520b%26open%3Dx"
    assert b"Sign in" in body["body"]
    assert inner.scopes == []


@pytest.mark.parametrize(
    "asked",
    [
        request(accept="*/*"),
        request(hx_request="true", accept="text/html"),
        request(sec_fetch_dest="empty", accept="text/html"),
        request(sec_fetch_dest="iframe", accept="text/html"),
        request(method="POST", accept="text/html", sec_fetch_dest="document"),
        request("/metrics"),
        request("/sign-in/x"),
        request("/sessions/"),
        request("/accounts/"),
        request("/accounts/nowhere/"),
        request("/accounts/main/callback/x/"),
        request("/accounts/main/x/callback/"),
        request("/x/accounts/main/callback/"),
    ],
)
async def test_without_one_scripts_get_401_and_a_sentence(sessions: SessionRegistry, asked: Message) -> None:
    inner = Inner()
    (start, body) = await answered(SessionLayer(inner, sessions), asked)
    assert start["status"] == 401
    assert header(start, b"hx-reswap") == "none"
    assert body["body"].startswith(b"You are signed out")
    assert inner.scopes == []
    assert without_session(asked) is not None


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/static/x.css", "/sign-in/", "/accounts/main/callback/", "/accounts/sign-out/"]
)
async def test_what_the_sign_in_needs_is_open(sessions: SessionRegistry, path: str) -> None:
    inner = Inner()
    await answered(SessionLayer(inner, sessions), request(path))
    assert len(inner.scopes) == 1
    assert person_of(inner.scopes[0]).name == ""
    assert without_session(request(path)) is None


async def test_before_a_body_is_received_the_cookie_must_be_one_of_ours(sessions: SessionRegistry) -> None:
    assert without_session(request(cookie=await begun(sessions), method="POST")) is None
    assert without_session(request(cookie="made up", method="POST")) is not None


async def test_what_arrives_counts_for_its_session(sessions: SessionRegistry) -> None:
    """All people behind one proxy have one address."""
    identify = identify_by_cookie(lambda _: NOBODY)
    first, second = [quota_owners({**asked, PERSON_KEY: identify(asked)}) for asked in await two_requests(sessions)]
    assert first != second
    assert identify(request("/sign-in/")) == NOBODY
    refusal = Rejection(400, "a wrong host")
    assert identify_by_cookie(lambda _: refusal)(request(cookie=await begun(sessions))) is refusal
    assert isinstance(identify(request(method="POST")), Rejection)


async def two_requests(sessions: SessionRegistry) -> list[Message]:
    return [request(cookie=await begun(sessions), method="POST") for _ in range(2)]


async def test_a_very_long_address_is_cut(sessions: SessionRegistry) -> None:
    asked = request(query=b"q=" + b"x" * MAX_NEXT, accept="text/html")
    (start, _) = await answered(SessionLayer(Inner(), sessions), asked)
    assert header(start, b"location") == "/sign-in/?next=%2Ffeed%2F"


def socket(cookie: str) -> Message:
    return scope_of("websocket", cookie=f"deltaboard_session={cookie}")


async def test_a_socket_without_a_session_is_closed_with_4401(sessions: SessionRegistry) -> None:
    inner = Inner()
    assert await answered(SessionLayer(inner, sessions), socket("made up")) == [
        {"type": "websocket.accept"},
        {"type": "websocket.close", "code": 4401},
    ]
    assert inner.scopes == []


async def test_a_socket_is_closed_when_its_session_ends(sessions: SessionRegistry) -> None:
    inner, sent = Inner(), list[Any]()
    cookie = await begun(sessions)
    incoming: asyncio.Queue[Message] = asyncio.Queue()

    async def send(message: Any) -> None:
        sent.append(message)

    serving = asyncio.create_task(SessionLayer(inner, sessions)(socket(cookie), incoming.get, send))
    for text in ("one", "two"):
        await incoming.put({"type": "websocket.receive", "text": text})
    await inner.is_serving.wait()
    session = session_of(inner.scopes[0])
    assert session is not None
    await sessions.end(session.person.name, [session.id])
    await serving
    await inner.send({"type": "websocket.send", "text": "a frame that was on its way"})
    texts = [message.get("text") for message in inner.received]
    assert texts in (["one", None], ["one", "two", None])
    assert inner.received[-1] == {"type": "websocket.disconnect", "code": 4401}
    assert sent == [{"type": "websocket.close", "code": 4401}]
    assert sessions._watched == {}


async def test_a_socket_that_the_browser_closes_is_not_watched_any_more(sessions: SessionRegistry) -> None:
    inner, cookie = Inner(), await begun(sessions)
    incoming: asyncio.Queue[Message] = asyncio.Queue()
    await incoming.put({"type": "websocket.disconnect", "code": 1001})

    async def send(message: Any) -> None:
        raise AssertionError(message)

    await SessionLayer(inner, sessions)(socket(cookie), incoming.get, send)
    assert sessions._watched == {}


async def test_while_the_database_is_away_an_unknown_session_may_try_again(
    sessions: SessionRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> None:
        raise Unavailable("connection refused")

    cookie = await begun(sessions)
    monkeypatch.setattr(sessions, "current", fails)
    layer, inner = SessionLayer(Inner(), sessions), Inner()
    (start, body) = await answered(layer, request(cookie=cookie, accept="text/html"))
    assert start["status"] == 503
    assert header(start, b"retry-after") == "5"
    assert b"database cannot be used: connection refused" in body["body"]
    assert await answered(layer, socket(cookie)) == [
        {"type": "websocket.accept"},
        {"type": "websocket.close", "code": 4012},
    ]
    await answered(SessionLayer(inner, sessions), request("/sign-in/", cookie=cookie))
    assert len(inner.scopes) == 1
