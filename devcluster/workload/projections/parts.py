"""What the kinds have in common: parts of objects, conditions, pod templates."""

from __future__ import annotations

from typing import Any

import msgspec

Template = dict[str, Any]
"""A pod template as it is written. Shared by all who read it: never changed in place."""


class Part(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A part of an object."""


class Condition(Part, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str | None = None
    last_update_time: str | None = None


def condition(conditions: tuple[Condition, ...], kind: str) -> Condition | None:
    """The condition of that type."""
    for each in conditions:  # a loop, because it runs for each pod of a ReplicaSet at each of their changes
        if each.type == kind:
            return each
    return None


def condition_body(each: Condition) -> dict[str, str]:
    """A condition of a pod as it was read, to be written again beside others; times of updates are left out."""
    body = {"type": each.type, "status": each.status, "reason": each.reason, "message": each.message}
    body["lastTransitionTime"] = each.last_transition_time or ""
    return {name: value for name, value in body.items() if value}
