"""Defaults of the kinds that create pods.

Source: Kubernetes' pkg/apis/{apps,batch}/v1/defaults.go.
"""

from __future__ import annotations

import random
from typing import Any

from devcluster.server.defaulting.pods import default_pod_spec, fill_null_times
from devcluster.server.storage.object_codec import Object

TEMPLATE_GENERATION_ANNOTATION = "deprecated.daemonset.template.generation"
"""The annotation that counts changes of a DaemonSet's template."""
DAEMON_COUNTS = ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady")


def _template(obj: Object) -> dict[str, Any]:
    template: dict[str, Any] = obj.setdefault("spec", {}).setdefault("template", {})
    default_pod_spec(template.setdefault("spec", {}))
    return template


def default_deployment(obj: Object, _rng: random.Random) -> None:
    _template(obj)
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    strategy = spec.setdefault("strategy", {})
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)
    fill_null_times(obj.get("status") or {}, "lastUpdateTime", "lastTransitionTime")


def default_replica_set(obj: Object, _rng: random.Random) -> None:
    _template(obj)
    obj["spec"].setdefault("replicas", 1)
    fill_null_times(obj.get("status") or {}, "lastTransitionTime")


def default_stateful_set(obj: Object, _rng: random.Random) -> None:
    _template(obj)
    spec = obj["spec"]
    for name, value in (("replicas", 1), ("serviceName", ""), ("podManagementPolicy", "OrderedReady")):
        spec.setdefault(name, value)
    strategy = spec.setdefault("updateStrategy", {})
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("partition", 0)
        rolling.setdefault("maxUnavailable", 1)
    spec.setdefault("revisionHistoryLimit", 10)
    policy = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    for name in ("whenDeleted", "whenScaled"):
        policy.setdefault(name, "Retain")
    obj.setdefault("status", {}).setdefault("availableReplicas", 0)
    obj["status"].setdefault("replicas", 0)
    fill_null_times(obj["status"], "lastTransitionTime")


def default_daemon_set(obj: Object, _rng: random.Random) -> None:
    _template(obj)
    strategy = obj["spec"].setdefault("updateStrategy", {})
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)
    obj["spec"].setdefault("revisionHistoryLimit", 10)
    obj["status"] = {**dict.fromkeys(DAEMON_COUNTS, 0), **(obj.get("status") or {})}
    fill_null_times(obj["status"], "lastTransitionTime")


def default_cron_job(obj: Object, _rng: random.Random) -> None:
    """Set the defaults of a CronJob, whose job template gets those of a pod, and none of a Job."""
    spec = obj.setdefault("spec", {})
    jobs = spec.setdefault("jobTemplate", {})
    jobs.setdefault("metadata", {})
    _template(jobs).setdefault("metadata", {})
    for name, value in (
        ("concurrencyPolicy", "Allow"), ("suspend", False), ("successfulJobsHistoryLimit", 3),
        ("failedJobsHistoryLimit", 1),
    ):  # fmt: skip
        spec.setdefault(name, value)


def default_job(obj: Object, _rng: random.Random) -> None:
    _template(obj)
    spec = obj["spec"]
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    for name, value in (
        ("parallelism", 1), ("backoffLimit", 6), ("manualSelector", False), ("completionMode", "NonIndexed"),
        ("suspend", False), ("podReplacementPolicy", "TerminatingOrFailed"),
    ):  # fmt: skip
        spec.setdefault(name, value)
    fill_null_times(obj.get("status") or {}, "lastProbeTime", "lastTransitionTime")


def set_template_generation(obj: Object, old: Object) -> None:
    """Set the count of a DaemonSet's templates, in place, one higher where its template changed."""
    annotations = obj["metadata"].get("annotations") or {}
    count = int((old["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION_ANNOTATION, "0"))
    count += obj["spec"]["template"] != old["spec"]["template"]
    obj["metadata"]["annotations"] = {**annotations, TEMPLATE_GENERATION_ANNOTATION: str(count)}
