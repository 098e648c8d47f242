"""Projections of StatefulSets, DaemonSets and CronJobs."""

from __future__ import annotations

from typing import Any

from devcluster.workload.projections.parts import ApiStruct, Template
from informerd.objects import Object


class SetRollingUpdate(ApiStruct, frozen=True):
    partition: int = 0
    max_unavailable: int | str = 1
    max_surge: int | str = 0


class SetUpdateStrategy(ApiStruct, frozen=True):
    type: str = "RollingUpdate"
    rolling_update: SetRollingUpdate = SetRollingUpdate()


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
