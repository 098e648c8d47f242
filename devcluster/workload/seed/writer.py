"""The seed: a cluster that looks as if it had been running for weeks, put into the store before the server starts."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from devcluster.server.core import Core
from devcluster.workload import building, seed_pods, seed_sets
from devcluster.workload.building import Json, stamp
from devcluster.workload.dice import Dice
from devcluster.workload.fleet import Fleet
from devcluster.workload.projections import Deployment, Job, ReplicaSet
from devcluster.workload.rollout import DESIRED, MAXIMUM, REVISION, fence_posts
from devcluster.workload.teams import App, Cron
from informerd.objects import Object
from informerd.recording.event import EventType, Source, make_event
from informerd.recording.reference import ObjectReference

DAY = 86_400.0
T = TypeVar("T", bound=Object)


def seed(core: Core, fleet: Fleet, dice: Dice, *, suspended: bool = True) -> None:
    """Fill an empty core with nodes, namespaces, applications, a few ended jobs, Mydemos and the last hour's events.

    `suspended`: whether its CronJobs are, so that nothing begins by itself.
    """
    Seed(core, fleet, dice, suspended=suspended).everything()


class Seed:
    """Fills a core. `put` and `event` are for what describes its parts."""

    def __init__(self, core: Core, fleet: Fleet, dice: Dice, *, suspended: bool = True) -> None:
        self._core = core
        self._suspended = suspended
        self._fleet = fleet
        self.dice = dice
        self.now = core.now()
        self._hosts: dict[str, tuple[str, str]] = {}
        self._loads: list[tuple[float, int, str, int]] = []
        """A heap: share in use, number, name and cores of each worker."""
        self._events = 0

    @property
    def nodes(self) -> int:
        """How many there are."""
        return len(self._fleet.nodes)

    @property
    def tainted(self) -> int:
        """How many of them take no ordinary pod."""
        return sum(spec.control_plane for spec in self._fleet.nodes)

    def everything(self) -> None:
        self._nodes()
        self._namespaces()
        for app in self._fleet.apps:
            self._app(app)
        for app in self._fleet.stateful:
            seed_sets.put_stateful_set(self, app)
        for app in self._fleet.daemons:
            seed_sets.put_daemon_set(self, app)
        for cron in self._fleet.crons:
            self._job(cron)
        for demo in self._fleet.mydemos:
            body = building.mydemo(demo)
            since = self.now - demo.days * DAY
            body["status"] = building.mydemo_status(1, stamp(since))
            self.put("mydemos.crddemo.k8s.io", body, since)

    def put(self, key: str, obj: Json, created: float, *, check: bool = True) -> Json:
        """Store an object as created at `created` (Unix seconds); unchecked where others like it have been."""
        obj["metadata"]["creationTimestamp"] = stamp(created)
        return self._core.seed(self._core.kind(key), obj, check=check)

    def place(self) -> tuple[str, str, str]:
        """A node for the next pod, the node's address and one for the pod."""
        share, number, name, cores = heapq.heappop(self._loads)
        heapq.heappush(self._loads, (share + 1 / cores, number, name, cores))
        host, network = self._hosts[name]
        return name, host, f"{network}.{2 + round(share * cores) % 126}"

    def address_on(self, node: str, number: int) -> tuple[str, str]:
        """The node's address, and one for a pod on it that no scheduler chose."""
        host, network = self._hosts[node]
        return host, f"{network}.{128 + number}"

    def nodes_named(self) -> Iterable[str]:
        """Their names."""
        return self._hosts

    def event(
        self, about: Json, kind: EventType, source: str, reason: str, message: str, ago: float, *,
        count: int = 1, field_path: str = "",
    ) -> None:  # fmt: skip
        """Something that was said so many seconds ago."""
        host = about.get("spec", {}).get("nodeName", "") if source == "kubelet" else ""
        when = self.now - ago
        self._events += 1
        made = make_event(
            ObjectReference.to(about, field_path=field_path), Source(source, host), kind, reason, message, at=when,
            nanoseconds=round(when * 1e9) + self._events,
        )  # fmt: skip
        first = when - 60.0 * (count - 1)
        self.put("events", msgspec.structs.replace(made, count=count, first=first).body(), first)

    def _nodes(self) -> None:
        for number, spec in enumerate(self._fleet.nodes):
            since = self.now - spec.days * DAY
            beat = self.now - self.dice.between(5, 200, "beat", spec.name)
            stored = self.put("nodes", building.node(spec, number, stamp(since), stamp(beat)), since)
            address, network = stored["status"]["addresses"][0]["address"], stored["spec"]["podCIDR"]
            self._hosts[spec.name] = (address, network.rpartition(".")[0])
            if not spec.control_plane:
                heapq.heappush(self._loads, (0.0, number, spec.name, spec.cpu))

    def _namespaces(self) -> None:
        oldest = self.now - max(spec.days for spec in self._fleet.nodes) * DAY
        for name, team in self._fleet.namespaces:
            meta: dict[str, Any] = {"name": name, "labels": {"team": team, "kubernetes.io/metadata.name": name}}
            body = {"metadata": meta, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
            self.put("namespaces", body, oldest)
        for name in ("default", *(name for name, _ in self._fleet.namespaces)):
            self.put("serviceaccounts", {"metadata": {"name": "default", "namespace": name}}, oldest)

    def _app(self, app: App) -> None:
        created = self.now - app.days * DAY
        rolled = self.now - self.dice.between(0.05, 0.6, "rolled", app.key) * app.days * DAY
        body = building.deployment(app)
        body["metadata"]["annotations"] = {REVISION: "3"}
        deployed = msgspec.convert(self.put("deployments.apps", body, created), Deployment)
        made = building.replica_set(deployed, deployed.spec.template, app.replicas, 3)
        most = app.replicas + fence_posts(deployed)[0]
        made["metadata"]["annotations"] |= {DESIRED: str(app.replicas), MAXIMUM: str(most)}
        replica_set = msgspec.convert(self.put("replicasets.apps", made, rolled), ReplicaSet)
        for number in range(app.replicas):
            seed_pods.put_pod(self, app, replica_set, number, rolled)
        self._settle(body, made, app, rolled)
        self.support(app, created)

    def _settle(self, deployment: Json, replica_set: Json, app: App, since: float) -> None:
        """The status of both. Their deletionless past is written in the conditions' times."""
        ready = app.replicas if app.flaw in ("", "memory") else 0
        counts: Json = {"replicas": app.replicas}
        counts |= {"readyReplicas": ready, "availableReplicas": ready} if ready else {}
        status = {**counts, "fullyLabeledReplicas": app.replicas, "observedGeneration": 1, "terminatingReplicas": 0}
        name = replica_set["metadata"]["name"]
        self._update("replicasets.apps", replica_set, status)
        counts |= {"updatedReplicas": app.replicas, "terminatingReplicas": 0}
        counts |= {"unavailableReplicas": app.replicas - ready} if ready < app.replicas else {}
        conditions = seed_pods.deployment_conditions(name, stamp(since), available=ready > 0)
        self._update("deployments.apps", deployment, {**counts, "observedGeneration": 1, "conditions": conditions})

    def settle(self, key: str, obj: Json, status: Json, *, observed: bool = True) -> None:
        """Give a stored object its status, of its first generation."""
        self._update(key, obj, {**status, "observedGeneration": 1} if observed else status)

    def _update(self, key: str, obj: Json, status: Json) -> None:
        obj["status"] = status
        self._core.seed(self._core.kind(key), obj)

    def support(self, app: App, created: float) -> None:
        """The Service, ConfigMap, Secret and budget that go with an application."""
        if app.budget is not None:
            self.put("poddisruptionbudgets.policy", building.budget(app) | {"status": {}}, created)
        meta: Json = {"name": app.name, "namespace": app.namespace, "labels": {"app": app.name}}
        ports = [{"name": "http", "port": 80, "targetPort": app.port, "protocol": "TCP"}]
        spec = {"selector": {"app": app.name}, "ports": ports}
        self.put("services", {"metadata": dict(meta), "spec": spec, "status": {"loadBalancer": {}}}, created)
        data = {"LOG_LEVEL": "info", "PORT": str(app.port), "TIMEOUT": "30s"}
        self.put("configmaps", {"metadata": meta | {"name": f"{app.name}-config"}, "data": data}, created)
        secret = {"stringData": {"token": f"{self.dice.of('token', app.key).getrandbits(128):032x}"}, "type": "Opaque"}
        self.put("secrets", {"metadata": meta | {"name": f"{app.name}-token"}, **secret}, created)

    def _job(self, cron: Cron) -> None:
        """A run that ended a minute or two ago."""
        dice = self.dice.of("job", cron.key)
        shortest, _, longest = cron.takes.partition("-")
        started = self.now - dice.uniform(70, 150)
        ended = started + dice.uniform(float(shortest), float(longest))
        owner = seed_sets.put_cron_job(self, cron, ended, suspended=self._suspended)
        body = building.job(cron, f"{cron.name}-{int(started // 60)}")
        body["metadata"]["ownerReferences"] = [owner]
        said = {
            "status": "True",
            "reason": "CompletionsReached",
            "message": "Reached expected number of succeeded pods",
        }
        times = {"lastProbeTime": stamp(ended), "lastTransitionTime": stamp(ended)}
        body["status"] = {
            "startTime": stamp(started), "completionTime": stamp(ended), "succeeded": cron.completions, "ready": 0,
            "terminating": 0, "uncountedTerminatedPods": {},
            "conditions": [{"type": kind, **said, **times} for kind in ("SuccessCriteriaMet", "Complete")],
        }  # fmt: skip
        stored = self.put("jobs.batch", body, started)
        job = msgspec.convert(stored, Job)
        for number in range(cron.completions):
            seed_pods.put_job_pod(self, job, number, started, ended)
        self.event(stored, "Normal", "job-controller", "Completed", "Job completed", self.now - ended)
