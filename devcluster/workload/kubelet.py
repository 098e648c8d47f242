"""The kubelet of all nodes: pulls, starts, restarts, finishes and ends pods, each at its own pace."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from devcluster.workload import statuses
from devcluster.workload.building import BEHAVIOUR, Json
from devcluster.workload.cluster import NODES, Cluster
from devcluster.workload.queue import DueQueue
from devcluster.workload.statuses import PodLife
from devcluster.workload.teams import CRONS, Cron
from informerd.resource import PODS

SOURCE = "kubelet"
LONGEST_BACK_OFF = 90.0
"""Seconds; the real kubelet goes to 300, which is too calm for a demo."""
FORGIVEN_AFTER = 600.0
"""Seconds after which a crash no longer counts for the back-off."""


@dataclass
class Life:
    """Where a pod stands: its status, the step that comes next, and when (monotonic seconds; infinite for never)."""

    pod: PodLife
    step: str
    due: float
    code: int = 1
    reason: str = "Error"
    crashes: list[float] = field(default_factory=list)
    ending: bool = False


class Kubelet:
    """Runs every pod that has a node."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._lives: dict[str, Life] = {}
        self._crons: dict[tuple[str, str], Cron] = {(cron.namespace, cron.name): cron for cron in CRONS}
        self._queue = DueQueue(cluster.clock)
        self._steps: dict[str, Callable[[str, Json, Life], Awaitable[None]]] = {
            "pulled": self._pulled, "pull": self._pull, "ready": self._ready, "crash": self._crash,
            "back-off": self._back_off, "restart": self._restart, "finish": self._finish, "unready": self._unready,
        }  # fmt: skip
        cluster.on_change(PODS, lambda obj: self._queue.add(obj.key))

    async def run(self) -> None:
        await self._queue.work(self.reconcile)

    def crash(self, key: str, code: int, reason: str) -> None:
        """Let a running pod's container end now, with this exit code and reason."""
        self._make(key, "crash", code, reason)

    def flicker(self, key: str) -> None:
        """Let a running pod's readiness probe fail for some seconds."""
        self._make(key, "unready", 0, "")

    def is_settled(self, pod: Json) -> bool:
        """Whether a pod runs and nothing is about to happen to it."""
        life = self._lives.get(pod["metadata"]["uid"])
        return life is not None and life.due == float("inf") and not life.ending

    def _make(self, key: str, step: str, code: int, reason: str) -> None:
        pod = self._cluster.get(PODS, key)
        life = self._lives.get(pod["metadata"]["uid"]) if pod else None
        if life is not None:
            life.step, life.due, life.code, life.reason = step, self._cluster.clock.now(), code, reason
            self._queue.add(key)

    async def reconcile(self, key: str) -> None:
        """Take the pod's next step, if it is due."""
        pod = self._cluster.get(PODS, key)
        if pod is None:
            self._forget()
            return
        if not pod["spec"].get("nodeName"):
            return
        life = self._lives.get(pod["metadata"]["uid"])
        if life is None:
            life = await self._met(key, pod)
        if "deletionTimestamp" in pod["metadata"] and not life.ending:
            await self._begin_end(pod, life)
        left = life.due - self._cluster.clock.now()
        if left > 0:
            if left != float("inf"):
                self._queue.add(key, left)
            return
        life.due = float("inf")
        if life.ending:
            await self._cluster.delete(PODS, pod, grace=0)
        else:
            await self._steps[life.step](key, pod, life)

    def _next(self, key: str, life: Life, step: str, shortest: float, longest: float) -> None:
        seconds = self._cluster.rng.uniform(shortest, longest)
        life.step, life.due = step, self._cluster.clock.now() + seconds
        self._queue.add(key, seconds)

    def _forget(self) -> None:
        """Drop the lives of pods that are gone."""
        if len(self._lives) > 2 * len(alive := {pod["metadata"]["uid"] for pod in self._cluster.all(PODS)}) + 50:
            self._lives = {uid: life for uid, life in self._lives.items() if uid in alive}

    async def _met(self, key: str, pod: Json) -> Life:
        """A pod seen for the first time: new, or there before this kubelet started."""
        number = f"{self._cluster.rng.getrandbits(128):x}"
        uid, now = pod["metadata"]["uid"], self._cluster.clock.time()
        if not pod.get("status", {}).get("containerStatuses"):
            host, address = self._address(pod["spec"]["nodeName"])
            life = Life(PodLife(pod, created=now, address=address, host=host, number=number), "pulled", 0.0)
            self._lives[uid] = life
            await self._write(pod, life.pod.creating(now))
            await self._say(pod, "Pulling", f'Pulling image "{_image(pod)}"')
            self._next(key, life, "pulled", 0.8, 3.5)
            return life
        life = Life(statuses.recovered(pod, number), "ready", float("inf"))
        self._lives[uid] = life
        self._resume(key, pod, life)
        return life

    def _resume(self, key: str, pod: Json, life: Life) -> None:
        """Go on where the status says that the pod was."""
        status = pod["status"]
        state = status["containerStatuses"][0].get("state") or {}
        waiting = (state.get("waiting") or {}).get("reason", "")
        if status.get("phase") in ("Succeeded", "Failed"):
            return
        if waiting == "CrashLoopBackOff":
            life.crashes = [self._cluster.clock.now()] * 4
            self._next(key, life, "restart", 4, 40)
        elif waiting == "ContainerCreating":
            self._next(key, life, "pulled", 0.5, 2)
        elif waiting:
            self._next(key, life, "pull", 5, 40)
        elif "terminated" in state:
            self._next(key, life, "back-off", 1, 3)
        else:
            self._plan(key, pod, life)

    def _plan(self, key: str, pod: Json, life: Life) -> None:
        """What a running pod is going to do by itself."""
        behaviour = (pod["metadata"].get("annotations") or {}).get(BEHAVIOUR, "")
        cron = self._cron(pod)
        if cron is not None:
            self._next(key, life, "finish", *cron.seconds)
        elif behaviour == "memory":
            life.code, life.reason = 137, "OOMKilled"
            self._next(key, life, "crash", 50, 150)
        elif behaviour == "crash":
            life.code, life.reason = 1, "Error"
            self._next(key, life, "crash", 3, 7)

    def _cron(self, pod: Json) -> Cron | None:
        return self._crons.get((pod["metadata"]["namespace"], (pod["metadata"].get("labels") or {}).get("app", "")))

    async def _pulled(self, key: str, pod: Json, life: Life) -> None:
        if (pod["metadata"].get("annotations") or {}).get(BEHAVIOUR) == "image":
            await self._pull(key, pod, life)
            return
        took = f"{self._cluster.rng.uniform(0.4, 3.2):.3f}s"
        size = self._cluster.rng.randrange(18_000_000, 240_000_000)
        words = f"in {took} ({took} including waiting). Image size: {size} bytes."
        await self._say(pod, "Pulled", f'Successfully pulled image "{_image(pod)}" {words}')
        await self._start(key, pod, life)

    async def _pull(self, key: str, pod: Json, life: Life) -> None:
        """An image that does not exist: the error and the back-off take turns."""
        now, image = self._cluster.clock.time(), _image(pod)
        failed = f'Failed to pull image "{image}": rpc error: code = NotFound desc = {image}: not found'
        was_error = (
            (pod["status"].get("containerStatuses") or [{}])[0].get("state", {}).get("waiting", {}).get("reason")
        )
        if was_error == "ErrImagePull":
            await self._write(pod, life.pod.waiting(now, "ImagePullBackOff", f'Back-off pulling image "{image}"'))
            await self._warn(pod, "BackOff", f'Back-off pulling image "{image}"')
            self._next(key, life, "pull", 30, 75)
        else:
            await self._write(pod, life.pod.waiting(now, "ErrImagePull", failed))
            await self._warn(pod, "Failed", failed)
            self._next(key, life, "pull", 3, 6)

    async def _start(self, key: str, pod: Json, life: Life) -> None:
        now, name = self._cluster.clock.time(), pod["spec"]["containers"][0]["name"]
        life.pod.started = now
        await self._write(pod, life.pod.running(now, ready=False))
        await self._say(pod, "Created", f"Created container: {name}")
        await self._say(pod, "Started", f"Started container {name}")
        if (pod["metadata"].get("annotations") or {}).get(BEHAVIOUR) == "crash":
            self._plan(key, pod, life)
        else:
            self._next(key, life, "ready", 0.8, 3.0)

    async def _ready(self, key: str, pod: Json, life: Life) -> None:
        await self._write(pod, life.pod.running(self._cluster.clock.time(), ready=True))
        self._plan(key, pod, life)

    async def _unready(self, key: str, pod: Json, life: Life) -> None:
        await self._write(pod, life.pod.running(self._cluster.clock.time(), ready=False))
        await self._warn(pod, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")
        self._next(key, life, "ready", 4, 11)

    async def _crash(self, key: str, pod: Json, life: Life) -> None:
        now = self._cluster.clock.now()
        life.crashes = [when for when in life.crashes if now - when < FORGIVEN_AFTER] + [now]
        await self._write(pod, life.pod.crashed(self._cluster.clock.time(), life.code, life.reason))
        self._next(key, life, "back-off", 0.8, 1.6)

    async def _back_off(self, key: str, pod: Json, life: Life) -> None:
        """The first restart comes at once; from then on the pause doubles."""
        if len(life.crashes) < 2:
            await self._restart(key, pod, life)
            return
        pause = min(10.0 * 2 ** (len(life.crashes) - 2), LONGEST_BACK_OFF)
        meta, name = pod["metadata"], pod["spec"]["containers"][0]["name"]
        words = f"container={name} pod={meta['name']}_{meta['namespace']}({meta['uid']})"
        said = f"back-off {pause:.0f}s restarting failed {words}"
        await self._write(pod, life.pod.waiting(self._cluster.clock.time(), "CrashLoopBackOff", said))
        place = f"in pod {meta['name']}_{meta['namespace']}({meta['uid']})"
        await self._warn(pod, "BackOff", f"Back-off restarting failed container {name} {place}")
        self._next(key, life, "restart", pause, pause + 1)

    async def _restart(self, key: str, pod: Json, life: Life) -> None:
        await self._say(pod, "Pulled", f'Container image "{_image(pod)}" already present on machine')
        await self._start(key, pod, life)

    async def _finish(self, _key: str, pod: Json, life: Life) -> None:
        cron = self._cron(pod)
        failed = cron is not None and self._cluster.rng.random() < cron.fails
        await self._write(pod, life.pod.finished(self._cluster.clock.time(), 1 if failed else 0))

    async def _begin_end(self, pod: Json, life: Life) -> None:
        life.ending = True
        life.due = self._cluster.clock.now() + self._cluster.rng.uniform(0.9, 3.5)
        await self._say(pod, "Killing", f"Stopping container {pod['spec']['containers'][0]['name']}")

    def _address(self, node: str) -> tuple[str, str]:
        """The node's address and a new one for a pod on it."""
        found = self._cluster.get(NODES, node) or {}
        addresses = found.get("status", {}).get("addresses") or [{"address": "192.168.20.10"}]
        network = found.get("spec", {}).get("podCIDR", "10.5.0.0/24").rsplit(".", 1)[0]
        return addresses[0]["address"], f"{network}.{self._cluster.rng.randrange(2, 254)}"

    async def _write(self, pod: Json, status: Json) -> None:
        await self._cluster.patch(PODS, pod, {"status": {"reason": None, "message": None, **status}}, status=True)

    async def _say(self, pod: Json, reason: str, message: str) -> None:
        await self._cluster.recorder.normal(pod, SOURCE, reason, message, host=pod["spec"]["nodeName"])

    async def _warn(self, pod: Json, reason: str, message: str) -> None:
        await self._cluster.recorder.warning(pod, SOURCE, reason, message, host=pod["spec"]["nodeName"])


def _image(pod: Json) -> str:
    image: str = pod["spec"]["containers"][0]["image"]
    return image
