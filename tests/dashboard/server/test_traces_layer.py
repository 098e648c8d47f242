"""Tests of the span of a request: which requests have one, whose trace it is in, and what it says."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from dashboard.runtime.otlp_sender import OtlpSender
from dashboard.runtime.tracing import Traces
from dashboard.server.traces_layer import TracesLayer
from informerd.clock import SystemClock
from tests.support.asgi_requests import scope_of
from tests.support.otlp_collector import Collector, Span

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


async def spans_of(
    method: str = "POST", *, status: int = 200, path: str = "/bulk/", traceparent: str = ""
) -> list[Span]:
    """The spans of one request that is answered with `status`."""

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status})

    async def ignored(message: Any = None) -> Any:
        return None

    with Collector() as collector:
        traces = Traces(OtlpSender(collector.url), 0.0, SystemClock())
        scope = {**scope_of(traceparent=traceparent), "method": method, "path": path}
        await TracesLayer(inner, traces)(scope, ignored, ignored)
        await traces.close()
    return collector.spans


@pytest.mark.parametrize(
    ("sign_in", "header", "is_continued"),
    [
        ("proxy", f"00-{TRACE}-{PARENT}-01", True),
        ("proxy", f"cc-{TRACE}-{PARENT}-01-more", True),
        ("proxy", f"00-{TRACE.upper()}-{PARENT}-01", False),
        ("proxy", f"00-{'0' * 32}-{PARENT}-01", False),
        ("proxy", f"00-{TRACE}-{'0' * 16}-01", False),
        ("proxy", f"ff-{TRACE}-{PARENT}-01", False),
        ("token", f"00-{TRACE}-{PARENT}-01", False),
        ("oidc", f"00-{TRACE}-{PARENT}-01", False),
    ],
)
async def test_only_a_trusted_proxy_says_which_trace_it_is(
    settings: Settings, sign_in: str, header: str, is_continued: bool
) -> None:
    settings.DELTABOARD_SIGN_IN = sign_in
    (span,) = await spans_of(traceparent=header)
    assert (span.trace == TRACE, span.parent) == (is_continued, PARENT if is_continued else "")


@pytest.mark.parametrize(("sign_in", "recorded"), [("proxy", 0), ("token", 1)])
async def test_a_request_that_the_proxy_does_not_trace_is_not_traced(
    settings: Settings, sign_in: str, recorded: int
) -> None:
    settings.DELTABOARD_SIGN_IN = sign_in
    assert len(await spans_of(traceparent=f"00-{TRACE}-{PARENT}-00")) == recorded


async def test_only_forms_are_traced() -> None:
    assert not await spans_of("GET")


@pytest.mark.parametrize(("status", "failed"), [(403, 0), (503, 2)])
async def test_it_says_the_answer(status: int, failed: int) -> None:
    (span,) = await spans_of(status=status)
    assert (span.attributes["http.response.status_code"], span.status) == (status, failed)


async def test_an_address_without_a_page_is_not_repeated() -> None:
    (span,) = await spans_of(status=404, path="/a-secret-in-an-address")
    assert span.name == "POST"
    assert "http.route" not in span.attributes
