"""Rules of Deployments, ReplicaSets and Jobs. Source: Kubernetes' pkg/apis/{apps,batch}/validation/validation.go."""

from __future__ import annotations

from typing import Any

from devcluster.server.metadata import check_labels
from devcluster.server.objects import Object
from devcluster.server.pod_rules import at_least_zero, check_pod_spec, supported
from devcluster.server.scale import selector_text
from devcluster.server.selectors import parse_labels
from devcluster.server.status import FieldError, forbidden_field, invalid_value, not_supported, required

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_UNSELECTED = "`selector` does not match template `labels`"


def check_replica_set(obj: Object) -> list[FieldError]:
    """What is wrong with a ReplicaSet, or with what a Deployment shares with one."""
    spec = obj["spec"]
    errors = at_least_zero(spec, "spec", "replicas", "minReadySeconds", "revisionHistoryLimit")
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
    elif wrong := _selector_problems(selector):
        return [*wrong, invalid_value("spec.selector", selector, "invalid label selector")]
    if selector is None or not _selects(selector, labels or {}):
        errors.append(invalid_value("spec.template.metadata.labels", labels, _UNSELECTED))
    return errors


def _selector_problems(selector: dict[str, Any]) -> list[FieldError]:
    errors = check_labels(selector.get("matchLabels") or {}, "spec.selector.matchLabels")
    for position, term in enumerate(selector.get("matchExpressions") or ()):
        if term.get("operator") not in _OPERATORS:
            where = f"spec.selector.matchExpressions[{position}].operator"
            errors.append(invalid_value(where, term.get("operator", ""), "not a valid selector operator"))
    return errors


def check_deployment(obj: Object) -> list[FieldError]:
    """What is wrong with a Deployment."""
    spec = obj["spec"]
    strategy, errors = spec["strategy"], check_replica_set(obj)
    rolling, path = strategy.get("rollingUpdate"), "spec.strategy.rollingUpdate"
    if strategy["type"] == "Recreate" and rolling is not None:
        errors.append(forbidden_field(path, "may not be specified when strategy `type` is 'Recreate'"))
    elif strategy["type"] not in ("Recreate", "RollingUpdate"):
        shown = {"Type": strategy["type"], "RollingUpdate": rolling}
        errors.append(not_supported("spec.strategy", shown, ("Recreate", "RollingUpdate")))
    elif rolling is not None and {str(rolling[key]).rstrip("%") for key in ("maxSurge", "maxUnavailable")} == {"0"}:
        why = "may not be 0 when `maxSurge` is 0"
        errors.append(invalid_value(f"{path}.maxUnavailable", rolling["maxUnavailable"], why))
    deadline = spec["progressDeadlineSeconds"]
    if deadline <= spec.get("minReadySeconds", 0):
        errors.append(invalid_value("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"))
    return errors


def _selects(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    terms = [*parse_labels(selector_text(selector))]
    return all(term.matches(labels) for term in terms)


def check_job(obj: Object) -> list[FieldError]:
    """What is wrong with a Job."""
    whole, template = obj["spec"], obj["spec"]["template"]
    numbers = ("parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished")
    errors = at_least_zero(whole, "spec", *numbers)
    errors += supported(whole["completionMode"], ("NonIndexed", "Indexed"), "spec.completionMode")
    selector, labels = whole.get("selector") or {}, (template.get("metadata") or {}).get("labels")
    if not whole["manualSelector"] and len(selector.get("matchLabels") or {}) > 1:
        errors.append(invalid_value("spec.selector", selector, "`selector` not auto-generated"))
    if not _selects(selector, labels or {}):
        errors.append(invalid_value("spec.template.metadata.labels", labels, _UNSELECTED))
    errors += check_labels(labels or {}, "spec.template.labels")
    errors += check_pod_spec(template["spec"], "spec.template.spec")
    if template["spec"].get("restartPolicy") == "Always":
        known = ("OnFailure", "Never")
        why = f'Required value: valid values: "{known[0]}", "{known[1]}"'
        errors.append(FieldError("spec.template.spec.restartPolicy", "FieldValueRequired", why))
    return errors


def check_replicas(status: dict[str, Any], parts: tuple[str, ...]) -> list[FieldError]:
    """What is wrong with the status of a Deployment or ReplicaSet, which counts these parts of its replicas."""
    counts = ("observedGeneration", "replicas", *parts, "unavailableReplicas", "collisionCount")
    errors = at_least_zero(status, "status", *counts)
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
