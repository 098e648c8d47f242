"""Validation of DaemonSets.

Source: Kubernetes' pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

from typing import Any

from devcluster.server.api_errors import FieldError, invalid_value, not_supported, required
from devcluster.server.storage.object_codec import Object
from devcluster.server.validation.deployments_and_replica_sets import check_replica_set
from devcluster.server.validation.field_values import (
    UPDATE_STRATEGIES,
    check_at_most_100_percent,
    check_int_or_percent,
    int_or_percent_value,
    shown_strategy,
)


def check_daemon_set(obj: Object) -> list[FieldError]:
    """The errors in a DaemonSet."""
    strategy = obj["spec"]["updateStrategy"]
    errors = [each for each in check_replica_set(obj) if each != required("spec.selector")]
    if strategy["type"] not in UPDATE_STRATEGIES:
        errors.append(not_supported("spec.updateStrategy", shown_strategy(strategy), UPDATE_STRATEGIES))
    rolling = strategy.get("rollingUpdate")
    if strategy["type"] == "RollingUpdate" and rolling is not None:
        errors += _check_rolling(rolling, "spec.updateStrategy.rollingUpdate")
    return errors


def _check_rolling(rolling: dict[str, Any], path: str) -> list[FieldError]:
    """Just one of the two may be, and is, above 0."""
    errors = list[FieldError]()
    for name in ("maxUnavailable", "maxSurge"):
        errors += check_int_or_percent(rolling[name], f"{path}.{name}") + check_at_most_100_percent(
            rolling[name], f"{path}.{name}"
        )
    unavailable, surge = int_or_percent_value(rolling["maxUnavailable"]), int_or_percent_value(rolling["maxSurge"])
    if unavailable and surge:
        why = "may not be set when maxUnavailable is non-zero"
        errors.append(invalid_value(f"{path}.maxSurge", rolling["maxSurge"], why))
    elif not unavailable and not surge:
        errors.append(required(f"{path}.maxUnavailable", "cannot be 0 when maxSurge is 0"))
    return errors
