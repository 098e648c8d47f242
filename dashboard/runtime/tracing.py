"""OpenTelemetry traces: their ids, recorded spans, and the current span of a task, the parent of those that it begins.

Only what `open_traces` returns for an address imports OpenTelemetry. docs/traces.md describes the traces.
"""

from __future__ import annotations

import importlib.util
import secrets
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from informerd.clock import Clock

if TYPE_CHECKING:
    from dashboard.runtime.otlp_sender import OtlpSender

Attributes = Mapping[str, str | int | float | bool]
SpanKind = Literal["internal", "server", "producer", "consumer"]

PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
_HALF = 64
"""Bits of a span's id, and of the part of a trace's id that decides whether it is recorded."""


@dataclass(frozen=True, slots=True)
class SpanId:
    """A span: the id of its trace (128 bits), and its own (64 bits)."""

    trace: int
    span: int

    @property
    def traceparent(self) -> str:
        """Value of the header by which another server continues the trace."""
        return f"00-{self.trace:032x}-{self.span:016x}-01"


def new_trace() -> int:
    """An id that no other trace has."""
    return secrets.randbits(2 * _HALF) or 1


def new_span(trace: int) -> SpanId:
    """An id that no other span has."""
    return SpanId(trace, secrets.randbits(_HALF) or 1)


def first_span(trace: int) -> SpanId:
    """The id of a trace's first span that whoever knows the trace's id knows, too."""
    return SpanId(trace, trace >> _HALF or 1)


@dataclass(slots=True, eq=False)
class OpenSpan:
    """A span that has begun."""

    traces: Traces
    id: SpanId
    name: str
    attributes: dict[str, str | int | float | bool] = field(default_factory=dict)
    failed: bool = False
    has_ended: bool = False


_OPEN: ContextVar[OpenSpan | None] = ContextVar("open span", default=None)


class Traces:
    """Records spans. Of traces whose ids are chosen by others, `ratio` of them (see `samples`).

    Recording never waits, raises no errors of the collector, and keeps a bounded number of spans that are not sent yet.
    """

    def __init__(self, sender: OtlpSender, ratio: float, clock: Clock) -> None:
        self.clock = clock
        self._sender = sender
        self._bound: int = round(ratio * (1 << _HALF))

    def samples(self, trace: int) -> bool:
        """Whether the trace is recorded: every process with the same ratio says the same of an id."""
        return trace % (1 << _HALF) < self._bound

    def record(
        self,
        name: str,
        span: SpanId,
        parent: SpanId | None,
        began: float,
        attributes: Attributes,
        *,
        kind: SpanKind = "internal",
        failed: bool = False,
    ) -> None:
        """Record a span that began at `began` (Unix seconds) and ends now. It ends no earlier than it began, though
        the clocks of two machines differ.
        """
        times = (began, max(began, self.clock.time()))
        self._sender.send(name, span, parent, times, kind, attributes, failed=failed)

    @contextmanager
    def open(self, name: str, parent: SpanId | None = None, *, kind: SpanKind = "internal") -> Iterator[OpenSpan]:
        """A span of what is done in the block, in a new trace where it has no parent. Others can begin in it.

        An exception that leaves the block is named in it.
        """
        opened = OpenSpan(self, new_span(new_trace() if parent is None else parent.trace), name)
        began, token = self.clock.time(), _OPEN.set(opened)
        try:
            yield opened
        except BaseException as error:
            opened.failed, opened.attributes["error.type"] = True, type(error).__name__
            raise
        finally:
            opened.has_ended = True
            _OPEN.reset(token)
            self.record(opened.name, opened.id, parent, began, opened.attributes, kind=kind, failed=opened.failed)

    async def close(self) -> None:
        """Send what is recorded, for a few seconds at most. Later spans are dropped."""
        await self._sender.close()


def _current() -> OpenSpan | None:
    """The span in which the task runs; None where there is none, or it has ended, as in a task that a request left."""
    opened = _OPEN.get()
    return None if opened is None or opened.has_ended else opened


def span(name: str) -> AbstractContextManager[object]:
    """A span of what is done in the block, where the task runs in one."""
    opened = _current()
    return nullcontext() if opened is None else opened.traces.open(name, opened.id)


def traceparent() -> dict[str, str] | None:
    """The header that names the span in which the task runs; None where it runs in none."""
    opened = _current()
    return None if opened is None else {"traceparent": opened.id.traceparent}


def read_ratio(value: str) -> float:
    """A number from 0 to 1. Raises ValueError for anything else."""
    try:
        ratio = float(value)
    except ValueError:
        ratio = -1.0
    if not 0 <= ratio <= 1:
        raise ValueError(f"{value!r} is not a number from 0 to 1")
    return ratio


def has_packages() -> bool:
    """Whether what sends traces is installed."""
    try:
        return all(importlib.util.find_spec(name) is not None for name in PACKAGES)
    except ModuleNotFoundError:
        return False


def open_traces(address: str, ratio: float, clock: Clock) -> Traces | None:
    """Traces that are sent to the collector at `address`; None without one."""
    if not address:
        return None
    from dashboard.runtime.otlp_sender import OtlpSender

    return Traces(OtlpSender(address), ratio, clock)
