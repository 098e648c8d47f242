"""Calls of the demo cluster's registry that several of its tests make."""

from __future__ import annotations

import json
from typing import Any

from devcluster.server.api_server_core import ApiServer
from devcluster.server.request_options import DeleteOptions
from devcluster.server.storage import object_codec as objects

Json = dict[str, Any]


def create(core: ApiServer, key: str, obj: Json) -> Json:
    """Create in namespace t (where the kind has any); the stored object."""
    kind = core.kind(key)
    core.create(kind, "t", obj)
    return found(core, key, obj["metadata"]["name"]) or {}


def found(core: ApiServer, key: str, name: str) -> Json | None:
    kind = core.kind(key)
    record = core.store.get(key, ("t" if kind.namespaced else "", name))
    return objects.decode(record) if record else None


def delete(core: ApiServer, key: str, name: str, **options: Any) -> Json:
    kind = core.kind(key)
    answer: Json = json.loads(core.deletion.delete(kind, "t", name, DeleteOptions(**options)).raw)
    return answer


def config_map(name: str, owner: Json | None = None, **meta: Any) -> Json:
    if owner is not None:
        about = owner["metadata"]
        reference = {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": about["name"],
            "uid": about["uid"],
        }
        meta["ownerReferences"] = [reference]
    return {"metadata": {"name": name, **meta}}
