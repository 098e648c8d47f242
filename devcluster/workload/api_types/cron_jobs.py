"""API type of CronJobs."""

from __future__ import annotations

from typing import Any

from devcluster.workload.api_types.shared_structs import ApiStruct
from informerd.objects import Object


class CronJobSpec(ApiStruct, frozen=True):
    schedule: str = ""
    time_zone: str | None = None
    concurrency_policy: str = "Allow"
    suspend: bool = False
    starting_deadline_seconds: int | None = None
    successful_jobs_history_limit: int = 3
    failed_jobs_history_limit: int = 1
    job_template: dict[str, Any] = {}


class Reference(ApiStruct, frozen=True):
    name: str = ""
    uid: str = ""


class CronJobStatus(ApiStruct, frozen=True):
    active: tuple[Reference, ...] = ()
    last_schedule_time: str | None = None
    last_successful_time: str | None = None


class CronJob(Object, frozen=True):
    spec: CronJobSpec = CronJobSpec()
    status: CronJobStatus = CronJobStatus()
