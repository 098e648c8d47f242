"""API type of Mydemos."""

from __future__ import annotations

from devcluster.workload.api_types.shared_structs import ApiStruct, Condition
from informerd.objects import Object


class MydemoSpec(ApiStruct, frozen=True):
    ip: str = ""
    port: int = 0


class MydemoStatus(ApiStruct, frozen=True):
    observed_generation: int = 0
    conditions: tuple[Condition, ...] = ()


class Mydemo(Object, frozen=True):
    spec: MydemoSpec = MydemoSpec()
    status: MydemoStatus = MydemoStatus()
