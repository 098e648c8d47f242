"""Tests of the client of one object against a real API server: what its requests carry in a traced request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.target import Target
from dashboard.runtime.otlp_sender import OtlpSender
from dashboard.runtime.tracing import Traces
from informerd.clock import SystemClock
from informerd.rest.request import RestRequest
from tests.support.controlplane import ControlPlane
from tests.support.otlp_collector import Collector

pytestmark = pytest.mark.controlplane


async def test_the_api_server_gets_the_span_of_each_write(
    cluster: ControlPlane, parts: SimpleNamespace, namespace: str
) -> None:
    sent: list[tuple[str, str | None]] = []

    async def observe(call: RestRequest, send: Callable[[], Awaitable[Any]]) -> Any:
        sent.append((call.method, dict(call.headers).get("traceparent")))
        return await send()

    target = Target(KINDS["configmaps"], namespace, "one")
    exchange = ObjectClient(parts.client.observed_by(observe), target)
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "namespace": namespace}}
    with Collector() as collector:
        traces = Traces(OtlpSender(collector.url), 0.0, SystemClock())
        with traces.open("request"):
            await exchange.create(body, dry_run=True)
            made = (await exchange.create(body, dry_run=False)).value
            changed = (await exchange.update({**made, "data": {"a": "1"}}, dry_run=False)).value["metadata"]
            await exchange.patch({"data": {"a": "2"}}, changed["uid"], changed["resourceVersion"], dry_run=True)
            await exchange.delete(changed["uid"], changed["resourceVersion"], "Background")
        await traces.close()
        await exchange.create(body, dry_run=True)
    steps = [span for span in collector.spans if span.name != "request"]
    assert [span.name for span in steps] == ["dry run", "write", "write", "dry run", "write"]
    assert sent == [
        *(
            (method, f"00-{span.trace}-{span.id}-01")
            for method, span in zip(("POST", "POST", "PUT", "PATCH", "DELETE"), steps, strict=True)
        ),
        ("POST", None),
    ]
