"""The seed: a cluster that looks as if it had been running for weeks, put into the store before the server starts."""

from __future__ import annotations

import random
from typing import Any

from devcluster.server.core import Core
from devcluster.workload import building, statuses
from devcluster.workload.building import BEHAVIOUR, Json, stamp
from devcluster.workload.recorder import Recorder
from devcluster.workload.statuses import PodLife
from devcluster.workload.teams import APPS, CRONS, MYDEMOS, NAMESPACES, NODES, App, Cron

DAY = 86_400.0
FLAWED_RESTARTS = {"crash": 14, "memory": 6}


def seed(core: Core, rng: random.Random) -> None:
    """Fill an empty core with nodes, namespaces, applications, a few ended jobs, Mydemos and the last hour's events."""
    _Seed(core, rng).everything()


class _Seed:
    def __init__(self, core: Core, rng: random.Random) -> None:
        self._core = core
        self._rng = rng
        self._now = core.now()
        self._hosts: dict[str, Json] = {}

    def everything(self) -> None:
        self._nodes()
        self._namespaces()
        for app in APPS:
            self._app(app)
        for cron in CRONS:
            self._job(cron)
        for demo in MYDEMOS:
            body = building.mydemo(demo)
            since = self._now - demo.days * DAY
            body["status"] = building.mydemo_status(1, stamp(since))
            stored = self._put("mydemos.crddemo.k8s.io", body, since)
            self._event(stored, "Normal", "mydemo-controller", "Synced", "Mydemo synced successfully", 900)

    def _put(self, key: str, obj: Json, created: float) -> Json:
        """Store an object as created at `created` (Unix seconds)."""
        obj["metadata"]["creationTimestamp"] = stamp(created)
        return self._core.seed(self._core.kind(key), obj)

    def _nodes(self) -> None:
        for number, spec in enumerate(NODES):
            since = self._now - spec.days * DAY
            body = building.node(spec, number, stamp(since), stamp(self._now - self._rng.uniform(5, 200)))
            self._hosts[spec.name] = self._put("nodes", body, since)

    def _namespaces(self) -> None:
        oldest = self._now - max(spec.days for spec in NODES) * DAY
        for name, team in NAMESPACES.items():
            meta: dict[str, Any] = {"name": name, "labels": {"team": team, "kubernetes.io/metadata.name": name}}
            body = {"metadata": meta, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
            self._put("namespaces", body, oldest)
        for name in ("default", *NAMESPACES):
            self._put("serviceaccounts", {"metadata": {"name": "default", "namespace": name}}, oldest)

    def _app(self, app: App) -> None:
        created = self._now - app.days * DAY
        rolled = self._now - self._rng.uniform(0.05, 0.6) * app.days * DAY
        deployment = self._put("deployments.apps", building.deployment(app), created)
        digest_template = deployment["spec"]["template"]
        body = building.replica_set(deployment, digest_template, app.replicas, 3)
        replica_set = self._put("replicasets.apps", body, rolled)
        ready = 0
        for position in range(app.replicas):
            flawed = position < app.flawed and app.flaw != ""
            self._pod(app, replica_set, rolled, flawed=flawed)
            ready += not flawed or app.flaw == "memory"
        self._settle(deployment, replica_set, app, ready, rolled)
        self._support(app, created)

    def _support(self, app: App, created: float) -> None:
        """The Service, ConfigMap and Secret that go with an application."""
        meta: Json = {"name": app.name, "namespace": app.namespace, "labels": {"app": app.name}}
        ports = [{"name": "http", "port": 80, "targetPort": app.port, "protocol": "TCP"}]
        spec = {"selector": {"app": app.name}, "ports": ports}
        self._put("services", {"metadata": dict(meta), "spec": spec, "status": {"loadBalancer": {}}}, created)
        data = {"LOG_LEVEL": "info", "PORT": str(app.port), "TIMEOUT": "30s"}
        self._put("configmaps", {"metadata": meta | {"name": f"{app.name}-config"}, "data": data}, created)
        secret = {"stringData": {"token": f"{self._rng.getrandbits(128):032x}"}, "type": "Opaque"}
        self._put("secrets", {"metadata": meta | {"name": f"{app.name}-token"}, **secret}, created)

    def _settle(self, deployment: Json, replica_set: Json, app: App, ready: int, since: float) -> None:
        counts = {"replicas": app.replicas, "readyReplicas": ready, "availableReplicas": ready}
        status = {**counts, "fullyLabeledReplicas": app.replicas, "observedGeneration": 1}
        self._update("replicasets.apps", replica_set, status)
        conditions = [
            {"type": kind, "status": "True", "reason": reason, "message": message}
            | {"lastUpdateTime": stamp(since), "lastTransitionTime": stamp(since)}
            for kind, reason, message in (
                ("Available", "MinimumReplicasAvailable", "Deployment has minimum availability."),
                (
                    "Progressing",
                    "NewReplicaSetAvailable",
                    f'ReplicaSet "{replica_set["metadata"]["name"]}" has successfully progressed.',
                ),
            )
        ]
        counts |= {"updatedReplicas": app.replicas, "unavailableReplicas": app.replicas - ready}
        self._update("deployments.apps", deployment, {**counts, "observedGeneration": 1, "conditions": conditions})

    def _update(self, key: str, obj: Json, status: Json) -> None:
        obj["status"] = status
        if key == "deployments.apps":
            obj["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": "3"}
        self._core.seed(self._core.kind(key), obj)

    def _pod(self, app: App, replica_set: Json, rolled: float, *, flawed: bool) -> None:
        created = rolled + self._rng.choice((0.0, 0.0, 0.5, 0.8)) * (self._now - rolled) + self._rng.uniform(0, 30)
        reference = building.owner("ReplicaSet", "apps/v1", replica_set)
        name = f"{replica_set['metadata']['name']}-{self._suffix()}"
        body = building.pod(replica_set, reference, name=name, flaw=app.flaw if flawed else "")
        if flawed and app.flaw == "pending":
            self._unschedulable(body)
            return
        node = self._place(body)
        life = self._life(body, node, created)
        behaviour = (body["metadata"].get("annotations") or {}).get(BEHAVIOUR, "")
        body["status"] = self._status(life, behaviour, created)
        stored = self._put("pods", body, created)
        if behaviour == "crash":
            words = f"Back-off restarting failed container {app.name} in pod {name}_{app.namespace}"
            self._event(stored, "Warning", "kubelet", "BackOff", words, 240, count=31)
        elif behaviour == "image":
            self._event(
                stored, "Warning", "kubelet", "Failed", f'Failed to pull image "{app.image}": not found', 400, count=12
            )

    def _status(self, life: PodLife, behaviour: str, created: float) -> Json:
        life.started = created + self._rng.uniform(2, 6)
        if behaviour == "image":
            return life.waiting(created, "ImagePullBackOff", f'Back-off pulling image "{life.specs[0]["image"]}"')
        if behaviour in FLAWED_RESTARTS or self._rng.random() < 0.18:
            life.restarts = FLAWED_RESTARTS.get(behaviour, self._rng.choice((1, 1, 2, 3)))
            self._last_end(life, behaviour)
        if behaviour == "crash":
            words = f"back-off 40s restarting failed container={life.specs[0]['name']}"
            return life.waiting(self._now - 20, "CrashLoopBackOff", words)
        return life.running(life.started + 3, ready=True)

    def _last_end(self, life: PodLife, behaviour: str) -> None:
        """Give the life an end of its last container, and a later start."""
        code, reason = (137, "OOMKilled") if behaviour == "memory" else (1, "Error")
        if not behaviour and self._rng.random() < 0.4:
            code, reason = 137, "OOMKilled"
        ended = self._now - (30 if behaviour else self._rng.uniform(0.02, 0.9) * (self._now - life.created))
        life.last = statuses.terminated(life.started, ended, code, reason, life.number)
        life.started = ended + 1

    def _unschedulable(self, body: Json) -> None:
        created, tainted = self._now - 7 * 60, sum(spec.control_plane for spec in NODES)
        why = f"{len(NODES) - tainted} Insufficient memory, {tainted} node(s) had untolerated taint(s)"
        why += (
            f". preemption: 0/{len(NODES)} nodes are available: {len(NODES)} Preemption is not helpful for scheduling."
        )
        words = f"0/{len(NODES)} nodes are available: {why}"
        body["status"] = {**statuses.unschedulable(created, words), "qosClass": "Burstable"}
        stored = self._put("pods", body, created)
        self._event(stored, "Warning", "default-scheduler", "FailedScheduling", words, 60, count=6)

    def _job(self, cron: Cron) -> None:
        """A run that ended a minute or two ago."""
        started = self._now - self._rng.uniform(70, 150)
        ended = started + self._rng.uniform(*cron.seconds)
        job = building.job(cron, f"{cron.name}-{int(started // 60)}")
        done = {"type": "Complete", "status": "True", "reason": "CompletionsReached"}
        done |= {"message": "Reached expected number of succeeded pods"}
        times = {"lastProbeTime": stamp(ended), "lastTransitionTime": stamp(ended)}
        job["status"] = {
            "startTime": stamp(started), "completionTime": stamp(ended), "succeeded": cron.completions, "active": 0,
            "ready": 0, "failed": 0, "conditions": [{**done, **times}],
        }  # fmt: skip
        stored = self._put("jobs.batch", job, started)
        reference = building.owner("Job", "batch/v1", stored)
        for _ in range(cron.completions):
            body = building.pod(stored, reference, name=f"{stored['metadata']['name']}-{self._suffix()}")
            life = self._life(body, self._place(body), started)
            body["status"] = life.finished(ended, 0)
            self._put("pods", body, started)
        self._event(stored, "Normal", "job-controller", "Completed", "Job completed", self._now - ended)

    def _place(self, body: Json) -> str:
        node = self._rng.choice([spec.name for spec in NODES if not spec.control_plane])
        body["spec"]["nodeName"] = node
        return node

    def _life(self, body: Json, node: str, created: float) -> PodLife:
        host = self._hosts[node]
        address = f"{host['spec']['podCIDR'].rsplit('.', 1)[0]}.{self._rng.randrange(2, 254)}"
        number = f"{self._rng.getrandbits(128):x}"
        return PodLife(
            body, created=created, address=address, host=host["status"]["addresses"][0]["address"], number=number
        )

    def _suffix(self) -> str:
        return "".join(self._rng.choices("bcdfghjklmnpqrstvwxz2456789", k=5))

    def _event(
        self, about: Json, kind: str, source: str, reason: str, message: str, ago: float, *, count: int = 1
    ) -> None:
        when = self._now - ago
        host = about.get("spec", {}).get("nodeName", "") if about["kind"] == "Pod" else ""
        body = Recorder.event_body(
            about, kind, source, reason, message, host, when, f"{self._rng.getrandbits(64):016x}", count
        )
        self._put("events", body, when)
