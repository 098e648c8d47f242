"""What a pod is going to do by itself: read from its annotations, so that people's pods may try it too."""

from __future__ import annotations

from dataclasses import dataclass

from devcluster.workload.dice import Dice
from devcluster.workload.projections import Pod

BEHAVIOUR = "demo.deltaboard/behaviour"
"""``crash`` (ends soon after each start), ``memory`` (is OOM-killed after some time), ``unready`` (never ready)."""
SECONDS = "demo.deltaboard/seconds"
"""Between which times a pod that ends takes, such as ``9-20``."""
FAILS = "demo.deltaboard/fails"
"""The share of pods that fail in the end, such as ``0.3``."""

USUAL_SECONDS = (4.0, 9.0)


@dataclass(frozen=True)
class Fate:
    """What happens to a running container by itself: how it ends, and after how many seconds."""

    seconds: float
    code: int
    reason: str


def fate(pod: Pod, dice: Dice, turn: int) -> Fate | None:
    """The fate of a container that has just become ready, or has just started; None where it runs on."""
    question = ("fate", pod.key, turn)
    what = pod.metadata.annotations.get(BEHAVIOUR, "")
    if what == "crash":
        return Fate(dice.between(3, 7, *question), 1, "Error")
    if what == "memory":
        return Fate(dice.between(*_seconds(pod, (25, 70)), *question), 137, "OOMKilled")
    if pod.spec.restart_policy == "Always":
        return None
    failed = dice.of("fails", pod.key, turn).random() < _number(pod.metadata.annotations.get(FAILS, ""))
    return Fate(dice.between(*_seconds(pod, USUAL_SECONDS), *question), int(failed), "Error")


def never_ready(pod: Pod) -> bool:
    """Whether its readiness probe fails for ever."""
    return pod.metadata.annotations.get(BEHAVIOUR) == "unready"


def _seconds(pod: Pod, usual: tuple[float, float]) -> tuple[float, float]:
    shortest, _, longest = pod.metadata.annotations.get(SECONDS, "").partition("-")
    found = (_number(shortest), _number(longest or shortest))
    return found if all(found) else usual


def _number(text: str) -> float:
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
