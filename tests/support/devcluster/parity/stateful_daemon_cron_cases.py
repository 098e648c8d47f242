"""StatefulSets, DaemonSets and CronJobs, good and bad, whose responses are compared with the real API server's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.devcluster.http_client import MERGE, Json
from tests.support.devcluster.parity.case import APPS, DRY, Case, deployment

CRON_JOBS = "/apis/batch/v1/namespaces/{ns}/cronjobs"
SETS, DAEMONS = f"{APPS}/statefulsets", f"{APPS}/daemonsets"


def cron_job(name: str = "c", **spec: Any) -> Json:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    whole = {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": template}}, **spec}
    return {"metadata": {"name": name}, "spec": whole}


SET_AND_CRON_JOB_SETUP: tuple[tuple[str, Json], ...] = (
    (SETS, deployment("s1")),
    (DAEMONS, deployment("n1")),
    (CRON_JOBS, cron_job("c1")),
)


def _new() -> Iterator[Case]:
    both: tuple[Json, ...] = (
            {}, {"updateStrategy": {"type": "OnDelete"}}, {"updateStrategy": {"type": "x"}}, {"selector": None},
            {"minReadySeconds": -1}, {"selector": {"matchLabels": {"a": "c"}}},
    )  # fmt: skip
    for plural, path in (("statefulset", SETS), ("daemonset", DAEMONS)):
        for spec in both:
            yield Case(f"a {plural} with {spec}", "POST", path + DRY, deployment(**spec))
    rolls = (
        {"maxSurge": 1, "maxUnavailable": 0}, {"maxSurge": 0, "maxUnavailable": 0}, {"maxSurge": 1},
        {"maxSurge": "10%", "maxUnavailable": "0%"}, {"maxSurge": "0%", "maxUnavailable": "0%"}, {"maxUnavailable": 0},
        {"maxSurge": "101%", "maxUnavailable": 0}, {"maxSurge": -1, "maxUnavailable": "x"}, {"maxUnavailable": "200%"},
    )  # fmt: skip
    for rolling in rolls:
        strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
        yield Case(f"a daemonset that rolls by {rolling}", "POST", DAEMONS + DRY, deployment(updateStrategy=strategy))
    unused = {"type": "OnDelete", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}
    yield Case("a daemonset that does not roll", "POST", DAEMONS + DRY, deployment(updateStrategy=unused))
    yield Case("a statefulset in parallel", "POST", SETS + DRY, deployment(podManagementPolicy="Parallel", replicas=0))
    yield Case("a statefulset in no order", "POST", SETS + DRY, deployment(podManagementPolicy="x"))
    crons: tuple[Json, ...] = (
        {}, {"schedule": ""}, {"schedule": "x"}, {"schedule": "61 * * * *"}, {"schedule": "@hourly"},
        {"schedule": "*/0 * * * *"}, {"schedule": "5-1 * * * *"}, {"schedule": "@x"}, {"schedule": "0 0 * jan-mar mon"},
        {"concurrencyPolicy": "x"}, {"timeZone": "Europe/Paris"}, {"startingDeadlineSeconds": -1},
        {"successfulJobsHistoryLimit": -1}, {"suspend": True},
    )  # fmt: skip
    for spec in crons:
        yield Case(f"a cronjob with {spec}", "POST", CRON_JOBS + DRY, cron_job(**spec))
    yield Case("a cronjob with a long name", "POST", CRON_JOBS + DRY, cron_job("c" * 53))


def _there() -> Iterator[Case]:
    for path in (f"{SETS}/s1", f"{DAEMONS}/n1", f"{CRON_JOBS}/c1", f"{SETS}/s1/scale", f"{DAEMONS}/n1/scale"):
        yield Case(f"get {path.rpartition('}')[2]}", "GET", path)
    selector = {"selector": {"matchLabels": {"c": "d"}}}
    changes: tuple[tuple[str, Json], ...] = (
        ("replicas", {"replicas": 4}), ("name of service", {"serviceName": "x"}), ("deadline", {"minReadySeconds": 3}),
        ("selector", selector),
    )  # fmt: skip
    for name, patch in changes:
        yield Case(f"s1 with another {name}", "PATCH", f"{SETS}/s1{DRY}", {"spec": patch}, MERGE)
    image = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "j"}]}}}}
    yield Case("n1 with another image", "PATCH", f"{DAEMONS}/n1{DRY}", image, MERGE)
    yield Case("n1 with another selector", "PATCH", f"{DAEMONS}/n1{DRY}", {"spec": selector}, MERGE)
    yield Case("c1 suspended", "PATCH", f"{CRON_JOBS}/c1{DRY}", {"spec": {"suspend": True}}, MERGE)
    status = {"status": {"replicas": 1, "readyReplicas": 1, "observedGeneration": 1}}
    yield Case("s1's status", "PATCH", f"{SETS}/s1/status{DRY}", status, MERGE)
    yield Case("c1's status", "PATCH", f"{CRON_JOBS}/c1/status{DRY}", {"status": {"lastScheduleTime": None}}, MERGE)


SET_AND_CRON_JOB_CASES = (*_new(), *_there())
