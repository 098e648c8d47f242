"""API type of Jobs."""

from __future__ import annotations

from typing import Any

from devcluster.workload.api_types.shared_structs import ApiStruct, Condition, Template
from informerd.objects import Object


class JobSpec(ApiStruct, frozen=True):
    parallelism: int = 1
    completions: int | None = None
    backoff_limit: int = 6
    active_deadline_seconds: int | None = None
    ttl_seconds_after_finished: int | None = None
    completion_mode: str = "NonIndexed"
    suspend: bool = False
    selector: dict[str, Any] = {}
    template: Template = {}


class JobStatus(ApiStruct, frozen=True):
    conditions: tuple[Condition, ...] = ()
    start_time: str | None = None
    completion_time: str | None = None
    active: int = 0
    ready: int = 0
    succeeded: int = 0
    failed: int = 0
    terminating: int = 0


class Job(Object, frozen=True):
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()

    @property
    def finish_condition(self) -> Condition | None:
        """The condition Complete or Failed, where it has ended."""
        return next(
            (c for c in self.status.conditions if c.type in ("Complete", "Failed") and c.status == "True"), None
        )
