"""Structs that several API types share: pod templates, conditions, and the update strategy of StatefulSets and
DaemonSets.
"""

from __future__ import annotations

from typing import Any

import msgspec

Template = dict[str, Any]
"""A pod template as it is written. Shared by all who read it: never changed in place."""


class ApiStruct(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A part of an object."""


class SetRollingUpdate(ApiStruct, frozen=True):
    """Of StatefulSets and of DaemonSets, each of which has some of these fields."""

    partition: int = 0
    max_unavailable: int | str = 1
    max_surge: int | str = 0


class SetUpdateStrategy(ApiStruct, frozen=True):
    type: str = "RollingUpdate"
    rolling_update: SetRollingUpdate = SetRollingUpdate()


class Condition(ApiStruct, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str | None = None
    last_update_time: str | None = None


def find_condition(conditions: tuple[Condition, ...], kind: str) -> Condition | None:
    """The condition of that type."""
    for each in conditions:  # a loop, because it runs for each pod of a ReplicaSet at each of their changes
        if each.type == kind:
            return each
    return None


def condition_body(each: Condition) -> dict[str, str]:
    """A pod's condition for a write, without times of updates."""
    body = {"type": each.type, "status": each.status, "reason": each.reason, "message": each.message}
    body["lastTransitionTime"] = each.last_transition_time or ""
    return {name: value for name, value in body.items() if value}
