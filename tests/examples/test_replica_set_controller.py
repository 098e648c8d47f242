"""Tests of controller-runtime's example as a program: it labels ReplicaSets, and pods' events restore the label."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from examples.replica_set_controller import main
from tests.support.cluster_terminal import Terminal
from tests.support.controller_manager_and_kwok import cluster_life, deployment
from tests.support.informerd.exit_code import code_of
from tests.support.informerd.sample_manifests import replica_set
from tests.support.wait import eventually

EXAMPLE = ("-m", "examples.replica_set_controller")


async def labels(terminal: Terminal, namespace: str) -> list[str]:
    path = "--output=jsonpath={.items[*].metadata.labels.hello}"
    return (await terminal.do("get", "replicasets", f"--namespace={namespace}", path)).split()


@pytest.mark.long
async def test_a_deployment_s_replica_set_is_labelled_and_looked_at_again_when_a_pod_goes(
    real_terminal: Terminal, tmp_path: Path
) -> None:
    assert real_terminal.controlplane
    namespace = real_terminal.namespace("pods-of")

    async def pods() -> list[str]:
        running = "--field-selector=status.phase=Running"
        found = await real_terminal.do("get", "pods", f"--namespace={namespace}", running, "--output=name")
        return found.split() if found.count("/") == 2 else []

    with real_terminal.run(*EXAMPLE) as program, cluster_life(real_terminal.controlplane, tmp_path):
        await real_terminal.make(deployment("web", 2), namespace)
        await program.says(f"Reconciling ReplicaSet {namespace}/web-[^,]+, container name main$")
        await program.says(f"Labelled ReplicaSet {namespace}/web-")
        running = await eventually(pods, within=30, what="two pods run")
        assert await labels(real_terminal, namespace) == ["world"]
        before = sum(f"Reconciling ReplicaSet {namespace}/web-" in line for line in program.lines)
        await real_terminal.do("delete", running[0], f"--namespace={namespace}", "--now")
        await program.says(f"Reconciling ReplicaSet {namespace}/web-", times=before + 1)
        assert await program.interrupt() == 0
        assert program.complaints == []
        assert len([line for line in program.lines if f"Labelled ReplicaSet {namespace}/" in line]) == 1
    kinds = "deployments,replicasets,pods"
    await real_terminal.do("delete", kinds, "--all", "--grace-period=0", "--force", f"--namespace={namespace}")


async def test_only_the_pods_that_it_controls_bring_a_replica_set_back(terminal: Terminal) -> None:
    namespace = terminal.namespace("owned")
    await terminal.make(replica_set("web"), namespace)
    with terminal.run(*EXAMPLE) as program:
        await program.says(f"Labelled ReplicaSet {namespace}/web")
        await program.says(f"Reconciling ReplicaSet {namespace}/web", times=2)  # for the label
        uid = await terminal.do(
            "get", "replicaset", "web", f"--namespace={namespace}", "--output=jsonpath={.metadata.uid}"
        )
        await terminal.make(pod("other", owner="", uid=""), namespace)
        await terminal.make(pod("one", owner="web", uid=uid), namespace)
        await program.says(f"Reconciling ReplicaSet {namespace}/web", times=3)
        await terminal.do("delete", "pod", "one", "other", f"--namespace={namespace}", "--now")
        await program.says(f"Reconciling ReplicaSet {namespace}/web", times=4)
        await terminal.do("delete", "replicaset", "web", f"--namespace={namespace}")
        await program.says(f"Could not find ReplicaSet {namespace}/web$")
        assert await program.interrupt() == 0
        assert program.complaints == []
        assert await labels(terminal, namespace) == []


def pod(name: str, *, owner: str, uid: str) -> str:
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": uid, "controller": True}
    metadata = {"name": name, **({"ownerReferences": [reference]} if owner else {})}
    spec = {"containers": [{"name": "main", "image": "nginx:1"}]}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--label=x"], "replica_set: error: unrecognized arguments: --label=x"),
        (["--kubeconfig=/nowhere"], "replica_set: /nowhere: no such file"),
        (["--probes=x"], "replica_set: 'x' is not an address for probes: give host:port, such as 127.0.0.1:8081"),
        (
            ["--leader-elect=A_B"],
            "replica_set: 'A_B' is not a name for a Lease: use lower-case letters, digits, - and .",
        ),
    ],
)
def test_what_it_cannot_be_told_is_said_in_one_line(
    demo_terminal: Terminal, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(lambda: main([f"--kubeconfig={demo_terminal.kubeconfig}", *arguments])) == 2
    assert capsys.readouterr().err.splitlines()[-1] == says
