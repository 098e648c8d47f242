"""Which quick actions a kind has, beside edit and delete. What they do is in dashboard/quick/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dashboard.resources.kinds import KindInfo

_SCALE, _RESTART, _PAUSE, _SUSPEND = "scale", "restart", "pause", "suspend"
_TITLES: Mapping[str, str] = MappingProxyType({
    _SCALE: "Scale",
    _RESTART: "Restart the rollout",
    _PAUSE: "Pause or resume the rollout",
    _SUSPEND: "Suspend or resume",
    "cordon": "Cordon or uncordon",
    "drain": "Drain",
    "evict": "Evict",
})  # fmt: skip
_OF: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "deployments.apps": (_SCALE, _RESTART, _PAUSE),
    "statefulsets.apps": (_SCALE, _RESTART),
    "daemonsets.apps": (_RESTART,),
    "replicasets.apps": (_SCALE,),
    "replicationcontrollers": (_SCALE,),
    "cronjobs.batch": (_SUSPEND,),
    "jobs.batch": (_SUSPEND,),
    "nodes": ("cordon", "drain"),
    "pods": ("evict",),
})  # fmt: skip
_STATES: Mapping[str, tuple[str, str, str]] = MappingProxyType({
    _PAUSE: ("paused", "Pause the rollout", "Resume the rollout"),
    _SUSPEND: ("suspend", "Suspend", "Resume"),
    "cordon": ("unschedulable", "Cordon", "Uncordon"),
})  # fmt: skip
"""The field of spec that an action turns round, and what it is called where that is not set, and where it is."""
_RIGHTS: Mapping[str, tuple[str, str]] = MappingProxyType({_SCALE: ("patch", "scale"), "evict": ("create", "eviction")})
"""Verb and subresource that a person needs the right to; any other action patches the object itself."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An action in a menu; `path` is what its address adds to the object's."""

    id: str
    title: str
    denied: str = ""
    """Why it may not be done, as a sentence; empty where it may, or nobody has asked."""

    @property
    def right(self) -> tuple[str, str]:
        """The verb, and the subresource or nothing, that it takes the right to."""
        return _RIGHTS.get(self.id, ("patch", ""))

    @property
    def path(self) -> str:
        return f"do/{self.id}/"


def offers_of(kind: KindInfo, whole: Mapping[str, Any] | None = None) -> tuple[Offer, ...]:
    """In the order of menus. With the `whole` object their titles say what it would come to."""
    ids = _OF.get(kind.key, ())
    if not ids and "scale" in kind.resource.subresources:
        ids = (_SCALE,)
    return tuple(Offer(each, _title(each, whole)) for each in ids)


def _title(action: str, whole: Mapping[str, Any] | None) -> str:
    if whole is None or action not in _STATES:
        return _TITLES[action]
    field, unset, is_set = _STATES[action]
    spec = whole.get("spec")
    return is_set if isinstance(spec, dict) and spec.get(field) else unset
