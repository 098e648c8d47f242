"""Cluster state that scenarios act on, and the actions that they share."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from devcluster.workload.api_types import Deployment, Node, Pod, Template
from devcluster.workload.cluster_client import APP_INDEX, Cluster
from devcluster.workload.controllers.deployment_rollout import REVISION_ANNOTATION, revision
from devcluster.workload.controllers.mydemos import MydemoController
from devcluster.workload.demo.scaled_inventory import Fleet
from devcluster.workload.demo_inventory import App
from devcluster.workload.kubelet.kubelet import Kubelet
from devcluster.workload.kubelet.node_faults import NodeFaults
from devcluster.workload.kubelet.node_status_and_lease import NodeHeartbeats
from devcluster.workload.object_builders import Json

CHANGE_CAUSE_ANNOTATION = "kubernetes.io/change-cause"
"""Annotation that `kubectl rollout history` shows."""
_LOOK = 1.0
"""Seconds between two looks at whether something has come true."""


@dataclass(frozen=True)
class Components:
    """Cluster, kubelets and controllers that scenarios act on."""

    cluster: Cluster
    kubelet: Kubelet
    heartbeats: NodeHeartbeats
    mydemos: MydemoController
    node_faults: NodeFaults


@dataclass(frozen=True)
class ScenarioContext:
    """ScenarioContext of one scenario: `rng` is its own, `app` is the application that it may change."""

    components: Components
    fleet: Fleet
    rng: random.Random
    app: App
    number: int
    _known: dict[str, int] = field(default_factory=dict)
    """The application's newest generation that this scenario wrote."""

    def __post_init__(self) -> None:
        if (deployment := self.cluster.deployments.get(self.app.key)) is not None:
            self._known[self.app.key] = deployment.metadata.generation

    @property
    def cluster(self) -> Cluster:
        return self.components.cluster

    @property
    def deployment(self) -> Deployment | None:
        """The application's Deployment; None where somebody deleted or changed it: the scenario is over then."""
        deployment = self.cluster.deployments.get(self.app.key)
        is_ours = deployment is not None and deployment.metadata.generation <= self._known.get(self.app.key, 0)
        return deployment if is_ours else None

    @property
    def pods(self) -> list[Pod]:
        """The application's."""
        return self.cluster.pods.by_index(APP_INDEX, self.app.key)

    @property
    def worker_nodes(self) -> list[Node]:
        """The nodes that take pods and are well."""
        return [node for node in self.cluster.nodes.all() if node.is_ready and not node.spec.taints]

    async def pause(self, shortest: float, longest: float) -> None:
        """Let some seconds pass."""
        await self.cluster.clock.sleep(self.rng.uniform(shortest, longest))

    async def wait_until(self, holds: Callable[[], object], limit: float) -> bool:
        """Wait until a condition holds, at most `limit` seconds. Returns whether it does."""
        end = self.cluster.clock.now() + limit
        while not holds():
            if self.cluster.clock.now() >= end:
                return False
            await self.cluster.clock.sleep(_LOOK)
        return True

    async def wait_until_settled(self, limit: float = 180.0) -> bool:
        """Wait until what the application asks for is there."""
        return await self.wait_until(lambda: (deployment := self.deployment) is None or deployment.is_settled, limit)

    async def scale(self, replicas: int) -> None:
        """Set the number of replicas."""
        await self.change({"replicas": replicas})

    async def change(self, spec: Json) -> None:
        """Merge something into the application's spec."""
        if (deployment := self.deployment) is not None:
            self._known[self.app.key] = deployment.metadata.generation + 1
            await self.cluster.deployments.patch(deployment, {"spec": spec})

    async def _replace(self, deployment: Deployment, values: Json) -> None:
        self._known[self.app.key] = deployment.metadata.generation + 1
        await self.cluster.deployments.replace(deployment, values)

    async def roll_out(self, image: str, cause: str, *, behaviour: Json | None = None, memory: str = "") -> None:
        """Give the application another image. `behaviour` are annotations of its pods, which a later one takes back."""
        deployment = self.deployment
        if deployment is None:
            return
        template = change_template(deployment.spec.template, image, behaviour or {}, memory)
        annotations = {**deployment.metadata.annotations, CHANGE_CAUSE_ANNOTATION: cause}
        values = {"/spec/template": template, "/metadata/annotations": annotations}
        await self._replace(deployment, values)

    async def undo(self) -> None:
        """Roll back to the revision before, as `kubectl rollout undo` does."""
        deployment = self.deployment
        if deployment is None:
            return
        now = deployment.metadata.annotations.get(REVISION_ANNOTATION, "")
        sets = sorted(self.cluster.replica_sets.owned_by(deployment.metadata.uid), key=revision)
        before = [each for each in sets if str(revision(each)) != now]
        if before:
            template = dict(before[-1].spec.template)
            labels = dict(template["metadata"]["labels"])
            labels.pop("pod-template-hash", None)
            template["metadata"] = {**template["metadata"], "labels": labels}
            await self._replace(deployment, {"/spec/template": template})


def change_template(template: Template, image: str, annotations: Json, memory: str) -> Template:
    """The template with another image, other annotations, and another memory request and limit where one is given."""
    first, *rest = template["spec"]["containers"]
    first = {**first, "image": image}
    if memory:
        requests = {**first.get("resources", {}).get("requests", {}), "memory": memory}
        first["resources"] = {"requests": requests, "limits": {"memory": memory}}
    meta = {key: value for key, value in template.get("metadata", {}).items() if key != "annotations"}
    meta |= {"annotations": annotations} if annotations else {}
    return {**template, "metadata": meta, "spec": {**template["spec"], "containers": [first, *rest]}}


def image_of(deployment: Deployment) -> str:
    """The image of its first container."""
    image: str = deployment.spec.template["spec"]["containers"][0]["image"]
    return image


def next_version(image: str) -> str:
    """The same image with the last number of its version one higher; back to .0 with the next minor after .19."""
    name, _, version = image.rpartition(":")
    numbers = [int(part) for part in version.split(".") if part.isdecimal()]
    if len(numbers) != 3:
        return f"{name}:1.0.0"
    major, minor, patch = numbers
    return f"{name}:{major}.{minor + 1}.0" if patch >= 19 else f"{name}:{major}.{minor}.{patch + 1}"


def version_of(image: str) -> str:
    """The image's version."""
    return image.rpartition(":")[2]
