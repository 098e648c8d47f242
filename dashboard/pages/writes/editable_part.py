"""Editable part of an object, the start of an edit, and the body of a write."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from dashboard.objects.fields.field_access import ABSENT, Value, get, put
from dashboard.objects.fields.managed_fields import without_managed_fields
from dashboard.objects.fields.server_set_fields import LAST_APPLIED, SET_BY_SERVER
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.pages.writes.target import Editable, Target


@dataclass(frozen=True, slots=True)
class Base:
    """Start of an edit: the object, its version, and its editable part."""

    uid: str
    version: str
    """resourceVersion."""
    value: dict[str, Value]

    @classmethod
    def of(cls, live: dict[str, Value], part: Editable = "spec") -> Base:
        """The base of an edit that starts now, from an object as the API server sent it."""
        metadata = live["metadata"]
        return cls(metadata["uid"], metadata["resourceVersion"], editable_part(live, part))

    @property
    def text(self) -> str:
        return to_yaml(self.value)

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.value)


def editable_part(live: dict[str, Value], part: Editable = "spec") -> dict[str, Value]:
    """The object without status, without metadata that only the API server writes, and without kubectl's own
    annotation.

    Where the `part` is the status: only that, and the object's identity.
    """
    if part == "status":
        return _status_of(live)
    fields = {name: value for name, value in live.items() if name != "status"}
    metadata = live.get("metadata")
    if not isinstance(metadata, dict):
        return fields
    metadata = {name: value for name, value in metadata.items() if name not in SET_BY_SERVER}
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict) and LAST_APPLIED in annotations:
        metadata["annotations"] = {name: value for name, value in annotations.items() if name != LAST_APPLIED}
        if not metadata["annotations"]:
            del metadata["annotations"]
    return {**fields, "metadata": metadata}


def _status_of(live: dict[str, Value]) -> dict[str, Value]:
    fields: dict[str, Value] = {
        name: live[name] for name in ("apiVersion", "kind", "metadata", "status") if name in live
    }
    metadata = live.get("metadata")
    if isinstance(metadata, dict):
        fields["metadata"] = {name: metadata[name] for name in ("name", "namespace") if name in metadata}
    return fields


def update_body(value: dict[str, Value], live: dict[str, Value], part: Editable = "spec") -> dict[str, Value]:
    """The object to PUT: the edited part, and from `live` its identity, version, status and kubectl's annotation.

    The status is included for kinds without a status subresource, where leaving it out would remove it. Where the
    status is edited, all other fields are included unchanged.
    """
    if part == "status":
        rest = {name: each for name, each in without_managed_fields(live).items() if name != "status"}
        return {**rest, "status": value["status"]} if "status" in value else rest
    written = editable_part(value)
    identity = {name: live["metadata"][name] for name in ("name", "uid", "resourceVersion")}
    if "namespace" in live["metadata"]:
        identity["namespace"] = live["metadata"]["namespace"]
    written["metadata"] = {**written.get("metadata", {}), **identity}
    applied = get(live, ("metadata", "annotations", LAST_APPLIED))
    if applied is not ABSENT:
        written = put(written, ("metadata", "annotations", LAST_APPLIED), applied)
    if "status" in live:
        written["status"] = live["status"]
    return written


def recreate_body(value: dict[str, Value], target: Target) -> dict[str, Value]:
    """The object to POST for a re-creation."""
    written = editable_part(value)
    identity = {"name": target.name, **({"namespace": target.namespace} if target.namespace else {})}
    written["metadata"] = {**written.get("metadata", {}), **identity}
    return written


def fingerprint(value: Value) -> str:
    """Digest for comparing values; the order of fields does not matter."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.blake2b(canonical, digest_size=16).hexdigest()
