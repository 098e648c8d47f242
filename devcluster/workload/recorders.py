"""Voices: who says what happens. All that is said about one object goes the same way, so that its order is kept.

An EventRecorder writes one event after the other. One alone would be too slow for a large cluster, so that several
share the objects between them; every component of the control plane, and every kubelet, has its voice in each.
"""

from __future__ import annotations

import zlib

from informerd.objects import Object
from informerd.recording.event import EventType
from informerd.recording.recorder import EventRecorder


class Voice:
    """One component's, on one host."""

    def __init__(self, recorders: list[EventRecorder], component: str, host: str) -> None:
        self._recorders = [each.for_source(component, host) for each in recorders]

    def event(self, about: Object, type_: EventType, reason: str, message: str, *, field_path: str = "") -> None:
        """Say something about an object. Never waits, never raises."""
        place = zlib.crc32(about.key.encode()) % len(self._recorders)
        self._recorders[place].event(about, type_, reason, message, field_path=field_path)


class Voices:
    """Those of all components."""

    def __init__(self, recorders: list[EventRecorder]) -> None:
        self._recorders = recorders
        self._kubelets: dict[str, Voice] = {}

    def of(self, component: str) -> Voice:
        """A component's of the control plane."""
        return Voice(self._recorders, component, "")

    def kubelet(self, node: str) -> Voice:
        """The kubelet's of a node."""
        found = self._kubelets.get(node)
        if found is None:
            found = self._kubelets[node] = Voice(self._recorders, "kubelet", node)
        return found
