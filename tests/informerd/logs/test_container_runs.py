"""Tests of what a pod's status says of its containers: which one is the default, and which one is over for good."""

from __future__ import annotations

from typing import Any

import pytest

from informerd.logs.container_runs import default_container, is_over_for_good, runs_of

OVER = {"terminated": {"containerID": "test://0", "exitCode": 0, "startedAt": "a", "finishedAt": "b"}}
FAILED = {"terminated": {**OVER["terminated"], "exitCode": 1}}
RUNS = {"running": {"startedAt": "a"}}


def pod(state: dict[str, Any], *, policy: str = "Always", phase: str = "Running", part: str = "container") -> Any:
    """A pod whose container `main` is one of `part`, in this state."""
    name = {"name": "main", **({"restartPolicy": "Always"} if part == "sidecar" else {})}
    kind = "initContainer" if part == "sidecar" else part
    status = {"name": "main", "containerID": "test://0", "state": state}
    return {
        "spec": {"restartPolicy": policy, f"{kind}s": [name]},
        "status": {"phase": phase, f"{kind}Statuses": [status]},
    }


@pytest.mark.parametrize(
    ("described", "is_over"),
    [
        (pod(RUNS), False),
        (pod(OVER), False),
        (pod({"waiting": {"reason": "ContainerCreating"}}, phase="Failed"), False),
        (pod(OVER, phase="Succeeded"), True),
        (pod(FAILED, phase="Failed"), True),
        (pod(OVER, policy="OnFailure"), True),
        (pod(FAILED, policy="OnFailure"), False),
        (pod(FAILED, policy="Never"), True),
        (pod(FAILED, policy="Never", part="sidecar"), False),
        (pod(OVER, part="initContainer"), True),
        (pod(FAILED, part="initContainer"), False),
        (pod(FAILED, part="ephemeralContainer"), True),
    ],
)
def test_a_container_is_over_for_good_where_nothing_starts_it_again(described: Any, is_over: bool) -> None:
    runs = runs_of(described, "main")
    assert runs is not None
    assert is_over_for_good(described, runs) is is_over


def test_the_default_container_is_the_annotated_one_else_the_first() -> None:
    spec = {"initContainers": [{"name": "init"}], "containers": [{"name": "first"}, {"name": "second"}]}
    annotations = {"kubectl.kubernetes.io/default-container": "second"}
    assert default_container({"spec": spec}) == "first"
    assert default_container({"metadata": {"annotations": annotations}, "spec": spec}) == "second"
    annotations["kubectl.kubernetes.io/default-container"] = "gone"
    assert default_container({"metadata": {"annotations": annotations}, "spec": spec}) == "first"
    assert default_container({"spec": {}}) == ""
