"""What of an object a person edits, and what is sent of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from dashboard.edits.fields import ABSENT, Path, Value, get, put
from dashboard.live.lines import object_href
from dashboard.resources.kinds import KindInfo
from dashboard.resources.yaml_text import to_yaml

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

APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation that `kubectl apply` keeps for itself; like `kubectl edit`, an edit leaves it as it is."""


@dataclass(frozen=True, slots=True)
class Target:
    """The object that an address names."""

    kind: KindInfo
    namespace: str
    """Empty for cluster-scoped objects."""
    name: str

    @property
    def href(self) -> str:
        """Address of its details."""
        return object_href(self.kind.key, self.namespace, self.name)

    @property
    def words(self) -> str:
        """``Mydemo default/alpha``."""
        return f"{self.kind.singular} {f'{self.namespace}/' if self.namespace else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class Base:
    """What an edit began with: which object, which state of it, and its editable part."""

    uid: str
    version: str
    """resourceVersion."""
    value: dict[str, Value]

    @classmethod
    def of(cls, live: dict[str, Value]) -> Base:
        """The base of an edit that begins now, with an object as the API server gave it."""
        metadata = live["metadata"]
        return cls(metadata["uid"], metadata["resourceVersion"], editable(live))

    @property
    def text(self) -> str:
        return to_yaml(self.value)

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.value)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The text names something else than the address does."""

    path: Path
    found: Value
    expected: str

    @property
    def words(self) -> str:
        found = "missing" if self.found is ABSENT or self.found is None else f"“{self.found}” in the text"
        if self.path[-1] in ("uid", "resourceVersion"):
            return f"It is {found}, but this page edits “{self.expected}”. Take the line out, or open the page again."
        return f"It is {found}, but this page edits “{self.expected}”. Nothing was sent."


def editable(live: dict[str, Value]) -> dict[str, Value]:
    """The object without status, without metadata that only the API server writes, and without kubectl's own record."""
    kept = {name: value for name, value in live.items() if name != "status"}
    metadata = live.get("metadata")
    if not isinstance(metadata, dict):
        return kept
    metadata = {name: value for name, value in metadata.items() if name not in SET_BY_SERVER}
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict) and APPLIED in annotations:
        metadata["annotations"] = {name: value for name, value in annotations.items() if name != APPLIED}
        if not metadata["annotations"]:
            del metadata["annotations"]
    return {**kept, "metadata": metadata}


def mismatches(value: dict[str, Value], target: Target, base: Base) -> tuple[Mismatch, ...]:
    """Where the text names another object or state than this page edits. A missing namespace is no mismatch."""
    wanted: tuple[tuple[Path, str, bool], ...] = (
        (("apiVersion",), target.kind.resource.api_version, True),
        (("kind",), target.kind.resource.kind, True),
        (("metadata", "name"), target.name, True),
        (("metadata", "namespace"), target.namespace, False),
        (("metadata", "uid"), base.uid, False),
        (("metadata", "resourceVersion"), base.version, False),
    )
    found = ((path, get(value, path), expected, required) for path, expected, required in wanted)
    return tuple(
        Mismatch(path, here, expected)
        for path, here, expected, required in found
        if here != expected and (required or (here is not ABSENT and here not in (None, "")))
    )


def to_write(value: dict[str, Value], live: dict[str, Value]) -> dict[str, Value]:
    """The object to PUT: the edited part, and of `live` its identity, version, status and what kubectl apply keeps.

    The status goes along for kinds without a status subresource, where leaving it out would remove it.
    """
    written = editable(value)
    identity = {name: live["metadata"][name] for name in ("name", "uid", "resourceVersion")}
    if "namespace" in live["metadata"]:
        identity["namespace"] = live["metadata"]["namespace"]
    written["metadata"] = {**written.get("metadata", {}), **identity}
    applied = get(live, ("metadata", "annotations", APPLIED))
    if applied is not ABSENT:
        written = put(written, ("metadata", "annotations", APPLIED), applied)
    if "status" in live:
        written["status"] = live["status"]
    return written


def to_create(value: dict[str, Value], target: Target) -> dict[str, Value]:
    """The object to POST where it is to be made again."""
    written = editable(value)
    identity = {"name": target.name, **({"namespace": target.namespace} if target.namespace else {})}
    written["metadata"] = {**written.get("metadata", {}), **identity}
    return written


def fingerprint(value: Value) -> str:
    """Tells whether two values are the same; the order of fields does not matter."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.blake2b(canonical, digest_size=16).hexdigest()
