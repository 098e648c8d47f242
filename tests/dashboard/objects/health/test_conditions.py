"""Tests of what single conditions say: words of reasons, odd statuses, generations, and the words for each."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.health import Health
from dashboard.objects.health.conditions import is_behind, judge_conditions, judge_reason

MOMENT = "2026-01-01T00:00:00Z"


def judge(name: str, status: Any, generation: int = 3, **fields: Any) -> Health | None:
    """What the only condition says."""
    condition = {"type": name, "status": status, **fields}
    found = judge_conditions([condition], generation, judge_reason)
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.parametrize(
    ("reason", "is_in_progress"),
    [
        ("WaitingForControlPlane", True), ("Pending", True), ("InProgress", True), ("inprogress", True),
        ("CreationFailed", False), ("CreatingCancelled", False), ("DeadlineExceededWhileWaiting", False),
        ("PullDenied", False), ("ConnectionRefusedWhilePulling", False), ("NoNodeForPending", False),
        ("UnableToStartPod", False), ("WaitingTimeout", False), ("Broken", False), ("", False),
    ],
)  # fmt: skip
def test_a_reason_is_in_progress_by_its_words_unless_one_says_failure(reason: str, is_in_progress: bool) -> None:
    assert judge_reason(reason) == ("busy" if is_in_progress else None)
    health = judge("Ready", "False", reason=reason)
    assert health is not None
    assert health.tone == ("busy" if is_in_progress else "bad")


@pytest.mark.parametrize(
    ("name", "status", "reason", "word", "tone"),
    [
        ("Ready", "False", "ReconcilePaused", "ReconcilePaused", "idle"),
        ("Ready", "False", "PausedWithError", "NotReady", "bad"),
        ("Ready", "False", f"Paused{'x' * 60}Suspended", "Paused", "idle"),
        ("Suspended", "True", "", "Suspended", "idle"),
        ("Paused", "True", "", "Paused", "idle"),
        ("Complete", "True", "", "Complete", "idle"),
        ("Completed", "True", "", "Completed", "idle"),
        ("Finished", "True", "", "Finished", "idle"),
        ("Succeeded", "False", "Broken", "Failed", "bad"),
        ("Unhealthy", "True", "", "Unhealthy", "bad"),
        ("Unavailable", "True", "", "Unavailable", "bad"),
        ("BuildFailed", "True", "", "BuildFailed", "bad"),
        ("ReplicaFailure", "True", "", "ReplicaFailure", "bad"),
        ("NodesNotReady", "True", "", "NodesNotReady", "bad"),
        ("SyncError", "", "", "SyncError", "bad"),
        ("Degraded", "Yes", "", "No verdict", "idle"),
        ("Ready", "No", "", "No verdict", "idle"),
        ("Ready", "Running", "", "No verdict", "idle"),
        ("Available", "Degraded", "", "Degraded", "bad"),
        ("Progressing", "True", "", "InProgress", "busy"),
        ("Progressing", "False", "ProgressDeadlineExceeded", "ProgressDeadlineExceeded", "bad"),
        ("MachinesReady", "False", "x", "MachinesNotReady", "warn"),
        ("ResolvedRefs", "False", "x", "RefsNotResolved", "bad"),
        ("ResolvedRefs", "Unknown", "", "InProgress", "busy"),
        ("NotReady", "True", "Creating", "Creating", "busy"),
        ("Ready", "False", "NoTraffic", "NotReady", "bad"),
        ("Accepted", "Unknown", "NoHealthyBackends", "InProgress", "busy"),
        ("Ready", "Unknown", "Suspended", "Suspended", "idle"),
        ("NotHealthy", "True", "", "NotHealthy", "bad"),
        ("NodesUnhealthy", "True", "", "NodesUnhealthy", "bad"),
    ],
)
def test_a_condition_is_judged_by_the_polarity_of_its_type(
    name: str, status: str, reason: str, word: str, tone: str
) -> None:
    health = judge(name, status, reason=reason)
    assert health is not None
    assert (health.status, health.tone) == (word, tone)


@pytest.mark.parametrize(
    ("name", "status", "reason"),
    [
        ("Complete", "False", ""), ("Failed", "False", ""), ("Failed", "", ""), ("ResolvedRefs", "True", ""),
        ("MachinesReady", "True", ""), ("NotHealthy", "False", ""),
        ("Warning", "False", ""), ("Paused", "False", ""), ("Odd", "True", ""),
        *(("Progressing", "True", reason) for reason in (
            "NewReplicaSetAvailable", "Complete", "RolloutCompleted", "AsExpected", "UpToDate")),
        ("Progressing", "False", "Other"),
    ],
)  # fmt: skip
def test_these_say_nothing(name: str, status: str, reason: str) -> None:
    assert judge(name, status, reason=reason) is None


def test_what_is_wrong_has_its_words_and_its_moment() -> None:
    said = judge("Ready", "False", reason="Broken", message="no disk", lastTransitionTime=MOMENT)
    assert said == Health("NotReady", "bad", "not ready: no disk", 1767225600.0)
    assert judge("MachinesReady", "Unknown", lastTransitionTime=MOMENT) == Health(
        "InProgress", "busy", "machines not yet ready", 1767225600.0
    )


def test_what_was_wrong_before_the_newest_generation_is_told_and_what_was_in_progress_is_not() -> None:
    wrong = judge("Ready", "False", reason="Broken", message="no disk", observedGeneration=2, lastTransitionTime=MOMENT)
    words = "in progress: generation 3 is not observed yet, 2 is"
    assert wrong == Health("InProgress", "busy", f"{words}; before: not ready: no disk", 1767225600.0)
    assert judge("Ready", "Unknown", observedGeneration="2") == Health("InProgress", "busy", words)
    for unfilled in (0, "0", None, "soon", True):
        assert judge("Ready", "True", observedGeneration=unfilled) == Health("Ready", "ok")


@pytest.mark.parametrize("observed", ["3", 3, 4, "", "-1", "²", "x", 2.5, None, True, "1" * 20])
def test_what_is_no_earlier_generation_is_not_behind(observed: Any) -> None:
    assert not is_behind(observed, 3)
