"""Trouble: memory leaks, nodes that go away or run short, and pods that fit nowhere."""

from __future__ import annotations

from devcluster.workload.behaviour import BEHAVIOUR, SECONDS
from devcluster.workload.cluster import NODE
from devcluster.workload.projections import Node, Pod
from devcluster.workload.stage import Stage, image_of, next_version, version_of

_LEAK = "25-60"
"""Between which seconds the leak takes a container's memory."""


async def memory_leak(stage: Stage) -> None:
    """A version that leaks: its pods are OOM-killed again and again until the next one, with the leak mended."""
    found = stage.deployment
    if found is None:
        return
    image = next_version(image_of(found))
    await stage.roll_out(image, f"release {version_of(image)}", behaviour={BEHAVIOUR: "memory", SECONDS: _LEAK})
    await stage.until(lambda: _kills(stage) >= 3, 180)
    await stage.wait(5, 15)
    mended = next_version(image)
    await stage.roll_out(mended, f"release {version_of(mended)}: mend the leak")
    await stage.settle()


async def lost_node(stage: Stage) -> None:
    """A node's kubelet falls silent: not ready, its pods evicted and replaced elsewhere; then it is back."""
    node = _victim(stage)
    if node is None:
        return
    name = node.metadata.name
    stage.cast.agents.silence(name)
    try:
        await stage.until(lambda: (now := stage.cluster.nodes.get(name)) is None or not now.is_ready, 90)
        await stage.wait(55, 80)
    finally:
        stage.cast.agents.end_silence(name)
    await stage.until(lambda: (now := stage.cluster.nodes.get(name)) is None or now.is_ready, 30)
    await stage.settle()


async def memory_pressure(stage: Stage) -> None:
    """A node runs short of memory and evicts pods until it has enough; later somebody clears away what is left."""
    node = _victim(stage)
    if node is None:
        return
    name = node.metadata.name
    settled = [pod for pod in stage.cluster.pods.by(NODE, name) if stage.cast.kubelet.is_settled(pod)]
    ours = [pod for pod in settled if stage.fleet.app(_app_key(pod)) is not None]
    chosen = stage.dice.sample(ours, min(3, len(ours)))
    await stage.cast.agents.run_short(node)
    for pod in chosen:
        await stage.wait(2, 5)
        stage.cast.kubelet.evict(pod, _words(stage, pod))
    await stage.wait(25, 40)
    if (now := stage.cluster.nodes.get(name)) is not None:
        await stage.cast.agents.have_enough(now)
    await stage.wait(20, 30)
    for pod in chosen:
        if (left := stage.cluster.pods.get(pod.key)) is not None and left.status.reason == "Evicted":
            await stage.cluster.pods.delete(left)


async def fits_nowhere(stage: Stage) -> None:
    """A team asks for nodes that nobody has: pods stay pending for that reason, until it asks for less."""
    found = stage.deployment
    if found is None:
        return
    where = {"disk": "nvme"}
    await stage.change({"template": {"spec": {"nodeSelector": where}}})
    await stage.wait(50, 70)
    await stage.undo()
    await stage.settle()


async def too_large(stage: Stage) -> None:
    """A team asks for more memory than any node has, sees why its pods are pending, and goes back."""
    found = stage.deployment
    if found is None:
        return
    await stage.roll_out(image_of(found), "more memory", memory="192Gi")
    await stage.wait(50, 70)
    await stage.undo()
    await stage.settle()


def _victim(stage: Stage) -> Node | None:
    """A worker; none where too few are well."""
    workers = stage.workers
    return stage.dice.choice(workers) if len(workers) >= 3 else None


def _kills(stage: Stage) -> int:
    ends = [each.last_state.terminated for pod in stage.pods for each in pod.status.container_statuses]
    return sum(end is not None and end.reason == "OOMKilled" for end in ends)


def _app_key(pod: Pod) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.labels.get('app', '')}"


def _words(stage: Stage, pod: Pod) -> str:
    """Source: kubelet's eviction/helpers.go."""
    container = pod.spec.containers[0]
    asked = (container.resources.requests or {}).get("memory", "0")
    used = f"{stage.dice.randrange(600_000, 1_900_000)}Ki"
    low = "The node was low on resource: memory. Threshold quantity: 100Mi, available: "
    using = f"Container {container.name} was using {used}, request is {asked}, has larger consumption of memory. "
    return f"{low}{stage.dice.randrange(30_000, 99_000)}Ki. {using}"
