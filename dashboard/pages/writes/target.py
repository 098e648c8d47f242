"""Edited object of an address, its editable part, and the body of a write."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Literal

from dashboard.cluster.kubectl_commands import kubectl_arguments
from dashboard.objects.fields.field_access import ABSENT, Path, Value, get, put
from dashboard.objects.fields.managed_fields import without_managed_fields
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.printers.secret_redaction import MASK
from dashboard.objects.problems.write_refusal import Mismatch
from dashboard.runtime.text_with_links import object_href

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

Editable = Literal["spec", "status"]
"""Part of an object that a page edits: all but the status, or the status alone."""

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation of `kubectl apply`; like `kubectl edit`, an edit leaves it unchanged."""


@dataclass(frozen=True, slots=True)
class Target:
    """The object that an address names."""

    kind: KindInfo
    namespace: str
    """Empty for cluster-scoped objects."""
    name: str
    part: Editable = "spec"
    subresource: str = ""
    """Subresource of a write: ``status`` for the status of kinds that have that subresource, else empty."""

    @property
    def edit_href(self) -> str:
        """Address of the page that edits this part."""
        return f"{self.href}edit/status/" if self.part == "status" else f"{self.href}edit/"

    @property
    def href(self) -> str:
        """Address of its details."""
        return object_href(self.kind.key, self.namespace, self.name)

    @property
    def words(self) -> str:
        """``Mydemo default/alpha``."""
        return f"{self.kind.singular} {f'{self.namespace}/' if self.namespace else ''}{self.name}"

    @property
    def part_words(self) -> str:
        """``Mydemo default/alpha``, ``The status of Mydemo default/alpha``."""
        return f"The status of {self.words}" if self.part == "status" else self.words

    @property
    def edit_command(self) -> str:
        """``edit`` of the same, for kubectl."""
        options = [f"--subresource={self.subresource}"] if self.subresource else []
        return kubectl_arguments(
            "edit", names=[f"{self.kind.key}/{self.name}"], namespace=self.namespace, options=options
        )


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


def find_mismatches(value: dict[str, Value], target: Target, base: Base) -> tuple[Mismatch, ...]:
    """Fields in which the text names another object or state than this page edits. A missing namespace is no mismatch.

    Where the status is edited: also other fields of the text, which would not be written.
    """
    wanted: tuple[tuple[Path, str, bool], ...] = (
        (("apiVersion",), target.kind.resource.api_version, True),
        (("kind",), target.kind.resource.kind, True),
        (("metadata", "name"), target.name, True),
        (("metadata", "namespace"), target.namespace, False),
        (("metadata", "uid"), base.uid, False),
        (("metadata", "resourceVersion"), base.version, False),
    )
    values = ((path, get(value, path), expected, required) for path, expected, required in wanted)
    other = tuple(
        Mismatch(path, here, expected)
        for path, here, expected, required in values
        if here != expected and (required or (here is not ABSENT and here not in (None, "")))
    )
    return other if target.part == "spec" else (*other, *_beside_status(value))


def _beside_status(value: dict[str, Value]) -> tuple[Mismatch, ...]:
    metadata = value.get("metadata")
    beside: list[Path] = [(name,) for name in value if name not in ("apiVersion", "kind", "metadata", "status")]
    if isinstance(metadata, dict):
        known = ("name", "namespace", *SET_BY_SERVER)
        beside += [("metadata", name) for name in metadata if name not in known]
    return tuple(Mismatch(path, get(value, path), "", page_verb="holds") for path in beside)


def masked_paths(value: dict[str, Value]) -> tuple[Path, ...]:
    """Paths where a Secret's text has the dots that mask values: they must never become values."""
    if value.get("kind") != "Secret":
        return ()
    data = {field: value.get(field) for field in ("data", "stringData")}
    return tuple(
        (field, name)
        for field, values in data.items()
        if isinstance(values, dict)
        for name, each in values.items()
        if each == MASK
    )


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
