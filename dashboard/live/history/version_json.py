"""JSON of an object's version as history stores it: without managedFields.

Two versions that differ in heartbeats alone are one. Values of Secrets never come here: informers mask them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from informerd.objects import Blob

HEARTBEAT = b'"lastHeartbeatTime"'
LEADER_ANNOTATION = "control-plane.alpha.kubernetes.io/leader"
"""Annotation that leader election before Leases renews every two seconds."""


class _Entry(msgspec.Struct, gc=False):
    """An entry of managedFields, of which the fields themselves are not decoded."""

    manager: str = ""
    time: str = ""
    subresource: str = ""
    fields: msgspec.Raw = msgspec.field(name="fieldsV1", default=msgspec.Raw(b"{}"))


class _Metadata(msgspec.Struct, gc=False):
    managed: msgspec.Raw = msgspec.field(name="managedFields", default=msgspec.Raw())


class _Whole(msgspec.Struct, gc=False):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


LEADER = LEADER_ANNOTATION.encode()
SCALE = b'"subresource":"scale"'
_VERSION = re.compile(rb'"resourceVersion":"[^"]*"')
_MANAGED = b'"managedFields":'
_whole = msgspec.json.Decoder(_Whole)
_entries = msgspec.json.Decoder(list[_Entry])
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


def version_json(whole: bytes) -> bytes:
    """The JSON to store of an object's whole JSON; all but managedFields stays byte for byte.

    Raises msgspec.MsgspecError where `whole` is no object.
    """
    managed = bytes(_whole.decode(whole).metadata.managed)
    return _without(whole, managed) if managed else whole


def split_version(whole: bytes) -> tuple[bytes, str, bool]:
    """What `version_json` returns, the field manager that wrote last, empty where managedFields does not say, and
    whether others wrote in the same second.
    """
    managed = bytes(_whole.decode(whole).metadata.managed)
    return (_without(whole, managed), *_last_manager(managed)) if managed else (whole, "", False)


def manager_of_second(whole: bytes, earlier: Blob | None) -> str:
    """The field manager that made `whole` of the version before it, of those that wrote in its newest second: what it
    owns has grown. Empty where none has, or the one before is not known.
    """
    if earlier is None:
        return ""
    try:
        entries, known = (_entries.decode(_whole.decode(each).metadata.managed) for each in (whole, earlier.json()))
    except msgspec.MsgspecError:
        return ""
    owned = {(each.manager, each.subresource): len(bytes(each.fields)) for each in known}
    newest = max(each.time for each in entries)
    grown = {
        each.manager: len(bytes(each.fields)) - owned.get((each.manager, each.subresource), 0)
        for each in entries
        if each.time == newest
    }
    manager = max(grown, key=lambda each: grown[each])
    return manager if grown[manager] > 0 else ""


def scale_manager(whole: bytes, before: bytes | None, after: bytes) -> str:
    """The field manager that made `after`, the stored version of `whole`, of the one before it by the subresource
    scale; empty where another one did. The API server notes no time beside it, so that `split_version` does not find
    it, but it owns the number that it has changed.
    """
    if before is None or SCALE not in whole:
        return ""
    try:
        entries = _entries.decode(_whole.decode(whole).metadata.managed)
        was, now = msgspec.json.decode(before), msgspec.json.decode(after)
        for entry in entries:
            fields = msgspec.json.decode(entry.fields)
            if entry.subresource == "scale" and not entry.time and fields and _differ(fields, was, now):
                return entry.manager
    except msgspec.MsgspecError:
        pass
    return ""


def _differ(fields: Any, was: Any, now: Any) -> bool:
    """Whether one of these fields, a FieldsV1 without lists, differs."""
    if not fields or not all(isinstance(each, dict) for each in (fields, was, now)):
        return bool(was != now)
    names = {name: inner for name, inner in fields.items() if name.startswith("f:")}
    return any(_differ(inner, was.get(name[2:]), now.get(name[2:])) for name, inner in names.items())


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
    found = _VERSION.search(json)
    return (json, b"") if found is None else (json[: found.start()], json[found.end() :])


def _last_manager(managed: bytes) -> tuple[str, bool]:
    try:
        entries = _entries.decode(managed)
    except msgspec.MsgspecError:
        return "", False
    if not entries:
        return "", False
    last = max(entries, key=lambda entry: entry.time)
    return last.manager, sum(entry.time == last.time for entry in entries) > 1


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
