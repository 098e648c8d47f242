"""Sender of OpenTelemetry spans to a collector (OTLP over HTTP), in a thread of its own.

Only `tracing.open_traces` imports this: it imports OpenTelemetry.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from dashboard.runtime import tracing
from informerd.version import VERSION

MAX_QUEUED = 2048
"""Spans that wait to be sent. While there are more, the oldest are dropped."""
SEND_INTERVAL = 1.0
"""Seconds between two batches."""
SEND_TIMEOUT = 5.0
"""Seconds in which a batch is sent, tries after an error included."""
FLUSH_SECONDS = 3.0
"""Seconds that `close` waits for what is left to be sent."""

logger = logging.getLogger(__name__)


class OtlpSender:
    """Sends spans to the collector at `address`, such as ``http://collector:4318``. One that is away costs spans, and
    two lines of the log: when it is first away, and when it is back.
    """

    def __init__(self, address: str) -> None:
        service = {
            "service.name": "deltaboard",
            "service.version": VERSION,
            "service.instance.id": f"{socket.gethostname()}:{os.getpid()}",
        }
        self._resource = Resource(service)
        self._scope = InstrumentationScope("deltaboard", VERSION)
        self._processor = BatchSpanProcessor(
            _Exporter(address),
            max_queue_size=MAX_QUEUED,
            schedule_delay_millis=SEND_INTERVAL * 1000,
            max_export_batch_size=MAX_QUEUED // 4,
        )

    def send(
        self,
        name: str,
        span: tracing.SpanId,
        parent: tracing.SpanId | None,
        times: tuple[float, float],
        kind: tracing.SpanKind,
        attributes: tracing.Attributes,
        *,
        failed: bool,
    ) -> None:
        """Put a span into the queue. `times` are Unix seconds."""
        self._processor.on_end(
            ReadableSpan(
                name,
                _context(span),
                None if parent is None else _context(parent),
                self._resource,
                attributes,
                kind=SpanKind[kind.upper()],
                status=Status(StatusCode.ERROR if failed else StatusCode.UNSET),
                start_time=round(times[0] * 1e9),
                end_time=round(times[1] * 1e9),
                instrumentation_scope=self._scope,
            )
        )

    async def close(self) -> None:
        """Send what is in the queue, within FLUSH_SECONDS. What is left then is lost when the process ends."""
        ended, loop = asyncio.Event(), asyncio.get_running_loop()

        def end() -> None:
            self._processor.shutdown()  # type: ignore[no-untyped-call]
            with suppress(RuntimeError):  # the loop has ended, for nobody waits any more
                loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=end, name="last traces", daemon=True).start()
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                await ended.wait()


class _Exporter(SpanExporter):
    """Says once that the collector is away, with the first of what the library says, and once that it is back."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._exporter = OTLPSpanExporter(f"{address}/v1/traces", timeout=SEND_TIMEOUT)
        self._reason = _FirstMessage()
        self._is_away = False
        library = logging.getLogger("opentelemetry")
        library.handlers, library.propagate = [self._reason], False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._reason.text = ""
        result = self._exporter.export(spans)
        is_away = result is not SpanExportResult.SUCCESS
        if is_away and not self._is_away:
            logger.warning("traces cannot be sent to %s and are dropped: %s", self._address, self._reason.text)
        elif self._is_away and not is_away:
            logger.warning("traces can be sent to %s again", self._address)
        self._is_away = is_away
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()  # type: ignore[no-untyped-call]


class _FirstMessage(logging.Handler):
    text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text = self.text or " ".join(record.getMessage().split())


def _context(span: tracing.SpanId) -> SpanContext:
    return SpanContext(span.trace, span.span, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))
