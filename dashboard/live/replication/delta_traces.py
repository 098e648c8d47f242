"""OpenTelemetry traces of deltas: published by the worker, applied by a web process, sent to browsers.

Worker and web process know a frame by its kind, epoch and number. The trace's id is a hash of these, so the spans of
both are in one trace, and both decide alike whether it is recorded, though no message says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b

from dashboard.live.replication.messages import Frame
from dashboard.runtime.tracing import Attributes, SpanId, Traces, first_span, new_span

MAX_DELTAS = 20
"""Deltas that one update of a view belongs to; it is in the traces of the first ones."""


class DeltaTraces:
    """Records what a process does with frames that have content, for the part of them that is sampled."""

    def __init__(self, traces: Traces) -> None:
        self._traces = traces
        self._applied: SpanId | None = None
        """The span in which a frame is being applied."""

    def record_published(self, frame: Frame, size: int, *, was_taken: bool) -> None:
        """The worker has sent a frame of `size` bytes, or the layer has not taken it."""
        trace = self._sampled(frame)
        if trace is not None:
            began = min((entry.time for entry in frame.entries), default=frame.sent_at)
            root = first_span(trace)
            content = _content(frame, size)
            self._traces.record("worker publish", root, None, began, content, kind="producer", failed=not was_taken)

    @contextmanager
    def applying(self, frame: Frame, size: int, is_applied: Callable[[], bool]) -> Iterator[None]:
        """The block passes a frame to its replica, which buffers it or ignores it where it is not `is_applied` then.
        Views that it changes belong to the trace.
        """
        trace = self._sampled(frame)
        if trace is None:
            yield
            return
        began, applied = self._traces.clock.time(), new_span(trace)
        self._applied = applied
        try:
            yield
        finally:
            self._applied = None
            content = _content(frame, size)
            content["deltaboard.applied"] = is_applied()
            self._traces.record("replica apply", applied, first_span(trace), began, content, kind="consumer")

    def with_applied(self, deltas: tuple[SpanId, ...]) -> tuple[SpanId, ...]:
        """The deltas of a view's next update, with the one that is being applied."""
        if self._applied is None or self._applied in deltas or len(deltas) >= MAX_DELTAS:
            return deltas
        return (*deltas, self._applied)

    def record_sent(self, deltas: tuple[SpanId, ...], view: str, sockets: int, size: int, seconds: float) -> None:
        """A view, which has been due for `seconds`, was rendered and sent to its browsers in `size` units."""
        content: Attributes = {"deltaboard.view": view, "deltaboard.sockets": sockets, "deltaboard.bytes": size}
        began = self._traces.clock.time() - seconds
        for applied in deltas:
            self._traces.record("view update", new_span(applied.trace), applied, began, content)

    def _sampled(self, frame: Frame) -> int | None:
        """Id of the frame's trace; None where it is not recorded."""
        if not frame.has_content:
            return None
        place = f"{frame.resource} {frame.epoch} {frame.seq}"
        trace = int.from_bytes(blake2b(place.encode(), digest_size=16).digest())
        return trace if self._traces.samples(trace) else None


def _content(frame: Frame, size: int) -> dict[str, str | int | float | bool]:
    return {
        "deltaboard.kind": frame.resource,
        "deltaboard.epoch": frame.epoch,
        "deltaboard.seq": frame.seq,
        "deltaboard.changes": len(frame.rows) + len(frame.deleted_uids),
        "deltaboard.entries": len(frame.entries),
        "deltaboard.bytes": size,
    }
