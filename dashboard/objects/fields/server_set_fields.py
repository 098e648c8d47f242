"""Fields of an object that no edit can set."""

from __future__ import annotations

from collections.abc import Sequence

SET_BY_SERVER = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)
"""Metadata that only the API server writes."""
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation of `kubectl apply`; like `kubectl edit`, an edit leaves it unchanged."""
_IDENTITY = ("name", "namespace", "generateName")


def can_be_set(path: Sequence[str]) -> bool:
    """Whether an edit of an object, but for its status, can set the field at `path`."""
    match tuple(path[:3]):
        case ("status" | "apiVersion" | "kind", *_):
            return False
        case ("metadata", name, *_) if name in SET_BY_SERVER or name in _IDENTITY:
            return False
        case ("metadata", "annotations", name):
            return name != LAST_APPLIED
    return True
