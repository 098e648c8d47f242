"""What a Job's pods come to: how many run, succeeded and failed, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from devcluster.workload.building import Json
from devcluster.workload.projections import Job, Pod
from devcluster.workload.statuses import unix

INDEX = "batch.kubernetes.io/job-completion-index"


@dataclass(frozen=True)
class Ending:
    """How a Job ends: the condition that says so."""

    type: str
    reason: str
    message: str


@dataclass
class Tally:
    """A Job's pods, sorted."""

    wanted: int | None
    """Completions; None where one success ends it."""
    active: list[Pod] = field(default_factory=list)
    succeeded: list[Pod] = field(default_factory=list)
    failed: list[Pod] = field(default_factory=list)
    terminating: int = 0
    restarts: int = 0
    given_up: int = 0
    """Active ones that were deleted because the Job has failed: they count as failed."""
    last_failure: float = 0.0
    """Unix seconds."""

    @property
    def failures(self) -> int:
        """What counts against the backoff limit."""
        return len(self.failed) + self.restarts

    @property
    def is_complete(self) -> bool:
        if self.wanted is None:
            return bool(self.succeeded) and not self.active
        return len(self.done) >= self.wanted

    @property
    def done(self) -> set[str]:
        """What has been completed: indexes of an indexed Job, else pods."""
        return {pod.metadata.annotations.get(INDEX, pod.metadata.uid) for pod in self.succeeded}

    def missing(self, job: Job) -> list[int | None]:
        """The pods that are to be made: their completion indexes, None each where there are none."""
        wanted = job.spec.parallelism
        if self.wanted is not None:
            wanted = min(wanted, self.wanted - len(self.done))
        elif self.succeeded:
            wanted = 0
        number = max(0, wanted - len(self.active))
        if job.spec.completion_mode != "Indexed" or self.wanted is None:
            return [None] * number
        taken = self.done | {pod.metadata.annotations.get(INDEX, "") for pod in self.active}
        left: list[int | None] = [index for index in range(self.wanted) if str(index) not in taken]
        return left[:number]

    def numbers(self, job: Job) -> dict[str, int]:
        """The numbers of its status."""
        return {
            "active": len(self.active),
            "ready": sum(pod.is_ready for pod in self.active),
            "succeeded": len(self.succeeded),
            "failed": max(job.status.failed, len(self.failed)) + self.given_up,
            "terminating": self.terminating,
        }


def tally(job: Job, pods: Sequence[Pod]) -> Tally:
    """Sort a Job's pods."""
    found = Tally(job.spec.completions)
    for pod in pods:
        if pod.status.phase == "Succeeded":
            found.succeeded.append(pod)
        elif pod.status.phase == "Failed":
            found.failed.append(pod)
            found.last_failure = max(found.last_failure, _ended_at(pod))
        elif pod.is_leaving:
            found.terminating += 1
        else:
            found.active.append(pod)
            if pod.spec.restart_policy == "OnFailure":
                found.restarts += sum(each.restart_count for each in pod.status.container_statuses)
    return found


def ending_conditions(ending: Ending, now: str) -> list[Json]:
    """First the condition that it comes to its end, then the end itself."""
    first = "SuccessCriteriaMet" if ending.type == "Complete" else "FailureTarget"
    rest = {"status": "True", "reason": ending.reason, "message": ending.message}
    times = {"lastProbeTime": now, "lastTransitionTime": now}
    return [{"type": kind, **rest, **times} for kind in (first, ending.type)]


def _ended_at(pod: Pod) -> float:
    times = [each.state.terminated.finished_at for each in pod.status.container_statuses if each.state.terminated]
    return max((unix(text) for text in times if text), default=0.0)
