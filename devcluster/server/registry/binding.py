"""Binding subresource of pods, with which a scheduler assigns a pod to a node."""

from __future__ import annotations

import msgspec

from devcluster.server.api_errors import bad_request, conflict
from devcluster.server.kinds import PODS
from devcluster.server.registry.verbs import VerbResult
from devcluster.server.storage import object_codec as objects
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.store import Record, Store
from devcluster.server.times import timestamp


def bind(store: Store, record: Record, binding: Object, now: float) -> VerbResult:
    """Set the pod's node and its PodScheduled condition. Raises Failure (400, 409)."""
    node = (binding.get("target") or {}).get("name", "")
    name = record.key[1]
    if not node:
        raise bad_request("target.name: Required value")
    pod = objects.decode(record)
    if pod["spec"].get("nodeName"):
        why = f'pod {name} is already assigned to node "{pod["spec"]["nodeName"]}"'
        raise conflict(PODS, name, why)
    pod["spec"]["nodeName"] = node
    status = pod.setdefault("status", {})
    condition = {"type": "PodScheduled", "status": "True", "lastProbeTime": None, "lastTransitionTime": timestamp(now)}
    others = [c for c in status.get("conditions") or () if c["type"] != "PodScheduled"]
    status["conditions"] = [*others, condition]
    store.put(PODS.key, objects.encode(pod, PODS, store.next_revision))
    return VerbResult(
        201,
        msgspec.json.encode({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}),
    )
