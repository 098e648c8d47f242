"""Tests of the middleware: policy headers, hosts, CSRF, compression and large forms."""

from __future__ import annotations

import asyncio
import threading
import zlib
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.test import AsyncClient

from dashboard.runtime.app_state import SCOPE_KEY
from dashboard.runtime.thread_pools import COMPUTING_THREADS, SMALL_TEXT, run_in_thread_if_large
from dashboard.server.django_handler import LoopHandler
from dashboard.server.quota_refusal import REFUSAL_KEY
from tests.support.objects.rows import made
from tests.support.pages.app_state import AttributeState
from tests.support.pages.site_without_cluster import Site

TOKEN = "x" * 32


@pytest.fixture
async def busy_threads() -> AsyncIterator[None]:
    """All threads of the loop's own executor, and all that compute, have work that does not end."""
    gate = threading.Event()
    loop = asyncio.get_running_loop()
    busy = [loop.run_in_executor(None, gate.wait) for _ in range(64)]
    computing = [
        asyncio.create_task(run_in_thread_if_large(gate.wait, size=SMALL_TEXT + 1)) for _ in range(COMPUTING_THREADS)
    ]
    yield
    gate.set()
    await asyncio.gather(*busy, *computing)


async def response(method: str, path: str, body: bytes = b"", **scope: Any) -> tuple[int, dict[bytes, bytes]]:
    """Status and headers of the answer of Django's handler."""
    received = iter([{"type": "http.request", "body": body, "more_body": False}])
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        found = next(received, None)
        return found if found is not None else await asyncio.Event().wait()  # type: ignore[return-value]

    async def send(message: Any) -> None:
        sent.append(message)

    headers = {
        b"host": b"localhost",
        b"cookie": f"{settings.CSRF_COOKIE_NAME}={TOKEN}".encode(),
        b"content-type": b"application/x-www-form-urlencoded",
        b"content-length": str(len(body)).encode(),
        b"accept-encoding": b"gzip",
    }
    handler: Any = LoopHandler()
    base = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": [*headers.items()]}
    async with asyncio.timeout(60):
        await handler({**base, SCOPE_KEY: AttributeState(Site().parts), **scope}, receive, send)
    return sent[0]["status"], dict(sent[0]["headers"])


@pytest.mark.usefixtures("busy_threads")
async def test_a_large_form_and_its_page_wait_for_no_computing() -> None:
    body = urlencode({"yaml": "a: b\n" * SMALL_TEXT, "csrfmiddlewaretoken": TOKEN}).encode()
    status, headers = await response("POST", "/new/", body, **{REFUSAL_KEY: "forms"})
    assert (status, headers[b"Content-Encoding"]) == (429, b"gzip")


@pytest.mark.usefixtures("busy_threads")
async def test_a_refusal_waits_for_no_thread() -> None:
    assert (await response("GET", "/no/such/page/"))[0] == 404


async def test_a_file_that_is_sent_in_parts_is_one_gzip_member() -> None:
    """Browsers read the first member and drop what follows without a word."""
    site = Site(*(("pods", made("Pod", f"web-{number}", namespace="shop")) for number in range(250)))
    response = await site.client.get("/resources/pods/export.csv", headers={"accept-encoding": "gzip"})
    assert response["Content-Encoding"] == "gzip"
    parts = [part async for part in response]  # type: ignore[attr-defined]
    assert len(parts) > 2
    decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    lines = decompressor.decompress(b"".join(parts)).decode().splitlines()
    assert len(lines) == 251
    assert decompressor.eof
    assert decompressor.unused_data == b""


@pytest.mark.usefixtures("urls")
async def test_every_response_carries_a_strict_policy() -> None:
    for address in ("/show/", "/take/", "/none/", "/static/favicon/live.svg"):
        response = await AsyncClient().get(address)
        directives = dict(each.strip().split(" ", 1) for each in response["Content-Security-Policy"].split(";"))
        assert directives == {
            "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self' data:",
            "font-src": "'self'", "connect-src": "'self'", "form-action": "'self'", "frame-ancestors": "'none'",
            "base-uri": "'none'", "manifest-src": "'self'",
            "require-trusted-types-for": "'script'", "trusted-types": "deltaboard 'allow-duplicates'",
        }  # fmt: skip
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Referrer-Policy"] == "same-origin"
        assert response["Cross-Origin-Opener-Policy"] == "same-origin"
        assert response["Cross-Origin-Resource-Policy"] == "same-origin"
        assert response["X-Frame-Options"] == "DENY"
        assert "Access-Control-Allow-Origin" not in response


@pytest.mark.usefixtures("urls")
async def test_django_refuses_foreign_hosts_too_but_for_the_health_checks() -> None:
    foreign = {"host": "10.1.2.3:8000"}
    assert (await AsyncClient().get("/show/", headers=foreign)).status_code == 400
    assert (await AsyncClient().get("/healthz", headers=foreign)).status_code == 200


@pytest.mark.usefixtures("urls")
async def test_a_post_needs_the_token_and_our_own_origin() -> None:
    client = AsyncClient(enforce_csrf_checks=True)
    assert (await client.post("/take/")).status_code == 403
    token = (await client.get("/show/")).content.decode().strip()
    cookie = client.cookies["deltaboard_csrf"]
    assert (cookie["samesite"], cookie["httponly"], cookie["secure"]) == ("Strict", True, "")
    assert (await client.post("/take/", {"csrfmiddlewaretoken": token})).status_code == 200
    foreign = {"origin": "http://evil.example"}
    assert (await client.post("/take/", {"csrfmiddlewaretoken": token}, headers=foreign)).status_code == 403
