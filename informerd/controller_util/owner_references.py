"""Owner references in manifests (controller-runtime's controllerutil, metav1's).

The functions change manifests and write nothing: call them in a change or before a create.
"""

from __future__ import annotations

from typing import Any

from informerd.controller_util.manifest_and_identity import Head, head_of, manifest_of
from informerd.errors import AlreadyOwned, InvalidCall
from informerd.unstructured import Json, metadata_of


def owner_reference(owner: object) -> Json:
    """A plain reference to an owner as it was read. Raises InvalidCall for one that lacks kind, apiVersion or uid."""
    head = head_of(owner)
    if not (head.kind and head.api_version and head.uid):
        raise InvalidCall(f"{head} cannot own anything without kind, apiVersion and uid: read it from the API server")
    return {"apiVersion": head.api_version, "kind": head.kind, "name": head.name, "uid": head.uid}


def controller_reference(owner: object) -> Json:
    """A reference to the one that controls the object; in a foreground deletion the owner waits for it."""
    return owner_reference(owner) | {"controller": True, "blockOwnerDeletion": True}


def set_owner_reference(owner: object, manifest: Json) -> None:
    """Have the object go when its last owner goes; what the reference says beyond that stays. Raises InvalidCall."""
    reference = owner_reference(owner)
    _check_scope(head_of(owner), manifest)
    others = [each for each in owners_of(manifest) if each["uid"] != reference["uid"]]
    (known, *_) = [each for each in owners_of(manifest) if each["uid"] == reference["uid"]] or [{}]
    _set(manifest, others, {**known, **reference})


def set_controller_reference(owner: object, manifest: Json) -> None:
    """Have `owner` control the object. Raises AlreadyOwned where another one does, and InvalidCall.

    Another one is one with another uid: a controller that was deleted and created again has none of the old one's.
    """
    reference = controller_reference(owner)
    _check_scope(head_of(owner), manifest)
    present = controller_of(manifest)
    if present is not None and present["uid"] != reference["uid"]:
        words = f"{present.get('kind', '')} {present.get('name', '')}".strip()
        raise AlreadyOwned(str(head_of(manifest)), words, present["uid"])
    _set(manifest, [each for each in owners_of(manifest) if each["uid"] != reference["uid"]], reference)


def remove_owner_reference(owner: object, manifest: Json) -> bool:
    """Remove the reference to `owner`. Returns whether it was there."""
    uid = head_of(owner).uid
    others = [each for each in owners_of(manifest) if each["uid"] != uid]
    had = len(others) < len(owners_of(manifest))
    if had:
        manifest["metadata"]["ownerReferences"] = others or None
    return had


def owners_of(obj: object) -> list[Json]:
    """All references to owners."""
    manifest = obj if isinstance(obj, dict) else manifest_of(obj)
    references: list[Any] = metadata_of(manifest).get("ownerReferences") or []
    return [each for each in references if isinstance(each, dict) and isinstance(each.get("uid"), str)]


def controller_of(obj: object) -> Json | None:
    """The reference to the one that controls it, if one does (metav1.GetControllerOf)."""
    return next((each for each in owners_of(obj) if each.get("controller") is True), None)


def is_controlled_by(obj: object, owner: object) -> bool:
    """Whether the object is controlled by that owner, by uid (metav1.IsControlledBy)."""
    present = controller_of(obj)
    return present is not None and present["uid"] == head_of(owner).uid


def _set(manifest: Json, others: list[Json], reference: Json) -> None:
    manifest.setdefault("metadata", {})["ownerReferences"] = [*others, reference]


def _check_scope(owner: Head, manifest: Json) -> None:
    """The garbage collector deletes what refers to an owner that it cannot find."""
    namespace = metadata_of(manifest).get("namespace") or ""
    if owner.namespace and owner.namespace != namespace:
        place = f"in {namespace!r}" if namespace else "in no namespace"
        raise InvalidCall(
            f"{owner} cannot own {head_of(manifest)}, which is {place}: owners must be in the same namespace"
        )
