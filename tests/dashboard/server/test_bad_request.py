"""Tests of the response to a form that is too large or refused, with its text."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import AsyncClient, override_settings
from django.utils.html import escape

from dashboard.server.bad_request import MAX_TEXT_BYTES
from tests.support.asgi_requests import handled


@pytest.mark.usefixtures("urls")
@pytest.mark.parametrize("limit", [{"DATA_UPLOAD_MAX_MEMORY_SIZE": 100}, {"DATA_UPLOAD_MAX_NUMBER_FIELDS": 1}])
async def test_a_form_that_is_too_much_gets_a_page_of_ours(limit: dict[str, int]) -> None:
    client = AsyncClient(enforce_csrf_checks=True)
    token = (await client.get("/show/")).content.decode().strip()
    with override_settings(**limit):
        response = await client.post("/take/", {"csrfmiddlewaretoken": token, "a": "x" * 200})
    assert response.status_code == 400
    assert "<h1>This request was not understood</h1>" in response.content.decode()
    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("too_much", [{"DATA_UPLOAD_MAX_MEMORY_SIZE": 100}, {"DATA_UPLOAD_MAX_NUMBER_FIELDS": 1}])
async def test_a_form_that_is_too_much_brings_its_text_back(too_much: dict[str, int]) -> None:
    text = "# </textarea><script>\nkind: Mydemo # ø\n"
    sent = {"a": "x" * 200, "yaml": text.replace("\n", "\r\n"), "b": ""}
    cookie = (b"cookie", f"{settings.CSRF_COOKIE_NAME}={'x' * 32}".encode())
    for fetched, kept in ((b"document", True), (b"empty", False)):
        with override_settings(**too_much):
            start, page = await handled("/new/", form=sent, headers=[cookie, (b"sec-fetch-dest", fetched)])
        body = page["body"].decode()
        assert start["status"] == 400
        assert "or has too many inputs. It changed nothing" in body
        assert "still there" not in body
        assert (f"\n{escape(text)}</textarea>" in body) is kept, "one of our scripts has the text itself"


@pytest.mark.parametrize(("limit", "status"), [(100, 400), (1_000_000, 403)])
@pytest.mark.parametrize("headers", [[], [(b"origin", b"http://evil.example")]], ids=["no cookie", "another origin"])
async def test_a_form_that_is_refused_brings_its_text_back_be_it_too_much_or_not(
    limit: int, status: int, headers: list[tuple[bytes, bytes]]
) -> None:
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=limit):
        start, page = await handled("/new/", form={"a": "x" * 200, "yaml": "kind: <A>\n"}, headers=headers)
    assert start["status"] == status
    assert b"\nkind: &lt;A&gt;\n</textarea>" in page["body"]


@pytest.mark.slow
@pytest.mark.parametrize("over", [0, 1])
async def test_a_text_that_is_too_long_to_come_back_says_so(over: int) -> None:
    sent = {"a": "x" * 200, "yaml": "<" + "x" * (MAX_TEXT_BYTES - 1 + over), "base": "x"}
    cookie = (b"cookie", f"{settings.CSRF_COOKIE_NAME}={'x' * 32}".encode())
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=100):
        start, *chunks = await handled("/new/", form=sent, headers=[cookie])
    page = b"".join(chunk["body"] for chunk in chunks)
    assert start["status"] == 400
    assert (b"&lt;xxx" in page and b"xxx</textarea>" in page) is not bool(over)
    assert (b"too long to show here (the limit is 6 MiB" in page) is bool(over)
    assert (len(page) < 50_000) is bool(over)
