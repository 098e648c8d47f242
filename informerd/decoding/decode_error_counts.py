"""Counts of objects that could not be decoded as the API server sent them, by kind, with few log lines."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from typing import Literal, get_args

from informerd.clock import Clock
from informerd.errors import ProjectionMismatch, UnreadableObject
from informerd.log_throttle import LogThrottle, is_power_of_ten, repeat_suffix
from informerd.lru_cache import LruCache

log = logging.getLogger(__name__)

DecodeErrorKind = Literal["unexpected", "untransformed", "unfit", "unreadable"]
"""unexpected: of another kind or without identity, dropped · untransformed: the transform raised, left out · unfit: the
projection does not fit, so that all of its fields but the head keep their defaults · unreadable: nobody can say what is
in it, taken out of the store."""

MAX_UNREADABLE_LOGGED = 100
"""Unreadable objects that get log lines of their own; of further ones the 1,000th, the 10,000th…"""

FaultListener = Callable[[Exception], None]
"""Called with UnexpectedObject, with its subclasses ProjectionMismatch and UnreadableObject, and with the decoder's
TransformFailed."""


class DecodeErrors:
    """One resource's faults. `resource` is its key, for the log."""

    def __init__(self, resource: str, clock: Clock | None = None) -> None:
        self.counts: Counter[str] = Counter(dict.fromkeys(get_args(DecodeErrorKind), 0))
        """Number of objects by DecodeErrorKind."""
        self._resource = resource
        self._listeners: dict[object, FaultListener] = {}
        self._repeats = LogThrottle(clock)
        self._unreadable: LruCache[str, tuple[str, int]] = LruCache(10 * MAX_UNREADABLE_LOGGED)
        """Version and number of versions by key."""

    def add_unexpected(self, where: str, error: Exception) -> None:
        """An object was dropped: `where` begins a sentence."""
        self._add("unexpected", f"{where}: {error}", error, error.__cause__)

    def add_untransformed(self, where: str, error: Exception) -> None:
        """An object was left out because the transform raised, which is the error's cause."""
        self._add("untransformed", f"{where}: {error}", error, error.__cause__)

    def add_unfit(self, error: ProjectionMismatch) -> None:
        """The projection did not fit an object."""
        self._add("unfit", str(error), error)

    def add_unreadable(self, where: str, error: UnreadableObject) -> None:
        """An object was taken out because nobody can say what is in it. Logged once for each object and version; of
        an object with many versions the first three, the 10th, the 100th…"""
        self.counts["unreadable"] += 1
        self._tell(error)
        record = error.unreadable
        version, number = self._unreadable.get(record.key) or ("", 0)
        if number and version == record.resource_version:
            return
        number += 1
        self._unreadable.put(record.key, (record.resource_version, number))
        many = self.counts["unreadable"] > MAX_UNREADABLE_LOGGED
        if is_power_of_ten(self.counts["unreadable"]) or (not many and (number <= 3 or is_power_of_ten(number))):
            fields = {"resource": self._resource, "fault": "unreadable", "object": record.key, "failures": number}
            log.warning("%s: %s", where, error, extra=fields)

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
