"""Jobs: their pods, their end, and their removal where they say when.

Source: kube-controller-manager's job/job_controller.go, backoff_utils.go and ttlafterfinished.
"""

from __future__ import annotations

from collections import defaultdict

from devcluster.workload import building
from devcluster.workload.building import Json, stamp
from devcluster.workload.claims import Claims
from devcluster.workload.cluster import Cluster
from devcluster.workload.job_status import Ending, Tally, ending_conditions, tally
from devcluster.workload.projections import Job, Pod
from devcluster.workload.statuses import unix
from devcluster.workload.voices import Voices
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import AlreadyExists

COMPONENT = "job-controller"
FIRST_BACK_OFF = 10.0
LONGEST_BACK_OFF = 600.0
"""Seconds between a pod's failure and the next pod: they double with each failure."""

DONE = Ending("Complete", "CompletionsReached", "Reached expected number of succeeded pods")
FAILED = Ending("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
LATE = Ending("Failed", "DeadlineExceeded", "Job was active longer than specified deadline")


class JobController:
    """Reconciles every Job."""

    def __init__(self, cluster: Cluster, voices: Voices) -> None:
        self.claims = Claims(cluster.jobs, cluster.pods)
        self._cluster = cluster
        self._recorder = voices.of(COMPONENT)
        self._made: defaultdict[str, int] = defaultdict(int)

    async def reconcile(self, request: Request) -> Result | None:
        """Take and let go what it claims, start its pods, count those that ended, close it, remove it in the end."""
        job = self._cluster.jobs.get(request)
        if job is None or job.metadata.deletion_timestamp is not None:
            return None
        if job.ending is not None:
            return await self._expire(job)
        await self.claims.settle(job)
        pods = self._cluster.pods.owned(job.metadata.uid)
        counted = tally(job, pods)
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
            counted = tally(job, self._cluster.pods.owned(job.metadata.uid))
        await self._write(job, counted, [])
        return self._come_back(job, wait)

    def forget(self, job: Job) -> None:
        """Drop what is known of one that is gone."""
        self._made.pop(job.metadata.uid, None)
        self.claims.forget(job)

    def _ending(self, job: Job, counted: Tally) -> Ending | None:
        limit = job.spec.active_deadline_seconds
        if counted.is_complete:
            return DONE
        if counted.failures > job.spec.backoff_limit:
            return FAILED
        if limit is not None and job.status.start_time and self._age(job) >= limit:
            return LATE
        return None

    def _age(self, job: Job) -> float:
        return self._cluster.clock.time() - unix(job.status.start_time or "")

    def _wait(self, counted: Tally) -> float:
        """Seconds until the next pod may come after one that failed."""
        if not counted.failed:
            return 0.0
        pause = min(FIRST_BACK_OFF * 2.0 ** (len(counted.failed) - 1), LONGEST_BACK_OFF)
        return max(0.0, counted.last_failure + pause - self._cluster.clock.time())

    def _come_back(self, job: Job, wait: float) -> Result | None:
        times = [wait] if wait else []
        if job.spec.active_deadline_seconds is not None:
            started = unix(job.status.start_time) if job.status.start_time else self._cluster.clock.time()
            times.append(max(1.0, started + job.spec.active_deadline_seconds - self._cluster.clock.time()))
        return Result(requeue_after=min(times)) if times else None

    async def _create(self, job: Job, counted: Tally) -> None:
        meta = job.metadata
        for index in counted.missing(job):
            self._made[meta.uid] += 1
            middle = f"{meta.name}-{index}" if index is not None else meta.name
            name = f"{middle}-{self._cluster.dice.suffix('pod', meta.namespace, meta.name, self._made[meta.uid])}"
            body = building.pod(job, building.owner(job), job.spec.template, name)
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

    async def _end(self, job: Job, counted: Tally, ending: Ending) -> None:
        """First what it comes to, then, with no pod left, that it has."""
        await self._delete(job, counted.active)
        counted.given_up = len(counted.active) if ending.type == "Failed" else 0
        counted.active = []
        now = stamp(self._cluster.clock.time())
        await self._write(job, counted, ending_conditions(ending, now))
        if ending.type == "Complete":
            self._recorder.event(job, "Normal", "Completed", "Job completed")
        else:
            self._recorder.event(job, "Warning", ending.reason, ending.message)

    async def _write(self, job: Job, counted: Tally, conditions: list[Json]) -> None:
        status = counted.numbers(job)
        before = job.status
        known = (before.active, before.ready, before.succeeded, before.failed, before.terminating)
        if known == tuple(status.values()) and before.start_time and not conditions:
            return
        now = stamp(self._cluster.clock.time())
        shown: Json = {name: number or None for name, number in status.items()}
        shown |= {"ready": status["ready"], "terminating": status["terminating"], "uncountedTerminatedPods": {}}
        shown["startTime"] = before.start_time or now
        if conditions:
            shown["conditions"] = conditions
            shown["completionTime"] = now if conditions[-1]["type"] == "Complete" else None
        await self._cluster.jobs.patch(job, {"status": shown}, status=True)

    async def _expire(self, job: Job) -> Result | None:
        ending, kept = job.ending, job.spec.ttl_seconds_after_finished
        if ending is None or kept is None or not ending.last_transition_time:
            return None
        left = unix(ending.last_transition_time) + kept - self._cluster.clock.time()
        if left > 0:
            return Result(requeue_after=left)
        await self._cluster.jobs.delete(job)
        return None
