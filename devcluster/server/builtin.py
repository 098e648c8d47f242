"""The built-in kinds' own rules: the defaults they get and what is refused, as far as a demo cluster needs them.

Source: Kubernetes' pkg/apis/*/v1/defaults.go and validation.go; only rules on fields that people and controllers set.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from devcluster.server import names
from devcluster.server.kinds import Kind
from devcluster.server.objects import Object
from devcluster.server.status import FieldError, duplicate, forbidden_field, invalid_value, not_supported, required

_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_SERVICE_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")


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


def check(obj: Object, kind: Kind) -> list[FieldError]:
    """What is wrong with the object, metadata apart."""
    rule = _RULES.get(kind.key)
    return rule(obj) if rule is not None else []


def check_update(new: Object, old: Object, kind: Kind) -> list[FieldError]:
    """What an update may not change."""
    if kind.key == "pods":
        return _pod_changes(new, old)
    if kind.key in ("deployments.apps", "replicasets.apps", "jobs.batch"):
        selector = new["spec"].get("selector")
        if selector != old["spec"].get("selector"):
            return [invalid_value("spec.selector", selector, "field is immutable")]
    if kind.key in ("configmaps", "secrets") and old.get("immutable"):
        return _frozen(new, old)
    if kind.key == "secrets" and new.get("type") != old.get("type"):
        return [invalid_value("type", new.get("type"), "field is immutable")]
    return []


def _frozen(new: Object, old: Object) -> list[FieldError]:
    why = "field is immutable when `immutable` is set"
    fields = ("immutable", "data", "binaryData")
    return [forbidden_field(field, why) for field in fields if new.get(field) != old.get(field)]


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


def _default_event(obj: Object, _rng: random.Random) -> None:
    for name, value in (
        ("involvedObject", {}), ("source", {}), ("firstTimestamp", None), ("lastTimestamp", None), ("eventTime", None),
        ("reportingComponent", ""), ("reportingInstance", ""),
    ):  # fmt: skip
        obj.setdefault(name, value)


def _quality(spec: dict[str, Any]) -> str:
    resources = [container.get("resources") or {} for container in spec.get("containers") or ()]
    if not any(resources):
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


def _check_pod(obj: Object) -> list[FieldError]:
    return _check_pod_spec(obj.get("spec") or {}, "spec")


def _check_pod_spec(spec: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not spec.get("containers"):
        errors.append(required(f"{path}.containers"))
    seen: set[str] = set()
    for group in ("initContainers", "containers"):
        for position, container in enumerate(spec.get(group) or ()):
            errors += _check_container(container, f"{path}.{group}[{position}]", seen)
    policy = spec.get("restartPolicy")
    if policy not in _RESTART_POLICIES:
        errors.append(not_supported(f"{path}.restartPolicy", policy, _RESTART_POLICIES))
    return errors


def _check_container(container: dict[str, Any], path: str, seen: set[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    name = container.get("name", "")
    if not name:
        errors.append(required(f"{path}.name"))
    else:
        errors += [invalid_value(f"{path}.name", name, why) for why in names.label_problems(name)]
    if not container.get("image"):
        errors.append(required(f"{path}.image"))
    for position, port in enumerate(container.get("ports") or ()):
        number, field = port.get("containerPort", 0), f"{path}.ports[{position}].containerPort"
        if number == 0:
            errors.append(required(field))
        elif not 1 <= number <= 65535:
            errors.append(invalid_value(field, number, "must be between 1 and 65535, inclusive"))
    if name and name in seen:
        errors.append(duplicate(f"{path}.name", name))
    seen.add(name)
    return errors


def _check_workload(obj: Object) -> list[FieldError]:
    spec = obj["spec"]
    errors: list[FieldError] = []
    if spec.get("replicas", 1) < 0:
        errors.append(invalid_value("spec.replicas", spec["replicas"], "must be greater than or equal to 0"))
    selector = (spec.get("selector") or {}).get("matchLabels") or {}
    if not spec.get("selector"):
        errors.append(required("spec.selector"))
    labels = (spec["template"].get("metadata") or {}).get("labels")
    if not selector or any((labels or {}).get(key) != value for key, value in selector.items()):
        why = "`selector` does not match template `labels`"
        errors.append(invalid_value("spec.template.metadata.labels", labels, why))
    return errors + _check_pod_spec(spec["template"]["spec"], "spec.template.spec")


def _check_job(obj: Object) -> list[FieldError]:
    spec = obj["spec"]["template"]["spec"]
    errors = _check_pod_spec(spec, "spec.template.spec")
    if spec.get("restartPolicy") == "Always":
        supported = ("OnFailure", "Never")
        why = f'Required value: valid values: "{supported[0]}", "{supported[1]}"'
        errors.append(FieldError("spec.template.spec.restartPolicy", "FieldValueRequired", why))
    return errors


def _check_service(obj: Object) -> list[FieldError]:
    spec = obj["spec"]
    if spec["type"] not in _SERVICE_TYPES:
        return [not_supported("spec.type", spec["type"], _SERVICE_TYPES)]
    if spec["type"] == "ExternalName" or spec.get("clusterIP") == "None":
        return []
    if not spec.get("ports"):
        return [required("spec.ports")]
    return [
        invalid_value(f"spec.ports[{position}].port", port.get("port", 0), "must be between 1 and 65535, inclusive")
        for position, port in enumerate(spec["ports"])
        if not 1 <= port.get("port", 0) <= 65535
    ]


def _check_data(obj: Object) -> list[FieldError]:
    return [
        invalid_value(f"{field}[{key}]", key, why)
        for field in ("data", "binaryData")
        for key in obj.get(field) or {}
        for why in names.config_key_problems(key)
    ]


def _check_event(obj: Object) -> list[FieldError]:
    about, namespace = obj["involvedObject"].get("namespace", ""), obj["metadata"].get("namespace", "")
    if about != namespace and not (about == "" and namespace == "default"):
        return [invalid_value("involvedObject.namespace", about, "does not match event.namespace")]
    return []


def _check_lease(obj: Object) -> list[FieldError]:
    spec = obj.get("spec") or {}
    seconds, field = spec.get("leaseDurationSeconds"), "spec.leaseDurationSeconds"
    if seconds is not None and seconds <= 0:
        return [invalid_value(field, seconds, "must be greater than 0")]
    return []


_CHANGEABLE = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def _pod_changes(new: Object, old: Object) -> list[FieldError]:
    def fixed(obj: Object) -> dict[str, Any]:
        spec = {k: v for k, v in obj["spec"].items() if k not in ("activeDeadlineSeconds", "tolerations")}
        for group in ("containers", "initContainers"):
            if group in spec:
                spec[group] = [{**container, "image": ""} for container in spec[group]]
        return spec

    return [] if fixed(new) == fixed(old) else [forbidden_field("spec", _CHANGEABLE)]


_DEFAULTS: MappingProxyType[str, Callable[[Object, random.Random], None]] = MappingProxyType(
    {
        "pods": _default_pod,
        "deployments.apps": _default_deployment,
        "replicasets.apps": _default_replica_set,
        "jobs.batch": _default_job,
        "services": _default_service,
        "secrets": _default_secret,
        "events": _default_event,
    }
)
_RULES: MappingProxyType[str, Callable[[Object], list[FieldError]]] = MappingProxyType(
    {
        "pods": _check_pod,
        "deployments.apps": _check_workload,
        "replicasets.apps": _check_workload,
        "jobs.batch": _check_job,
        "services": _check_service,
        "configmaps": _check_data,
        "secrets": _check_data,
        "events": _check_event,
        "leases.coordination.k8s.io": _check_lease,
    }
)
