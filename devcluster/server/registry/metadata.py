"""Metadata that the server fills in, fields that clients cannot change, and the rules for both.

Source: apiserver's registry/rest (BeforeCreate, BeforeUpdate), apimachinery's api/validation/objectmeta.go.
"""

from __future__ import annotations

import random
import uuid
from types import MappingProxyType
from typing import Any

from devcluster.server import names_and_labels as names
from devcluster.server.api_errors import FieldError, forbidden_field, go_value, invalid_value, required
from devcluster.server.kinds import Kind
from devcluster.server.names_and_labels import check_labels
from devcluster.server.storage.object_codec import Object
from devcluster.server.times import timestamp

_SYSTEM_FIELDS = (
    "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "namespace",
)  # fmt: skip
_NEVER_KEPT = ("managedFields", "selfLink")
"""managedFields are what the server noted, whatever a client sends."""
_COMMON = ("labels", "annotations", "ownerReferences")
_OWNER_FIELDS = ("apiVersion", "kind", "name", "uid")
_STANDARD_FINALIZERS = ("orphan", "foregroundDeletion", "kubernetes")
_QUALIFYING_GROUPS = ("", "apps", "batch")
"""The groups whose kinds take only standard finalizers and those with a slash."""
_NAMES_HOSTS = MappingProxyType(
    {
        "pods": "the Pod's hostname",
        "deployments.apps": "Pod names and hostnames",
        "replicasets.apps": "Pod names and hostnames",
        "statefulsets.apps": "Pod names and hostnames",
        "jobs.batch": "Pod names and hostnames",
    }
)
"""Kinds whose name becomes part of a host's name."""


def new_uid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def fill_for_create(obj: Object, kind: Kind, namespace: str, now: float, rng: random.Random) -> None:
    """Set the server's fields of a new object, in place. `now` is in Unix seconds."""
    metadata = obj["metadata"]
    for key in (*_NEVER_KEPT, "deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion"):
        metadata.pop(key, None)
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = names.generate_name(metadata["generateName"], rng)
    if kind.namespaced:
        metadata["namespace"] = namespace
    else:
        metadata.pop("namespace", None)
    metadata["uid"] = new_uid(rng)
    metadata["creationTimestamp"] = timestamp(now)
    if kind.has_generation or not metadata.get("generation"):
        metadata.pop("generation", None)
    if kind.has_generation:
        metadata["generation"] = 1


def restore_system_fields(new: Object, old: Object) -> None:
    """Restore, in place, the fields that an update cannot change."""
    metadata, before = new["metadata"], old["metadata"]
    for key in _NEVER_KEPT:
        metadata.pop(key, None)
    for key in _SYSTEM_FIELDS:
        if key in before:
            metadata[key] = before[key]
        else:
            metadata.pop(key, None)
    metadata["resourceVersion"] = before["resourceVersion"]


def name_problems(kind: Kind, name: str) -> list[str]:
    """The reasons why `name` cannot name an object of this kind."""
    return (
        names.dns_label_problems(name) if kind.key in ("namespaces", "services") else names.dns_subdomain_problems(name)
    )


def check_metadata(obj: Object, kind: Kind) -> list[FieldError]:
    """The errors in an object's metadata."""
    metadata = obj["metadata"]
    errors: list[FieldError] = []
    base = metadata.get("generateName", "")
    if base:
        stem = f"{base[:-2]}a" if len(base) > 1 and base.endswith("-") else base
        errors += [invalid_value("metadata.generateName", base, why) for why in name_problems(kind, stem)]
    if not metadata.get("name"):
        errors.append(required("metadata.name", "name or generateName is required"))
    else:
        problems = name_problems(kind, metadata["name"])
        errors += [invalid_value("metadata.name", metadata["name"], why) for why in problems]
    if metadata.get("generation", 0) < 0:
        why = "must be greater than or equal to 0"
        errors.append(invalid_value("metadata.generation", metadata["generation"], why))
    return errors + check_common_metadata(metadata) + check_finalizers(metadata, kind)


def check_common_metadata(metadata: dict[str, Any], before: dict[str, Any] | None = None) -> list[FieldError]:
    """The errors in labels, annotations and owners, at creation and at any change of them."""
    if before is not None and all(metadata.get(key) == before.get(key) for key in _COMMON):
        return []
    errors: list[FieldError] = check_labels(metadata.get("labels") or {}, "metadata.labels")
    annotations = metadata.get("annotations") or {}
    for key in annotations:
        errors += [
            invalid_value("metadata.annotations", key, why) for why in names.qualified_name_problems(key.lower())
        ]
    if sum(len(key) + len(value) for key, value in annotations.items()) > 256 << 10:
        why = "Too long: may not be more than 262144 bytes"
        errors.append(FieldError("metadata.annotations", "FieldValueTooLong", why))
    return errors + _check_owners(metadata)


def check_finalizers(metadata: dict[str, Any], kind: Kind) -> list[FieldError]:
    """The errors in the finalizers' names."""
    given, field = metadata.get("finalizers") or [], "metadata.finalizers"
    errors = [invalid_value(field, name, why) for name in given for why in names.qualified_name_problems(name)]
    if not {"orphan", "foregroundDeletion"} - {*given}:
        errors.append(invalid_value(field, given, "finalizer orphan and foregroundDeletion cannot be both set"))
    if not kind.custom and kind.group in _QUALIFYING_GROUPS:
        why = "name is neither a standard finalizer name nor is it fully qualified"
        unqualified = [
            (place, name) for place, name in enumerate(given) if "/" not in name and name not in _STANDARD_FINALIZERS
        ]
        errors += [invalid_value(f"{field}[{place}]", name, why) for place, name in unqualified]
    return errors


def _check_owners(metadata: dict[str, Any]) -> list[FieldError]:
    owners = metadata.get("ownerReferences") or ()
    errors = [
        required(f"metadata.ownerReferences[{position}].{key}", "must not be empty")
        for position, owner in enumerate(owners)
        for key in _OWNER_FIELDS
        if not owner.get(key)
    ]
    for position, owner in enumerate(owners):
        group_version, where = owner.get("apiVersion", ""), f"metadata.ownerReferences[{position}]"
        if group_version.count("/") > 1:
            why = "must be <group>/<version> or <version>"
            errors.append(invalid_value(f"{where}.apiVersion", group_version, why))
        if (group_version, owner.get("kind")) == ("v1", "Event"):
            errors.append(invalid_value(where, owner, "/v1, Kind=Event is disallowed from being an owner"))
    controllers = [f"{owner.get('kind')}/{owner.get('name')}" for owner in owners if owner.get("controller")]
    if len(controllers) > 1:
        message = f'Found "true" in references for {controllers[0]} and {controllers[1]}'
        why = f"Only one reference can have Controller set to true. {message}"
        errors.append(FieldError("metadata.ownerReferences", "FieldValueInvalid", _invalid(list(owners), why)))
    return errors


def _invalid(value: Any, why: str) -> str:
    return f"Invalid value: {go_value(value)}: {why}"


def check_metadata_update(new: Object, old: Object) -> list[FieldError]:
    """The errors of an update of metadata."""
    errors: list[FieldError] = []
    given = new["metadata"].get("uid")
    if given and given != old["metadata"]["uid"]:
        errors.append(invalid_value("metadata.uid", given, "field is immutable"))
    ending = new["metadata"].get("deletionTimestamp")
    if ending and ending != old["metadata"].get("deletionTimestamp"):
        errors.append(invalid_value("metadata.deletionTimestamp", ending, "field is immutable"))
    if "deletionTimestamp" in old["metadata"]:
        before = {*(old["metadata"].get("finalizers") or ())}
        added = [name for name in new["metadata"].get("finalizers") or [] if name not in before]
        if added:
            words = ", ".join(f'"{name}"' for name in added)
            why = "no new finalizers can be added if the object is being deleted, found new finalizers"
            errors.append(forbidden_field("metadata.finalizers", f"{why} []string{{{words}}}"))
    return errors


def warnings(metadata: dict[str, Any], kind: Kind) -> list[str]:
    """Warnings about finalizers without a domain, and names that are no host's."""
    warnings = []
    if kind.key in _NAMES_HOSTS and (problems := names.dns_label_problems(metadata["name"])):
        used = f"this is used in {_NAMES_HOSTS[kind.key]}, which can result in surprising behavior"
        warnings.append(f"metadata.name: {used}; a DNS label is recommended: [{' '.join(problems)}]")
    return warnings + [
        f'metadata.finalizers: "{name}": prefer a domain-qualified finalizer name to avoid accidental conflicts with '
        "other finalizer writers"
        for name in metadata.get("finalizers") or ()
        if "/" not in name and name not in _STANDARD_FINALIZERS and "." not in name
    ]


def can_be_removed(kind: Kind, obj: Object) -> bool:
    """Whether nothing holds up the removal of an object that is being deleted."""
    meta = obj["metadata"]
    is_held = meta.get("finalizers") or meta.get("deletionGracePeriodSeconds")
    return not is_held and not (kind.key == "namespaces" and (obj.get("spec") or {}).get("finalizers"))
