"""The steps of a pod's life on its node: what is written and said at each, and what comes next.

Source of the sentences: kubelet's kuberuntime_container.go, kuberuntime_manager.go, images/image_manager.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from devcluster.workload import images
from devcluster.workload.behaviour import fate, never_ready
from devcluster.workload.building import Json, stamp
from devcluster.workload.cluster import Cluster
from devcluster.workload.images import PulledImages
from devcluster.workload.projections import Pod, condition_body
from devcluster.workload.statuses import PodLife, duration
from devcluster.workload.voices import Voices

FIRST_BACK_OFF = 10.0
LONGEST_BACK_OFF = 300.0
"""Seconds between two tries, as the kubelet has it: they double with each failure."""
FORGIVEN_AFTER = 600.0
"""Seconds of running after which earlier crashes no longer count."""
NEVER = float("inf")


@dataclass
class Life:
    """Where a pod stands: its status, the step that comes next, and when (monotonic seconds; infinite for never)."""

    pod: PodLife
    step: str
    due: float
    turn: int = 0
    """How many steps it has taken: each has its own dice."""
    code: int = 1
    reason: str = "Error"
    words: str = ""
    crashes: int = 0
    started: float = 0.0
    """When its container was started, in monotonic seconds."""
    pulls: int = 0
    """Pulls in a row that failed."""


class PodSteps:
    """Takes steps; each writes the pod's status, says what happened and sets what comes next."""

    def __init__(self, cluster: Cluster, voices: Voices) -> None:
        self._cluster = cluster
        self._voices = voices
        self.images = PulledImages()
        self._steps: dict[str, Callable[[Pod, Life], Awaitable[None]]] = {
            "create": self._create, "pull": self._pull, "pulled": self._pulled, "pull back-off": self._pull_back_off,
            "ready": self._ready, "unready": self._unready, "crash": self._crash, "back-off": self._back_off,
            "restart": self._restart, "finish": self._finish, "evict": self._evict, "stop": self._stop,
            "remove": self._remove,
        }  # fmt: skip

    async def take(self, pod: Pod, life: Life) -> None:
        """Take the step that is due."""
        life.due = NEVER
        life.turn += 1
        await self._steps[life.step](pod, life)

    def after(self, pod: Pod, life: Life, step: str, shortest: float, longest: float) -> None:
        """Have a step come next, in between so many seconds."""
        seconds = self._cluster.dice.between(shortest, longest, "kubelet", pod.key, life.turn, step)
        life.step, life.due = step, self._cluster.clock.now() + seconds

    def plan(self, pod: Pod, life: Life) -> None:
        """What a running container is going to do by itself."""
        coming = fate(pod, self._cluster.dice, life.turn)
        if coming is not None:
            ends = pod.spec.restart_policy == "Never" or (pod.spec.restart_policy == "OnFailure" and not coming.code)
            life.code, life.reason = coming.code, coming.reason
            self.after(pod, life, "finish" if ends else "crash", coming.seconds, coming.seconds)

    async def set_right(self, pod: Pod) -> None:
        """Say that it is ready where its containers are: the control plane has marked it while the node was silent."""
        now = stamp(self._cluster.clock.time())
        conditions = [condition_body(each) for each in pod.status.conditions]
        for body in conditions:
            if body["type"] == "Ready":
                body |= {"status": "True", "lastTransitionTime": now}
        await self._cluster.pods.patch(pod, {"status": {"conditions": conditions}}, status=True)

    async def _create(self, pod: Pod, life: Life) -> None:
        await self._write(pod, life.pod.creating(self._cluster.clock.time()))
        node, image = pod.spec.node_name, _image(pod)
        if self.images.has(node, image):
            self._say(pod, "Pulled", _present(image))
            await self._start(pod, life)
        else:
            await self._pull(pod, life)

    async def _pull(self, pod: Pod, life: Life) -> None:
        self._say(pod, "Pulling", f'Pulling image "{_image(pod)}"')
        self.after(pod, life, "pulled", 0.8, 3.2)

    async def _pulled(self, pod: Pod, life: Life) -> None:
        node, image = pod.spec.node_name, _image(pod)
        if not images.exists(image):
            await self._pull_failed(pod, life)
            return
        life.pulls = 0
        self.images.add(node, image)
        took = f"{self._cluster.dice.between(0.4, 3.2, 'took', pod.key, life.turn):.3f}s"
        size = self._cluster.dice.of("size", image).randrange(18_000_000, 240_000_000)
        words = f"in {took} ({took} including waiting). Image size: {size} bytes."
        self._say(pod, "Pulled", f'Successfully pulled image "{image}" {words}')
        await self._start(pod, life)

    async def _pull_failed(self, pod: Pod, life: Life) -> None:
        """An image that does not exist: the error and the back-off take turns."""
        image, now = _image(pod), self._cluster.clock.time()
        why = images.not_found(image)
        life.pulls += 1
        await self._write(pod, life.pod.waiting(now, "ErrImagePull", why))
        self._warn(pod, "Failed", f'Failed to pull image "{image}": {why}')
        self._warn(pod, "Failed", "Error: ErrImagePull")
        self.after(pod, life, "pull back-off", 1.0, 3.0)

    async def _pull_back_off(self, pod: Pod, life: Life) -> None:
        image, now = _image(pod), self._cluster.clock.time()
        words = f'Back-off pulling image "{image}"'
        await self._write(
            pod, life.pod.waiting(now, "ImagePullBackOff", f"{words}: ErrImagePull: {images.not_found(image)}")
        )
        self._voices.kubelet(pod.spec.node_name).event(pod, "Normal", "BackOff", words, field_path=_field(pod))
        self._warn(pod, "Failed", "Error: ImagePullBackOff")
        pause = _pause(life.pulls)
        self.after(pod, life, "pull", pause, pause + 1)

    async def _start(self, pod: Pod, life: Life) -> None:
        now = self._cluster.clock.time()
        life.pod.started, life.started = now, self._cluster.clock.now()
        probed = never_ready(pod) or any(each.readiness_probe for each in pod.spec.containers)
        await self._write(pod, life.pod.running(now, ready=not probed))
        self._say(pod, "Created", "Container created")
        self._say(pod, "Started", "Container started")
        if probed and never_ready(pod):
            self.after(pod, life, "unready", 3, 6)
        elif probed:
            self.after(pod, life, "ready", 0.8, 3.0)
        self._plan_early(pod, life, probed=probed)

    def _plan_early(self, pod: Pod, life: Life, *, probed: bool) -> None:
        """What crashes at once does so before it is ready."""
        coming = fate(pod, self._cluster.dice, life.turn)
        if coming is not None and (not probed or coming.reason == "Error"):
            self.plan(pod, life)

    async def _ready(self, pod: Pod, life: Life) -> None:
        await self._write(pod, life.pod.running(self._cluster.clock.time(), ready=True))
        self.plan(pod, life)

    async def _unready(self, pod: Pod, life: Life) -> None:
        await self._write(pod, life.pod.running(self._cluster.clock.time(), ready=False))
        self._warn(pod, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")
        if never_ready(pod):
            self.after(pod, life, "unready", 10, 20)
        else:
            self.after(pod, life, "ready", 4, 11)

    async def _crash(self, pod: Pod, life: Life) -> None:
        ran = self._cluster.clock.now() - life.started
        life.crashes = 1 if ran >= FORGIVEN_AFTER else life.crashes + 1
        if life.words:
            self._warn(pod, "Unhealthy", life.words)
            self._say(pod, "Killing", f"Container {_name(pod)} failed liveness probe, will be restarted")
            life.words = ""
        if pod.spec.restart_policy == "Never" or (pod.spec.restart_policy == "OnFailure" and not life.code):
            await self._finish(pod, life)
            return
        await self._write(pod, life.pod.crashed(self._cluster.clock.time(), life.code, life.reason))
        self.after(pod, life, "back-off", 0.8, 1.6)

    async def _back_off(self, pod: Pod, life: Life) -> None:
        """The first restart comes at once; from then on the pause doubles."""
        if life.crashes < 2:
            await self._restart(pod, life)
            return
        pause, meta = _pause(life.crashes - 1), pod.metadata
        place = f"{meta.name}_{meta.namespace}({meta.uid})"
        said = f"back-off {duration(pause)} restarting failed container={_name(pod)} pod={place}"
        await self._write(pod, life.pod.waiting(self._cluster.clock.time(), "CrashLoopBackOff", said))
        self._warn(pod, "BackOff", f"Back-off restarting failed container {_name(pod)} in pod {place}")
        self.after(pod, life, "restart", pause, pause + 1)

    async def _restart(self, pod: Pod, life: Life) -> None:
        self._say(pod, "Pulled", _present(_image(pod)))
        await self._start(pod, life)

    async def _finish(self, pod: Pod, life: Life) -> None:
        await self._write(pod, life.pod.finished(self._cluster.clock.time(), life.code, life.reason))

    async def _evict(self, pod: Pod, life: Life) -> None:
        await self._write(pod, life.pod.evicted(self._cluster.clock.time(), life.words))
        self._voices.kubelet(pod.spec.node_name).event(pod, "Warning", "Evicted", life.words)
        self._say(pod, "Killing", f"Stopping container {_name(pod)}")

    async def _stop(self, pod: Pod, life: Life) -> None:
        """It is being deleted: its containers are told, and then there is nothing left of it."""
        if pod.status.container_statuses and not pod.has_ended:
            for each in pod.spec.containers:
                field_path = f"spec.containers{{{each.name}}}"
                words = f"Stopping container {each.name}"
                self._voices.kubelet(pod.spec.node_name).event(pod, "Normal", "Killing", words, field_path=field_path)
        self.after(pod, life, "remove", 0.9, 3.5)

    async def _remove(self, pod: Pod, life: Life) -> None:
        if not pod.has_ended and pod.status.container_statuses:
            await self._write(pod, life.pod.stopped(self._cluster.clock.time()))
        await self._cluster.pods.delete(pod, grace=0)

    async def _write(self, pod: Pod, status: Json) -> None:
        await self._cluster.pods.patch(pod, {"status": {"reason": None, "message": None, **status}}, status=True)

    def _say(self, pod: Pod, reason: str, message: str) -> None:
        self._voices.kubelet(pod.spec.node_name).event(pod, "Normal", reason, message, field_path=_field(pod))

    def _warn(self, pod: Pod, reason: str, message: str) -> None:
        self._voices.kubelet(pod.spec.node_name).event(pod, "Warning", reason, message, field_path=_field(pod))


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
