"""Quick actions of each kind, beside edit and delete; dashboard/pages/quick_actions carries them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dashboard.objects.kinds.catalog import KindInfo

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
"""The field of spec that an action toggles, and its title where the field is unset, and where it is set."""
_RIGHTS: Mapping[str, tuple[str, str]] = MappingProxyType({_SCALE: ("patch", "scale"), "evict": ("create", "eviction")})
"""Verb and subresource that the action needs permission for; any other action patches the object itself."""


@dataclass(frozen=True, slots=True)
class QuickAction:
    """An action in a menu; `path` is the last part of its address, after the object's."""

    id: str
    title: str
    denial: str = ""
    """Why it is not allowed, as a sentence; empty where it is, or where that is not known."""

    @property
    def required_access(self) -> tuple[str, str]:
        """The verb, and the subresource or nothing, that it needs permission for."""
        return _RIGHTS.get(self.id, ("patch", ""))

    @property
    def path(self) -> str:
        return f"do/{self.id}/"


def quick_actions_of(kind: KindInfo, obj: Mapping[str, Any] | None = None) -> tuple[QuickAction, ...]:
    """The actions in the order of menus. With the whole object `obj` their titles name the result."""
    ids = _OF.get(kind.key, ())
    if not ids and "scale" in kind.resource.subresources:
        ids = (_SCALE,)
    return tuple(QuickAction(each, _title(each, obj)) for each in ids)


def _title(action: str, obj: Mapping[str, Any] | None) -> str:
    if obj is None or action not in _STATES:
        return _TITLES[action]
    field, unset, is_set = _STATES[action]
    spec = obj.get("spec")
    return is_set if isinstance(spec, dict) and spec.get(field) else unset
