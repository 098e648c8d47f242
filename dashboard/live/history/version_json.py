"""JSON of an object's version as history stores it: without managedFields.

Two versions that differ in heartbeats alone are one. Values of Secrets never come here: informers mask them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

HEARTBEAT = b'"lastHeartbeatTime"'
LEADER_ANNOTATION = "control-plane.alpha.kubernetes.io/leader"
"""Annotation that leader election before Leases renews every two seconds."""


class _Entry(msgspec.Struct, gc=False):
    """An entry of managedFields, of which the fields themselves are skipped."""

    manager: str = ""
    time: str = ""


_entries = msgspec.json.Decoder(list[_Entry])
LEADER = LEADER_ANNOTATION.encode()
_VERSION = re.compile(rb'"resourceVersion":"[^"]*"')
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


def version_json(whole: bytes) -> bytes:
    """The JSON to store of an object's whole JSON; all but managedFields stays byte for byte, without white space.

    Raises msgspec.MsgspecError where `whole` is no object.
    """
    return split_version(whole)[0]


def split_version(whole: bytes) -> tuple[bytes, str]:
    """What `version_json` returns, and the field manager that wrote last; empty where managedFields does not say."""
    members = _members.decode(whole)
    metadata = _members.decode(members["metadata"]) if "metadata" in members else {}
    managed = metadata.pop("managedFields", None)
    if managed is None:
        return msgspec.json.encode(members), ""
    members["metadata"] = msgspec.Raw(msgspec.json.encode(metadata))
    return msgspec.json.encode(members), _last_manager(managed)


def is_heartbeat(before: bytes, after: bytes) -> bool:
    """Whether two stored versions differ at most in their resourceVersion, in what leader election renews, and in the
    times at which the kubelet of a node was heard.
    """
    if HEARTBEAT not in after and LEADER not in after:  # of most kinds: nothing is decoded
        return _VERSION.sub(b"", before, 1) == _VERSION.sub(b"", after, 1)
    old, new = _members.decode(before), _members.decode(after)
    if old.keys() != new.keys():
        return False
    changed = {name for name, value in new.items() if bytes(old[name]) != bytes(value)}
    return (
        changed <= {"metadata", "status"}
        and ("status" not in changed or _lasting_status(old["status"]) == _lasting_status(new["status"]))
        and ("metadata" not in changed or _lasting_metadata(old["metadata"]) == _lasting_metadata(new["metadata"]))
    )


def _last_manager(managed: msgspec.Raw) -> str:
    try:
        entries = _entries.decode(managed)
    except msgspec.MsgspecError:
        return ""
    return max(entries, key=lambda entry: entry.time).manager if entries else ""


def _lasting_metadata(raw: msgspec.Raw) -> Mapping[str, Any]:
    metadata: dict[str, Any] = msgspec.json.decode(raw)
    metadata.pop("resourceVersion", None)
    if isinstance(annotations := metadata.get("annotations"), dict):
        annotations.pop(LEADER_ANNOTATION, None)
    return metadata


def _lasting_status(raw: msgspec.Raw) -> Any:
    if HEARTBEAT not in bytes(raw):
        return bytes(raw)
    status = msgspec.json.decode(raw)
    conditions = status.get("conditions") if isinstance(status, dict) else None
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict):
            condition.pop("lastHeartbeatTime", None)
    return status
