"""Validation of Deployments and ReplicaSets.

Source: Kubernetes' pkg/apis/{apps,batch}/validation/validation.go.
"""

from __future__ import annotations

from typing import Any

from devcluster.server.api_errors import FieldError, forbidden_field, invalid_value, not_supported, required
from devcluster.server.storage.object_codec import Object
from devcluster.server.validation.field_values import (
    check_at_most_100_percent,
    check_int_or_percent,
    check_not_negative,
    int_or_percent_value,
    shown_strategy,
)
from devcluster.server.validation.label_selectors import UNSELECTED, selector_problems, selects
from devcluster.server.validation.pods import check_pod_spec


def check_replica_set(obj: Object) -> list[FieldError]:
    """The errors in a ReplicaSet, or in the part that a Deployment shares with one."""
    spec = obj["spec"]
    errors = check_not_negative(spec, "spec", "replicas", "minReadySeconds", "revisionHistoryLimit")
    errors += _check_selector(spec, obj["kind"].lower())
    template = spec["template"]["spec"]
    errors += check_pod_spec(template, "spec.template.spec")
    if template.get("restartPolicy") in ("Never", "OnFailure"):
        errors.append(not_supported("spec.template.spec.restartPolicy", template["restartPolicy"], ("Always",)))
    if "activeDeadlineSeconds" in template:
        why = "activeDeadlineSeconds in ReplicaSet is not Supported"
        errors.append(forbidden_field("spec.template.spec.activeDeadlineSeconds", why))
    return errors


def _check_selector(spec: dict[str, Any], kind: str) -> list[FieldError]:
    selector, labels = spec.get("selector"), (spec["template"].get("metadata") or {}).get("labels")
    errors: list[FieldError] = []
    if selector is None:
        errors.append(required("spec.selector"))
    elif not selector:
        errors.append(invalid_value("spec.selector", {}, f"empty selector is invalid for {kind}"))
    elif problems := selector_problems(selector):
        return [*problems, invalid_value("spec.selector", selector, "invalid label selector")]
    if selector is None or not selects(selector, labels or {}):
        errors.append(invalid_value("spec.template.metadata.labels", labels, UNSELECTED))
    return errors


def check_deployment(obj: Object) -> list[FieldError]:
    """The errors in a Deployment."""
    spec = obj["spec"]
    strategy, errors = spec["strategy"], check_replica_set(obj)
    rolling, path = strategy.get("rollingUpdate"), "spec.strategy.rollingUpdate"
    if strategy["type"] == "Recreate" and rolling is not None:
        errors.append(forbidden_field(path, "may not be specified when strategy `type` is 'Recreate'"))
    elif strategy["type"] not in ("Recreate", "RollingUpdate"):
        errors.append(not_supported("spec.strategy", shown_strategy(strategy), ("Recreate", "RollingUpdate")))
    elif rolling is not None:
        errors += _check_rolling(rolling, path)
    deadline = spec["progressDeadlineSeconds"]
    if deadline <= spec.get("minReadySeconds", 0):
        errors.append(invalid_value("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"))
    return errors


def _check_rolling(rolling: dict[str, Any], path: str) -> list[FieldError]:
    surge, unavailable = rolling["maxSurge"], rolling["maxUnavailable"]
    errors = check_int_or_percent(unavailable, f"{path}.maxUnavailable") + check_int_or_percent(
        surge, f"{path}.maxSurge"
    )
    if int_or_percent_value(surge) == int_or_percent_value(unavailable) == 0:
        errors.append(invalid_value(f"{path}.maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0"))
    return errors + check_at_most_100_percent(unavailable, f"{path}.maxUnavailable")


def check_replica_counts(status: dict[str, Any], parts: tuple[str, ...]) -> list[FieldError]:
    """The errors in the status of a Deployment or ReplicaSet, which counts these parts of its replicas."""
    counts = ("observedGeneration", "replicas", *parts, "unavailableReplicas", "collisionCount")
    errors = check_not_negative(status, "status", *counts)
    total, ready = status.get("replicas", 0), status.get("readyReplicas", 0)
    for name in parts:
        if status.get(name, 0) > total:
            errors.append(
                invalid_value(f"status.{name}", status.get(name, 0), "cannot be greater than status.replicas")
            )
    if status.get("availableReplicas", 0) > ready:
        why = "cannot be greater than readyReplicas"
        errors.append(invalid_value("status.availableReplicas", status.get("availableReplicas", 0), why))
    return errors
