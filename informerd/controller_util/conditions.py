"""Status conditions with their last transition times (apimachinery's meta/conditions.go)."""

from __future__ import annotations

import re
from typing import Literal

from informerd.clock import Clock, SystemClock, rfc3339
from informerd.controller_util.manifest_and_identity import manifest_of
from informerd.errors import InvalidCall
from informerd.unstructured import Json, metadata_of

ConditionStatus = Literal["True", "False", "Unknown"]

_TYPE = re.compile(
    r"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
)
_REASON = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_MESSAGE_BYTES = 32768
"""As metav1.Condition's validation has them."""


def set_condition(
    manifest: Json,
    type_: str,
    status: ConditionStatus | bool,
    reason: str,
    message: str = "",
    *,
    clock: Clock | None = None,
) -> bool:
    """Set a condition in the manifest's status. Returns whether that changed it. Sends nothing: for use in a change.

    `lastTransitionTime` is kept while the status stays what it was, whatever reason and message say;
    `observedGeneration` is the manifest's generation. Conditions of other types stay as and where they are. Raises
    InvalidCall for what the API server would refuse, such as an empty reason.
    """
    condition = _condition(type_, status, reason, message, metadata_of(manifest).get("generation"))
    conditions: list[Json] = _conditions(manifest)
    position = next((index for index, each in enumerate(conditions) if each.get("type") == type_), len(conditions))
    present = conditions[position] if position < len(conditions) else {}
    since = present.get("lastTransitionTime") if present.get("status") == condition["status"] else None
    updated = {**present, **condition, "lastTransitionTime": since or rfc3339((clock or SystemClock()).time())}
    if updated == present:
        return False
    conditions[position : position + 1] = [updated]
    _status(manifest)["conditions"] = conditions
    return True


def remove_condition(manifest: Json, type_: str) -> bool:
    """Remove the condition from the manifest's status. Returns whether it was there."""
    conditions = _conditions(manifest)
    left = [each for each in conditions if each.get("type") != type_]
    if len(left) == len(conditions):
        return False
    _status(manifest)["conditions"] = left
    return True


def condition_of(obj: object, type_: str) -> Json | None:
    """The condition of that type in the status, if there is one."""
    manifest = obj if isinstance(obj, dict) else manifest_of(obj)
    return next((each for each in _conditions(manifest) if each.get("type") == type_), None)


def is_condition(obj: object, type_: str, status: ConditionStatus = "True") -> bool:
    """Whether the status has that condition."""
    condition = condition_of(obj, type_)
    return condition is not None and condition.get("status") == status


def _condition(type_: str, status: ConditionStatus | bool, reason: str, message: str, generation: object) -> Json:
    word = str(status) if isinstance(status, bool) else status
    if not _TYPE.fullmatch(type_) or word not in {"True", "False", "Unknown"}:
        raise InvalidCall(
            f"a condition has a type, such as Ready, and is True, False or Unknown, not {type_!r} {word!r}"
        )
    if not _REASON.fullmatch(reason):
        raise InvalidCall(f"a condition's reason is a word in CamelCase, such as PodsReady, not {reason!r}")
    if len(message.encode()) > _MESSAGE_BYTES:
        raise InvalidCall(f"a condition's message has {_MESSAGE_BYTES:,} bytes at most")
    condition: Json = {"type": type_, "status": word, "reason": reason, "message": message}
    return condition | ({"observedGeneration": generation} if isinstance(generation, int) else {})


def _status(manifest: Json) -> Json:
    if not isinstance(manifest.get("status"), dict):
        manifest["status"] = {}
    status: Json = manifest["status"]
    return status


def _conditions(manifest: Json) -> list[Json]:
    status = manifest.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    return [each for each in conditions or () if isinstance(each, dict)]
