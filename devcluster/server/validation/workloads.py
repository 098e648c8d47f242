"""Validation of Deployments, ReplicaSets and Jobs, and what other workloads share with them.

Source: Kubernetes' pkg/apis/{apps,batch}/validation/validation.go.
"""

from __future__ import annotations

import re
from typing import Any

from devcluster.server import names_and_labels as names
from devcluster.server.api_errors import FieldError, forbidden_field, invalid_value, not_supported, required
from devcluster.server.names_and_labels import check_labels
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.selectors import parse_labels, selector_text
from devcluster.server.validation.pods import check_not_negative, check_pod_spec, check_supported

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_SHARE = re.compile("[0-9]+%")
_NO_SHARE = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
    "validation is '[0-9]+%')"
)
UPDATE_STRATEGIES = ("RollingUpdate", "OnDelete")
"""Of StatefulSets and DaemonSets."""
_UNSELECTED = "`selector` does not match template `labels`"


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
    if selector is None or not _selects(selector, labels or {}):
        errors.append(invalid_value("spec.template.metadata.labels", labels, _UNSELECTED))
    return errors


def selector_problems(selector: dict[str, Any]) -> list[FieldError]:
    """The errors in a LabelSelector at ``spec.selector``."""
    errors = check_labels(selector.get("matchLabels") or {}, "spec.selector.matchLabels")
    for position, term in enumerate(selector.get("matchExpressions") or ()):
        if term.get("operator") not in _OPERATORS:
            where = f"spec.selector.matchExpressions[{position}].operator"
            errors.append(invalid_value(where, term.get("operator", ""), "not a valid selector operator"))
        elif bool(term.get("values")) is not (term["operator"] in _OPERATORS[:2]):
            errors.append(_wrong_values(term, f"spec.selector.matchExpressions[{position}].values"))
    return errors


def _wrong_values(term: dict[str, Any], where: str) -> FieldError:
    if term["operator"] in _OPERATORS[:2]:
        return required(where, "must be specified when `operator` is 'In' or 'NotIn'")
    return forbidden_field(where, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")


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


def shown_strategy(strategy: dict[str, Any]) -> dict[str, Any]:
    """A strategy as the API server's messages show it."""
    return {"Type": strategy["type"], "RollingUpdate": strategy.get("rollingUpdate")}


def _check_rolling(rolling: dict[str, Any], path: str) -> list[FieldError]:
    surge, unavailable = rolling["maxSurge"], rolling["maxUnavailable"]
    errors = check_int_or_percent(unavailable, f"{path}.maxUnavailable") + check_int_or_percent(
        surge, f"{path}.maxSurge"
    )
    if int_or_percent_value(surge) == int_or_percent_value(unavailable) == 0:
        errors.append(invalid_value(f"{path}.maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0"))
    return errors + check_at_most_100_percent(unavailable, f"{path}.maxUnavailable")


def check_int_or_percent(value: int | str, path: str) -> list[FieldError]:
    """The errors in a number or a percentage."""
    if isinstance(value, str):
        return [] if _is_share(value) else [invalid_value(path, value, _NO_SHARE)]
    return [invalid_value(path, value, "must be greater than or equal to 0")] if value < 0 else []


def check_at_most_100_percent(value: int | str, path: str) -> list[FieldError]:
    """The errors in a percentage with a maximum of 100."""
    too_much = _is_share(value) and int_or_percent_value(value) > 100
    return [invalid_value(path, value, "must not be greater than 100%")] if too_much else []


def _is_share(value: int | str) -> bool:
    return isinstance(value, str) and _SHARE.fullmatch(value) is not None


def int_or_percent_value(value: int | str) -> int:
    """The number of a percentage or of a plain number; 0 for other text."""
    text = str(value).removesuffix("%") if _is_share(value) else str(value)
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else 0


def _selects(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    terms = [*parse_labels(selector_text(selector))]
    return all(term.matches(labels) for term in terms)


def check_job(obj: Object) -> list[FieldError]:
    """The errors in a Job."""
    whole, template = obj["spec"], obj["spec"]["template"]
    numbers = ("parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished")
    errors = check_not_negative(whole, "spec", *numbers)
    errors += check_supported(whole["completionMode"], ("NonIndexed", "Indexed"), "spec.completionMode")
    selector, labels = whole.get("selector") or {}, (template.get("metadata") or {}).get("labels")
    if not whole["manualSelector"] and len(selector.get("matchLabels") or {}) > 1:
        errors.append(invalid_value("spec.selector", selector, "`selector` not auto-generated"))
    if not _selects(selector, labels or {}):
        errors.append(invalid_value("spec.template.metadata.labels", labels, _UNSELECTED))
    errors += dict.fromkeys(check_labels(labels or {}, "spec.template.labels"))
    errors += _check_host(obj["metadata"].get("name", ""), whole)
    errors += check_pod_spec(template["spec"], "spec.template.spec")
    if template["spec"].get("restartPolicy") == "Always":
        known = ("OnFailure", "Never")
        why = f'Required value: valid values: "{known[0]}", "{known[1]}"'
        errors.append(FieldError("spec.template.spec.restartPolicy", "FieldValueRequired", why))
    return errors


def _check_host(name: str, spec: dict[str, Any]) -> list[FieldError]:
    """An indexed Job's name, which begins the names of its pods' hosts."""
    if spec["completionMode"] != "Indexed" or not spec.get("completions"):
        return []
    host = f"{name}-{spec['completions'] - 1}"
    why = f"will not able to create pod with invalid DNS label: {host}"
    return [invalid_value("metadata.name", name, why)] if names.dns_label_problems(host) else []


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
