"""Counts of objects that could not be decoded as the API server sent them, by kind, with few log lines."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from typing import Literal, get_args

from informerd.clock import Clock
from informerd.errors import ProjectionMismatch
from informerd.log_throttle import LogThrottle, repeat_suffix

log = logging.getLogger(__name__)

DecodeErrorKind = Literal["unexpected", "untransformed", "unfit"]
"""unexpected: of another kind or without identity, dropped · untransformed: the transform raised, left out · unfit: the
projection does not fit, so that all of its fields but the head keep their defaults."""


FaultListener = Callable[[Exception], None]
"""Called with UnexpectedObject, with its subclass ProjectionMismatch, and with the decoder's TransformFailed."""


class DecodeErrors:
    """One resource's faults. `resource` is its key, for the log."""

    def __init__(self, resource: str, clock: Clock | None = None) -> None:
        self.counts: Counter[str] = Counter(dict.fromkeys(get_args(DecodeErrorKind), 0))
        """Number of objects by DecodeErrorKind."""
        self._resource = resource
        self._listeners: dict[object, FaultListener] = {}
        self._repeats = LogThrottle(clock)

    def add_unexpected(self, where: str, error: Exception) -> None:
        """An object was dropped: `where` begins a sentence."""
        self._add("unexpected", f"{where}: {error}", error, error.__cause__)

    def add_untransformed(self, where: str, error: Exception) -> None:
        """An object was left out because the transform raised, which is the error's cause."""
        self._add("untransformed", f"{where}: {error}", error, error.__cause__)

    def add_unfit(self, error: ProjectionMismatch) -> None:
        """The projection did not fit an object."""
        self._add("unfit", str(error), error)

    def subscribe(self, listener: FaultListener) -> Callable[[], None]:
        """Call `listener` with each error from now on, logged or not; returns a function that ends this."""
        token = object()
        self._listeners[token] = listener
        return lambda: self._listeners.pop(token, None) and None

    def _add(self, fault: DecodeErrorKind, sentence: str, error: Exception, cause: BaseException | None = None) -> None:
        """Count an error, and log it if it is one of the first or its number is a power of ten."""
        self.counts[fault] += 1
        self._tell(error)
        if number := self._repeats.count(fault):
            fields = {"resource": self._resource, "fault": fault, "failures": number}
            log.warning("%s%s", sentence, repeat_suffix(number), exc_info=cause, extra=fields)

    def _tell(self, error: Exception) -> None:
        for listener in [*self._listeners.values()]:
            try:
                listener(error)
            except Exception:
                if number := self._repeats.count("listener"):
                    fields = {"resource": self._resource, "failures": number}
                    log.exception(
                        "a listener for faults of %s failed%s", self._resource, repeat_suffix(number), extra=fields
                    )
