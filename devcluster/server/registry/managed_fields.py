"""Tracking of metadata.managedFields for updates and patches.

Guarantee: a field that a write changes belongs to that write's manager only; a field that it removes belongs to nobody;
a write that changes nothing leaves the entries as they were. Server-side apply is not served, so every operation is
Update. Unlike in the real server, a struct that is a pointer in Go has no entry of its own ("."). Source:
apimachinery's util/managedfields, structured-merge-diff.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from devcluster.server.builtin_definitions import OBJECT_META, BuiltinTypes
from devcluster.server.kinds import Kind
from devcluster.server.request_options import MAX_MANAGER_LENGTH
from devcluster.server.schema.pruning_and_defaulting import Schema
from devcluster.server.storage.object_codec import Object
from devcluster.server.times import timestamp

_META = ("labels", "annotations", "ownerReferences", "finalizers")

FieldsV1 = dict[str, Any]
"""FieldsV1: steps such as ``f:spec`` or ``k:{"name":"c"}``, each with what is below it."""


def manager_of(user_agent: str) -> str:
    """The default manager of a write without fieldManager: the program's name."""
    return user_agent.partition("/")[0][:MAX_MANAGER_LENGTH] or "unknown"


class ManagedFields:
    """Keeps the entries of objects that are written. `now` gives Unix seconds."""

    def __init__(self, definitions: BuiltinTypes, *, now: Callable[[], float]) -> None:
        self._definitions = definitions
        self._now = now

    def record_write(self, kind: Kind, new: Object, old: Object | None, manager: str, subresource: str = "") -> None:
        """Set the entries of `new`, in place. It replaces `old`, whose entries are changed too."""
        before = (old or {}).get("metadata", {}).get("managedFields") or []
        meta = new["metadata"]
        schema = self._schema(kind)
        shown = _shown(kind, new, subresource), _shown(kind, old or {}, subresource)
        took, lost = self._compare(*shown, schema)
        if not took and not lost:
            meta["managedFields"] = before
            return
        about = {"manager": manager, "operation": "Update", "apiVersion": kind.api_version}
        own: FieldsV1 = {**about, "time": timestamp(self._now()), "fieldsType": "FieldsV1", "fieldsV1": {}}
        own |= {"subresource": subresource} if subresource else {}
        entries = []
        for entry in before:
            fields = _without(_without(entry["fieldsV1"], lost), took)
            if _same(entry, own):
                own["fieldsV1"] = fields
            elif fields:
                entries.append({**entry, "fieldsV1": fields})
        _add(own["fieldsV1"], took)
        if own["fieldsV1"]:
            entries.append(own)
        meta["managedFields"] = sorted(entries, key=lambda entry: (entry["time"], entry["manager"]))

    def _schema(self, kind: Kind) -> Schema:
        schema = kind.schema if kind.schema is not None else self._definitions.schema(kind)
        return {**schema, "properties": {**schema.get("properties", {}), "metadata": {"$ref": OBJECT_META}}}

    def _compare(self, new: Any, old: Any, schema: Schema) -> tuple[FieldsV1, FieldsV1]:
        """The new or different fields, and the removed ones."""
        took: FieldsV1 = {}
        below, before = self._children(new, schema) or {}, self._children(old, schema) or {}
        for step, (value, known) in below.items():
            if step not in before:
                took[step] = self._whole(value, known, item=step[0] == "k")
            elif value != before[step][0]:
                took[step], gone = self._changed(value, before[step][0], known)
                if gone:
                    before[step] = gone, known
                else:
                    del before[step]
                if not took[step] and gone:
                    del took[step]
            else:
                del before[step]
        lost = {step: children if step in below else {} for step, (children, _) in before.items()}
        return took, lost

    def _changed(self, value: Any, old: Any, schema: Schema) -> tuple[FieldsV1, FieldsV1]:
        if self._children(value, schema) is None or self._children(old, schema) is None:
            return self._whole(value, schema), {}
        return self._compare(value, old, schema)

    def _whole(self, value: Any, schema: Schema, *, item: bool = False) -> FieldsV1:
        """Every field of a value, itself included where it is a map or an item of a list."""
        below = self._children(value, schema)
        if below is None:
            return {}
        tree = {
            step: self._whole(value_below, known, item=step[0] == "k") for step, (value_below, known) in below.items()
        }
        is_map = "additionalProperties" in self._definitions.resolve(schema)
        return {".": {}, **tree} if item or is_map else tree

    def _children(self, value: Any, schema: Schema) -> dict[str, tuple[Any, Schema]] | None:
        """The values below a value by their step; None where it is owned as one."""
        schema = self._definitions.resolve(schema)
        if not value or not isinstance(value, dict | list):
            return None
        if isinstance(value, dict):
            if schema.get("x-kubernetes-map-type") == "atomic":
                return None
            known, more = schema.get("properties"), schema.get("additionalProperties")
            if known is None and not isinstance(more, dict):
                return None
            others = more if isinstance(more, dict) else {}
            return {f"f:{key}": (member, (known or {}).get(key, others)) for key, member in value.items()}
        return _items(value, schema)


def _items(value: list[Any], schema: Schema) -> dict[str, tuple[Any, Schema]] | None:
    items = schema.get("items", {})
    match schema.get("x-kubernetes-list-type"):
        case "map":
            keys = schema.get("x-kubernetes-list-map-keys", ())
            named = ({key: item[key] for key in sorted(keys) if key in item} for item in value)
            return {f"k:{_text(name)}": (item, items) for name, item in zip(named, value, strict=True)}
        case "set":
            return {f"v:{_text(item)}": (item, {}) for item in value}
    return None


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _shown(kind: Kind, obj: Object, subresource: str) -> Object:
    """The part of an object that this write can own."""
    if subresource == "status" and kind.custom:
        return {"status": obj.get("status")}
    hidden = ("apiVersion", "kind", "metadata", "status") if kind.has_status else ("apiVersion", "kind", "metadata")
    metadata = {key: obj["metadata"][key] for key in _META if obj and key in obj["metadata"]}
    if subresource == "status":
        return {"metadata": metadata, "status": obj.get("status")}
    return {"metadata": metadata, **{key: value for key, value in obj.items() if key not in hidden}}


def _same(entry: FieldsV1, own: FieldsV1) -> bool:
    return all(entry.get(key) == own.get(key) for key in ("manager", "apiVersion", "subresource"))


def _add(tree: FieldsV1, more: FieldsV1) -> None:
    for step, below in more.items():
        _add(tree.setdefault(step, {}), below)


def _without(tree: FieldsV1, gone: FieldsV1) -> FieldsV1:
    """The tree, changed in place, without the leaves of `gone`; a branch that loses its last leaf is removed too."""
    for step, below in gone.items():
        if step not in tree:
            continue
        if below and tree[step]:
            _without(tree[step], below)
        if not below or not tree[step]:
            del tree[step]
    return tree
