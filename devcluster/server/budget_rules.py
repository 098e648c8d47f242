"""Rules of PodDisruptionBudgets. Source: Kubernetes' pkg/apis/policy/validation/validation.go."""

from __future__ import annotations

from typing import Any

from devcluster.server.objects import Object
from devcluster.server.pod_rules import at_least_zero
from devcluster.server.status import FieldError, invalid_value, not_supported
from devcluster.server.workload_rules import check_share, check_whole, selector_problems

_POLICIES = ("AlwaysAllow", "IfHealthyBudget")
_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
_FIELDS = ("minAvailable", "selector", "maxUnavailable", "unhealthyPodEvictionPolicy")


def check_budget(obj: Object) -> list[FieldError]:
    """What is wrong with a budget."""
    spec = obj.get("spec") or {}
    errors: list[FieldError] = []
    if "minAvailable" in spec and "maxUnavailable" in spec:
        shown: dict[str, Any] = {f"{name[0].upper()}{name[1:]}": spec.get(name) for name in _FIELDS}
        errors.append(invalid_value("spec", shown, "minAvailable and maxUnavailable cannot be both set"))
    for name in ("minAvailable", "maxUnavailable"):
        if name in spec:
            errors += check_share(spec[name], f"spec.{name}") + check_whole(spec[name], f"spec.{name}")
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in _POLICIES:
        errors.append(not_supported("spec.unhealthyPodEvictionPolicy", policy, _POLICIES))
    return errors + selector_problems(spec.get("selector") or {})


def check_budget_status(status: dict[str, Any]) -> list[FieldError]:
    """What is wrong with its counts."""
    return at_least_zero(status, "status", *_COUNTS)
