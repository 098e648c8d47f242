"""API type of ReplicaSets."""

from __future__ import annotations

from typing import Any

from devcluster.workload.api_types.shared_structs import ApiStruct, Template
from informerd.objects import Object


class ReplicaSetSpec(ApiStruct, frozen=True):
    replicas: int = 1
    selector: dict[str, Any] = {}
    template: Template = {}
    min_ready_seconds: int = 0


class ReplicaSetStatus(ApiStruct, frozen=True):
    observed_generation: int = 0
    replicas: int = 0
    fully_labeled_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    terminating_replicas: int = 0


class ReplicaSet(Object, frozen=True):
    spec: ReplicaSetSpec = ReplicaSetSpec()
    status: ReplicaSetStatus = ReplicaSetStatus()
