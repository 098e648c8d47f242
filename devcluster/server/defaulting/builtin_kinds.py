"""Defaults of the built-in kinds.

Source: Kubernetes' pkg/apis/*/v1/defaults.go; only what a demo cluster shows.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from types import MappingProxyType

from devcluster.server.defaulting.pods import default_pod, fill_null_times
from devcluster.server.defaulting.workloads import (
    default_cron_job,
    default_daemon_set,
    default_deployment,
    default_job,
    default_replica_set,
    default_stateful_set,
)
from devcluster.server.kinds import Kind
from devcluster.server.storage.object_codec import Object

_NODE_INFO = (
    "machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion", "kubeletVersion",
    "kubeProxyVersion", "operatingSystem", "architecture",
)  # fmt: skip
_BUDGET_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


def fill_defaults(obj: Object, kind: Kind, rng: random.Random) -> None:
    """Set the kind's defaults, in place."""
    default = _DEFAULTS.get(kind.key)
    if default is not None:
        default(obj, rng)


def _default_namespace(obj: Object, _rng: random.Random) -> None:
    fill_null_times(obj.get("status") or {}, "lastTransitionTime")


def _default_data(obj: Object, _rng: random.Random) -> None:
    for field in ("data", "binaryData"):
        if obj.get(field) == {}:
            del obj[field]


def _default_lease(obj: Object, _rng: random.Random) -> None:
    obj.setdefault("spec", {})


def _default_service(obj: Object, rng: random.Random) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("type", "ClusterIP")
    spec.setdefault("sessionAffinity", "None")
    for port in spec.get("ports") or ():
        port.setdefault("protocol", "TCP")
        port["targetPort"] = port.get("targetPort") or port.get("port")
    if spec["type"] == "ExternalName":
        return
    if spec["sessionAffinity"] == "ClientIP":
        spec.setdefault("sessionAffinityConfig", {"clientIP": {"timeoutSeconds": 10800}})
    if spec["type"] in ("NodePort", "LoadBalancer"):
        spec.setdefault("externalTrafficPolicy", "Cluster")
        for port in spec.get("ports") or ():
            port.setdefault("nodePort", rng.randrange(30_000, 32_768))
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)
    address = f"10.0.{rng.randrange(1, 255)}.{rng.randrange(1, 255)}"
    spec.setdefault("clusterIP", address)
    spec.setdefault("clusterIPs", [spec["clusterIP"]])
    anyhow = spec["clusterIP"] == "None" and not spec.get("selector")
    spec.setdefault("ipFamilies", ["IPv4", "IPv6"] if anyhow else ["IPv4"])
    spec.setdefault("ipFamilyPolicy", "RequireDualStack" if anyhow else "SingleStack")
    spec.setdefault("internalTrafficPolicy", "Cluster")


def _default_secret(obj: Object, _rng: random.Random) -> None:
    plain = obj.pop("stringData", None) or {}
    if plain:
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in plain.items()}
        obj["data"] = {**(obj.get("data") or {}), **encoded}
    _default_data(obj, _rng)
    obj.setdefault("type", "Opaque")


def _default_node(obj: Object, _rng: random.Random) -> None:
    spec, status = obj.setdefault("spec", {}), obj.setdefault("status", {})
    if "podCIDR" in spec:
        spec.setdefault("podCIDRs", [spec["podCIDR"]])
    if "capacity" in status:
        status.setdefault("allocatable", dict(status["capacity"]))
    fill_null_times(status, "lastHeartbeatTime", "lastTransitionTime")
    status.setdefault("daemonEndpoints", {"kubeletEndpoint": {"Port": 0}})
    status["nodeInfo"] = {**dict.fromkeys(_NODE_INFO, ""), **(status.get("nodeInfo") or {})}


def _default_event(obj: Object, _rng: random.Random) -> None:
    for name, value in (
        ("involvedObject", {}), ("source", {}), ("firstTimestamp", None), ("lastTimestamp", None), ("eventTime", None),
        ("reportingComponent", ""), ("reportingInstance", ""),
    ):  # fmt: skip
        obj.setdefault(name, value)


def _default_budget(obj: Object, _rng: random.Random) -> None:
    """Set the counts of a budget, which are always present; null becomes 0."""
    obj.setdefault("spec", {})
    if "status" in obj:
        obj["status"] = {**dict.fromkeys(_BUDGET_COUNTS, 0), **(obj["status"] or {})}
        fill_null_times(obj["status"], "lastTransitionTime")


_DEFAULTS: MappingProxyType[str, Callable[[Object, random.Random], None]] = MappingProxyType(
    {
        "pods": lambda obj, _rng: default_pod(obj),
        "deployments.apps": default_deployment,
        "replicasets.apps": default_replica_set,
        "statefulsets.apps": default_stateful_set,
        "daemonsets.apps": default_daemon_set,
        "cronjobs.batch": default_cron_job,
        "jobs.batch": default_job,
        "services": _default_service,
        "secrets": _default_secret,
        "events": _default_event,
        "nodes": _default_node,
        "namespaces": _default_namespace,
        "configmaps": _default_data,
        "leases.coordination.k8s.io": _default_lease,
        "poddisruptionbudgets.policy": _default_budget,
    }
)
