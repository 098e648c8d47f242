"""Validation of the built-in kinds, as far as a demo cluster needs it.

Source: Kubernetes' pkg/apis/*/validation; only rules on fields that people and controllers set.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from devcluster.server import names_and_labels as names
from devcluster.server.api_errors import FieldError, forbidden_field, invalid_value, required
from devcluster.server.kinds import BUDGETS, CUSTOM_RESOURCE_DEFINITIONS, Kind
from devcluster.server.schema.formats import is_ip
from devcluster.server.storage.object_codec import Object
from devcluster.server.validation import crds
from devcluster.server.validation.cron_jobs import check_cron_job
from devcluster.server.validation.daemon_sets import check_daemon_set
from devcluster.server.validation.deployments_and_replica_sets import (
    check_deployment,
    check_replica_counts,
    check_replica_set,
)
from devcluster.server.validation.disruption_budgets import check_budget, check_budget_status
from devcluster.server.validation.field_values import check_not_negative
from devcluster.server.validation.jobs import check_job
from devcluster.server.validation.pods import check_pod_spec
from devcluster.server.validation.services import BAD_ADDRESS, check_service
from devcluster.server.validation.stateful_sets import check_stateful_set, check_stateful_set_update

_SECRET_KEYS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "kubernetes.io/tls": ("tls.crt", "tls.key"),
        "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
        "kubernetes.io/basic-auth": ("username", "password"),
        "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    }
)
"""Required keys of a Secret by type; one of the two suffices for basic-auth."""
_MAX_DATA = 1 << 20
"""Bytes that a ConfigMap or a Secret may hold."""
_PARTS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "deployments.apps": ("updatedReplicas", "readyReplicas", "availableReplicas"),
        "replicasets.apps": ("fullyLabeledReplicas", "readyReplicas", "availableReplicas"),
    }
)
"""What the status counts of all replicas."""
_EVENT_FIELDS = ("reportingComponent", "reportingInstance", "action", "reason")


def check_object(obj: Object, kind: Kind) -> list[FieldError]:
    """The errors in the object, except for its metadata."""
    rule = _RULES.get(kind.key)
    return rule(obj) if rule is not None else []


def check_object_update(new: Object, old: Object, kind: Kind) -> list[FieldError]:
    """The errors of an update."""
    if kind.key == "pods":
        return _pod_changes(new, old)
    if kind is CUSTOM_RESOURCE_DEFINITIONS:
        return crds.check_crd_update(new, old)
    if kind.key == "statefulsets.apps":
        return check_stateful_set_update(new, old)
    if kind.key in ("daemonsets.apps", "deployments.apps", "replicasets.apps", "jobs.batch"):
        selector = new["spec"].get("selector")
        if selector != old["spec"].get("selector"):
            return [invalid_value("spec.selector", selector, "field is immutable")]
    if kind.key == "jobs.batch" and new["spec"]["template"] != old["spec"]["template"]:
        return [invalid_value("spec.template", new["spec"]["template"], "field is immutable")]
    if kind.key == "jobs.batch" and new["spec"].get("completions") != old["spec"].get("completions"):
        return [invalid_value("spec.completions", new["spec"].get("completions"), "field is immutable")]
    if kind.key in ("configmaps", "secrets") and old.get("immutable"):
        return _frozen(new, old)
    if kind.key == "secrets" and new.get("type") != old.get("type"):
        return [invalid_value("type", new.get("type"), "field is immutable")]
    return []


def _frozen(new: Object, old: Object) -> list[FieldError]:
    why = "field is immutable when `immutable` is set"
    fields = ("immutable", "data", "binaryData")
    return [forbidden_field(field, why) for field in fields if new.get(field) != old.get(field)]


def check_object_status(obj: Object, old: Object, kind: Kind) -> list[FieldError]:
    """The errors in a built-in kind's status."""
    status = obj.get("status") or {}
    if kind.key == "pods":
        if status.get("qosClass") != (old.get("status") or {}).get("qosClass"):
            return [invalid_value("status.qosClass", status.get("qosClass"), "field is immutable")]
        addresses = [(place, pod_ip.get("ip", "")) for place, pod_ip in enumerate(status.get("podIPs") or ())]
        return [invalid_value(f"status.podIPs[{p}]", text, BAD_ADDRESS) for p, text in addresses if not is_ip(text)]
    if kind is BUDGETS:
        return check_budget_status(status)
    return check_replica_counts(status, _PARTS[kind.key]) if kind.key in _PARTS else []


def _check_data(obj: Object) -> list[FieldError]:
    errors = [
        invalid_value(f"{field}[{key}]", key, why)
        for field in ("data", "binaryData")
        for key in obj.get(field) or {}
        for why in names.config_key_problems(key)
    ]
    twice = [key for key in obj.get("data") or {} if key in (obj.get("binaryData") or {})]
    return errors + [invalid_value(f"data[{key}]", key, "duplicate of key present in binaryData") for key in twice]


def _check_config_map(obj: Object) -> list[FieldError]:
    size = sum(len(text.encode()) for text in (obj.get("data") or {}).values())
    return _check_data(obj) + _check_size(size + _decoded_size(obj.get("binaryData")), "[]")


def _decoded_size(data: dict[str, str] | None) -> int:
    """Bytes of values in base64."""
    return sum(len(text) // 4 * 3 - text.count("=", -2) for text in (data or {}).values())


def _check_size(size: int, field: str) -> list[FieldError]:
    why = f"Too long: may not be more than {_MAX_DATA} bytes"
    return [FieldError(field, "FieldValueTooLong", why)] if size > _MAX_DATA else []


def _check_secret(obj: Object) -> list[FieldError]:
    data, needed = obj.get("data") or {}, _SECRET_KEYS.get(obj["type"], ())
    errors = _check_data(obj) + _check_size(_decoded_size(obj.get("data")), "data")
    if obj["type"] == "kubernetes.io/basic-auth" and any(key in data for key in needed):
        return errors
    return errors + [required(f"data[{key}]") for key in needed if key not in data]


def _check_event(obj: Object) -> list[FieldError]:
    """Source: pkg/apis/core/validation/events.go, which has stricter rules for events with an eventTime."""
    about, namespace = obj["involvedObject"].get("namespace", ""), obj["metadata"].get("namespace", "")
    modern = bool(obj.get("eventTime"))
    errors = [required(name) for name in _EVENT_FIELDS if modern and not obj.get(name)]
    if about != namespace and not (about == "" and namespace == "default") and not (modern and about):
        errors.append(invalid_value("involvedObject.namespace", about, "does not match event.namespace"))
    return errors


def _check_lease(obj: Object) -> list[FieldError]:
    spec = obj.get("spec") or {}
    seconds, field = spec.get("leaseDurationSeconds"), "spec.leaseDurationSeconds"
    if seconds is not None and seconds <= 0:
        return [invalid_value(field, seconds, "must be greater than 0")]
    return check_not_negative(spec, "spec", "leaseTransitions")


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
        "pods": lambda obj: check_pod_spec(obj.get("spec") or {}, "spec"),
        "deployments.apps": check_deployment,
        "replicasets.apps": check_replica_set,
        "statefulsets.apps": check_stateful_set,
        "daemonsets.apps": check_daemon_set,
        "cronjobs.batch": check_cron_job,
        "jobs.batch": check_job,
        "services": check_service,
        "configmaps": _check_config_map,
        "secrets": _check_secret,
        "events": _check_event,
        "leases.coordination.k8s.io": _check_lease,
        "poddisruptionbudgets.policy": check_budget,
    }
)
