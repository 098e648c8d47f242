"""Job controller: creates pods, ends Jobs, and removes finished Jobs after their TTL.

Source: kube-controller-manager's job/job_controller.go, backoff_utils.go and ttlafterfinished.
"""

from __future__ import annotations

from collections import defaultdict

from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import Job, Pod
from devcluster.workload.cluster_client import Cluster
from devcluster.workload.controllers.adoption import Adoption
from devcluster.workload.controllers.job_status import JobOutcome, Tally, outcome_conditions, tally_pods
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.object_builders import Json
from devcluster.workload.times import parse_timestamp, timestamp
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import AlreadyExists

COMPONENT = "job-controller"
FIRST_BACK_OFF = 10.0
LONGEST_BACK_OFF = 600.0
"""Seconds between a pod's failure and the next pod: they double with each failure."""

COMPLETE = JobOutcome("Complete", "CompletionsReached", "Reached expected number of succeeded pods")
BACKOFF_LIMIT_EXCEEDED = JobOutcome("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
DEADLINE_EXCEEDED = JobOutcome("Failed", "DeadlineExceeded", "Job was active longer than specified deadline")


class JobController:
    """Reconciles every Job."""

    def __init__(self, cluster: Cluster, recorders: Recorders) -> None:
        self.adoption = Adoption(cluster.jobs, cluster.pods)
        self._cluster = cluster
        self._recorder = recorders.for_component(COMPONENT)
        self._used_names: defaultdict[str, int] = defaultdict(int)

    async def reconcile(self, request: Request) -> Result | None:
        """Adopt and release pods, start new ones, count those that ended, finish the Job, and remove it in the end."""
        job = self._cluster.jobs.get(request)
        if job is None or job.metadata.deletion_timestamp is not None:
            return None
        if job.finish_condition is not None:
            return await self._expire(job)
        await self.adoption.adopt_and_release(job)
        pods = self._cluster.pods.owned_by(job.metadata.uid)
        counted = tally_pods(job, pods)
        ending = self._ending(job, counted)
        if ending is not None:
            await self._end(job, counted, ending)
            return None
        if job.spec.suspend:
            await self._delete(job, counted.active)
            await self._write(job, counted, [])
            return None
        wait = self._wait(counted)
        if not wait:
            await self._create(job, counted)
            counted = tally_pods(job, self._cluster.pods.owned_by(job.metadata.uid))
        await self._write(job, counted, [])
        return self._come_back(job, wait)

    def forget(self, job: Job) -> None:
        """Drop the records of a deleted object."""
        self._used_names.pop(job.metadata.uid, None)
        self.adoption.forget(job)

    def _ending(self, job: Job, counted: Tally) -> JobOutcome | None:
        limit = job.spec.active_deadline_seconds
        if counted.is_complete:
            return COMPLETE
        if counted.failures > job.spec.backoff_limit:
            return BACKOFF_LIMIT_EXCEEDED
        if limit is not None and job.status.start_time and self._age(job) >= limit:
            return DEADLINE_EXCEEDED
        return None

    def _age(self, job: Job) -> float:
        return self._cluster.clock.time() - parse_timestamp(job.status.start_time or "")

    def _wait(self, counted: Tally) -> float:
        """Seconds until the next pod may come after one that failed."""
        if not counted.failed:
            return 0.0
        pause = min(FIRST_BACK_OFF * 2.0 ** (len(counted.failed) - 1), LONGEST_BACK_OFF)
        return max(0.0, counted.last_failure + pause - self._cluster.clock.time())

    def _come_back(self, job: Job, wait: float) -> Result | None:
        times = [wait] if wait else []
        if job.spec.active_deadline_seconds is not None:
            started = parse_timestamp(job.status.start_time) if job.status.start_time else self._cluster.clock.time()
            times.append(max(1.0, started + job.spec.active_deadline_seconds - self._cluster.clock.time()))
        return Result(requeue_after=min(times)) if times else None

    async def _create(self, job: Job, counted: Tally) -> None:
        meta = job.metadata
        for index in counted.missing_indexes(job):
            self._used_names[meta.uid] += 1
            middle = f"{meta.name}-{index}" if index is not None else meta.name
            suffix = self._cluster.random_source.name_suffix(
                "pod", meta.namespace, meta.name, self._used_names[meta.uid]
            )
            name = f"{middle}-{suffix}"
            body = objects.pod(job, objects.controller_reference(job), job.spec.template, name)
            if index is not None:
                extra = {"batch.kubernetes.io/job-completion-index": str(index)}
                body["metadata"]["annotations"] = {**(body["metadata"].get("annotations") or {}), **extra}
                body["metadata"]["labels"] = {**body["metadata"].get("labels", {}), **extra}
            try:
                await self._cluster.pods.create(body)
            except AlreadyExists:
                continue
            self._recorder.event(job, "Normal", "SuccessfulCreate", f"Created pod: {name}")

    async def _delete(self, job: Job, pods: list[Pod]) -> None:
        for pod in pods:
            await self._cluster.pods.delete(pod)
            self._recorder.event(job, "Normal", "SuccessfulDelete", f"Deleted pod: {pod.metadata.name}")

    async def _end(self, job: Job, counted: Tally, ending: JobOutcome) -> None:
        """Delete the active pods, then write the status with the Job's end, and record the Event."""
        await self._delete(job, counted.active)
        counted.abandoned = len(counted.active) if ending.type == "Failed" else 0
        counted.active = []
        now = timestamp(self._cluster.clock.time())
        await self._write(job, counted, outcome_conditions(ending, now))
        if ending.type == "Complete":
            self._recorder.event(job, "Normal", "Completed", "Job completed")
        else:
            self._recorder.event(job, "Warning", ending.reason, ending.message)

    async def _write(self, job: Job, counted: Tally, conditions: list[Json]) -> None:
        status = counted.status_counts(job)
        before = job.status
        known = (before.active, before.ready, before.succeeded, before.failed, before.terminating)
        if known == tuple(status.values()) and before.start_time and not conditions:
            return
        now = timestamp(self._cluster.clock.time())
        shown: Json = {name: number or None for name, number in status.items()}
        shown |= {"ready": status["ready"], "terminating": status["terminating"], "uncountedTerminatedPods": {}}
        shown["startTime"] = before.start_time or now
        if conditions:
            shown["conditions"] = conditions
            shown["completionTime"] = now if conditions[-1]["type"] == "Complete" else None
        await self._cluster.jobs.patch(job, {"status": shown}, status=True)

    async def _expire(self, job: Job) -> Result | None:
        ending, ttl = job.finish_condition, job.spec.ttl_seconds_after_finished
        if ending is None or ttl is None or not ending.last_transition_time:
            return None
        left = parse_timestamp(ending.last_transition_time) + ttl - self._cluster.clock.time()
        if left > 0:
            return Result(requeue_after=left)
        await self._cluster.jobs.delete(job)
        return None
