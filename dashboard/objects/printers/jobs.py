"""Printers of Jobs and CronJobs, with kubectl's words."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.objects.kinds.row import Tone
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import (
    AGE_COLUMN,
    STATUS_COLUMN,
    Column,
    PrintedRow,
    Printer,
    created_at,
    namespaced_columns,
    to_unix_seconds,
)
from dashboard.objects.printers.workloads import (
    CONTAINERS_COLUMN,
    IMAGES_COLUMN,
    SELECTOR_COLUMN,
    Selector,
    Template,
    count_column,
)
from informerd.objects import Object


class JobSpec(msgspec.Struct, frozen=True, gc=False):
    completions: int | None = None
    parallelism: int = 0
    selector: Selector = Selector()
    template: Template = Template()


class JobStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    succeeded: int = 0
    failed: int = 0
    active: int = 0
    start_time: datetime | None = None
    completion_time: datetime | None = None
    conditions: tuple[Condition, ...] = ()


class Job(Object, frozen=True, kw_only=True):
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()


class JobTemplate(msgspec.Struct, frozen=True, gc=False):
    spec: JobSpec = JobSpec()


class CronJobSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    schedule: str = ""
    time_zone: str = ""
    suspend: bool = False
    job_template: JobTemplate = JobTemplate()


class CronJobStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    active: tuple[msgspec.Raw, ...] = ()
    last_schedule_time: datetime | None = None


class CronJob(Object, frozen=True, kw_only=True):
    spec: CronJobSpec = CronJobSpec()
    status: CronJobStatus = CronJobStatus()


_TONES: tuple[tuple[str, str, Tone], ...] = (
    ("Complete", "Complete", "idle"),
    ("Failed", "Failed", "bad"),
    ("", "Terminating", "busy"),
    ("Suspended", "Suspended", "idle"),
    ("FailureTarget", "FailureTarget", "warn"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet", "ok"),
)
"""Condition, kubectl's word, tone, in the order in which printJob asks; the empty one is a deletion."""


def read_job(job: Job) -> PrintedRow:
    """The cells of a job. Duration is None until it has ended: a running job's is the time since its start."""
    conditions = {c.type: c for c in job.status.conditions if c.status == "True"}
    status, tone, condition = "Running", "ok", None
    for name, word, its_tone in _TONES:
        if name in conditions or (not name and job.metadata.deletion_timestamp is not None):
            status, tone, condition = word, its_tone, conditions.get(name)
            break
    reason = f"failed: {condition.message or condition.reason}" if condition is not None and status == "Failed" else ""
    started, ended = to_unix_seconds(job.status.start_time), to_unix_seconds(job.status.completion_time)
    cells = (
        status,
        _completions(job),
        ended - started if started is not None and ended is not None else None,
        created_at(job),
        job.spec.template.names,
        job.spec.template.images,
        str(job.spec.selector),
    )
    since = to_unix_seconds(condition.last_transition_time) if condition is not None else None
    return PrintedRow(status, tone, cells, reason, since if reason else None)  # type: ignore[arg-type]


def _completions(job: Job) -> str:
    if job.spec.completions is not None:
        return f"{job.status.succeeded}/{job.spec.completions}"
    several = f" of {job.spec.parallelism}" if job.spec.parallelism > 1 else ""
    return f"{job.status.succeeded}/1{several}"


def read_cronjob(job: CronJob) -> PrintedRow:
    suspended, template = job.spec.suspend, job.spec.job_template.spec
    status = "Suspended" if suspended else "Active" if job.status.active else "Scheduled"
    cells = (
        job.spec.schedule,
        job.spec.time_zone or None,
        str(suspended),
        status,
        len(job.status.active),
        to_unix_seconds(job.status.last_schedule_time),
        created_at(job),
        template.template.names,
        template.template.images,
        str(template.selector) or None,
    )
    return PrintedRow(status, "idle" if suspended else "ok", cells)


JOBS = Printer(
    namespaced_columns(
        STATUS_COLUMN,
        Column("completions", "Completions", order="fraction", words="completions"),
        Column("duration", "Duration", "duration", order="number"),
        AGE_COLUMN,
        CONTAINERS_COLUMN,
        IMAGES_COLUMN,
        SELECTOR_COLUMN,
    ),
    Job,
    read_job,
)
CRONJOBS = Printer(
    namespaced_columns(
        Column("schedule", "Schedule", "mono", words="spec.schedule"),
        Column("timezone", "Time zone", words="spec.timeZone"),
        Column("suspend", "Suspend", words="spec.suspend"),
        STATUS_COLUMN,
        count_column("active", "Active"),
        Column("last-schedule", "Last schedule", "age", order="age"),
        AGE_COLUMN,
        CONTAINERS_COLUMN,
        IMAGES_COLUMN,
        SELECTOR_COLUMN,
    ),
    CronJob,
    read_cronjob,
)
