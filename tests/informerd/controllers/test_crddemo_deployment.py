"""Tests of deploy/controllers/crddemo.yaml: its permissions suffice for two replicas, of which one works."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.support.cluster_terminal import Running, Terminal
from tests.support.informerd.sample_manifests import mydemo
from tests.support.program import ROOT

GIVEN_UP = {"holderIdentity": "", "leaseDurationSeconds": 1}
LEASE = {
    "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "crddemo"}, "spec": GIVEN_UP,
}  # fmt: skip
"""Made beforehand: who makes it waits for whoever may have held one that was deleted."""
MANIFEST = ROOT / "deploy" / "controllers" / "crddemo.yaml"


@pytest.fixture
def service_account(real_terminal: Terminal, tmp_path: Path) -> str:
    """A kubeconfig with the rights of the manifest's service account, in its namespace."""
    real_terminal.kubectl("apply", f"--filename={MANIFEST}")
    config = YAML(typ="safe").load(real_terminal.kubeconfig)
    config["users"][0]["user"]["as"] = "system:serviceaccount:crddemo:crddemo"
    config["contexts"][0]["context"]["namespace"] = "crddemo"
    file = tmp_path / "kubeconfig"
    file.write_text(json.dumps(config))
    return str(file)


def command() -> list[str]:
    """What the manifest's container runs, without the name of the interpreter; probes on any port."""
    (container,) = next(
        each["spec"]["template"]["spec"]["containers"]
        for each in YAML(typ="safe").load_all(MANIFEST)
        if each["kind"] == "Deployment"
    )
    assert container["command"][0] == "python"
    arguments = [*container["command"][1:], *container["args"]]
    return [each.replace(":8081", "127.0.0.1:0") for each in arguments]


async def eventually_said(terminal: Terminal, namespace: str, times: int) -> None:
    """Wait until so many Events are there: one each, as each process began anew."""
    arguments = ("get", "events", f"--namespace={namespace}", "--output=jsonpath={.items[*].message}")
    said, wanted = "", " ".join(["Mydemo synced successfully"] * times)
    for _ in range(200):
        said = await terminal.do(*arguments)
        if said == wanted:
            return
        await asyncio.sleep(0.1)
    assert said == wanted


async def test_two_of_it_work_one_at_a_time_with_no_more_rights_than_these(
    real_terminal: Terminal, service_account: str
) -> None:
    namespace = real_terminal.namespace("deployed")
    await real_terminal.make(json.dumps(LEASE), "crddemo", anew=True)

    def start() -> Running:
        return real_terminal.run(*command(), f"--kubeconfig={service_account}")

    with start() as first:
        await first.says("Started workers")
        with start() as second:
            await second.says("the lease crddemo/crddemo is held by ")
            await real_terminal.make(mydemo("alpha"), namespace)
            await first.says(f"Successfully synced '{namespace}/alpha'")
            assert not any("Started workers" in line for line in second.lines)
            await eventually_said(real_terminal, namespace, 1)
            assert await first.interrupt(signal.SIGTERM) == 0
            await second.says(f"Successfully synced '{namespace}/alpha'")  # the lease was given up: it need not expire
            await eventually_said(real_terminal, namespace, 2)
            assert await second.interrupt(signal.SIGTERM) == 0
            assert [*first.complaints, *second.complaints] == []
            assert not [line for line in [*first.lines, *second.lines] if "forbidden" in line]
