"""Planned behaviour of a pod, read from its annotations, so that people can use it for their own pods too."""

from __future__ import annotations

from dataclasses import dataclass

from devcluster.workload.api_types import Pod
from devcluster.workload.random_source import RandomSource

BEHAVIOUR_ANNOTATION = "demo.deltaboard/behaviour"
"""``crash`` (ends soon after each start), ``memory`` (is OOM-killed after some time), ``unready`` (never ready)."""
SECONDS_ANNOTATION = "demo.deltaboard/seconds"
"""Between which times a pod that ends takes, such as ``9-20``."""
FAILS_ANNOTATION = "demo.deltaboard/fails"
"""The share of pods that fail in the end, such as ``0.3``."""

DEFAULT_SECONDS = (4.0, 9.0)


@dataclass(frozen=True)
class PlannedExit:
    """Planned exit of a running container: how it ends, and after how many seconds."""

    seconds: float
    exit_code: int
    reason: str


def planned_exit(pod: Pod, random_source: RandomSource, step_count: int) -> PlannedExit | None:
    """When and how a container that has just become ready, or started, is to exit; None where it keeps running."""
    question = ("fate", pod.key, step_count)
    what = pod.metadata.annotations.get(BEHAVIOUR_ANNOTATION, "")
    if what == "crash":
        return PlannedExit(random_source.uniform(3, 7, *question), 1, "Error")
    if what == "memory":
        return PlannedExit(random_source.uniform(*_seconds(pod, (25, 70)), *question), 137, "OOMKilled")
    if pod.spec.restart_policy == "Always":
        return None
    failed = random_source.rng_for("fails", pod.key, step_count).random() < _number(
        pod.metadata.annotations.get(FAILS_ANNOTATION, "")
    )
    return PlannedExit(random_source.uniform(*_seconds(pod, DEFAULT_SECONDS), *question), int(failed), "Error")


def is_never_ready(pod: Pod) -> bool:
    """Whether its readiness probe always fails."""
    return pod.metadata.annotations.get(BEHAVIOUR_ANNOTATION) == "unready"


def _seconds(pod: Pod, usual: tuple[float, float]) -> tuple[float, float]:
    shortest, _, longest = pod.metadata.annotations.get(SECONDS_ANNOTATION, "").partition("-")
    bounds = (_number(shortest), _number(longest or shortest))
    return bounds if all(bounds) else usual


def _number(text: str) -> float:
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
