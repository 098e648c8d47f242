"""Validation of CronJobs.

Source: Kubernetes' pkg/apis/batch/validation/validation.go.
"""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from devcluster.cron_schedule import CronSchedule
from devcluster.server.api_errors import FieldError, invalid_value, required
from devcluster.server.storage.object_codec import Object
from devcluster.server.validation.field_values import check_not_negative, check_supported
from devcluster.server.validation.pods import check_pod_spec

_LONGEST_NAME = 52
"""Letters: the Jobs' names have eleven more."""


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
    if len(name) > _LONGEST_NAME:
        errors.append(invalid_value("metadata.name", name, f"must be no more than {_LONGEST_NAME} characters"))
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
