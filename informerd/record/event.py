"""Event about an object, as client-go's tools/record writes it (core/v1)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Literal, get_args

import msgspec

from informerd.clock import rfc3339
from informerd.errors import InvalidCall
from informerd.record.reference import ObjectReference
from informerd.resource import Resource
from informerd.unstructured import Json

EVENTS = Resource(version="v1", plural="events", kind="Event", singular="event", short_names=("ev",))

EventType = Literal["Normal", "Warning"]

REASON_BYTES = 128
MESSAGE_BYTES = 1024
COMPONENT_BYTES = 63
HOST_BYTES = 128
"""What events.k8s.io/v1 takes (kube-apiserver's validation/events.go). core/v1 accepts more, but then the event
can no longer be written through the newer version."""

NAME_BYTES = 253
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_CUT = "..."


class Source(msgspec.Struct, frozen=True, order=True):
    """Source of an event: a component, and its host where there are several."""

    component: str
    host: str = ""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Event to record. Times are Unix seconds, written to the second."""

    about: ObjectReference
    source: Source
    type: EventType
    reason: str
    message: str
    name: str
    first: float
    """Time of its first occurrence."""
    last: float
    count: int = 1
    annotations: Mapping[str, str] | None = None

    @property
    def namespace(self) -> str:
        """The object's own, or default for what is cluster-scoped: the API server takes no other."""
        return self.about.namespace or "default"

    def body(self) -> Json:
        """The whole object, for a POST."""
        meta: Json = {"name": self.name, "namespace": self.namespace}
        if self.annotations:
            meta["annotations"] = dict(self.annotations)
        component, host = self.source.component, self.source.host
        return {
            "apiVersion": "v1", "kind": "Event", "metadata": meta,
            "involvedObject": msgspec.to_builtins(self.about),
            "reason": self.reason, "message": self.message, "type": self.type, "count": self.count,
            "source": {"component": component} | ({"host": host} if host else {}),
            "firstTimestamp": rfc3339(self.first), "lastTimestamp": rfc3339(self.last), "eventTime": None,
            "reportingComponent": component, "reportingInstance": host,
        }  # fmt: skip

    def repetition_patch(self) -> Json:
        """Patch for one more repetition."""
        return {"count": self.count, "lastTimestamp": rfc3339(self.last), "message": self.message}


def make_event(
    about: ObjectReference,
    source: Source,
    type_: EventType,
    reason: str,
    message: str,
    *,
    at: float,
    nanoseconds: int = 0,
    annotations: Mapping[str, str] | None = None,
) -> Event:
    """An event recorded `at` (Unix seconds). Text that is too long for the API server is cut, with dots in a message.

    `nanoseconds` make its name (by default those of `at`): two events about one object must differ in it. Raises
    InvalidCall for a type other than Normal and Warning, or an empty reason.
    """
    if type_ not in get_args(EventType):
        raise InvalidCall(f"an event is Normal or Warning, not {type_!r}")
    words: tuple[object, ...] = (reason, message)
    if not reason or not all(isinstance(text, str) for text in words):
        raise InvalidCall(f"an event has a reason, such as Synced, and a message, not {reason!r} and {message!r}")
    return Event(
        about=about,
        source=Source(cut_utf8(source.component, COMPONENT_BYTES), cut_utf8(source.host, HOST_BYTES)),
        type=type_,
        reason=cut_utf8(reason, REASON_BYTES),
        message=cut_message(message),
        name=event_name(about.name, nanoseconds or round(at * 1e9)),
        first=at,
        last=at,
        annotations=annotations,
    )


def event_name(about: str, nanoseconds: int) -> str:
    """The object's name and a time: readable and unique. An object whose name no event can bear gives a random one.

    Source: client-go tools/internal/events/GenerateEventName; a name that is merely too long is cut there to nothing.
    """
    number = f".{nanoseconds:x}"
    name = about[: NAME_BYTES - len(number)].rstrip("-.") + number
    return name if _SUBDOMAIN.fullmatch(name) else str(uuid.uuid4())


def cut_message(message: str) -> str:
    """At most as long as a message may be; where something was cut, dots say so."""
    if len(message.encode(errors="replace")) <= MESSAGE_BYTES:
        return cut_utf8(message, MESSAGE_BYTES)
    return cut_utf8(message, MESSAGE_BYTES - len(_CUT)) + _CUT


def cut_utf8(text: str, limit: int) -> str:
    """At most `limit` bytes of UTF-8, cut between characters; ``?`` for what UTF-8 cannot encode."""
    return text.encode(errors="replace")[:limit].decode(errors="ignore")
