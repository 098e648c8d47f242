"""The stage: what the director's stories act on, and the few things that all of them do."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from devcluster.workload.building import Json
from devcluster.workload.cluster import APP, Cluster
from devcluster.workload.fleet import Fleet
from devcluster.workload.kubelet import Kubelet
from devcluster.workload.machines import Machines
from devcluster.workload.mydemos import MydemoController
from devcluster.workload.nodes import NodeAgents
from devcluster.workload.projections import Deployment, Node, Pod, Template
from devcluster.workload.rollout import REVISION, revision
from devcluster.workload.teams import App

CAUSE = "kubernetes.io/change-cause"
"""What `kubectl rollout history` shows."""
_LOOK = 1.0
"""Seconds between two looks at whether something has come true."""


@dataclass(frozen=True)
class Cast:
    """Those who act."""

    cluster: Cluster
    kubelet: Kubelet
    agents: NodeAgents
    mydemos: MydemoController
    machines: Machines


@dataclass(frozen=True)
class Stage:
    """One story's: `dice` are its own, `app` is the application that it may change."""

    cast: Cast
    fleet: Fleet
    dice: random.Random
    app: App
    number: int
    _known: dict[str, int] = field(default_factory=dict)
    """The application's newest generation that is this story's doing."""

    def __post_init__(self) -> None:
        if (found := self.cluster.deployments.get(self.app.key)) is not None:
            self._known[self.app.key] = found.metadata.generation

    @property
    def cluster(self) -> Cluster:
        return self.cast.cluster

    @property
    def deployment(self) -> Deployment | None:
        """The application's; None where somebody deleted it, or changed it since: the story is over then."""
        found = self.cluster.deployments.get(self.app.key)
        is_ours = found is not None and found.metadata.generation <= self._known.get(self.app.key, 0)
        return found if is_ours else None

    @property
    def pods(self) -> list[Pod]:
        """The application's."""
        return self.cluster.pods.by(APP, self.app.key)

    @property
    def settled(self) -> list[Pod]:
        """Those of its pods that run, and to which nothing is about to happen."""
        return [pod for pod in self.pods if self.cast.kubelet.is_settled(pod)]

    @property
    def workers(self) -> list[Node]:
        """The nodes that take pods and are well."""
        return [node for node in self.cluster.nodes.all() if node.is_ready and not node.spec.taints]

    async def wait(self, shortest: float, longest: float) -> None:
        """Let some seconds pass."""
        await self.cluster.clock.sleep(self.dice.uniform(shortest, longest))

    async def until(self, holds: Callable[[], object], limit: float) -> bool:
        """Wait until something holds, at most `limit` seconds; whether it does."""
        end = self.cluster.clock.now() + limit
        while not holds():
            if self.cluster.clock.now() >= end:
                return False
            await self.cluster.clock.sleep(_LOOK)
        return True

    async def settle(self, limit: float = 180.0) -> bool:
        """Wait until what the application asks for is there."""
        return await self.until(lambda: (found := self.deployment) is None or found.is_settled, limit)

    async def scale(self, replicas: int) -> None:
        """Ask for so many pods."""
        await self.change({"replicas": replicas})

    async def change(self, spec: Json) -> None:
        """Merge something into the application's spec."""
        if (found := self.deployment) is not None:
            self._known[self.app.key] = found.metadata.generation + 1
            await self.cluster.deployments.patch(found, {"spec": spec})

    async def _replace(self, found: Deployment, values: Json) -> None:
        self._known[self.app.key] = found.metadata.generation + 1
        await self.cluster.deployments.replace(found, values)

    async def roll_out(self, image: str, cause: str, *, behaviour: Json | None = None, memory: str = "") -> None:
        """Give the application another image. `behaviour` are annotations of its pods, which a later one takes back."""
        found = self.deployment
        if found is None:
            return
        template = changed_template(found.spec.template, image, behaviour or {}, memory)
        annotations = {**found.metadata.annotations, CAUSE: cause}
        values = {"/spec/template": template, "/metadata/annotations": annotations}
        await self._replace(found, values)

    async def undo(self) -> None:
        """Roll back to the revision before, as `kubectl rollout undo` does."""
        found = self.deployment
        if found is None:
            return
        now = found.metadata.annotations.get(REVISION, "")
        sets = sorted(self.cluster.replica_sets.owned(found.metadata.uid), key=revision)
        before = [each for each in sets if str(revision(each)) != now]
        if before:
            template = dict(before[-1].spec.template)
            labels = dict(template["metadata"]["labels"])
            labels.pop("pod-template-hash", None)
            template["metadata"] = {**template["metadata"], "labels": labels}
            await self._replace(found, {"/spec/template": template})


def changed_template(template: Template, image: str, annotations: Json, memory: str) -> Template:
    """The template with another image, other annotations, and so much memory where that is said."""
    first, *rest = template["spec"]["containers"]
    first = {**first, "image": image}
    if memory:
        asked = {**first.get("resources", {}).get("requests", {}), "memory": memory}
        first["resources"] = {"requests": asked, "limits": {"memory": memory}}
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
