"""Jobs: their pods, their end, and their removal some minutes later."""

from __future__ import annotations

from devcluster.workload import building
from devcluster.workload.building import Json, stamp
from devcluster.workload.cluster import JOBS, Cluster
from devcluster.workload.queue import DueQueue
from devcluster.workload.statuses import unix
from informerd.objects import Object
from informerd.resource import PODS

SOURCE = "job-controller"
KEPT_SECONDS = 180.0
"""How long a finished Job stays."""
KEPT_FAILED_SECONDS = 600.0


class JobController:
    """Reconciles every Job."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._queue = DueQueue(cluster.clock)
        cluster.on_change(JOBS, lambda obj: self._queue.add(obj.key))
        cluster.on_change(PODS, self._owner_changed)

    async def run(self) -> None:
        await self._queue.work(self.reconcile)

    def _owner_changed(self, obj: Object) -> None:
        for owner in obj.metadata.owner_references:
            if owner.kind == "Job":
                self._queue.add(f"{obj.metadata.namespace}/{owner.name}")

    async def reconcile(self, key: str) -> None:
        """Start its pods, count those that ended, close it, remove it in the end."""
        job = self._cluster.get(JOBS, key)
        if job is None or "deletionTimestamp" in job["metadata"]:
            return
        if _ended(job):
            await self._expire(key, job)
            return
        pods = self._cluster.owned(PODS, job["metadata"]["uid"])
        phases = [pod.get("status", {}).get("phase", "Pending") for pod in pods]
        succeeded, failed = phases.count("Succeeded"), phases.count("Failed")
        active = len(phases) - succeeded - failed
        spec = job["spec"]
        wanted = min(spec.get("parallelism", 1), spec.get("completions", 1) - succeeded)
        if failed <= spec.get("backoffLimit", 6) and active < wanted and not spec.get("suspend"):
            await self._create(job, wanted - active)
            active = wanted
        await self._write_status(job, active, succeeded, failed)

    async def _create(self, job: Json, number: int) -> None:
        reference = building.owner("Job", "batch/v1", job)
        for _ in range(number):
            pod = await self._cluster.create(PODS, building.pod(job, reference))
            message = f"Created pod: {pod['metadata']['name']}"
            await self._cluster.recorder.normal(job, SOURCE, "SuccessfulCreate", message)

    async def _write_status(self, job: Json, active: int, succeeded: int, failed: int) -> None:
        now, before = stamp(self._cluster.clock.time()), job.get("status", {})
        status: Json = {"startTime": before.get("startTime", now), "active": active, "ready": 0}
        status |= {"succeeded": succeeded, "failed": failed}
        done, lost = succeeded >= job["spec"].get("completions", 1), failed > job["spec"].get("backoffLimit", 6)
        if done or lost:
            reason = "CompletionsReached" if done else "BackoffLimitExceeded"
            words = (
                "Reached expected number of succeeded pods" if done else "Job has reached the specified backoff limit"
            )
            condition = {"type": "Complete" if done else "Failed", "status": "True", "reason": reason, "message": words}
            status["conditions"] = [{**condition, "lastProbeTime": now, "lastTransitionTime": now}]
            status |= {"completionTime": now} if done else {}
        if {key: before.get(key) for key in status} == status:
            return
        await self._cluster.patch(JOBS, job, {"status": status}, status=True)
        if done:
            await self._cluster.recorder.normal(job, SOURCE, "Completed", "Job completed")
        elif lost:
            words = "Job has reached the specified backoff limit"
            await self._cluster.recorder.warning(job, SOURCE, "BackoffLimitExceeded", words)

    async def _expire(self, key: str, job: Json) -> None:
        condition = job["status"]["conditions"][0]
        kept = KEPT_SECONDS if condition["type"] == "Complete" else KEPT_FAILED_SECONDS
        left = unix(condition["lastTransitionTime"]) + kept - self._cluster.clock.time()
        if left > 0:
            self._queue.add(key, left)
        else:
            await self._cluster.delete(JOBS, job)


def _ended(job: Json) -> bool:
    return bool(job.get("status", {}).get("conditions"))
