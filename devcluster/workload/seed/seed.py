"""Seed of the store, written before the server starts: a cluster that looks as if it had run for weeks."""

from __future__ import annotations

from typing import Any

import msgspec

from devcluster.server.api_server_core import ApiServer
from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import Deployment, Job, Mydemo, ReplicaSet
from devcluster.workload.controllers.deployment_rollout import (
    DESIRED_REPLICAS_ANNOTATION,
    MAX_REPLICAS_ANNOTATION,
    REVISION_ANNOTATION,
    resolve_fenceposts,
)
from devcluster.workload.demo.scaled_inventory import Fleet
from devcluster.workload.demo_inventory import App, CronApp, MydemoApp
from devcluster.workload.object_builders import Json
from devcluster.workload.random_source import RandomSource
from devcluster.workload.seed import pods
from devcluster.workload.seed.cron_jobs import put_cron_job
from devcluster.workload.seed.daemon_sets import put_daemon_set
from devcluster.workload.seed.stateful_sets import put_stateful_set
from devcluster.workload.seed.writer import DAY, SeedWriter
from devcluster.workload.times import timestamp


def fill_cluster(core: ApiServer, fleet: Fleet, random_source: RandomSource, *, suspend_cron_jobs: bool = True) -> None:
    """Fill an empty core with nodes, namespaces, applications, a few ended jobs, Mydemos and the last hour's events.

    `suspend_cron_jobs`: whether its CronJobs are suspended, so that nothing begins by itself.
    """
    ClusterSeed(SeedWriter(core, random_source), fleet, suspended=suspend_cron_jobs).fill()


class ClusterSeed:
    """Objects that a fleet's cluster begins with."""

    def __init__(self, writer: SeedWriter, fleet: Fleet, *, suspended: bool = True) -> None:
        self._writer = writer
        self._fleet = fleet
        self._suspended = suspended
        self.random_source, self.now = writer.random_source, writer.now
        self._owners: dict[str, Json] = {}
        """OwnerReferences of the Deployments that a Mydemo owns, by the application's key."""

    def fill(self) -> None:
        for number, spec in enumerate(self._fleet.nodes):
            self._writer.add_node(spec, number)
        self._namespaces()
        for demo in self._fleet.mydemos:
            self._mydemo(demo)
        for app in self._fleet.apps:
            self._app(app)
        for app in self._fleet.stateful_apps:
            put_stateful_set(self._writer, app)
        for app in self._fleet.daemon_apps:
            put_daemon_set(self._writer, app)
        for cron in self._fleet.crons:
            self._job(cron)

    def _namespaces(self) -> None:
        oldest = self.now - max(spec.age_days for spec in self._fleet.nodes) * DAY
        for name, team in self._fleet.namespaces:
            meta: dict[str, Any] = {"name": name, "labels": {"team": team, "kubernetes.io/metadata.name": name}}
            body = {"metadata": meta, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
            self._writer.put("namespaces", body, oldest)
        for name in ("default", *(name for name, _ in self._fleet.namespaces)):
            self._writer.put("serviceaccounts", {"metadata": {"name": "default", "namespace": name}}, oldest)

    def _mydemo(self, demo: MydemoApp) -> None:
        body = objects.mydemo(demo)
        since = self.now - demo.age_days * DAY
        body["status"] = objects.mydemo_status(1, timestamp(since))
        stored = self._writer.put("mydemos.crddemo.k8s.io", body, since)
        if demo.owned_app:
            owner = objects.controller_reference(msgspec.convert(stored, Mydemo))
            self._owners[f"{demo.namespace}/{demo.owned_app}"] = owner

    def _app(self, app: App) -> None:
        created = self.now - app.age_days * DAY
        rolled = self.now - self.random_source.uniform(0.05, 0.6, "rolled", app.key) * app.age_days * DAY
        body = objects.deployment(app)
        body["metadata"]["annotations"] = {REVISION_ANNOTATION: "3"}
        if owner := self._owners.get(app.key):
            body["metadata"]["ownerReferences"] = [owner]
        deployed = msgspec.convert(self._writer.put("deployments.apps", body, created), Deployment)
        made = objects.replica_set(deployed, deployed.spec.template, app.replicas, 3)
        most = app.replicas + resolve_fenceposts(deployed)[0]
        made["metadata"]["annotations"] |= {
            DESIRED_REPLICAS_ANNOTATION: str(app.replicas),
            MAX_REPLICAS_ANNOTATION: str(most),
        }
        replica_set = msgspec.convert(self._writer.put("replicasets.apps", made, rolled), ReplicaSet)
        for number in range(app.replicas):
            pods.put_pod(self._writer, app, replica_set, number, rolled)
        self._settle(body, made, app, rolled)
        self._writer.put_supporting_objects(app, created)

    def _settle(self, deployment: Json, replica_set: Json, app: App, since: float) -> None:
        """Write the status of both; the times of conditions show how long they have been well."""
        ready = app.replicas if app.flaw in ("", "memory") else 0
        counts: Json = {"replicas": app.replicas}
        counts |= {"readyReplicas": ready, "availableReplicas": ready} if ready else {}
        status = {**counts, "fullyLabeledReplicas": app.replicas, "observedGeneration": 1, "terminatingReplicas": 0}
        name = replica_set["metadata"]["name"]
        self._writer.update("replicasets.apps", replica_set, status)
        counts |= {"updatedReplicas": app.replicas, "terminatingReplicas": 0}
        counts |= {"unavailableReplicas": app.replicas - ready} if ready < app.replicas else {}
        conditions = _deployment_conditions(name, timestamp(since), available=ready > 0)
        self._writer.update(
            "deployments.apps", deployment, {**counts, "observedGeneration": 1, "conditions": conditions}
        )

    def _job(self, cron: CronApp) -> None:
        """A run that ended a minute or two ago."""
        dice = self.random_source.rng_for("job", cron.key)
        shortest, _, longest = cron.duration_range.partition("-")
        started = self.now - dice.uniform(70, 150)
        ended = started + dice.uniform(float(shortest), float(longest))
        owner = put_cron_job(self._writer, cron, ended, suspended=self._suspended)
        body = objects.job(cron, f"{cron.name}-{int(started // 60)}")
        body["metadata"]["ownerReferences"] = [owner]
        condition = {
            "status": "True",
            "reason": "CompletionsReached",
            "message": "Reached expected number of succeeded pods",
        }
        times = {"lastProbeTime": timestamp(ended), "lastTransitionTime": timestamp(ended)}
        body["status"] = {
            "startTime": timestamp(started), "completionTime": timestamp(ended), "succeeded": cron.completions,
            "ready": 0,
            "terminating": 0, "uncountedTerminatedPods": {},
            "conditions": [{"type": kind, **condition, **times} for kind in ("SuccessCriteriaMet", "Complete")],
        }  # fmt: skip
        stored = self._writer.put("jobs.batch", body, started)
        job = msgspec.convert(stored, Job)
        for number in range(cron.completions):
            pods.put_job_pod(self._writer, job, number, started, ended)
        self._writer.event(stored, "Normal", "job-controller", "Completed", "Job completed", self.now - ended)


def _deployment_conditions(replica_set: str, since: str, *, available: bool) -> list[Json]:
    """The conditions of a Deployment that was rolled out long ago, or never came to its end."""
    if available:
        conditions = [("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")]
        words = f'ReplicaSet "{replica_set}" has successfully progressed.'
        conditions.append(("Progressing", "True", "NewReplicaSetAvailable", words))
    else:
        conditions = [
            ("Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
        ]
        words = f'ReplicaSet "{replica_set}" has timed out progressing.'
        conditions.append(("Progressing", "False", "ProgressDeadlineExceeded", words))
    times = {"lastUpdateTime": since, "lastTransitionTime": since}
    return [{"type": t, "status": s, **times, "reason": r, "message": m} for t, s, r, m in conditions]
