"""The workload as one thing to run: connects to the demo cluster as any client would."""

from __future__ import annotations

import asyncio
import random
from typing import Protocol

from devcluster.workload.cluster import Cluster
from devcluster.workload.deployments import DeploymentController
from devcluster.workload.director import Director
from devcluster.workload.jobs import JobController
from devcluster.workload.kubelet import Kubelet
from devcluster.workload.mydemos import MydemoController
from devcluster.workload.nodes import NodeKeeper
from devcluster.workload.replica_sets import ReplicaSetController
from devcluster.workload.scheduler import Scheduler
from informerd.clock import Clock, SystemClock
from informerd.rest.client import Client
from informerd.rest.cluster import ClusterConfig
from informerd.version import VERSION


class Controller(Protocol):
    """Something that runs until cancelled."""

    async def run(self) -> None: ...


async def run_workload(
    config: ClusterConfig, *, rng: random.Random, clock: Clock | None = None, directed: bool = True
) -> None:
    """Keep the cluster alive until cancelled. `clock` paces everything, `rng` chooses.

    Not `directed`, only the controllers run: nothing happens but what follows from changes by others.
    """
    clock = clock or SystemClock()
    async with Client(config, clock=clock, user_agent=f"demo/{VERSION}") as client:
        cluster = Cluster(client, clock=clock, rng=rng)
        kubelet, mydemos, nodes = Kubelet(cluster), MydemoController(cluster), NodeKeeper(cluster)
        controllers: list[Controller] = [
            DeploymentController(cluster), ReplicaSetController(cluster), JobController(cluster), Scheduler(cluster),
            kubelet, mydemos, nodes,
        ]  # fmt: skip
        if directed:
            controllers.append(Director(cluster, kubelet, mydemos, nodes))
        try:
            await cluster.start()
            async with asyncio.TaskGroup() as tasks:
                for controller in controllers:
                    tasks.create_task(controller.run(), name=type(controller).__name__)
        finally:
            await cluster.stop()
