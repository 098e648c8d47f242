"""API type of StatefulSets."""

from __future__ import annotations

from typing import Any

from devcluster.workload.api_types.shared_structs import ApiStruct, SetUpdateStrategy, Template
from informerd.objects import Object


class StatefulSetSpec(ApiStruct, frozen=True):
    replicas: int = 1
    selector: dict[str, Any] = {}
    template: Template = {}
    service_name: str = ""
    pod_management_policy: str = "OrderedReady"
    update_strategy: SetUpdateStrategy = SetUpdateStrategy()


class StatefulSetStatus(ApiStruct, frozen=True):
    observed_generation: int = 0
    replicas: int = 0
    ready_replicas: int = 0
    current_replicas: int = 0
    updated_replicas: int = 0
    available_replicas: int = 0
    current_revision: str = ""
    update_revision: str = ""


class StatefulSet(Object, frozen=True):
    spec: StatefulSetSpec = StatefulSetSpec()
    status: StatefulSetStatus = StatefulSetStatus()
