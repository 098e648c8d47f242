"""Objects, and controller events about them: Created, Updated, Deleted, GenericEvent."""

from __future__ import annotations

from typing import Any

from informerd.controller.events import Created, Deleted, GenericEvent, Updated
from informerd.objects import Object, ObjectMeta, OwnerReference


def obj(name: str = "a", *, version: str = "1", uid: str = "u", **meta: Any) -> Object:
    """An object; `labels` and `annotations` are given by these names."""
    renamed = {"labels": "label_map", "annotations": "annotation_map"}
    fields = {renamed.get(field, field): value for field, value in meta.items()}
    return Object(
        metadata=ObjectMeta(**{"namespace": "default", "name": name, "uid": uid, "resource_version": version, **fields})
    )


def owner(kind: str, name: str, *, api_version: str = "apps/v1", controller: bool = True) -> OwnerReference:
    return OwnerReference(kind=kind, name=name, uid=f"uid-{name}", api_version=api_version, controller=controller)


def updated(before: dict[str, Any], after: dict[str, Any]) -> Updated[Object]:
    """An update of one object."""
    return Updated(obj(**{"version": "1", **before}), obj(**{"version": "2", **after}))


NO_UPDATES = (Created(obj(), True), Created(obj()), Deleted(obj()), Deleted(obj(), True), GenericEvent(obj()))
