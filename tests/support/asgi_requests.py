"""Scopes of requests and their responses, for tests of ASGI applications."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from dashboard.server.django_handler import LoopHandler

Message = dict[str, Any]


def scope_of(
    kind: str = "http", *, server: tuple[str, int | None] | None = ("127.0.0.1", 8000), **headers: str
) -> Message:
    named = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    path = "/live/" if kind == "websocket" else "/"
    client = ("10.0.0.1", 50000)
    return {"type": kind, "path": path, "headers": named, "server": server, "client": client}


async def handled(
    address: str,
    *,
    query: bytes = b"",
    form: dict[str, str] | None = None,
    headers: Iterable[tuple[bytes, bytes]] = (),
) -> list[Message]:
    """What our handler sends for one GET, or for the POST of a form, without a test client in between."""
    sent: list[Message] = []
    body = encode_multipart(BOUNDARY, form) if form is not None else b""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {**scope_of(host="localhost"), "path": address, "query_string": query, "scheme": "http"}
    scope["method"] = "GET" if form is None else "POST"
    length = (b"content-length", str(len(body)).encode())  # without it Django reads no form
    scope["headers"] += [length, (b"content-type", MULTIPART_CONTENT.encode()), *headers]
    await LoopHandler()(scope, receive, send)
    return sent
