"""Scenarios of incidents: memory leaks, nodes that fail or run short of memory, and pods that fit on no node."""

from __future__ import annotations

from devcluster.workload.api_types import Node, Pod
from devcluster.workload.cluster_client import NODE_INDEX
from devcluster.workload.demo.scenario_context import ScenarioContext, image_of, next_version, version_of
from devcluster.workload.pod_behaviour import BEHAVIOUR_ANNOTATION, SECONDS_ANNOTATION

_LEAK = "25-60"
"""Between which seconds the leak takes a container's memory."""


async def memory_leak(stage: ScenarioContext) -> None:
    """A version that leaks: its pods are OOM-killed again and again until the next one, with the leak mended."""
    deployment = stage.deployment
    if deployment is None:
        return
    image = next_version(image_of(deployment))
    await stage.roll_out(
        image, f"release {version_of(image)}", behaviour={BEHAVIOUR_ANNOTATION: "memory", SECONDS_ANNOTATION: _LEAK}
    )
    await stage.wait_until(lambda: _kills(stage) >= 3, 180)
    await stage.pause(5, 15)
    mended = next_version(image)
    await stage.roll_out(mended, f"release {version_of(mended)}: mend the leak")
    await stage.wait_until_settled()


async def lost_node(stage: ScenarioContext) -> None:
    """A node's kubelet falls silent: not ready, its pods evicted and replaced elsewhere; then it is back."""
    node = _victim(stage)
    if node is None:
        return
    name = node.metadata.name
    stage.components.heartbeats.begin_silence(name)
    try:
        await stage.wait_until(lambda: (now := stage.cluster.nodes.get(name)) is None or not now.is_ready, 90)
        await stage.pause(55, 80)
    finally:
        stage.components.heartbeats.end_silence(name)
    await stage.wait_until(lambda: (now := stage.cluster.nodes.get(name)) is None or now.is_ready, 30)
    await stage.wait_until_settled()


async def memory_pressure(stage: ScenarioContext) -> None:
    """A node runs short of memory and evicts pods until it has enough; later the evicted pods are cleaned up."""
    node = _victim(stage)
    if node is None:
        return
    name = node.metadata.name
    settled = [pod for pod in stage.cluster.pods.by_index(NODE_INDEX, name) if stage.components.kubelet.is_settled(pod)]
    ours = [pod for pod in settled if stage.fleet.app(_app_key(pod)) is not None]
    chosen = stage.rng.sample(ours, min(3, len(ours)))
    await stage.components.heartbeats.begin_memory_pressure(node)
    for pod in chosen:
        await stage.pause(2, 5)
        stage.components.kubelet.evict(pod, _words(stage, pod))
    await stage.pause(25, 40)
    if (now := stage.cluster.nodes.get(name)) is not None:
        await stage.components.heartbeats.end_memory_pressure(now)
    await stage.pause(20, 30)
    for pod in chosen:
        if (left := stage.cluster.pods.get(pod.key)) is not None and left.status.reason == "Evicted":
            await stage.cluster.pods.delete(left)


async def unschedulable_pods(stage: ScenarioContext) -> None:
    """A team asks for nodes that nobody has: pods stay pending for that reason, until it asks for less."""
    deployment = stage.deployment
    if deployment is None:
        return
    where = {"disk": "nvme"}
    await stage.change({"template": {"spec": {"nodeSelector": where}}})
    await stage.pause(50, 70)
    await stage.undo()
    await stage.wait_until_settled()


async def oversized_request(stage: ScenarioContext) -> None:
    """A team asks for more memory than any node has, sees why its pods are pending, and goes back."""
    deployment = stage.deployment
    if deployment is None:
        return
    await stage.roll_out(image_of(deployment), "more memory", memory="192Gi")
    await stage.pause(50, 70)
    await stage.undo()
    await stage.wait_until_settled()


def _victim(stage: ScenarioContext) -> Node | None:
    """A worker; none where too few are well."""
    workers = stage.worker_nodes
    return stage.rng.choice(workers) if len(workers) >= 3 else None


def _kills(stage: ScenarioContext) -> int:
    ends = [each.last_state.terminated for pod in stage.pods for each in pod.status.container_statuses]
    return sum(end is not None and end.reason == "OOMKilled" for end in ends)


def _app_key(pod: Pod) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.labels.get('app', '')}"


def _words(stage: ScenarioContext, pod: Pod) -> str:
    """Source: kubelet's eviction/helpers.go."""
    container = pod.spec.containers[0]
    memory = (container.resources.requests or {}).get("memory", "0")
    used = f"{stage.rng.randrange(600_000, 1_900_000)}Ki"
    low = "The node was low on resource: memory. Threshold quantity: 100Mi, available: "
    using = f"Container {container.name} was using {used}, request is {memory}, has larger consumption of memory. "
    return f"{low}{stage.rng.randrange(30_000, 99_000)}Ki. {using}"
