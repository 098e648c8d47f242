"""Printer of Kubernetes Events, as ``kubectl get events -o wide`` prints them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

import msgspec

from dashboard.objects.kinds.feed_entry import EventSubject
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers.printer import Column, PrintedRow, Printer, namespaced_columns, to_unix_seconds
from informerd.objects import Object

MAX_NAME_LENGTH = 253
"""Characters of a name, a namespace, a group and a kind."""


class InvolvedObject(msgspec.Struct, frozen=True, rename="camel", gc=False):
    api_version: str = ""
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
    involved_object: InvolvedObject = InvolvedObject()
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


class RegardingEvent(Event, frozen=True, kw_only=True):
    """The same of group events.k8s.io, which has other field names."""

    involved_object: InvolvedObject = msgspec.field(default=InvolvedObject(), name="regarding")
    message: str = msgspec.field(default="", name="note")
    source: Source = msgspec.field(default=Source(), name="deprecatedSource")
    first_timestamp: datetime | None = msgspec.field(default=None, name="deprecatedFirstTimestamp")
    last_timestamp: datetime | None = msgspec.field(default=None, name="deprecatedLastTimestamp")
    count: int = msgspec.field(default=0, name="deprecatedCount")
    reporting_component: str = msgspec.field(default="", name="reportingController")


def read_event(event: Event) -> PrintedRow:
    """The cells of an event. A warning's reason names what happened, how often and since when."""
    first = event.first_timestamp or event.event_time or event.metadata.creation_timestamp
    last = event.last_timestamp or event.event_time or first
    count = event.count or 1
    if event.series is not None:
        last, count = event.series.last_observed_time or last, event.series.count
    target, message = event.involved_object, event.message.strip()
    warning = event.type not in ("Normal", "")
    cells = (
        to_unix_seconds(last),
        event.type or None,
        event.reason or None,
        f"{target.kind.lower()}/{target.name}" if target.name else target.kind.lower() or None,
        _group(target) or None,
        target.field_path or None,
        _source(event),
        message or None,
        to_unix_seconds(first),
        count,
    )
    words = f"{event.reason}: {message}" + (f" (×{count})" if count > 1 else "")
    return PrintedRow(
        event.type or "Normal", "warn" if warning else "idle", cells, words if warning else "", to_unix_seconds(first)
    )


def event_subject(event: Object) -> EventSubject | None:
    """The object that an Event is about; None for any other object, and for an Event that names none.

    The API server takes any texts; those that are longer than a name can be name no object.
    """
    if not isinstance(event, Event) or not event.involved_object.name:
        return None
    target = event.involved_object
    subject = EventSubject(target.kind, _group(target), target.namespace, target.name)
    return subject if max(map(len, msgspec.structs.astuple(subject))) <= MAX_NAME_LENGTH else None


def _group(target: InvolvedObject) -> str:
    group, slash, _ = target.api_version.partition("/")
    return group if slash else ""


def event_text(event: Row) -> str:
    """Text of a feed line for an Event: ``BackOff: Back-off restarting failed container (×4)``."""
    cells = dict(zip((column.id for column in EVENTS.columns), event.cells, strict=False))
    words = ": ".join(str(part) for part in (cells.get("reason"), cells.get("message")) if part)
    count = cells.get("count")
    times = f" (×{count})" if isinstance(count, int) and count > 1 else ""
    return f"{words or event.status}{times}"


def _source(event: Event) -> str | None:
    component = event.source.component or event.reporting_component
    host = event.source.host or event.reporting_instance
    return f"{component}, {host}" if component and host else component or host or None


EVENTS = Printer(
    namespaced_columns(
        Column("last-seen", "Last seen", "age", order="age"),
        Column("type", "Type", "status"),
        Column("reason", "Reason", words="reason"),
        Column("object", "Object", "mono", order="natural", has_group=True),
        Column("object-group", "API group", "mono", priority=1),
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
REGARDING_EVENTS = replace(EVENTS, projection=RegardingEvent)
_COLUMNS = [column.id for column in EVENTS.columns]
_OBJECT, _OBJECT_GROUP, _SUBOBJECT = map(_COLUMNS.index, ("object", "object-group", "subobject"))


def row_subject(event: Row) -> EventSubject | None:
    """The object that a row's Event is about, its Kind in lower case and its namespace that of the Event; None where it
    names none.
    """
    if len(event.cells) <= max(_OBJECT, _OBJECT_GROUP):
        return None
    cell, group = event.cells[_OBJECT], event.cells[_OBJECT_GROUP]
    kind, slash, name = cell.partition("/") if isinstance(cell, str) else ("", "", "")
    return EventSubject(kind, group if isinstance(group, str) else "", event.namespace, name) if slash else None


def is_about_container(event: Row) -> bool:
    """Whether a row's Event is about a container: the kubelet names it by its path in the pod."""
    path = event.cells[_SUBOBJECT] if len(event.cells) > _SUBOBJECT else None
    return isinstance(path, str) and path.startswith(("spec.containers{", "spec.initContainers{"))


def _subject(event: Row) -> str:
    """The name of the object that an Event is about; empty where it names none."""
    subject = row_subject(event)
    return subject.name if subject is not None else ""


SUBJECT_OF: Mapping[str, Callable[[Row], str]] = MappingProxyType({
    "events": _subject, "events.events.k8s.io": _subject,
})  # fmt: skip
"""By kind, for the kinds whose objects are Events: returns the name of the object that a row's Event is about."""
