"""Collector of OpenTelemetry traces for tests: a real HTTP server that keeps the spans that it gets by OTLP."""

from __future__ import annotations

import gzip
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class Span:
    """A span as it came. Ids are hexadecimal; `process` is the sender's service.instance.id."""

    name: str
    trace: str
    id: str
    parent: str
    start: int
    end: int
    kind: int
    status: int
    process: str
    attributes: dict[str, Any]


class Collector:
    """Serves from entry to exit. With `hangs` it answers nothing before the exit."""

    def __init__(self, port: int = 0, *, hangs: bool = False) -> None:
        self.spans: list[Span] = []
        self.received = b""
        """All that came, for texts that must not be there."""
        self.asked, self._ended = threading.Event(), threading.Event()
        if not hangs:
            self._ended.set()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.asked.set()
                collector._ended.wait()
                found = self.path == "/v1/traces"
                if found:
                    collector._take(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
                self.send_response(200 if found else 404)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def named(self, name: str, **attributes: Any) -> list[Span]:
        """The spans of this name with these attributes, whose names have a dot for each double underscore."""
        wanted = {key.replace("__", "."): value for key, value in attributes.items()}
        return [span for span in self.spans if span.name == name and wanted.items() <= span.attributes.items()]

    def trace(self, trace: str) -> list[Span]:
        return [span for span in self.spans if span.trace == trace]

    def _take(self, body: bytes) -> None:
        self.received += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            process = _plain(resource.resource.attributes)["service.instance.id"]
            for scope in resource.scope_spans:
                for span in scope.spans:
                    ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
                    times = (span.start_time_unix_nano, span.end_time_unix_nano)
                    status, attributes = span.status.code, _plain(span.attributes)
                    self.spans.append(Span(span.name, *ids, *times, span.kind, status, process, attributes))


def _plain(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}
