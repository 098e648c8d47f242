"""The built-in kinds' rules: what is refused, as far as a demo cluster needs it.

Source: Kubernetes' pkg/apis/*/validation; only rules on fields that people and controllers set.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from devcluster.server import names
from devcluster.server.kinds import Kind
from devcluster.server.objects import Object
from devcluster.server.status import FieldError, duplicate, forbidden_field, invalid_value, not_supported, required

_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_SERVICE_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")


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
    selector = spec.get("selector")
    if selector is None:
        errors.append(required("spec.selector"))
    elif not selector:
        why = f"empty selector is invalid for {obj['kind'].lower()}"
        errors.append(invalid_value("spec.selector", {}, why))
    labels = (spec["template"].get("metadata") or {}).get("labels")
    if selector is None or not _selects(selector, labels or {}):
        why = "`selector` does not match template `labels`"
        errors.append(invalid_value("spec.template.metadata.labels", labels, why))
    return errors + _check_pod_spec(spec["template"]["spec"], "spec.template.spec")


def _selects(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    """matchLabels only; expressions are taken for matching."""
    return all(labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items())


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
