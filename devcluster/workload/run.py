"""Runner of the whole workload, which connects to the demo cluster as any client would."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TypeVar

from devcluster.workload.cluster_client import (
    CRON_JOBS,
    DAEMON_SETS,
    DEPLOYMENTS,
    JOBS,
    REPLICA_SETS,
    STATEFUL_SETS,
    Cluster,
    KindClient,
)
from devcluster.workload.controllers.cron_jobs import CronJobController
from devcluster.workload.controllers.daemon_sets import DaemonSetController
from devcluster.workload.controllers.deployments import DeploymentController
from devcluster.workload.controllers.disruption import DisruptionController
from devcluster.workload.controllers.jobs import JobController
from devcluster.workload.controllers.mydemos import MydemoController
from devcluster.workload.controllers.node_lifecycle import NodeLifecycleController
from devcluster.workload.controllers.pod_gc import PodGarbageCollector
from devcluster.workload.controllers.replica_sets import ReplicaSetController
from devcluster.workload.controllers.stateful_sets import StatefulSetController
from devcluster.workload.demo.director import Director
from devcluster.workload.demo.scaled_inventory import Fleet
from devcluster.workload.demo.scenario_context import Components
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.kubelet.kubelet import Kubelet
from devcluster.workload.kubelet.node_faults import NodeFaults
from devcluster.workload.kubelet.node_status_and_lease import NodeHeartbeats
from devcluster.workload.random_source import RandomSource
from devcluster.workload.scheduler.scheduler import Scheduler
from devcluster.workload_size import WorkloadSize
from informerd.cache.handler import HandlerFunctions
from informerd.clock import Clock, SystemClock
from informerd.controller.controller import Controller
from informerd.controller.handlers import EnqueueMapped, EnqueueOwner
from informerd.controller.reconcile_call import Reconcile
from informerd.controller.request import Request
from informerd.controller.sources import KindSource, Source
from informerd.objects import Object
from informerd.record.recorder import EventRecorder
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig
from informerd.version import VERSION
from informerd.workqueue.rate_limiter import ExponentialRateLimiter

EVENT_RECORDERS = 6
"""Number of recorders; each writes one event after the other."""
MAX_RETRY_SECONDS = 30.0
T = TypeVar("T", bound=Object)


def random_source_for(size: WorkloadSize) -> RandomSource:
    """The random source of the size's seed; without one each run differs."""
    return RandomSource(secrets.randbits(64) if size.seed is None else size.seed)


async def run_workload(
    config: ClusterConfig,
    fleet: Fleet,
    random_source: RandomSource,
    *,
    rate: float,
    clock: Clock | None = None,
    on_start: Callable[[Components], None] | None = None,
) -> None:
    """Keep the cluster alive until cancelled. `clock` paces everything, `random_source` chooses.

    At rate 0 only the controllers run: nothing happens but what follows from changes by others. `on_start` gets the
    components, for a caller that plays scenarios of its own.
    """
    clock = clock or SystemClock()
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(Client(config, clock=clock, user_agent=f"demo/{VERSION}"))
        recorders = [EventRecorder(client, "demo", clock=clock, chance=lambda: 0.5) for _ in range(EVENT_RECORDERS)]
        for recorder in recorders:
            await stack.enter_async_context(recorder)
        cluster = Cluster(client, clock=clock, random_source=random_source)
        stack.push_async_callback(cluster.stop)
        workload = Workload(cluster, recorders)
        cluster.start()
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        for controller in workload.controllers:
            tasks.create_task(controller.run(), name=f"controller {controller.name}")
        if on_start is not None:
            on_start(workload.components)
        if rate:
            await cluster.wait_for_sync()
            tasks.create_task(Director(workload.components, fleet, rate).run(), name="director")


class Workload:
    """All controllers of one workload, wired to the informers and to each other."""

    def __init__(self, cluster: Cluster, recorders: list[EventRecorder]) -> None:
        self._cluster = cluster
        self.controllers: list[Controller] = []
        voices, machines = Recorders(recorders), NodeFaults()
        kubelet, agents = Kubelet(cluster, voices, machines), NodeHeartbeats(cluster, voices, machines)
        mydemos = MydemoController(cluster)
        self.components = Components(cluster, kubelet, agents, mydemos, machines)
        self._owners(voices)
        self._numbered(voices)
        self._budgets(DisruptionController(cluster))
        self._scheduler(Scheduler(cluster, voices))
        self._machines(kubelet, agents, NodeLifecycleController(cluster, voices, machines))
        self._add("mydemos", mydemos.reconcile, KindSource(cluster.mydemos.informer))

    def _owners(self, voices: Recorders) -> None:
        """The controllers of kinds whose objects own others."""
        cluster = self._cluster
        pods, sets = cluster.pods.informer, cluster.replica_sets.informer
        deployments = DeploymentController(cluster, voices)
        own_sets: Source = KindSource(sets, EnqueueOwner(DEPLOYMENTS))
        free_sets: Source = KindSource(sets, EnqueueMapped(deployments.adoption.owners_of_orphan))
        _on_delete(cluster.deployments, deployments.adoption.forget)
        sources = (KindSource(cluster.deployments.informer), own_sets, free_sets)
        self._add("deployments", deployments.reconcile, *sources, workers=8)
        replica_sets = ReplicaSetController(cluster, voices)
        _on_delete(cluster.replica_sets, replica_sets.forget)
        own_pods: Source = KindSource(pods, EnqueueOwner(REPLICA_SETS))
        orphans: Source = KindSource(pods, EnqueueMapped(replica_sets.adoption.owners_of_orphan))
        self._add("replica-sets", replica_sets.reconcile, KindSource(sets), own_pods, orphans, workers=16)
        jobs = JobController(cluster, voices)
        _on_delete(cluster.jobs, jobs.forget)
        job_pods: Source = KindSource(pods, EnqueueOwner(JOBS))
        free_pods: Source = KindSource(pods, EnqueueMapped(jobs.adoption.owners_of_orphan))
        self._add("jobs", jobs.reconcile, KindSource(cluster.jobs.informer), job_pods, free_pods, workers=4)
        cron_jobs = CronJobController(cluster, voices)
        own_jobs: Source = KindSource(cluster.jobs.informer, EnqueueOwner(CRON_JOBS))
        self._add("cron-jobs", cron_jobs.reconcile, KindSource(cluster.cron_jobs.informer), own_jobs)

    def _numbered(self, voices: Recorders) -> None:
        """The controllers of kinds whose pods have ordinals."""
        cluster, pods = self._cluster, self._cluster.pods.informer
        stateful = StatefulSetController(cluster, voices)
        _on_delete(cluster.stateful_sets, stateful.forget)
        numbered: Source = KindSource(pods, EnqueueOwner(STATEFUL_SETS))
        free: Source = KindSource(pods, EnqueueMapped(stateful.adoption.owners_of_orphan))
        self._add("stateful-sets", stateful.reconcile, KindSource(cluster.stateful_sets.informer), numbered, free)
        daemons = DaemonSetController(cluster, voices)
        _on_delete(cluster.daemon_sets, daemons.forget)
        own: Source = KindSource(pods, EnqueueOwner(DAEMON_SETS))
        loose: Source = KindSource(pods, EnqueueMapped(daemons.adoption.owners_of_orphan))
        nodes: Source = KindSource(cluster.nodes.informer, EnqueueMapped(daemons.requests_for_all))
        self._add("daemon-sets", daemons.reconcile, KindSource(cluster.daemon_sets.informer), own, loose, nodes)

    def _budgets(self, disruption: DisruptionController) -> None:
        pods: Source = KindSource(self._cluster.pods.informer, EnqueueMapped(disruption.budgets_of_pod))
        self._add("disruption", disruption.reconcile, KindSource(self._cluster.budgets.informer), pods)

    def _scheduler(self, scheduler: Scheduler) -> None:
        room, pods = scheduler.node_resources, self._cluster.pods.informer
        pods.add_handler(
            HandlerFunctions(
                on_add=lambda pod, _: room.observe(pod),
                on_update=lambda _, pod: room.observe(pod),
                on_delete=lambda pod, _: room.remove(pod),
            )
        )
        nodes = self._cluster.nodes.informer
        nodes.add_handler(HandlerFunctions(on_add=lambda node, _: scheduler.node_changed(None, node),
                                           on_update=scheduler.node_changed))  # fmt: skip
        controller = self._add("scheduler", scheduler.reconcile, KindSource(pods), workers=4)
        scheduler.requeue = controller.requeue

    def _machines(self, kubelet: Kubelet, agents: NodeHeartbeats, lifecycle: NodeLifecycleController) -> None:
        nodes, pods = self._cluster.nodes.informer, self._cluster.pods.informer
        _on_delete(self._cluster.pods, kubelet.forget)
        _on_delete(self._cluster.pods, lifecycle.forget)
        kubelet.requeue = self._add("kubelets", kubelet.reconcile, KindSource(pods), workers=16).requeue
        requeue_agent = self._add("node-agents", agents.reconcile, KindSource(nodes), workers=4).requeue
        requeue_node = self._add("node-lifecycle", lifecycle.reconcile, KindSource(nodes), workers=2).requeue

        def both(request: Request) -> None:
            requeue_agent(request)
            requeue_node(request)

        agents.requeue, agents.on_return = both, kubelet.requeue_pods_on
        nodes.add_handler(HandlerFunctions(on_add=lambda node, _: kubelet.requeue_pods_on(node.metadata.name)))
        garbage = PodGarbageCollector(self._cluster)
        lost: Source = KindSource(nodes, EnqueueMapped(garbage.requests_for_node))
        self._add(
            "pod-garbage-collector", garbage.reconcile, KindSource(pods, EnqueueMapped(garbage.requests_for_pod)), lost
        )

    def _add(self, name: str, reconcile: Reconcile, *sources: Source, workers: int = 2) -> Controller:
        limiter = ExponentialRateLimiter(maximum=MAX_RETRY_SECONDS)
        controller = Controller(
            name, reconcile, sources=sources, workers=workers, limiter=limiter, clock=self._cluster.clock,
            sync_timeout=None,
        )  # fmt: skip
        self.controllers.append(controller)
        return controller


def _on_delete(kind: KindClient[T], forget: Callable[[T], None]) -> None:
    kind.informer.add_handler(HandlerFunctions(on_delete=lambda obj, _: forget(obj)))
