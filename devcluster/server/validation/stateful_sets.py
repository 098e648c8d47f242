"""Validation of StatefulSets, DaemonSets and CronJobs.

Source: Kubernetes' pkg/apis/{apps,batch}/validation/validation.go.
"""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from devcluster.cron_schedule import CronSchedule
from devcluster.server.status import FieldError, invalid_value, not_supported, required
from devcluster.server.storage.objects import Object
from devcluster.server.validation.pods import check_not_negative, check_pod_spec, check_supported
from devcluster.server.validation.workloads import (
    check_at_most_100_percent,
    check_int_or_percent,
    check_replica_set,
    int_or_percent_value,
)

_LONGEST_CRON_NAME = 52
"""Letters: the Jobs' names have eleven more."""
_STRATEGIES = ("RollingUpdate", "OnDelete")
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
    if strategy["type"] not in _STRATEGIES:
        errors.append(invalid_value("spec.updateStrategy", _shown(strategy), _either(_STRATEGIES)))
    rolling = strategy.get("rollingUpdate") or {}
    errors += check_not_negative(rolling, "spec.updateStrategy.rollingUpdate", "partition")
    return errors + check_replica_set(obj)


def check_daemon_set(obj: Object) -> list[FieldError]:
    """The errors in a DaemonSet."""
    strategy = obj["spec"]["updateStrategy"]
    errors = [each for each in check_replica_set(obj) if each != required("spec.selector")]
    if strategy["type"] not in _STRATEGIES:
        errors.append(not_supported("spec.updateStrategy", _shown(strategy), _STRATEGIES))
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


def check_stateful_set_update(new: Object, old: Object) -> list[FieldError]:
    """The errors of an update of a StatefulSet."""
    names = sorted({*new["spec"], *old["spec"]} - _CHANGEABLE)
    changed = [name for name in names if new["spec"].get(name) != old["spec"].get(name)]
    return [invalid_value(f"spec.{name}", new["spec"].get(name), "field is immutable") for name in changed]


def _shown(strategy: dict[str, Any]) -> dict[str, Any]:
    return {"Type": strategy["type"], "RollingUpdate": strategy.get("rollingUpdate")}


def _either(words: tuple[str, str]) -> str:
    return f"must be '{words[0]}' or '{words[1]}'"


def check_cron_job(obj: Object) -> list[FieldError]:
    """The errors in a CronJob."""
    spec, name = obj["spec"], obj["metadata"].get("name", "")
    errors = _check_schedule(spec.get("schedule") or "")
    errors += check_not_negative(spec, "spec", "startingDeadlineSeconds")
    errors += check_supported(spec["concurrencyPolicy"], ("Allow", "Forbid", "Replace"), "spec.concurrencyPolicy")
    errors += check_not_negative(spec, "spec", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
    errors += _check_zone(spec)
    jobs, path = spec["jobTemplate"]["spec"], "spec.jobTemplate.spec"
    errors += check_not_negative(jobs, path, "parallelism", "completions", "backoffLimit", "activeDeadlineSeconds")
    errors += check_pod_spec(jobs["template"]["spec"], f"{path}.template.spec")
    if jobs["template"]["spec"].get("restartPolicy") == "Always":
        why = 'valid values: "OnFailure", "Never"'
        errors.append(required(f"{path}.template.spec.restartPolicy", why))
    if len(name) > _LONGEST_CRON_NAME:
        errors.append(invalid_value("metadata.name", name, f"must be no more than {_LONGEST_CRON_NAME} characters"))
    return errors


def _check_schedule(text: str) -> list[FieldError]:
    if not text:
        return [required("spec.schedule")]
    try:
        CronSchedule.parse(text)
    except ValueError as error:
        return [invalid_value("spec.schedule", text, str(error))]
    return []


def _check_zone(spec: dict[str, Any]) -> list[FieldError]:
    zone = spec.get("timeZone")
    if zone is None:
        return []
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return [invalid_value("spec.timeZone", zone, f"unknown time zone {zone}")]
    return []
