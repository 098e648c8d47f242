"""Seeded StatefulSets, DaemonSets and CronJobs, in the state in which their controllers have nothing to do."""

from __future__ import annotations

import msgspec

from devcluster.cron_schedule import CronSchedule
from devcluster.workload import objects
from devcluster.workload.applications import App, CronApp
from devcluster.workload.controllers import daemon_sets, stateful_sets
from devcluster.workload.objects import Json, timestamp
from devcluster.workload.projections import CronJob, DaemonSet, StatefulSet
from devcluster.workload.seed import pods
from devcluster.workload.seed.writer import SeedWriter

_DAY = 86_400.0
_HOUR = 3_600.0


def put_stateful_set(seed: SeedWriter, app: App) -> None:
    """One whose pods are all well."""
    created = seed.now - app.age_days * _DAY
    stored = seed.put("statefulsets.apps", objects.stateful_set(app), created)
    owner = msgspec.convert(stored, StatefulSet)
    revision = stateful_sets.revision_of(owner)
    for number in range(app.replicas):
        body = stateful_sets.pod_body(owner, owner.spec.template, revision, number)
        pods.put_healthy_pod(seed, body, created + 20 * number)
    counts = ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    names = {"currentRevision": revision, "updateRevision": revision, "collisionCount": 0}
    seed.put_status("statefulsets.apps", stored, {**dict.fromkeys(counts, app.replicas), **names})
    seed.put_supporting_objects(app, created)


def put_daemon_set(seed: SeedWriter, app: App) -> None:
    """One that has a pod on each node, which is well."""
    created = seed.now - app.age_days * _DAY
    stored = seed.put("daemonsets.apps", objects.daemon_set(app), created)
    owner = msgspec.convert(stored, DaemonSet)
    nodes = list(seed.node_names())
    for number, node in enumerate(nodes):
        name = f"{app.name}-{seed.random_source.name_suffix('pod', app.namespace, app.name, -1 - number)}"
        body = daemon_sets.pod_body(owner, name, node)
        pods.put_healthy_pod(seed, body, created, (node, *seed.address_on(node, 0)))
    counts = (
        "currentNumberScheduled", "desiredNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable",
    )  # fmt: skip
    seed.put_status("daemonsets.apps", stored, {**dict.fromkeys(counts, len(nodes)), "numberMisscheduled": 0})


def put_cron_job(seed: SeedWriter, cron: CronApp, ended_at: float, *, suspended: bool) -> Json:
    """One whose last Job ended then; the ownerReference to it."""
    stored = seed.put("cronjobs.batch", objects.cron_job(cron, suspended=suspended), seed.now - 30 * _DAY)
    schedule, last = CronSchedule.parse(cron.schedule), seed.now - _HOUR
    while (following := schedule.next_after(last)) is not None and following <= seed.now:
        last = following
    status = {"lastScheduleTime": timestamp(last), "lastSuccessfulTime": timestamp(ended_at)}
    seed.put_status("cronjobs.batch", stored, status, observed=False)
    return objects.controller_reference(msgspec.convert(stored, CronJob))
