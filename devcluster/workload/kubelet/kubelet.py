"""Kubelets of all nodes, which run, end and evict pods."""

from __future__ import annotations

from collections.abc import Callable

from devcluster.workload.api_types import Pod, find_condition
from devcluster.workload.cluster_client import NODE_INDEX, Cluster
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.kubelet import pod_status
from devcluster.workload.kubelet.node_faults import NodeFaults
from devcluster.workload.kubelet.pod_lifecycle import NEVER, PodLifecycle, PodWorkerState
from devcluster.workload.kubelet.pod_status import PodStatusBuilder
from informerd.controller.request import Request
from informerd.controller.result import Result

_ENDING = ("stop", "remove")


def is_marked_unready(pod: Pod) -> bool:
    """Whether the containers are ready but another component marked the pod as not ready."""
    ready = find_condition(pod.status.conditions, "ContainersReady")
    return ready is not None and ready.status == "True" and not (pod.is_ready or pod.is_terminating or pod.has_ended)


class Kubelet:
    """Runs every pod that has a node which is there and answers."""

    def __init__(self, cluster: Cluster, recorders: Recorders, node_faults: NodeFaults) -> None:
        self._cluster = cluster
        self._machines = node_faults
        self._steps = PodLifecycle(cluster, recorders)
        self._lives: dict[str, PodWorkerState] = {}
        """By the pod's uid."""
        self._addresses: dict[str, int] = {}
        self.requeue: Callable[[Request], None] = lambda _: None
        """Requeues a pod; set by the runner of this controller."""

    def crash(self, pod: Pod, code: int, reason: str, *, message: str = "") -> None:
        """Let a running pod's container end now, with this exit code and reason; `message` of a failed probe before."""
        self._make(pod, "crash", code, reason, message)

    def flap_readiness(self, pod: Pod) -> None:
        """Let a running pod's readiness probe fail for some seconds."""
        self._make(pod, "unready")

    def evict(self, pod: Pod, message: str) -> None:
        """Let the node get rid of a pod."""
        self._make(pod, "evict", words=message)

    def is_settled(self, pod: Pod) -> bool:
        """Whether a pod runs, is ready, and has no pending step."""
        life = self._lives.get(pod.metadata.uid)
        return life is not None and life.due_at == NEVER and pod.is_ready and not pod.is_terminating

    def requeue_pods_on(self, node: str) -> None:
        """Look at all pods of a node that has come, or answers again."""
        for pod in self._cluster.pods.by_index(NODE_INDEX, node):
            self.requeue(Request.of(pod))

    def forget(self, pod: Pod) -> None:
        """Drop the records of a deleted pod."""
        self._lives.pop(pod.metadata.uid, None)

    async def reconcile(self, request: Request) -> Result | None:
        """Take the pod's next step, if it is due."""
        pod = self._cluster.pods.get(request)
        if pod is None:
            return None
        name = pod.spec.node_name
        if not name:
            await self._without_node(pod)
            return None
        if self._cluster.nodes.get(name) is None or not self._machines.is_responding(name):
            return None  # `requeue_pods_on` comes with the node
        life = self._lives.get(pod.metadata.uid)
        if life is None:
            life = self._lives[pod.metadata.uid] = self._first_seen(pod)
        if pod.is_terminating and life.step not in _ENDING:
            life.step, life.due_at = "stop", 0.0
        left = life.due_at - self._cluster.clock.now()
        if left > 0 and is_marked_unready(pod):
            await self._steps.restore_readiness(pod)
        if left <= 0:
            await self._steps.run_step(pod, life)
            left = max(0.001, life.due_at - self._cluster.clock.now())
        return None if left == NEVER else Result(requeue_after=left)

    def _make(self, pod: Pod, step: str, code: int = 0, reason: str = "", words: str = "") -> None:
        life = self._lives.get(pod.metadata.uid)
        if life is not None:
            life.step, life.due_at = step, self._cluster.clock.now()
            life.exit_code, life.reason, life.words = code, reason, words
            self.requeue(Request.of(pod))

    async def _without_node(self, pod: Pod) -> None:
        """Remove a deleted pod without a node immediately, as the API server does in a real cluster."""
        if pod.is_terminating:
            await self._cluster.pods.delete(pod, grace=0)

    def _first_seen(self, pod: Pod) -> PodWorkerState:
        """A pod seen for the first time: new, or there before this kubelet started."""
        number = f"{self._cluster.random_source.rng_for('number', pod.metadata.uid).getrandbits(128):x}"
        if not pod.status.container_statuses:
            host, address = self._address(pod.spec.node_name)
            now = self._cluster.clock.time()
            return PodWorkerState(
                PodStatusBuilder(pod, created=now, address=address, host=host, number=number), "create", 0.0
            )
        life = PodWorkerState(pod_status.recover_status(pod, number), "ready", NEVER)
        self._steps.images.add(pod.spec.node_name, pod.spec.containers[0].image)
        self._resume(pod, life)
        return life

    def _resume(self, pod: Pod, life: PodWorkerState) -> None:
        """Go on where the status says that the pod was."""
        state = pod.status.container_statuses[0].state
        waiting = state.waiting.reason if state.waiting else ""
        steps = self._steps
        if pod.has_ended:
            return
        if waiting == "CrashLoopBackOff":
            life.crashes = life.status_builder.restarts
            steps.schedule_step(pod, life, "restart", 4, 60)
        elif waiting == "ContainerCreating":
            steps.schedule_step(pod, life, "pulled", 0.5, 2)
        elif waiting:
            life.pulls = 5
            steps.schedule_step(pod, life, "pull", 5, 60)
        elif state.terminated is not None:
            steps.schedule_step(pod, life, "back-off", 1, 3)
        else:
            steps.plan_next_step(pod, life)

    def _address(self, node: str) -> tuple[str, str]:
        """The node's address and a new one for a pod on it."""
        node_object = self._cluster.nodes.get(node)
        host = (
            node_object.status.addresses[0].address if node_object and node_object.status.addresses else "192.168.20.10"
        )
        network = (node_object.spec.pod_cidr if node_object else "") or "10.5.0.0/24"
        number = self._addresses[node] = self._addresses.get(node, 129) % 253 + 1
        return host, f"{network.rpartition('.')[0]}.{number}"
