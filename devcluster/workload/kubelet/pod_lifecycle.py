"""Steps of a pod's life on its node: the status and events of each, and the next step.

Source of the sentences: kubelet's kuberuntime_container.go, kuberuntime_manager.go, images/image_manager.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from devcluster.workload import images
from devcluster.workload.api_types import Pod, condition_body
from devcluster.workload.cluster_client import Cluster
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.images import PulledImages
from devcluster.workload.kubelet.pod_status import PodStatusBuilder, format_duration
from devcluster.workload.object_builders import Json
from devcluster.workload.pod_behaviour import is_never_ready, planned_exit
from devcluster.workload.times import timestamp

FIRST_BACK_OFF = 10.0
LONGEST_BACK_OFF = 300.0
"""Seconds between two tries, as the kubelet has it: they double with each failure."""
BACK_OFF_RESET_SECONDS = 600.0
"""Seconds of running after which earlier crashes no longer count."""
NEVER = float("inf")


@dataclass
class PodWorkerState:
    """State of a pod: its status, the next step, and its time (monotonic seconds; infinite for never)."""

    status_builder: PodStatusBuilder
    step: str
    due_at: float
    step_count: int = 0
    """How many steps it has taken: each has its own dice."""
    exit_code: int = 1
    reason: str = "Error"
    words: str = ""
    crashes: int = 0
    started_at: float = 0.0
    """When its container was started, in monotonic seconds."""
    pulls: int = 0
    """Pulls in a row that failed."""


class PodLifecycle:
    """Takes steps; each writes the pod's status, says what happened and sets what comes next."""

    def __init__(self, cluster: Cluster, recorders: Recorders) -> None:
        self._cluster = cluster
        self._recorders = recorders
        self.images = PulledImages()
        self._steps: dict[str, Callable[[Pod, PodWorkerState], Awaitable[None]]] = {
            "create": self._create, "pull": self._pull, "pulled": self._pulled, "pull back-off": self._pull_back_off,
            "ready": self._ready, "unready": self._unready, "crash": self._crash, "back-off": self._back_off,
            "restart": self._restart, "finish": self._finish, "evict": self._evict, "stop": self._stop,
            "remove": self._remove,
        }  # fmt: skip

    async def run_step(self, pod: Pod, life: PodWorkerState) -> None:
        """Take the step that is due."""
        life.due_at = NEVER
        life.step_count += 1
        await self._steps[life.step](pod, life)

    def schedule_step(self, pod: Pod, life: PodWorkerState, step: str, shortest: float, longest: float) -> None:
        """Schedule the next step, after seconds drawn from a range."""
        seconds = self._cluster.random_source.uniform(shortest, longest, "kubelet", pod.key, life.step_count, step)
        life.step, life.due_at = step, self._cluster.clock.now() + seconds

    def plan_next_step(self, pod: Pod, life: PodWorkerState) -> None:
        """Plan the next step of a running container."""
        coming = planned_exit(pod, self._cluster.random_source, life.step_count)
        if coming is not None:
            ends = pod.spec.restart_policy == "Never" or (
                pod.spec.restart_policy == "OnFailure" and not coming.exit_code
            )
            life.exit_code, life.reason = coming.exit_code, coming.reason
            self.schedule_step(pod, life, "finish" if ends else "crash", coming.seconds, coming.seconds)

    async def restore_readiness(self, pod: Pod) -> None:
        """Say that it is ready where its containers are: the control plane has marked it while the node was silent."""
        now = timestamp(self._cluster.clock.time())
        conditions = [condition_body(each) for each in pod.status.conditions]
        for body in conditions:
            if body["type"] == "Ready":
                body |= {"status": "True", "lastTransitionTime": now}
        await self._cluster.pods.patch(pod, {"status": {"conditions": conditions}}, status=True)

    async def _create(self, pod: Pod, life: PodWorkerState) -> None:
        await self._write(pod, life.status_builder.mark_creating(self._cluster.clock.time()))
        node, image = pod.spec.node_name, _image(pod)
        if self.images.has(node, image):
            self._say(pod, "Pulled", _present(image))
            await self._start(pod, life)
        else:
            await self._pull(pod, life)

    async def _pull(self, pod: Pod, life: PodWorkerState) -> None:
        self._say(pod, "Pulling", f'Pulling image "{_image(pod)}"')
        self.schedule_step(pod, life, "pulled", 0.8, 3.2)

    async def _pulled(self, pod: Pod, life: PodWorkerState) -> None:
        node, image = pod.spec.node_name, _image(pod)
        if not images.exists(image):
            await self._pull_failed(pod, life)
            return
        life.pulls = 0
        self.images.add(node, image)
        took = f"{self._cluster.random_source.uniform(0.4, 3.2, 'took', pod.key, life.step_count):.3f}s"
        size = self._cluster.random_source.rng_for("size", image).randrange(18_000_000, 240_000_000)
        words = f"in {took} ({took} including waiting). Image size: {size} bytes."
        self._say(pod, "Pulled", f'Successfully pulled image "{image}" {words}')
        await self._start(pod, life)

    async def _pull_failed(self, pod: Pod, life: PodWorkerState) -> None:
        """An image that does not exist: the error and the back-off take turns."""
        image, now = _image(pod), self._cluster.clock.time()
        why = images.not_found(image)
        life.pulls += 1
        await self._write(pod, life.status_builder.mark_waiting(now, "ErrImagePull", why))
        self._warn(pod, "Failed", f'Failed to pull image "{image}": {why}')
        self._warn(pod, "Failed", "Error: ErrImagePull")
        self.schedule_step(pod, life, "pull back-off", 1.0, 3.0)

    async def _pull_back_off(self, pod: Pod, life: PodWorkerState) -> None:
        image, now = _image(pod), self._cluster.clock.time()
        words = f'Back-off pulling image "{image}"'
        await self._write(
            pod,
            life.status_builder.mark_waiting(
                now, "ImagePullBackOff", f"{words}: ErrImagePull: {images.not_found(image)}"
            ),
        )
        self._recorders.for_kubelet(pod.spec.node_name).event(pod, "Normal", "BackOff", words, field_path=_field(pod))
        self._warn(pod, "Failed", "Error: ImagePullBackOff")
        pause = _pause(life.pulls)
        self.schedule_step(pod, life, "pull", pause, pause + 1)

    async def _start(self, pod: Pod, life: PodWorkerState) -> None:
        now = self._cluster.clock.time()
        life.status_builder.started_at, life.started_at = now, self._cluster.clock.now()
        probed = is_never_ready(pod) or any(each.readiness_probe for each in pod.spec.containers)
        await self._write(pod, life.status_builder.mark_running(now, ready=not probed))
        self._say(pod, "Created", "Container created")
        self._say(pod, "Started", "Container started")
        if probed and is_never_ready(pod):
            self.schedule_step(pod, life, "unready", 3, 6)
        elif probed:
            self.schedule_step(pod, life, "ready", 0.8, 3.0)
        self._plan_early(pod, life, probed=probed)

    def _plan_early(self, pod: Pod, life: PodWorkerState, *, probed: bool) -> None:
        """Plan a crash that comes before the container is ready."""
        coming = planned_exit(pod, self._cluster.random_source, life.step_count)
        if coming is not None and (not probed or coming.reason == "Error"):
            self.plan_next_step(pod, life)

    async def _ready(self, pod: Pod, life: PodWorkerState) -> None:
        await self._write(pod, life.status_builder.mark_running(self._cluster.clock.time(), ready=True))
        self.plan_next_step(pod, life)

    async def _unready(self, pod: Pod, life: PodWorkerState) -> None:
        await self._write(pod, life.status_builder.mark_running(self._cluster.clock.time(), ready=False))
        self._warn(pod, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")
        if is_never_ready(pod):
            self.schedule_step(pod, life, "unready", 10, 20)
        else:
            self.schedule_step(pod, life, "ready", 4, 11)

    async def _crash(self, pod: Pod, life: PodWorkerState) -> None:
        ran = self._cluster.clock.now() - life.started_at
        life.crashes = 1 if ran >= BACK_OFF_RESET_SECONDS else life.crashes + 1
        if life.words:
            self._warn(pod, "Unhealthy", life.words)
            self._say(pod, "Killing", f"Container {_name(pod)} failed liveness probe, will be restarted")
            life.words = ""
        if pod.spec.restart_policy == "Never" or (pod.spec.restart_policy == "OnFailure" and not life.exit_code):
            await self._finish(pod, life)
            return
        await self._write(
            pod, life.status_builder.mark_crashed(self._cluster.clock.time(), life.exit_code, life.reason)
        )
        self.schedule_step(pod, life, "back-off", 0.8, 1.6)

    async def _back_off(self, pod: Pod, life: PodWorkerState) -> None:
        """The first restart comes at once; from then on the pause doubles."""
        if life.crashes < 2:
            await self._restart(pod, life)
            return
        pause, meta = _pause(life.crashes - 1), pod.metadata
        place = f"{meta.name}_{meta.namespace}({meta.uid})"
        message = f"back-off {format_duration(pause)} restarting failed container={_name(pod)} pod={place}"
        await self._write(
            pod, life.status_builder.mark_waiting(self._cluster.clock.time(), "CrashLoopBackOff", message)
        )
        self._warn(pod, "BackOff", f"Back-off restarting failed container {_name(pod)} in pod {place}")
        self.schedule_step(pod, life, "restart", pause, pause + 1)

    async def _restart(self, pod: Pod, life: PodWorkerState) -> None:
        self._say(pod, "Pulled", _present(_image(pod)))
        await self._start(pod, life)

    async def _finish(self, pod: Pod, life: PodWorkerState) -> None:
        await self._write(
            pod, life.status_builder.mark_finished(self._cluster.clock.time(), life.exit_code, life.reason)
        )

    async def _evict(self, pod: Pod, life: PodWorkerState) -> None:
        await self._write(pod, life.status_builder.mark_evicted(self._cluster.clock.time(), life.words))
        self._recorders.for_kubelet(pod.spec.node_name).event(pod, "Warning", "Evicted", life.words)
        self._say(pod, "Killing", f"Stopping container {_name(pod)}")

    async def _stop(self, pod: Pod, life: PodWorkerState) -> None:
        """Stop the containers of a pod that is being deleted, then remove it."""
        if pod.status.container_statuses and not pod.has_ended:
            for each in pod.spec.containers:
                field_path = f"spec.containers{{{each.name}}}"
                words = f"Stopping container {each.name}"
                self._recorders.for_kubelet(pod.spec.node_name).event(
                    pod, "Normal", "Killing", words, field_path=field_path
                )
        self.schedule_step(pod, life, "remove", 0.9, 3.5)

    async def _remove(self, pod: Pod, life: PodWorkerState) -> None:
        if not pod.has_ended and pod.status.container_statuses:
            await self._write(pod, life.status_builder.mark_stopped(self._cluster.clock.time()))
        await self._cluster.pods.delete(pod, grace=0)

    async def _write(self, pod: Pod, status: Json) -> None:
        await self._cluster.pods.patch(pod, {"status": {"reason": None, "message": None, **status}}, status=True)

    def _say(self, pod: Pod, reason: str, message: str) -> None:
        self._recorders.for_kubelet(pod.spec.node_name).event(pod, "Normal", reason, message, field_path=_field(pod))

    def _warn(self, pod: Pod, reason: str, message: str) -> None:
        self._recorders.for_kubelet(pod.spec.node_name).event(pod, "Warning", reason, message, field_path=_field(pod))


def _pause(failures: int) -> float:
    return min(FIRST_BACK_OFF * 2.0 ** min(failures - 1, 10), LONGEST_BACK_OFF)


def _name(pod: Pod) -> str:
    return pod.spec.containers[0].name


def _image(pod: Pod) -> str:
    return pod.spec.containers[0].image


def _field(pod: Pod) -> str:
    return f"spec.containers{{{_name(pod)}}}"


def _present(image: str) -> str:
    return f'Container image "{image}" already present on machine and can be accessed by the pod'
