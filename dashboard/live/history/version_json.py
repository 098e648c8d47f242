"""JSON of an object's version as history stores it: without managedFields.

Two versions that differ in heartbeats alone are one. Values of Secrets never come here: informers mask them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

HEARTBEAT = b'"lastHeartbeatTime"'
LEADER_ANNOTATION = "control-plane.alpha.kubernetes.io/leader"
"""Annotation that leader election before Leases renews every two seconds."""


class _Metadata(msgspec.Struct, gc=False):
    managed: msgspec.Raw = msgspec.field(name="managedFields", default=msgspec.Raw())


class _Whole(msgspec.Struct, gc=False):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


LEADER = LEADER_ANNOTATION.encode()
_VERSION = b'"resourceVersion":"'
_MANAGED = b'"managedFields":'
_whole = msgspec.json.Decoder(_Whole)
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


def version_json(whole: bytes) -> bytes:
    """The JSON to store of an object's whole JSON; all but managedFields stays byte for byte.

    Raises msgspec.MsgspecError where `whole` is no object.
    """
    return split_version(whole)[0]


def split_version(whole: bytes) -> tuple[bytes, bytes]:
    """What `version_json` returns, and the JSON of managedFields, empty where there is none. Raises as that does."""
    managed = bytes(_whole.decode(whole).metadata.managed)
    return (_without(whole, managed), managed) if managed else (whole, b"")


def _without(whole: bytes, managed: bytes) -> bytes:
    """`whole` without managedFields of its metadata, whose value is `managed`."""
    begin = whole.find(_MANAGED)
    end = begin + len(_MANAGED) + len(managed)
    if whole.startswith(managed, begin + len(_MANAGED)) and whole.find(_MANAGED, end) < 0:  # there is no other one
        if whole[end : end + 1] == b",":
            return whole[:begin] + whole[end + 1 :]
        if whole[begin - 1 : begin] in (b",", b"{"):
            return whole[: begin - (whole[begin - 1 : begin] == b",")] + whole[end:]
    members = _members.decode(whole)  # with white space, too
    metadata = _members.decode(members["metadata"])
    del metadata["managedFields"]
    members["metadata"] = msgspec.Raw(msgspec.json.encode(metadata))
    return msgspec.json.encode(members)


def is_heartbeat(before: bytes, after: bytes) -> bool:
    """Whether two stored versions differ at most in their resourceVersion, in what leader election renews, and in the
    times at which the kubelet of a node was heard.
    """
    if HEARTBEAT not in after and LEADER not in after:  # of most kinds: nothing is decoded
        return _without_version(before) == _without_version(after)
    old, new = _members.decode(before), _members.decode(after)
    if old.keys() != new.keys():
        return False
    changed = {name for name, value in new.items() if bytes(old[name]) != bytes(value)}
    return (
        changed <= {"metadata", "status"}
        and ("status" not in changed or _lasting_status(old["status"]) == _lasting_status(new["status"]))
        and ("metadata" not in changed or _lasting_metadata(old["metadata"]) == _lasting_metadata(new["metadata"]))
    )


def _without_version(json: bytes) -> tuple[bytes, bytes]:
    """What is before and after the first resourceVersion."""
    begin = json.find(_VERSION)
    return (json, b"") if begin < 0 else (json[:begin], json[json.find(b'"', begin + len(_VERSION)) + 1 :])


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
