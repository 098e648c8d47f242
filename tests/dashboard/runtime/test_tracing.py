"""Tests of spans and their way to a collector: what is recorded, what waits for nothing, and what costs nothing."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from dashboard.runtime import otlp_sender
from dashboard.runtime.otlp_sender import OtlpSender
from dashboard.runtime.tracing import SpanId, Traces, first_span, new_trace, open_traces, span, traceparent
from informerd.clock import SystemClock
from tests.support.clock import FakeClock
from tests.support.controlplane import free_ports
from tests.support.otlp_collector import Collector
from tests.support.program import ROOT
from tests.support.wait import eventually

AT_ONCE, NEVER = 0.02, 600.0
LOADED = """
import sys, django
django.setup()
from dashboard.server.wiring.web import build_application
build_application(token=None)
print([name for name in sys.modules if name.partition(".")[0] in {"opentelemetry", "google"}][:1])
"""


@pytest.fixture
async def collector() -> AsyncIterator[Collector]:
    with Collector() as serving:
        yield serving


async def recorded(traces: Traces, name: str = "work") -> None:
    with traces.open(name):
        await asyncio.sleep(0)


@pytest.mark.program
@pytest.mark.parametrize(("address", "loaded"), [("", "[]"), ("http://127.0.0.1:1", "['opentelemetry']")])
def test_nothing_of_opentelemetry_is_imported_unless_it_is_switched_on(
    tmp_path: Path, address: str, loaded: str
) -> None:
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "dashboard.settings", "DELTABOARD_VAR": str(tmp_path)}
    command = [sys.executable, "-c", LOADED]  # not forked from a process that has imported redis, which imports it
    environ |= {"DELTABOARD_TRACES": address, "REDIS_URL": ""}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == loaded


def test_without_an_address_there_are_no_traces_and_a_span_is_none() -> None:
    assert open_traces("", 1.0, SystemClock()) is None
    with span("work"):
        assert traceparent() is None


async def test_spans_in_a_span_are_in_its_trace_and_none_begins_after_its_end(collector: Collector) -> None:
    traces = Traces(OtlpSender(collector.url), 0.0, SystemClock())
    proxy, late = SpanId(new_trace(), 5), asyncio.Event()

    async def left_behind() -> None:
        await late.wait()
        with span("late"):
            assert traceparent() is None

    with traces.open("outer", proxy, kind="server"):
        task = asyncio.create_task(left_behind())
        with suppress(LookupError), span("inner"):
            header = traceparent()
            raise LookupError
    late.set()
    await task
    await traces.close()
    (outer,), (inner,) = collector.named("outer"), collector.named("inner", error__type="LookupError")
    assert len(collector.spans) == 2
    assert header == {"traceparent": f"00-{proxy.trace:032x}-{inner.id}-01"}
    assert (outer.trace, outer.parent) == (f"{proxy.trace:032x}", f"{5:016x}")
    assert (inner.trace, inner.parent) == (outer.trace, outer.id)
    assert (outer.status, inner.status) == (0, 2)


async def test_the_ratio_decides_by_the_id_and_a_span_never_ends_before_it_began(collector: Collector) -> None:
    clock = FakeClock()
    sampled = {}
    for ratio in (0.0, 0.25, 1.0):
        traces = Traces(OtlpSender(collector.url), ratio, clock)
        sampled[ratio] = [trace for trace in (step << 56 for step in range(256)) if traces.samples(trace)]
        await traces.close()
    assert [len(found) for found in sampled.values()] == [0, 64, 256]
    traces = Traces(OtlpSender(collector.url), 1.0, clock)
    traces.record("of another clock", first_span(7 << 64), None, clock.time() + 5, {})
    await traces.close()
    (found,) = collector.spans
    assert found.start == found.end


async def test_a_collector_that_is_away_is_one_line_and_one_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(otlp_sender, "SEND_INTERVAL", AT_ONCE)
    monkeypatch.setattr(otlp_sender, "SEND_TIMEOUT", 2.0)
    (port,) = free_ports(1)
    traces = Traces(OtlpSender(f"http://127.0.0.1:{port}"), 1.0, SystemClock())
    failed = counted_exports(monkeypatch)
    while len(failed) < 2:
        await recorded(traces)
        await asyncio.sleep(AT_ONCE)
    with Collector(port) as collector:
        while not collector.spans:
            await recorded(traces)
            await asyncio.sleep(AT_ONCE)
        await traces.close()
    away, back = [record.getMessage() for record in caplog.records if record.levelname in {"WARNING", "ERROR"}]
    assert away.startswith(f"traces cannot be sent to http://127.0.0.1:{port} and are dropped: ")
    assert "refused" in away
    assert back == f"traces can be sent to http://127.0.0.1:{port} again"


def counted_exports(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Results of the exports from now on."""
    results: list[object] = []
    export = otlp_sender._Exporter.export

    def counted(self: otlp_sender._Exporter, spans: object) -> object:
        results.append(export(self, spans))  # type: ignore[arg-type]
        return results[-1]

    monkeypatch.setattr(otlp_sender._Exporter, "export", counted)
    return results


async def test_what_is_left_is_sent_at_the_end(monkeypatch: pytest.MonkeyPatch, collector: Collector) -> None:
    monkeypatch.setattr(otlp_sender, "SEND_INTERVAL", NEVER)
    traces = Traces(OtlpSender(collector.url), 1.0, SystemClock())
    await recorded(traces)
    assert not collector.spans
    await traces.close()
    assert [each.name for each in collector.spans] == ["work"]


async def test_a_collector_that_hangs_holds_up_neither_the_work_nor_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otlp_sender, "SEND_INTERVAL", AT_ONCE)
    monkeypatch.setattr(otlp_sender, "SEND_TIMEOUT", NEVER)
    monkeypatch.setattr(otlp_sender, "FLUSH_SECONDS", AT_ONCE)
    with Collector(hangs=True) as collector:
        traces = Traces(OtlpSender(collector.url), 1.0, SystemClock())
        await recorded(traces)
        await eventually(collector.asked.is_set)
        for _ in range(2 * otlp_sender.MAX_QUEUED):
            await recorded(traces)
        await traces.close()
        assert not collector.spans, "nothing was answered, and nobody waits for it"
