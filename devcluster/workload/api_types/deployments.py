"""API type of Deployments."""

from __future__ import annotations

from typing import Any

from devcluster.workload.api_types.shared_structs import ApiStruct, Condition, Template
from informerd.objects import Object


class Selector(ApiStruct, frozen=True):
    match_labels: dict[str, str] | None = None


class RollingUpdate(ApiStruct, frozen=True):
    max_surge: int | str = "25%"
    max_unavailable: int | str = "25%"


class Strategy(ApiStruct, frozen=True):
    type: str = "RollingUpdate"
    rolling_update: RollingUpdate = RollingUpdate()


class DeploymentSpec(ApiStruct, frozen=True):
    replicas: int = 1
    selector: dict[str, Any] = {}
    template: Template = {}
    strategy: Strategy = Strategy()
    paused: bool = False
    min_ready_seconds: int = 0
    progress_deadline_seconds: int | None = None
    revision_history_limit: int = 10


class DeploymentStatus(ApiStruct, frozen=True):
    observed_generation: int = 0
    replicas: int = 0
    updated_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    unavailable_replicas: int = 0
    terminating_replicas: int = 0
    conditions: tuple[Condition, ...] = ()


class Deployment(Object, frozen=True):
    spec: DeploymentSpec = DeploymentSpec()
    status: DeploymentStatus = DeploymentStatus()

    @property
    def is_settled(self) -> bool:
        """Whether the rollout is complete (kubectl's ``rollout status``), and all pods are available."""
        status, wanted = self.status, self.spec.replicas
        seen = status.observed_generation == self.metadata.generation
        return seen and status.updated_replicas == status.replicas == status.available_replicas == wanted
