"""The kubelets of all nodes: they meet pods, take each through its steps, end and evict them."""

from __future__ import annotations

from collections.abc import Callable

from devcluster.workload import statuses
from devcluster.workload.cluster import NODE, Cluster
from devcluster.workload.machines import Machines
from devcluster.workload.pod_steps import NEVER, Life, PodSteps
from devcluster.workload.projections import Pod, condition
from devcluster.workload.statuses import PodLife
from devcluster.workload.voices import Voices
from informerd.controller.request import Request
from informerd.controller.result import Result

_ENDING = ("stop", "remove")


def is_marked(pod: Pod) -> bool:
    """Whether its containers are ready and it is said not to be: that is not its kubelet's word."""
    ready = condition(pod.status.conditions, "ContainersReady")
    return ready is not None and ready.status == "True" and not (pod.is_ready or pod.is_leaving or pod.has_ended)


class Kubelet:
    """Runs every pod that has a node which is there and answers."""

    def __init__(self, cluster: Cluster, voices: Voices, machines: Machines) -> None:
        self._cluster = cluster
        self._machines = machines
        self._steps = PodSteps(cluster, voices)
        self._lives: dict[str, Life] = {}
        """By the pod's uid."""
        self._addresses: dict[str, int] = {}
        self.requeue: Callable[[Request], None] = lambda _: None
        """Has a pod looked at again; set by whoever runs this controller."""

    def crash(self, pod: Pod, code: int, reason: str, *, words: str = "") -> None:
        """Let a running pod's container end now, with this exit code and reason; `words` of a failed probe before."""
        self._make(pod, "crash", code, reason, words)

    def flicker(self, pod: Pod) -> None:
        """Let a running pod's readiness probe fail for some seconds."""
        self._make(pod, "unready")

    def evict(self, pod: Pod, words: str) -> None:
        """Let the node get rid of a pod."""
        self._make(pod, "evict", words=words)

    def is_settled(self, pod: Pod) -> bool:
        """Whether a pod runs, is ready, and nothing is about to happen to it."""
        life = self._lives.get(pod.metadata.uid)
        return life is not None and life.due == NEVER and pod.is_ready and not pod.is_leaving

    def wake(self, node: str) -> None:
        """Look at all pods of a node that has come, or answers again."""
        for pod in self._cluster.pods.by(NODE, node):
            self.requeue(Request.of(pod))

    def forget(self, pod: Pod) -> None:
        """Drop what is known of one that is gone."""
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
        if self._cluster.nodes.get(name) is None or not self._machines.answers(name):
            return None  # `wake` comes with the node
        life = self._lives.get(pod.metadata.uid)
        if life is None:
            life = self._lives[pod.metadata.uid] = self._met(pod)
        if pod.is_leaving and life.step not in _ENDING:
            life.step, life.due = "stop", 0.0
        left = life.due - self._cluster.clock.now()
        if left > 0 and is_marked(pod):
            await self._steps.set_right(pod)
        if left <= 0:
            await self._steps.take(pod, life)
            left = max(0.001, life.due - self._cluster.clock.now())
        return None if left == NEVER else Result(requeue_after=left)

    def _make(self, pod: Pod, step: str, code: int = 0, reason: str = "", words: str = "") -> None:
        life = self._lives.get(pod.metadata.uid)
        if life is not None:
            life.step, life.due = step, self._cluster.clock.now()
            life.code, life.reason, life.words = code, reason, words
            self.requeue(Request.of(pod))

    async def _without_node(self, pod: Pod) -> None:
        """What nobody runs is gone as soon as it is deleted: the API server's own doing in a real cluster."""
        if pod.is_leaving:
            await self._cluster.pods.delete(pod, grace=0)

    def _met(self, pod: Pod) -> Life:
        """A pod seen for the first time: new, or there before this kubelet started."""
        number = f"{self._cluster.dice.of('number', pod.metadata.uid).getrandbits(128):x}"
        if not pod.status.container_statuses:
            host, address = self._address(pod.spec.node_name)
            now = self._cluster.clock.time()
            return Life(PodLife(pod, created=now, address=address, host=host, number=number), "create", 0.0)
        life = Life(statuses.recovered(pod, number), "ready", NEVER)
        self._steps.images.add(pod.spec.node_name, pod.spec.containers[0].image)
        self._resume(pod, life)
        return life

    def _resume(self, pod: Pod, life: Life) -> None:
        """Go on where the status says that the pod was."""
        state = pod.status.container_statuses[0].state
        waiting = state.waiting.reason if state.waiting else ""
        steps = self._steps
        if pod.has_ended:
            return
        if waiting == "CrashLoopBackOff":
            life.crashes = life.pod.restarts
            steps.after(pod, life, "restart", 4, 60)
        elif waiting == "ContainerCreating":
            steps.after(pod, life, "pulled", 0.5, 2)
        elif waiting:
            life.pulls = 5
            steps.after(pod, life, "pull", 5, 60)
        elif state.terminated is not None:
            steps.after(pod, life, "back-off", 1, 3)
        else:
            steps.plan(pod, life)

    def _address(self, node: str) -> tuple[str, str]:
        """The node's address and a new one for a pod on it."""
        found = self._cluster.nodes.get(node)
        host = found.status.addresses[0].address if found and found.status.addresses else "192.168.20.10"
        network = (found.spec.pod_cidr if found else "") or "10.5.0.0/24"
        number = self._addresses[node] = self._addresses.get(node, 129) % 253 + 1
        return host, f"{network.rpartition('.')[0]}.{number}"
