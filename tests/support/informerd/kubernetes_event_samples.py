"""Kubernetes Events about a pod, as a recorder makes them."""

from __future__ import annotations

from typing import Any

from informerd.record.event import Event, EventType, Source, make_event
from informerd.record.reference import ObjectReference

POD = ObjectReference(kind="Pod", namespace="default", name="db-1", uid="u1", api_version="v1", resource_version="7")
START = 1_800_000_000.0


def said(message: str = "it fell", *, about: ObjectReference = POD, at: float = START, **more: Any) -> Event:
    """An event of the tester about a pod."""
    source: Source = more.get("source", Source("tester"))
    type_: EventType = more.get("type_", "Normal")
    return make_event(about, source, type_, more.get("reason", "Fell"), message, at=at)
