"""Kubernetes Events, as ``kubectl get events -o wide`` prints them."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.resources.rows.column import Column
from dashboard.resources.rows.shape import Facts, Shape, namespaced_columns, seconds
from informerd.objects import Object


class Involved(msgspec.Struct, frozen=True, rename="camel", gc=False):
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    field_path: str = ""


class Source(msgspec.Struct, frozen=True, gc=False):
    component: str = ""
    host: str = ""


class Series(msgspec.Struct, frozen=True, rename="camel", gc=False):
    count: int = 0
    last_observed_time: datetime | None = None


class Event(Object, frozen=True, kw_only=True):
    involved_object: Involved = Involved()
    type: str = ""
    reason: str = ""
    message: str = ""
    source: Source = Source()
    first_timestamp: datetime | None = None
    last_timestamp: datetime | None = None
    event_time: datetime | None = None
    count: int = 0
    series: Series | None = None
    reporting_component: str = ""
    reporting_instance: str = ""


def read_event(event: Event) -> Facts:
    """The cells of an event. A warning's reason names what happened, how often and since when."""
    first = event.first_timestamp or event.event_time or event.metadata.creation_timestamp
    last = event.last_timestamp or event.event_time or first
    count = event.count or 1
    if event.series is not None:
        last, count = event.series.last_observed_time or last, event.series.count
    target, message = event.involved_object, event.message.strip()
    warning = event.type not in ("Normal", "")
    cells = (
        seconds(last),
        event.type or None,
        event.reason or None,
        f"{target.kind.lower()}/{target.name}" if target.name else target.kind.lower() or None,
        target.field_path or None,
        _source(event),
        message or None,
        seconds(first),
        count,
    )
    words = f"{event.reason}: {message}" + (f" (×{count})" if count > 1 else "")
    return Facts(event.type or "Normal", "warn" if warning else "idle", cells, words if warning else "", seconds(first))


def _source(event: Event) -> str | None:
    component = event.source.component or event.reporting_component
    host = event.source.host or event.reporting_instance
    return f"{component}, {host}" if component and host else component or host or None


EVENTS = Shape(
    namespaced_columns(
        Column("last-seen", "Last seen", "age", order="age"),
        Column("type", "Type", "status"),
        Column("reason", "Reason", words="reason"),
        Column("object", "Object", "mono", order="natural"),
        Column("subobject", "Subobject", "mono", priority=2),
        Column("source", "Source", priority=1),
        Column("message", "Message", words="message"),
        Column("first-seen", "First seen", "age", priority=1, order="age"),
        Column("count", "Count", "number", order="number", words="count"),
    ),
    Event,
    read_event,
    default_sort=("last-seen", False),
)
