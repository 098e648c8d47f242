"""Status of a Job, computed from its pods: active, succeeded, failed, and its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from devcluster.workload.api_types import Job, Pod
from devcluster.workload.object_builders import Json
from devcluster.workload.times import parse_timestamp

COMPLETION_INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index"


@dataclass(frozen=True)
class JobOutcome:
    """End of a Job: the condition that reports it."""

    type: str
    reason: str
    message: str


@dataclass
class Tally:
    """A Job's pods, sorted."""

    completions: int | None
    """Completions; None where one success ends it."""
    active: list[Pod] = field(default_factory=list)
    succeeded: list[Pod] = field(default_factory=list)
    failed: list[Pod] = field(default_factory=list)
    terminating: int = 0
    restarts: int = 0
    abandoned: int = 0
    """Active ones that were deleted because the Job has failed: they count as failed."""
    last_failure: float = 0.0
    """Unix seconds."""

    @property
    def failures(self) -> int:
        """The number that counts against the backoff limit."""
        return len(self.failed) + self.restarts

    @property
    def is_complete(self) -> bool:
        if self.completions is None:
            return bool(self.succeeded) and not self.active
        return len(self.completed_keys) >= self.completions

    @property
    def completed_keys(self) -> set[str]:
        """The completed indexes of an indexed Job, else the completed pods."""
        return {pod.metadata.annotations.get(COMPLETION_INDEX_ANNOTATION, pod.metadata.uid) for pod in self.succeeded}

    def missing_indexes(self, job: Job) -> list[int | None]:
        """The pods that are to be made: their completion indexes, None each where there are none."""
        wanted = job.spec.parallelism
        if self.completions is not None:
            wanted = min(wanted, self.completions - len(self.completed_keys))
        elif self.succeeded:
            wanted = 0
        number = max(0, wanted - len(self.active))
        if job.spec.completion_mode != "Indexed" or self.completions is None:
            return [None] * number
        present = self.completed_keys | {
            pod.metadata.annotations.get(COMPLETION_INDEX_ANNOTATION, "") for pod in self.active
        }
        left: list[int | None] = [index for index in range(self.completions) if str(index) not in present]
        return left[:number]

    def status_counts(self, job: Job) -> dict[str, int]:
        """The numbers of its status."""
        return {
            "active": len(self.active),
            "ready": sum(pod.is_ready for pod in self.active),
            "succeeded": len(self.succeeded),
            "failed": max(job.status.failed, len(self.failed)) + self.abandoned,
            "terminating": self.terminating,
        }


def tally_pods(job: Job, pods: Sequence[Pod]) -> Tally:
    """Sort a Job's pods."""
    tally = Tally(job.spec.completions)
    for pod in pods:
        if pod.status.phase == "Succeeded":
            tally.succeeded.append(pod)
        elif pod.status.phase == "Failed":
            tally.failed.append(pod)
            tally.last_failure = max(tally.last_failure, _ended_at(pod))
        elif pod.is_terminating:
            tally.terminating += 1
        else:
            tally.active.append(pod)
            if pod.spec.restart_policy == "OnFailure":
                tally.restarts += sum(each.restart_count for each in pod.status.container_statuses)
    return tally


def outcome_conditions(outcome: JobOutcome, now: str) -> list[Json]:
    """First the condition that it comes to its end, then the end itself."""
    first = "SuccessCriteriaMet" if outcome.type == "Complete" else "FailureTarget"
    rest = {"status": "True", "reason": outcome.reason, "message": outcome.message}
    times = {"lastProbeTime": now, "lastTransitionTime": now}
    return [{"type": kind, **rest, **times} for kind in (first, outcome.type)]


def _ended_at(pod: Pod) -> float:
    times = [each.state.terminated.finished_at for each in pod.status.container_statuses if each.state.terminated]
    return max((parse_timestamp(text) for text in times if text), default=0.0)
