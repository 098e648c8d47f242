"""Validation of PodDisruptionBudgets.

Source: Kubernetes' pkg/apis/policy/validation/validation.go.
"""

from __future__ import annotations

from typing import Any

from devcluster.server.api_errors import FieldError, invalid_value, not_supported
from devcluster.server.storage.object_codec import Object
from devcluster.server.validation.field_values import (
    check_at_most_100_percent,
    check_int_or_percent,
    check_not_negative,
)
from devcluster.server.validation.label_selectors import selector_problems

_POLICIES = ("AlwaysAllow", "IfHealthyBudget")


_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


_FIELDS = ("minAvailable", "selector", "maxUnavailable", "unhealthyPodEvictionPolicy")


def check_budget(obj: Object) -> list[FieldError]:
    """The errors in a PodDisruptionBudget."""
    spec = obj.get("spec") or {}
    errors: list[FieldError] = []
    if "minAvailable" in spec and "maxUnavailable" in spec:
        shown: dict[str, Any] = {f"{name[0].upper()}{name[1:]}": spec.get(name) for name in _FIELDS}
        errors.append(invalid_value("spec", shown, "minAvailable and maxUnavailable cannot be both set"))
    for name in ("minAvailable", "maxUnavailable"):
        if name in spec:
            errors += check_int_or_percent(spec[name], f"spec.{name}") + check_at_most_100_percent(
                spec[name], f"spec.{name}"
            )
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in _POLICIES:
        errors.append(not_supported("spec.unhealthyPodEvictionPolicy", policy, _POLICIES))
    return errors + selector_problems(spec.get("selector") or {})


def check_budget_status(status: dict[str, Any]) -> list[FieldError]:
    """The errors in a budget's counts."""
    return check_not_negative(status, "status", *_COUNTS)
