"""The built-in kinds' defaults: what the server fills in, and the status that new objects begin with.

Source: Kubernetes' pkg/apis/*/v1/defaults.go; only what a demo cluster shows.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from devcluster.server.kinds import Kind
from devcluster.server.objects import Object

_NODE_INFO = (
    "machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion", "kubeletVersion",
    "kubeProxyVersion", "operatingSystem", "architecture",
)  # fmt: skip


def fill_defaults(obj: Object, kind: Kind, rng: random.Random) -> None:
    """Set, in place, what the kind's defaults say."""
    default = _DEFAULTS.get(kind.key)
    if default is not None:
        default(obj, rng)


def fill_for_create(obj: Object, kind: Kind) -> None:
    """Set, in place, the status that a new object starts with, and what is set at creation only."""
    metadata = obj["metadata"]
    if kind.key == "namespaces":
        metadata["labels"] = {**(metadata.get("labels") or {}), "kubernetes.io/metadata.name": metadata.get("name", "")}
        obj["spec"] = {"finalizers": ["kubernetes"]}
        obj["status"] = {"phase": "Active"}
    elif kind.key == "pods":
        obj["status"] = {"phase": "Pending", "qosClass": _quality(obj.get("spec") or {})}
    elif kind.key == "jobs.batch":
        _label_job(obj)
    elif kind.key == "services":
        obj["status"] = {"loadBalancer": {}}
    elif kind.key == "replicasets.apps":
        obj["status"] = {"replicas": 0}
    elif kind.has_status and not kind.custom and kind.key != "nodes":
        obj["status"] = {}


def _default_containers(spec: dict[str, Any]) -> None:
    for container in [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]:
        container.setdefault("resources", {})
        container.setdefault("terminationMessagePath", "/dev/termination-log")
        container.setdefault("terminationMessagePolicy", "File")
        tag = container.get("image", "").rpartition("/")[2].partition(":")[2]
        container.setdefault("imagePullPolicy", "Always" if tag in ("", "latest") else "IfNotPresent")
        for port in container.get("ports") or ():
            port.setdefault("protocol", "TCP")


def _default_pod_spec(spec: dict[str, Any]) -> None:
    _default_containers(spec)
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("dnsPolicy", "ClusterFirst")
    if "serviceAccountName" in spec:
        spec.setdefault("serviceAccount", spec["serviceAccountName"])
    spec.setdefault("securityContext", {})
    spec.setdefault("schedulerName", "default-scheduler")


def _default_pod(obj: Object, _rng: random.Random) -> None:
    spec = obj.setdefault("spec", {})
    _default_pod_spec(spec)
    if "tolerations" not in spec:
        spec["tolerations"] = [
            {"key": f"node.kubernetes.io/{why}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
            for why in ("not-ready", "unreachable")
        ]
    spec.setdefault("priority", 0)
    spec.setdefault("enableServiceLinks", True)
    spec.setdefault("preemptionPolicy", "PreemptLowerPriority")


def _template(obj: Object) -> dict[str, Any]:
    template: dict[str, Any] = obj.setdefault("spec", {}).setdefault("template", {})
    _default_pod_spec(template.setdefault("spec", {}))
    return template


def _default_deployment(obj: Object, _rng: random.Random) -> None:
    _template(obj)
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    strategy = spec.setdefault("strategy", {})
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)


def _default_replica_set(obj: Object, _rng: random.Random) -> None:
    _template(obj)
    obj["spec"].setdefault("replicas", 1)


def _default_job(obj: Object, _rng: random.Random) -> None:
    _template(obj)
    spec = obj["spec"]
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    for name, value in (
        ("parallelism", 1), ("backoffLimit", 6), ("manualSelector", False), ("completionMode", "NonIndexed"),
        ("suspend", False), ("podReplacementPolicy", "TerminatingOrFailed"),
    ):  # fmt: skip
        spec.setdefault(name, value)


def _default_service(obj: Object, rng: random.Random) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("type", "ClusterIP")
    spec.setdefault("sessionAffinity", "None")
    for port in spec.get("ports") or ():
        port.setdefault("protocol", "TCP")
        port.setdefault("targetPort", port.get("port"))
    if spec["type"] == "ExternalName":
        return
    address = f"10.0.{rng.randrange(1, 255)}.{rng.randrange(1, 255)}"
    spec.setdefault("clusterIP", address)
    spec.setdefault("clusterIPs", [spec["clusterIP"]])
    spec.setdefault("ipFamilies", ["IPv4"])
    spec.setdefault("ipFamilyPolicy", "SingleStack")
    spec.setdefault("internalTrafficPolicy", "Cluster")


def _default_secret(obj: Object, _rng: random.Random) -> None:
    plain = obj.pop("stringData", None) or {}
    if plain:
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in plain.items()}
        obj["data"] = {**(obj.get("data") or {}), **encoded}
    obj.setdefault("type", "Opaque")


def _default_node(obj: Object, _rng: random.Random) -> None:
    obj.setdefault("spec", {})
    status = obj.setdefault("status", {})
    status.setdefault("daemonEndpoints", {"kubeletEndpoint": {"Port": 0}})
    status["nodeInfo"] = {**dict.fromkeys(_NODE_INFO, ""), **(status.get("nodeInfo") or {})}


def _default_event(obj: Object, _rng: random.Random) -> None:
    for name, value in (
        ("involvedObject", {}), ("source", {}), ("firstTimestamp", None), ("lastTimestamp", None), ("eventTime", None),
        ("reportingComponent", ""), ("reportingInstance", ""),
    ):  # fmt: skip
        obj.setdefault(name, value)


def _quality(spec: dict[str, Any]) -> str:
    resources = [container.get("resources") or {} for container in spec.get("containers") or ()]
    asked = [amount for r in resources for held in ("requests", "limits") for amount in (r.get(held) or {}).values()]
    if all(amount == "0" for amount in asked):
        return "BestEffort"
    limits_all = all({"cpu", "memory"} <= set(r.get("limits") or {}) for r in resources)
    same = all((r.get("requests") or r.get("limits")) == r.get("limits") for r in resources)
    return "Guaranteed" if limits_all and same else "Burstable"


def _label_job(obj: Object) -> None:
    metadata, spec = obj["metadata"], obj["spec"]
    uid, name = metadata["uid"], metadata.get("name", "")
    obj["status"] = {}
    if spec.get("manualSelector"):
        return
    labels = {
        "batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": name,
        "controller-uid": uid, "job-name": name,
    }  # fmt: skip
    metadata["labels"] = {**labels, **(metadata.get("labels") or {})}
    template = spec["template"].setdefault("metadata", {})
    template["labels"] = {**labels, **(template.get("labels") or {})}
    spec["selector"] = {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}


_DEFAULTS: MappingProxyType[str, Callable[[Object, random.Random], None]] = MappingProxyType(
    {
        "pods": _default_pod,
        "deployments.apps": _default_deployment,
        "replicasets.apps": _default_replica_set,
        "jobs.batch": _default_job,
        "services": _default_service,
        "secrets": _default_secret,
        "events": _default_event,
        "nodes": _default_node,
    }
)
