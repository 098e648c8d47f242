"""Scale subresource: an object's replicas as autoscaling/v1's Scale, which can be read, updated and patched.

Source: Kubernetes' pkg/registry/apps/deployment/storage (ScaleREST).
"""

from __future__ import annotations

from typing import Any

import msgspec

from devcluster.server.api_errors import bad_request, invalid, invalid_value
from devcluster.server.kinds import Kind
from devcluster.server.storage import object_codec as objects
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.selectors import selector_text
from devcluster.server.storage.store import Record

SCALE = Kind(group="autoscaling", version="v1", plural="scales", kind="Scale", singular="scale")
_METADATA_FIELDS = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale_of(obj: Object) -> Object:
    """The Scale of an object with ``spec.replicas`` and ``spec.selector``."""
    meta, spec, status = obj["metadata"], obj["spec"], obj.get("status") or {}
    replicas = spec.get("replicas", 1)
    return {
        "kind": SCALE.kind,
        "apiVersion": SCALE.api_version,
        "metadata": {key: meta[key] for key in _METADATA_FIELDS if key in meta},
        "spec": {"replicas": replicas} if replicas else {},
        "status": {"replicas": status.get("replicas", 0), "selector": selector_text(spec.get("selector") or {})},
    }


def scale_body(raw: bytes) -> bytes:
    """The Scale's JSON of an object's JSON."""
    return msgspec.json.encode(scale_of(msgspec.json.decode(raw)))


def apply_scale(record: Record, scale: Object) -> Object:
    """The object with the replicas and the resourceVersion that a Scale says. Raises Failure (400, 422)."""
    if scale.get("kind") not in (None, "", SCALE.kind):
        why = f'no kind "{scale["kind"]}" is registered for version "{SCALE.api_version}" in scheme'
        words = f'{scale["kind"]} in version "{SCALE.version}" cannot be handled as a Scale'
        raise bad_request(f'{words}: {why} "pkg/runtime/scheme.go:111"')
    meta, spec = _part(scale, "metadata", "ObjectMeta"), _part(scale, "spec", "ScaleSpec")
    name = meta.get("name", record.key[1])
    replicas: Any = spec.get("replicas", 0)
    if isinstance(replicas, bool) or not isinstance(replicas, int):
        word = "number" if isinstance(replicas, float) else type(replicas).__name__.replace("str", "string")
        why = f"json: cannot unmarshal {word} into Go struct field ScaleSpec.spec.replicas of type int32"
        raise bad_request(f'Scale in version "v1" cannot be handled as a Scale: {why}')
    if replicas < 0:
        error = invalid_value("spec.replicas", replicas, "must be greater than or equal to 0")
        raise invalid(SCALE, name, [error])
    obj = objects.decode(record)
    obj["spec"]["replicas"] = replicas
    obj["metadata"] |= {"name": name, "resourceVersion": meta.get("resourceVersion", "")}
    return obj


def _part(scale: Object, field: str, struct: str) -> Object:
    value = scale.get(field) or {}
    if isinstance(value, dict):
        return value
    raise bad_request(f'Scale in version "v1" cannot be handled as a Scale: {field} is no v1.{struct}')
