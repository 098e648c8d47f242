"""CronJob controller: creates Jobs when they are due, applies the history limits, and writes the status.

Source: kube-controller-manager's cronjob/cronjob_controllerv2.go and utils.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

from devcluster.cron_schedule import CronSchedule
from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import CronJob, Job
from devcluster.workload.cluster_client import Cluster
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.object_builders import Json
from devcluster.workload.times import parse_timestamp, timestamp
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import AlreadyExists

COMPONENT = "cronjob-controller"
SCHEDULED_TIMESTAMP_ANNOTATION = "batch.kubernetes.io/cronjob-scheduled-timestamp"
REQUEUE_MARGIN_SECONDS = 0.1
"""Seconds after its time at which one is looked at again, so that it is due then."""


class CronJobController:
    """Reconciles every CronJob."""

    def __init__(self, cluster: Cluster, recorders: Recorders) -> None:
        self._cluster = cluster
        self._recorder = recorders.for_component(COMPONENT)

    async def reconcile(self, request: Request) -> Result | None:
        """Count the CronJob's Jobs, remove the oldest, start the one that is due, and requeue for the next."""
        cron = self._cluster.cron_jobs.get(request)
        if cron is None or cron.metadata.deletion_timestamp is not None:
            return None
        jobs = self._cluster.jobs.owned_by(cron.metadata.uid)
        jobs = [job for job in jobs if job.metadata.deletion_timestamp is None]
        await self._clean_up(cron, jobs)
        active = [job for job in jobs if job.finish_condition is None]
        now = self._cluster.clock.time()
        due, following = (None, None) if cron.spec.suspend else _times(cron, now)
        started = await self._start(cron, active, due, now) if due is not None else None
        await self._write(cron, jobs, active, started, due if started else None)
        return None if following is None else Result(requeue_after=following - now + REQUEUE_MARGIN_SECONDS)

    async def _start(self, cron: CronJob, active: list[Job], due: float, now: float) -> Job | None:
        """Create the Job of the time `due`. Returns the Job; None where it may not begin, or exists."""
        deadline = cron.spec.starting_deadline_seconds
        if deadline is not None and now - due > deadline:
            message = f"Missed scheduled time to start a job: {timestamp(due)}"
            self._recorder.event(cron, "Warning", "MissSchedule", message)
            return None
        if active and cron.spec.concurrency_policy == "Forbid":
            message = "Not starting job because prior execution is running and concurrency policy is Forbid"
            self._recorder.event(cron, "Normal", "JobAlreadyActive", message)
            return None
        if cron.spec.concurrency_policy == "Replace":
            for job in active:
                await self._remove(cron, job)
            active.clear()
        try:
            made = await self._cluster.jobs.create(_job(cron, due))
        except AlreadyExists:
            return None
        if made is not None:
            self._recorder.event(cron, "Normal", "SuccessfulCreate", f"Created job {made.metadata.name}")
            active.append(made)
        return made

    async def _clean_up(self, cron: CronJob, jobs: Sequence[Job]) -> None:
        for kind, limit in (
            ("Complete", cron.spec.successful_jobs_history_limit),
            ("Failed", cron.spec.failed_jobs_history_limit),
        ):
            over = [job for job in jobs if job.finish_condition is not None and job.finish_condition.type == kind]
            over.sort(key=lambda job: (job.status.start_time or "", job.key))
            for job in over[: max(0, len(over) - limit)]:
                await self._remove(cron, job)

    async def _remove(self, cron: CronJob, job: Job) -> None:
        await self._cluster.jobs.delete(job)
        self._recorder.event(cron, "Normal", "SuccessfulDelete", f"Deleted job {job.metadata.name}")

    async def _write(
        self, cron: CronJob, jobs: Sequence[Job], active: Sequence[Job], started: Job | None, due: float | None
    ) -> None:
        listed = {each.uid for each in cron.status.active}
        for job in jobs:
            if job.finish_condition is not None and job.metadata.uid in listed:
                message = f"Saw completed job: {job.metadata.name}, condition: {job.finish_condition.type}"
                self._recorder.event(cron, "Normal", "SawCompletedJob", message)
        ends = [job.status.completion_time for job in jobs if job.status.completion_time]
        last = max([*ends, cron.status.last_successful_time or ""]) or None
        is_known = {job.metadata.uid for job in active} == listed and last == cron.status.last_successful_time
        if started is None and is_known:
            return
        status: Json = {"active": [_reference(job) for job in sorted(active, key=lambda job: job.key)] or None}
        status["lastScheduleTime"] = timestamp(due) if due is not None else cron.status.last_schedule_time
        status["lastSuccessfulTime"] = last
        await self._cluster.cron_jobs.patch(cron, {"status": status}, status=True)


def _times(cron: CronJob, now: float) -> tuple[float | None, float | None]:
    """The newest time that has passed without a Job, and the next one; None where there is none."""
    try:
        schedule, zone = CronSchedule.parse(cron.spec.schedule), _zone(cron)
    except (ValueError, OSError):
        return None, None
    created = cron.metadata.creation_timestamp
    since = created.timestamp() if created is not None else now
    if cron.status.last_schedule_time:
        since = parse_timestamp(cron.status.last_schedule_time)
    if cron.spec.starting_deadline_seconds is not None:
        since = max(since, now - cron.spec.starting_deadline_seconds)
    return schedule.latest_between(since, now, zone), schedule.next_after(now, zone)


def _zone(cron: CronJob) -> tzinfo:
    return ZoneInfo(cron.spec.time_zone) if cron.spec.time_zone else UTC


def _job(cron: CronJob, due: float) -> Json:
    """The Job of a scheduled time, which is part of its name, so that there is only one."""
    given = cron.spec.job_template.get("metadata") or {}
    meta = {key: dict(given[key]) for key in ("labels", "annotations") if given.get(key)}
    meta["annotations"] = {**meta.get("annotations", {}), SCHEDULED_TIMESTAMP_ANNOTATION: timestamp(due)}
    name = {"name": f"{cron.metadata.name}-{int(due // 60)}", "namespace": cron.metadata.namespace}
    made = {**meta, **name, "ownerReferences": [objects.controller_reference(cron)]}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": made, "spec": cron.spec.job_template.get("spec") or {}}


def _reference(job: Job) -> Json:
    meta = job.metadata
    where = {"name": meta.name, "namespace": meta.namespace, "uid": meta.uid}
    return {"apiVersion": "batch/v1", "kind": "Job", **where, "resourceVersion": meta.resource_version}
