"""The seeded StatefulSets, DaemonSets and CronJobs: as their controllers leave them, who find no work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from devcluster.schedule import Schedule
from devcluster.workload import building, daemon_sets, seed_pods, stateful_sets
from devcluster.workload.building import Json, stamp
from devcluster.workload.projections import CronJob, DaemonSet, StatefulSet
from devcluster.workload.teams import App, Cron

if TYPE_CHECKING:
    from devcluster.workload.seed import Seed

_DAY = 86_400.0
_HOUR = 3_600.0


def put_stateful_set(seed: Seed, app: App) -> None:
    """One whose pods are all well."""
    created = seed.now - app.days * _DAY
    stored = seed.put("statefulsets.apps", building.stateful_set(app), created)
    owner = msgspec.convert(stored, StatefulSet)
    revision = stateful_sets.revision_of(owner)
    for number in range(app.replicas):
        body = stateful_sets.pod_body(owner, owner.spec.template, revision, number)
        seed_pods.put_well_pod(seed, body, created + 20 * number)
    counts = ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    names = {"currentRevision": revision, "updateRevision": revision, "collisionCount": 0}
    seed.settle("statefulsets.apps", stored, {**dict.fromkeys(counts, app.replicas), **names})
    seed.support(app, created)


def put_daemon_set(seed: Seed, app: App) -> None:
    """One that has a pod on each node, which is well."""
    created = seed.now - app.days * _DAY
    stored = seed.put("daemonsets.apps", building.daemon_set(app), created)
    owner = msgspec.convert(stored, DaemonSet)
    nodes = list(seed.nodes_named())
    for number, node in enumerate(nodes):
        name = f"{app.name}-{seed.dice.suffix('pod', app.namespace, app.name, -1 - number)}"
        body = daemon_sets.pod_body(owner, name, node)
        seed_pods.put_well_pod(seed, body, created, (node, *seed.address_on(node, 0)))
    counts = (
        "currentNumberScheduled", "desiredNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable",
    )  # fmt: skip
    seed.settle("daemonsets.apps", stored, {**dict.fromkeys(counts, len(nodes)), "numberMisscheduled": 0})


def put_cron_job(seed: Seed, cron: Cron, ended: float, *, suspended: bool) -> Json:
    """One whose last Job ended then; the ownerReference to it."""
    stored = seed.put("cronjobs.batch", building.cron_job(cron, suspended=suspended), seed.now - 30 * _DAY)
    schedule, last = Schedule.parse(cron.schedule), seed.now - _HOUR
    while (following := schedule.after(last)) is not None and following <= seed.now:
        last = following
    status = {"lastScheduleTime": stamp(last), "lastSuccessfulTime": stamp(ended)}
    seed.settle("cronjobs.batch", stored, status, observed=False)
    return building.owner(msgspec.convert(stored, CronJob))
