"""metadata: what the server fills in, what it keeps from clients, and the rules it checks.

Source: apiserver's registry/rest (BeforeCreate, BeforeUpdate), apimachinery's api/validation/objectmeta.go.
"""

from __future__ import annotations

import random
import uuid
from datetime import UTC, datetime
from typing import Any

from devcluster.server import names
from devcluster.server.kinds import Kind
from devcluster.server.objects import Object
from devcluster.server.status import FieldError, forbidden_field, go_value, invalid_value, required

_SYSTEM_FIELDS = (
    "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "generateName",
    "namespace",
)  # fmt: skip
_NEVER_KEPT = ("managedFields", "selfLink")
"""managedFields are what the server noted, whatever a client sends."""
_OWNER_FIELDS = ("apiVersion", "kind", "name", "uid")


def timestamp(seconds: float) -> str:
    """RFC 3339 in UTC, whole seconds, as metav1.Time prints it."""
    return datetime.fromtimestamp(int(seconds), UTC).replace(tzinfo=None).isoformat() + "Z"


def new_uid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def fill_for_create(obj: Object, kind: Kind, namespace: str, now: float, rng: random.Random) -> None:
    """Set, in place, what the server decides about a new object. `now` is in Unix seconds."""
    metadata = obj["metadata"]
    for key in (*_NEVER_KEPT, "deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion", "generation"):
        metadata.pop(key, None)
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = names.generated(metadata["generateName"], rng)
    if kind.namespaced:
        metadata["namespace"] = namespace
    else:
        metadata.pop("namespace", None)
    metadata["uid"] = new_uid(rng)
    metadata["creationTimestamp"] = timestamp(now)
    if kind.counts_generation:
        metadata["generation"] = 1


def keep_for_update(new: Object, old: Object) -> None:
    """Keep, in place, what an update cannot change."""
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
    """What keeps `name` from naming an object of this kind."""
    if kind.key == "namespaces":
        return names.label_problems(name)
    if kind.key == "services":
        return names.service_problems(name)
    return names.subdomain_problems(name)


def check(obj: Object, kind: Kind) -> list[FieldError]:
    """What is wrong with an object's metadata."""
    metadata = obj["metadata"]
    errors: list[FieldError] = []
    base = metadata.get("generateName", "")
    if base:
        stem = base.rstrip("-.") if base[-1] in "-." else base
        errors += [invalid_value("metadata.generateName", base, why) for why in name_problems(kind, stem)]
    if not metadata.get("name"):
        errors.append(required("metadata.name", "name or generateName is required"))
    else:
        problems = name_problems(kind, metadata["name"])
        errors += [invalid_value("metadata.name", metadata["name"], why) for why in problems]
    return errors + check_labels(metadata) + check_finalizers(metadata) + _check_owners(metadata)


def check_labels(metadata: dict[str, Any], field: str = "metadata") -> list[FieldError]:
    """What is wrong with labels and annotations."""
    errors: list[FieldError] = []
    for key, value in (metadata.get("labels") or {}).items():
        where = f"{field}.labels"
        errors += [invalid_value(where, key, why) for why in names.qualified_problems(key)]
        errors += [invalid_value(where, value, why) for why in names.value_problems(value)]
    annotations = metadata.get("annotations") or {}
    for key in annotations:
        errors += [invalid_value(f"{field}.annotations", key, why) for why in names.qualified_problems(key.lower())]
    if sum(len(key) + len(value) for key, value in annotations.items()) > 256 << 10:
        why = "Too long: may not be more than 262144 bytes"
        errors.append(FieldError(f"{field}.annotations", "FieldValueTooLong", why))
    return errors


def check_finalizers(metadata: dict[str, Any]) -> list[FieldError]:
    """What is wrong with the finalizers' names."""
    return [
        invalid_value("metadata.finalizers", name, why)
        for name in metadata.get("finalizers") or ()
        for why in names.qualified_problems(name)
    ]


def _check_owners(metadata: dict[str, Any]) -> list[FieldError]:
    owners = metadata.get("ownerReferences") or ()
    errors = [
        required(f"metadata.ownerReferences[{position}].{key}", "must not be empty")
        for position, owner in enumerate(owners)
        for key in _OWNER_FIELDS
        if not owner.get(key)
    ]
    controllers = [f"{owner.get('kind')}/{owner.get('name')}" for owner in owners if owner.get("controller")]
    if len(controllers) > 1:
        found = f'Found "true" in references for {controllers[0]} and {controllers[1]}'
        why = f"Only one reference can have Controller set to true. {found}"
        errors.append(FieldError("metadata.ownerReferences", "FieldValueInvalid", _invalid(list(owners), why)))
    return errors


def _invalid(value: Any, why: str) -> str:
    return f"Invalid value: {go_value(value)}: {why}"


def check_update(new: Object, old: Object) -> list[FieldError]:
    """What an update may not do to metadata."""
    errors: list[FieldError] = []
    given = new["metadata"].get("uid")
    if given and given != old["metadata"]["uid"]:
        errors.append(invalid_value("metadata.uid", given, "field is immutable"))
    if "deletionTimestamp" in old["metadata"]:
        before = old["metadata"].get("finalizers") or []
        added = [name for name in new["metadata"].get("finalizers") or [] if name not in before]
        if added:
            words = ", ".join(f'"{name}"' for name in added)
            why = "no new finalizers can be added if the object is being deleted, found new finalizers"
            errors.append(forbidden_field("metadata.finalizers", f"{why} []string{{{words}}}"))
    return errors


def finalizer_warnings(metadata: dict[str, Any]) -> list[str]:
    """Warnings about finalizers without a domain."""
    return [
        f'metadata.finalizers: "{name}": prefer a domain-qualified finalizer name to avoid accidental conflicts with '
        "other finalizer writers"
        for name in metadata.get("finalizers") or ()
        if "/" not in name and name not in ("orphan", "foregroundDeletion", "kubernetes") and "." not in name
    ]
