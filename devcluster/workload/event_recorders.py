"""Event recorders for every component and kubelet, pooled so that events about one object keep their order.

An EventRecorder writes one event after the other. One alone would be too slow for a large cluster, so several share the
objects; every component of the control plane, and every kubelet, has a source name in each.
"""

from __future__ import annotations

import zlib

from informerd.objects import Object
from informerd.record.event import EventType
from informerd.record.recorder import EventRecorder


class ComponentRecorder:
    """Recorder of one component on one host."""

    def __init__(self, recorders: list[EventRecorder], component: str, host: str) -> None:
        self._recorders = [each.for_source(component, host) for each in recorders]

    def event(self, about: Object, type_: EventType, reason: str, message: str, *, field_path: str = "") -> None:
        """Record an event about an object. Never waits, never raises."""
        place = zlib.crc32(about.key.encode()) % len(self._recorders)
        self._recorders[place].event(about, type_, reason, message, field_path=field_path)


class Recorders:
    """Recorders of all components."""

    def __init__(self, recorders: list[EventRecorder]) -> None:
        self._recorders = recorders
        self._kubelets: dict[str, ComponentRecorder] = {}

    def for_component(self, component: str) -> ComponentRecorder:
        """The recorder of a component of the control plane."""
        return ComponentRecorder(self._recorders, component, "")

    def for_kubelet(self, node: str) -> ComponentRecorder:
        """The recorder of a node's kubelet."""
        recorder = self._kubelets.get(node)
        if recorder is None:
            recorder = self._kubelets[node] = ComponentRecorder(self._recorders, "kubelet", node)
        return recorder
