"""A whole Deltaboard in the test's process: its ASGI application with a worker, asked as a proxy would for a person."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode

import environ
from asgiref.testing import ApplicationCommunicator
from django.db import connections
from django.http import HttpResponse
from django.test import override_settings
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from pytest_django import DjangoDbBlocker

from dashboard.access.identity import BROWSER_COOKIE, remember_browser
from dashboard.access.person import Person
from dashboard.runtime.concurrency_limit import Limits
from dashboard.server.guard import Application
from dashboard.server.wiring.web import WebProcess, build_application, build_web_process
from tests.support.databases import migrate_elsewhere
from tests.support.wait import eventually

USER_HEADER, GROUPS_HEADER = "X-Test-User", "X-Test-Groups"
ORIGIN = b"http://localhost"
MOST_MESSAGES = 60
"""Messages within which a page has what is waited for: there is one each second at least, the heartbeat."""
CSRF_TOKEN = "a" * 32
NO_LIMITS = Limits(1_000_000, 1_000_000)
_LIMITS = {f"DELTABOARD_LIMIT_{name}": NO_LIMITS for name in ("CHECKS", "FORMS", "EXPORTS", "PAGES", "VIEWS", "BODIES")}


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response. The body is unpacked."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def text(self) -> str:
        """The body; bytes that are no UTF-8 are escaped."""
        return self.body.decode(errors="backslashreplace")

    @property
    def everything(self) -> str:
        """Headers and body."""
        return "\n".join([f"{name}: {value}" for name, value in self.headers] + [self.text])

    def header(self, name: str) -> str:
        return next((value for each, value in self.headers if each == name), "")


class Dashboard:
    """The application and its objects. Belongs to the event loop that it was started on."""

    def __init__(self, web: WebProcess, application: Application) -> None:
        self.web = web
        self._application = application
        browser = HttpResponse()
        remember_browser(browser, "b" * 32)
        self._cookies = f"deltaboard_csrf={CSRF_TOKEN}; {browser.cookies[BROWSER_COOKIE].OutputString([])}".encode()

    async def ask(
        self,
        person: Person,
        address: str,
        form: Mapping[str, str] | None = None,
        *,
        method: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The response to a GET of an address, or to the POST of a form with a valid CSRF token."""
        body = b"" if form is None else encode_multipart(BOUNDARY, {"csrfmiddlewaretoken": CSRF_TOKEN, **form})
        scope = {**_scope(person, address, headers or {}), "type": "http", "scheme": "http"}
        scope["method"] = method or ("GET" if form is None else "POST")
        scope["headers"] += [
            (b"content-length", str(len(body)).encode()),
            (b"content-type", MULTIPART_CONTENT.encode()),
            (b"origin", ORIGIN),
            (b"cookie", self._cookies),
        ]
        received, sent = False, []
        gone = asyncio.Event()

        async def receive() -> dict[str, Any]:
            nonlocal received
            if received:
                await gone.wait()
                return {"type": "http.disconnect"}
            received = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self._application(scope, receive, send)
        pieces = [message.get("body", b"") for message in sent[1:]]
        named = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in sent[0]["headers"])
        return Answer(sent[0]["status"], named, _unpacked(b"".join(pieces), dict(named)))

    @asynccontextmanager
    async def open(self, person: Person, path: str) -> AsyncIterator[OpenPage]:
        """The websocket of a page at `path`, accepted."""
        address = f"/live/?{urlencode({'path': path, 'view': '', 'seq': ''})}"
        scope = {**_scope(person, address, {}), "type": "websocket", "scheme": "ws", "subprotocols": []}
        scope["headers"].append((b"origin", ORIGIN))
        socket: Any = ApplicationCommunicator(self._application, scope)  # type: ignore[no-untyped-call]
        await socket.send_input({"type": "websocket.connect"})
        assert (await socket.receive_output(30))["type"] == "websocket.accept"
        try:
            yield OpenPage(socket, path)
        finally:
            await socket.send_input({"type": "websocket.disconnect", "code": 1001})
            await socket.wait(30)


class OpenPage:
    """The websocket of an open page, and all that came over it."""

    def __init__(self, socket: Any, path: str) -> None:
        self._socket = socket
        self.path = path
        self.frames: list[str] = []
        """The texts of its messages, unpacked."""
        self._units = 0

    async def next(self) -> dict[str, Any]:
        """The next message; AssertionError where the page is closed, or nothing comes for half a minute."""
        message = await self._socket.receive_output(30)
        assert message["type"] == "websocket.send", message
        packed = message.get("bytes")
        text = message["text"] if packed is None else gzip.decompress(packed).decode()
        self._units += len(text if packed is None else packed)
        self.frames.append(text)
        found: dict[str, Any] = json.loads(text)
        if "content" in found:
            await self._socket.send_input({"type": "websocket.receive", "text": json.dumps({"ack": self._units})})
        return found

    async def window(self) -> str:
        """Read until a view's content comes: that content."""
        return str((await self._until(lambda message: "content" in message, "a content"))["content"])

    async def until(self, text: str) -> str:
        """Read until a frame's content has `text`: that frame's content."""
        found = await self._until(lambda message: text in str(message.get("content", "")), text)
        return str(found["content"])

    async def until_new_window(self) -> str:
        """Read until the page is told to show a view from its beginning: the view's content."""
        await self._until(lambda message: message.get("path") == self.path, "a new view")
        return await self.window()

    async def _until(self, wanted: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        for _ in range(MOST_MESSAGES):
            if wanted(message := await self.next()):
                return message
        raise AssertionError(f"{what} is not among {MOST_MESSAGES} messages of {self.path}")


def _scope(person: Person, address: str, headers: Mapping[str, str]) -> dict[str, Any]:
    path, _, query = address.partition("?")
    named = [(b"host", b"localhost"), *((name.lower().encode(), value.encode()) for name, value in headers.items())]
    named += [
        (USER_HEADER.lower().encode(), person.name.encode()),
        (GROUPS_HEADER.lower().encode(), ",".join(person.groups).encode()),
    ]
    return {
        "path": unquote(path),
        "raw_path": quote(path, safe="/%").encode(),
        "query_string": query.encode(),
        "headers": named,
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 50000),
        "http_version": "1.1",
    }


def _unpacked(body: bytes, headers: Mapping[str, str]) -> bytes:
    return gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body


@contextmanager
def default_database(folder: Path, blocker: DjangoDbBlocker) -> Iterator[None]:
    """Django's default database in a file of `folder`, migrated, which tests may ask in spite of `blocker`."""
    before = connections.databases["default"]
    connections.databases["default"] = {
        **before, "OPTIONS": {}, **environ.Env.db_url_config(f"sqlite:///{folder / 'deltaboard.sqlite3'}")
    }  # fmt: skip
    try:
        with blocker.unblock():
            migrate_elsewhere("default")
            yield
    finally:
        connections.databases["default"] = before


@asynccontextmanager
async def running_dashboard(kubeconfig: Path, kinds: list[str], **settings: Any) -> AsyncIterator[Dashboard]:
    """A Deltaboard of the cluster of a kubeconfig, once it has listed `kinds`. Its people act for themselves."""
    chosen = {
        "CLUSTER_ENVIRON": {"KUBECONFIG": str(kubeconfig), "HOME": str(kubeconfig.parent)},
        "DELTABOARD_KINDS": kinds,
        "DELTABOARD_CONTROLLERS": [],
        "DELTABOARD_AUDIT": "on",
        "DELTABOARD_SIGN_IN": "proxy",
        "DELTABOARD_RIGHTS": "person",
        "DELTABOARD_TRUST_PROXY_USER": USER_HEADER,
        "DELTABOARD_TRUST_PROXY_GROUPS": GROUPS_HEADER,
        "REDIS_URL": "",
        **_LIMITS,
        **settings,
    }
    with override_settings(**chosen):
        web = build_web_process()
        dashboard = Dashboard(web, build_application(web, token=None))
        web.start()
        try:
            await eventually(lambda: _has_listed(web), what="the dashboard has listed all kinds")
            yield dashboard
        finally:
            await web.stop()


def _has_listed(web: WebProcess) -> bool:
    listed = all(replica.state == "live" and replica.health.state == "live" for replica in web.replicas)
    return listed and (web.people_rights.rbac.is_listed or not web.person_clients.impersonates)
