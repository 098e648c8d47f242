"""One line of the feed, as the worker makes it and pages show it."""

from __future__ import annotations

from typing import Literal

import msgspec

from dashboard.objects.kinds.row import Tone

Operation = Literal["added", "modified", "deleted"]
TEMPLATE_COLUMNS = frozenset({"images", "containers"})
"""Words of columns that show a part of a pod template."""


class EventSubject(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The object that a Kubernetes Event is about, as the Event names it."""

    kind: str
    """Pod, Deployment, …"""
    group: str
    namespace: str
    name: str


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One line of the live feed. Lines are never merged, and every one is counted."""

    seq: int
    """Number of the entry within the resource and epoch, from 1, without gaps."""
    time: float
    """Unix seconds at which the worker saw the change."""
    op: Operation
    namespace: str
    name: str
    uid: str
    version: str
    words: str
    """What changed: ``phase Pending → Running``."""
    tone: Tone
    epoch: str = ""
    """The epoch of `seq`; a replica keeps lines of earlier epochs, so each names its own."""
    status: str = ""
    """The object's status word after the change; its last one where it was deleted."""
    labels: dict[str, str] = {}
    """Its labels; the first 64,000 characters of very many."""
    owner: str = ""
    """Its controller, else its only owner: ``ReplicaSet/web-7d9c``; empty where it has neither."""
    reason: str = ""
    """The reason of a Kubernetes Event; for other objects what is wrong with them, in words."""
    fields: tuple[tuple[str, str], ...] = ()
    """The fields that changed, as far as they were compared, each with its new value, shortened."""
    about: EventSubject | None = None
    """The object that a Kubernetes Event is about; None for other objects."""
    owner_group: str = ""
    """API group of `owner`; empty for the core group, and where there is no owner."""
    behind: int = 0
    """Microseconds by which `time` is behind that of earlier entries of the worker, whose clock was set back."""

    @property
    def ordered_at(self) -> float:
        """Unix seconds that have the order in which the worker saw the changes."""
        return self.time + self.behind / 1e6

    @property
    def is_rollout(self) -> bool:
        """Whether it tells of a change of a workload's pod template or images. `fields` are columns where one of them
        changed, and else paths.
        """
        return self.op == "modified" and any(
            name in TEMPLATE_COLUMNS or name.startswith("spec.template") for name, _ in self.fields
        )
