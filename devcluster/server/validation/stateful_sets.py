"""Validation of StatefulSets.

Source: Kubernetes' pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

from devcluster.server.api_errors import FieldError, invalid_value
from devcluster.server.storage.object_codec import Object
from devcluster.server.validation.deployments_and_replica_sets import check_replica_set
from devcluster.server.validation.field_values import UPDATE_STRATEGIES, check_not_negative, shown_strategy

_POLICIES = ("OrderedReady", "Parallel")
_CHANGEABLE = frozenset({
    "replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
})  # fmt: skip
"""Of a StatefulSet's spec."""


def check_stateful_set(obj: Object) -> list[FieldError]:
    """The errors in a StatefulSet."""
    spec = obj["spec"]
    strategy, policy, errors = spec["updateStrategy"], spec["podManagementPolicy"], list[FieldError]()
    if policy not in _POLICIES:
        errors.append(invalid_value("spec.podManagementPolicy", policy, _either(_POLICIES)))
    if strategy["type"] not in UPDATE_STRATEGIES:
        errors.append(invalid_value("spec.updateStrategy", shown_strategy(strategy), _either(UPDATE_STRATEGIES)))
    rolling = strategy.get("rollingUpdate") or {}
    errors += check_not_negative(rolling, "spec.updateStrategy.rollingUpdate", "partition")
    return errors + check_replica_set(obj)


def check_stateful_set_update(new: Object, old: Object) -> list[FieldError]:
    """The errors of an update of a StatefulSet."""
    names = sorted({*new["spec"], *old["spec"]} - _CHANGEABLE)
    changed = [name for name in names if new["spec"].get(name) != old["spec"].get(name)]
    return [invalid_value(f"spec.{name}", new["spec"].get(name), "field is immutable") for name in changed]


def _either(words: tuple[str, str]) -> str:
    return f"must be '{words[0]}' or '{words[1]}'"
