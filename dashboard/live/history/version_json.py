"""JSON of an object's version as history stores it: without managedFields.

Two versions that differ in heartbeats alone are one. Values of Secrets never come here: informers mask them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

LEADER_ANNOTATION = "control-plane.alpha.kubernetes.io/leader"
"""Annotation that leader election before Leases renews every two seconds."""

_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


def version_json(whole: bytes) -> bytes:
    """The JSON to store of an object's whole JSON; all but managedFields stays byte for byte, without white space.

    Raises msgspec.MsgspecError where `whole` is no object.
    """
    members = _members.decode(whole)
    metadata = _members.decode(members["metadata"]) if "metadata" in members else {}
    if metadata.pop("managedFields", None) is not None:
        members["metadata"] = msgspec.Raw(msgspec.json.encode(metadata))
    return msgspec.json.encode(members)


def is_heartbeat(before: bytes, after: bytes) -> bool:
    """Whether two stored versions differ at most in their resourceVersion, in what leader election renews, and in the
    times at which the kubelet of a node was heard.
    """
    old, new = _members.decode(before), _members.decode(after)
    if old.keys() != new.keys():
        return False
    changed = {name for name, value in new.items() if bytes(old[name]) != bytes(value)}
    return (
        changed <= {"metadata", "status"}
        and ("status" not in changed or _lasting_status(old["status"]) == _lasting_status(new["status"]))
        and ("metadata" not in changed or _lasting_metadata(old["metadata"]) == _lasting_metadata(new["metadata"]))
    )


def _lasting_metadata(raw: msgspec.Raw) -> Mapping[str, Any]:
    metadata: dict[str, Any] = msgspec.json.decode(raw)
    metadata.pop("resourceVersion", None)
    if isinstance(annotations := metadata.get("annotations"), dict):
        annotations.pop(LEADER_ANNOTATION, None)
    return metadata


def _lasting_status(raw: msgspec.Raw) -> Any:
    if b'"lastHeartbeatTime"' not in bytes(raw):  # of most kinds: nothing is decoded
        return bytes(raw)
    status = msgspec.json.decode(raw)
    conditions = status.get("conditions") if isinstance(status, dict) else None
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict):
            condition.pop("lastHeartbeatTime", None)
    return status
