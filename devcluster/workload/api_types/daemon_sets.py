"""API type of DaemonSets."""

from __future__ import annotations

from typing import Any

from devcluster.workload.api_types.shared_structs import ApiStruct, SetUpdateStrategy, Template
from informerd.objects import Object


class DaemonSetSpec(ApiStruct, frozen=True):
    selector: dict[str, Any] = {}
    template: Template = {}
    update_strategy: SetUpdateStrategy = SetUpdateStrategy()


class DaemonSetStatus(ApiStruct, frozen=True):
    observed_generation: int = 0
    current_number_scheduled: int = 0
    number_misscheduled: int = 0
    desired_number_scheduled: int = 0
    number_ready: int = 0
    updated_number_scheduled: int = 0
    number_available: int = 0
    number_unavailable: int = 0


class DaemonSet(Object, frozen=True):
    spec: DaemonSetSpec = DaemonSetSpec()
    status: DaemonSetStatus = DaemonSetStatus()
