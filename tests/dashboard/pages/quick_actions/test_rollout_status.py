"""Tests of the status of a rollout, by kind."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.kinds.row import Tone
from dashboard.pages.quick_actions.rollout_status import RolloutStatus, rollout_status


def status_of(key: str, spec: dict[str, Any], **status: Any) -> RolloutStatus:
    """Status of an object whose controller has seen its newest generation."""
    found = rollout_status(
        key, {"metadata": {"generation": 2}, "spec": spec, "status": {"observedGeneration": 2} | status}
    )
    assert found is not None
    return found


DEPLOYMENT = [
    ({}, {}, "0 of 1 pods have the newest template.", "busy", False),
    ({"replicas": 7}, {"replicas": 4, "updatedReplicas": 4, "availableReplicas": 4},
     "4 of 7 pods have the newest template.", "busy", False),
    ({"replicas": 3}, {"replicas": 5, "updatedReplicas": 3, "availableReplicas": 3},
     "All new pods are created; 2 old pods must still end.", "busy", False),
    ({"replicas": 3}, {"replicas": 4, "updatedReplicas": 3, "availableReplicas": 3},
     "All new pods are created; 1 old pod must still end.", "busy", False),
    ({"replicas": 3}, {"replicas": 3, "updatedReplicas": 3, "availableReplicas": 2},
     "2 of 3 pods are available.", "busy", False),
    ({"replicas": 3}, {"replicas": 3, "updatedReplicas": 3, "availableReplicas": 3},
     "Done: all 3 pods are new and available.", "ok", True),
    ({"replicas": 0}, {}, "Done: it has no pods.", "ok", True),
    ({"replicas": 3, "paused": True}, {"replicas": 3, "updatedReplicas": 1},
     "It is paused: 1 of 3 pods have the newest template.", "idle", True),
    ({"replicas": 3}, {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded",
                                       "message": "ReplicaSet web-1 has timed out progressing."}]},
     "It makes no progress: ReplicaSet web-1 has timed out progressing.", "bad", False),
]  # fmt: skip
DAEMON_SET = [
    ({}, {"desiredNumberScheduled": 3, "updatedNumberScheduled": 1}, "1 of 3 nodes have the new pod.", "busy", False),
    ({}, {"desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberAvailable": 2},
     "2 of 3 new pods are available.", "busy", False),
    ({}, {"desiredNumberScheduled": 1, "updatedNumberScheduled": 1, "numberAvailable": 1},
     "Done: its pod is new and available.", "ok", True),
    ({"updateStrategy": {"type": "OnDelete"}}, {"desiredNumberScheduled": 3, "updatedNumberScheduled": 1},
     "1 of 3 pods are new. Its update strategy is OnDelete: the others are replaced when they are deleted.",
     "idle", True),
]  # fmt: skip
REVISIONS = {"updateRevision": "b", "currentRevision": "a"}
STATEFUL_SET = [
    ({"replicas": 3}, {"replicas": 4, "readyReplicas": 4}, "1 pod must still end.", "busy", False),
    ({"replicas": 3}, {"replicas": 3, "readyReplicas": 2}, "2 of 3 pods are ready.", "busy", False),
    ({"replicas": 3}, {"replicas": 3, "readyReplicas": 3, "updatedReplicas": 1} | REVISIONS,
     "1 of 3 pods are new.", "busy", False),
    ({"replicas": 3, "updateStrategy": {"rollingUpdate": {"partition": 2}}},
     {"replicas": 3, "readyReplicas": 3, "updatedReplicas": 0} | REVISIONS, "0 of 1 pods are new.", "busy", False),
    ({"replicas": 3, "updateStrategy": {"rollingUpdate": {"partition": 2}}},
     {"replicas": 3, "readyReplicas": 3, "updatedReplicas": 1} | REVISIONS, "Done: all 3 pods are ready.", "ok", True),
    ({"replicas": 3, "updateStrategy": {"type": "OnDelete"}},
     {"replicas": 3, "readyReplicas": 3, "updatedReplicas": 1} | REVISIONS,
     "1 of 3 pods are new. Its update strategy is OnDelete: the others are replaced when they are deleted.",
     "idle", True),
    ({"replicas": 3}, {"replicas": 3, "readyReplicas": 3}, "Done: all 3 pods are ready.", "ok", True),
]  # fmt: skip
REPLICA_SET = [
    ({"replicas": 2}, {"replicas": 4, "readyReplicas": 4}, "2 pods must still end.", "busy", False),
    ({"replicas": 2}, {"replicas": 2, "readyReplicas": 1}, "1 of 2 pods are ready.", "busy", False),
    ({"replicas": 2}, {"replicas": 2, "readyReplicas": 2}, "Done: all 2 pods are ready.", "ok", True),
]
CASES = [
    *(("deployments.apps", *case) for case in DEPLOYMENT),
    *(("daemonsets.apps", *case) for case in DAEMON_SET),
    *(("statefulsets.apps", *case) for case in STATEFUL_SET),
    *(("replicasets.apps", *case) for case in REPLICA_SET),
    *(("replicationcontrollers", *case) for case in REPLICA_SET),
]


@pytest.mark.parametrize(("key", "spec", "status", "words", "tone", "is_over"), CASES)
def test_the_status_is_that_of_kubectl(
    key: str, spec: dict[str, Any], status: dict[str, Any], words: str, tone: Tone, is_over: bool
) -> None:
    assert status_of(key, spec, **status) == RolloutStatus(words, tone, is_over)


@pytest.mark.parametrize("key", sorted({case[0] for case in CASES}))
def test_a_change_that_no_controller_has_seen_is_not_over(key: str) -> None:
    done = {"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1, "readyReplicas": 1, "observedGeneration": 1}
    found = rollout_status(key, {"metadata": {"generation": 2}, "spec": {}, "status": done})
    assert found == RolloutStatus("Its controller has not seen the change yet.", "busy", is_over=False)


def test_other_kinds_have_no_rollout() -> None:
    assert rollout_status("configmaps", {"metadata": {"generation": 2}}) is None
