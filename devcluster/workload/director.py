"""The director: makes things happen, one story after another, so that something moves every second or two."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from devcluster.workload import building
from devcluster.workload.building import Json
from devcluster.workload.cluster import DEPLOYMENTS, JOBS, Cluster
from devcluster.workload.kubelet import Kubelet
from devcluster.workload.mydemos import MydemoController
from devcluster.workload.nodes import NodeKeeper
from devcluster.workload.replica_sets import is_ready
from devcluster.workload.teams import APPS, CRONS
from informerd.errors import InformerdError
from informerd.resource import PODS

_log = logging.getLogger(__name__)
Story = Callable[[], Awaitable[None]]
PAUSE = (1.6, 4.2)
"""Seconds between two stories; each goes on for a while, so that they overlap."""
MOST_JOBS = 5
MOST_EXTRA = 2
"""Replicas that scaling adds at most to what an application has by itself."""


class Director:
    """Chooses stories by weight. Only applications of the demo's teams are touched, never what people deployed."""

    def __init__(self, cluster: Cluster, kubelet: Kubelet, mydemos: MydemoController, nodes: NodeKeeper) -> None:
        self._cluster = cluster
        self._kubelet = kubelet
        self._apps = {f"{app.namespace}/{app.name}": app for app in APPS}
        self._stories: tuple[tuple[int, Story], ...] = (
            (26, mydemos.change_one),
            (20, self.replace_pod),
            (16, self.restart_pod),
            (12, self.flicker_pod),
            (12, self.start_job),
            (8, self.scale),
            (5, self.roll_out),
            (1, nodes.fail_one),
        )

    async def run(self) -> None:
        """Tell stories until cancelled."""
        rng = self._cluster.rng
        weights, stories = zip(*self._stories, strict=True)
        while True:
            await self._cluster.clock.sleep(rng.uniform(*PAUSE))
            (story,) = rng.choices(stories, weights)
            try:
                await story()
            except InformerdError as error:
                _log.debug("%s: %s", story, error)

    async def replace_pod(self) -> None:
        """A pod is evicted; its ReplicaSet makes another."""
        pod = self._settled_pod()
        if pod is not None:
            await self._cluster.delete(PODS, pod)

    async def restart_pod(self) -> None:
        """A container ends and is started again."""
        pod = self._settled_pod()
        if pod is not None:
            code, reason = self._cluster.rng.choice(((1, "Error"), (2, "Error"), (137, "OOMKilled"), (143, "Error")))
            self._kubelet.crash(_key(pod), code, reason)

    async def flicker_pod(self) -> None:
        """A readiness probe fails for some seconds."""
        pod = self._settled_pod()
        if pod is not None:
            self._kubelet.flicker(_key(pod))

    async def start_job(self) -> None:
        """A cron job's time has come."""
        if sum(not job.get("status", {}).get("conditions") for job in self._cluster.all(JOBS)) >= MOST_JOBS:
            return
        cron = self._cluster.rng.choice(CRONS)
        name = f"{cron.name}-{int(self._cluster.clock.time() // 60)}"
        if self._cluster.get(JOBS, f"{cron.namespace}/{name}") is None:
            await self._cluster.create(JOBS, building.job(cron, name))

    async def scale(self) -> None:
        """A Deployment gets a replica more or one less, near the number it began with."""
        deployment = self._free_deployment()
        if deployment is None:
            return
        usual, now = self._apps[_key(deployment)].replicas, deployment["spec"]["replicas"]
        chosen = self._cluster.rng.choice([n for n in range(max(usual - 1, 1), usual + MOST_EXTRA + 1) if n != now])
        await self._cluster.patch(DEPLOYMENTS, deployment, {"spec": {"replicas": chosen}})

    async def roll_out(self) -> None:
        """A Deployment gets a new version of its image; only one rolls at a time."""
        if any(not _is_done(deployment) for deployment in self._cluster.all(DEPLOYMENTS) if self._is_ours(deployment)):
            return
        deployment = self._free_deployment()
        if deployment is None:
            return
        containers = [dict(container) for container in deployment["spec"]["template"]["spec"]["containers"]]
        containers[0]["image"] = _next_version(containers[0]["image"])
        await self._cluster.patch(DEPLOYMENTS, deployment, {"spec": {"template": {"spec": {"containers": containers}}}})

    def _settled_pod(self) -> Json | None:
        pods = [pod for pod in self._cluster.all(PODS) if self._is_app_pod(pod) and is_ready(pod)]
        settled = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"] and self._kubelet.is_settled(pod)]
        return self._cluster.rng.choice(settled) if settled else None

    def _is_app_pod(self, pod: Json) -> bool:
        return f"{pod['metadata']['namespace']}/{(pod['metadata'].get('labels') or {}).get('app')}" in self._apps

    def _is_ours(self, deployment: Json) -> bool:
        app = self._apps.get(_key(deployment))
        return app is not None and not app.flaw

    def _free_deployment(self) -> Json | None:
        free = [d for d in self._cluster.all(DEPLOYMENTS) if self._is_ours(d) and _is_done(d)]
        return self._cluster.rng.choice(free) if free else None


def _key(obj: Json) -> str:
    return f"{obj['metadata']['namespace']}/{obj['metadata']['name']}"


def _is_done(deployment: Json) -> bool:
    status, wanted = deployment.get("status", {}), deployment["spec"]["replicas"]
    seen = bool(status.get("observedGeneration") == deployment["metadata"]["generation"])
    return seen and bool(status.get("updatedReplicas") == status.get("replicas") == wanted)


def _next_version(image: str) -> str:
    """The same image with the last number of its version one higher; back to .0 with the next minor after .19."""
    name, _, version = image.rpartition(":")
    major, minor, patch = (int(part) for part in version.split("."))
    return f"{name}:{major}.{minor + 1}.0" if patch >= 19 else f"{name}:{major}.{minor}.{patch + 1}"
