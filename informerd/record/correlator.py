"""Event correlator: counts repeated events, combines similar ones, and drops those that come too often.

Source: client-go tools/record/events_cache.go (EventAggregator, eventLogger, EventSourceObjectSpamFilter).
"""

from __future__ import annotations

from collections.abc import Hashable

import msgspec

from informerd.clock import Clock
from informerd.lru_cache import LruCache
from informerd.record.event import Event, cut_message

AGGREGATE_MAX_EVENTS = 10
"""Number of different messages about the same event from which on they are combined."""

AGGREGATE_SECONDS = 600.0
"""Seconds without a similar one, after which they are written separately again."""

SPAM_BURST = 25
"""Events of one source, object and type that may be written at once."""

SPAM_REFILL_SECONDS = 300.0
"""Seconds after which one more of them may be written."""

MAX_REMEMBERED = 4096
"""As client-go's events_cache.go has it."""

COMBINED_PREFIX = "(combined from similar events): "


class _Similar(msgspec.Struct):
    """Similar events, with their different messages."""

    messages: set[str]
    last: float


class _WrittenEvent(msgspec.Struct, frozen=True):
    """Event as it is in the cluster."""

    name: str
    first: float
    count: int


class _Bucket(msgspec.Struct):
    tokens: float
    filled: float


class Correlator:
    """Decides what becomes of each event. Remembers the last MAX_REMEMBERED of each sort."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._similar: LruCache[Hashable, _Similar] = LruCache(MAX_REMEMBERED)
        self._written: LruCache[Hashable, _WrittenEvent] = LruCache(MAX_REMEMBERED)
        self._buckets: LruCache[Hashable, _Bucket] = LruCache(MAX_REMEMBERED)

    def correlate(self, event: Event) -> Event | None:
        """The event as it is to be written: new where its count is 1, else to be patched; None beyond SPAM_BURST.

        An event that is not written counts: the count of the next one that is written includes it.
        """
        event, key = self._combined(event)
        event = self._counted(event, key)
        return event if self._accepts(event) else None

    def _combined(self, event: Event) -> tuple[Event, Hashable]:
        """The event itself, or what stands for all similar ones; and what it is counted under."""
        key = _similarity(event)
        now = self._clock.now()
        similar = self._similar.get(key)
        if similar is None or now - similar.last > AGGREGATE_SECONDS:
            similar = _Similar(set(), now)
        similar.last = now
        self._similar.put(key, similar)
        if event.message in similar.messages or len(similar.messages) < AGGREGATE_MAX_EVENTS - 1:
            similar.messages.add(event.message)
            return event, (key, event.message)
        return msgspec.structs.replace(event, message=cut_message(COMBINED_PREFIX + event.message)), key

    def _counted(self, event: Event, key: Hashable) -> Event:
        written = self._written.get(key)
        if written is not None:
            event = msgspec.structs.replace(event, name=written.name, first=written.first, count=written.count + 1)
        self._written.put(key, _WrittenEvent(event.name, event.first, event.count))
        return event

    def _accepts(self, event: Event) -> bool:
        """A token bucket for each source, object and type."""
        key = (event.source, _object(event), event.type)
        now = self._clock.now()
        bucket = self._buckets.get(key) or _Bucket(SPAM_BURST, now)
        bucket.tokens = min(SPAM_BURST, bucket.tokens + (now - bucket.filled) / SPAM_REFILL_SECONDS)
        bucket.filled = now
        self._buckets.put(key, bucket)
        if bucket.tokens < 1:
            return False
        bucket.tokens -= 1
        return True


def _object(event: Event) -> Hashable:
    about = event.about
    return (about.kind, about.namespace, about.name, about.uid, about.api_version)


def _similarity(event: Event) -> Hashable:
    """Key of similar events: all fields but the message, and the object's version, which changes with it."""
    return (event.source, _object(event), event.about.field_path, event.type, event.reason)
