"""Tests of the Pod operator as a program on both clusters, also through faults of the API server."""

from __future__ import annotations

import asyncio
import io
import json
import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ruamel.yaml import YAML

from informerd.controllers.jinghzhu_reconciler import Pod
from informerd.controllers.pod_operator import PodLines, Settings
from tests.support.cluster_terminal import Running, Terminal
from tests.support.controlplane import ControlPlane
from tests.support.informerd.kubeconfigs import kubeconfig
from tests.support.program import ROOT
from tests.support.wait import eventually

OPERATOR = ("-m", "informerd.controllers.pod_operator")
CRD = ROOT / "deploy" / "crd" / "jinghzhus.yaml"
MANIFEST = ROOT / "deploy" / "controllers" / "pod_operator.yaml"
LEASE = {
    "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "pod-operator"},
    "spec": {"holderIdentity": "", "leaseDurationSeconds": 1},
}  # fmt: skip
"""Made beforehand: who makes it waits for whoever may have held one that was deleted."""
NAME = "jinghzhus.jinghzhu.io"

NO_NAMESPACE = (
    "is not a namespace name: use at most 63 lower-case letters, digits and dashes, with no dash at either end"
)

Json = dict[str, Any]


def pod(name: str, owner: str = "demo") -> str:
    meta: Json = {"name": name, "labels": {"crd": owner} if owner else {}}
    spec = {"containers": [{"name": "main", "image": "nginx:1"}]}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})


def jinghzhu(*pods: str, name: str = "demo") -> str:
    spec = {"desired": len(pods), "current": len(pods), "podList": [*pods]}
    status = {"state": "Running", "message": "Start to run replica set"}
    head = {"apiVersion": "jinghzhu.io/v1", "kind": "Jinghzhu", "metadata": {"name": name}}
    return json.dumps({**head, "spec": spec, "status": status})


async def books(terminal: Terminal, namespace: str, name: str = "demo") -> tuple[list[str], int, str]:
    """A Jinghzhu's podList, current and message."""
    found = json.loads(await terminal.do("get", "jinghzhus", name, f"--namespace={namespace}", "--output=json"))
    return found["spec"]["podList"], found["spec"]["current"], found["status"]["message"]


async def shows(terminal: Terminal, namespace: str, *pods: str, current: int) -> None:
    """Wait until the books say so."""
    expected = ([*pods], current, "Need to do HA")

    async def right() -> bool:
        return await books(terminal, namespace) == expected

    await eventually(right, within=30, what=f"the books say {expected}")


def printed(program: Running) -> list[str]:
    """What it printed, without the log and the resource versions."""
    lines = [line for line in program.lines if not line[:4].isdigit()]
    return ["\tResource Version: ?" if "Resource Version" in line else line for line in lines]


def event(what: str, name: str) -> list[str]:
    return ["", f"Find a Pod {what} event.", f"\tName: {name}", "\tResource Version: ?"]


def shown_in_the_docs() -> list[str]:
    """What docs/controllers.md shows of the program's output, without the resource versions."""
    session = (ROOT / "docs" / "controllers.md").read_text().partition("PO_NAMESPACE=worker python")[2]
    lines = session.partition("\n$ kubectl")[0].splitlines()[1:]
    return ["\tResource Version: ?" if "Resource Version" in line else line for line in lines]


def service_account(terminal: Terminal, folder: Path) -> Path:
    """A kubeconfig with the rights of the manifest's service account, in its namespace."""
    config = YAML(typ="safe").load(terminal.kubeconfig)
    config["users"][0]["user"]["as"] = "system:serviceaccount:pod-operator:pod-operator"
    config["contexts"][0]["context"]["namespace"] = "pod-operator"
    file = folder / "kubeconfig"
    file.write_text(json.dumps(config))
    return file


@pytest.fixture
def defined(terminal: Terminal) -> Terminal:
    """A terminal whose cluster knows Jinghzhus."""
    terminal.kubectl("apply", "--validate=false", "--server-side=false", f"--filename={CRD}")
    return terminal


@pytest.mark.long
async def test_it_prints_what_pods_do_and_takes_those_that_went_from_the_list_of_their_jinghzhu(
    defined: Terminal,
) -> None:
    namespace = defined.namespace("operated")
    for name in ("alpha", "beta", "gamma"):
        await defined.make(pod(name), namespace)
    await defined.make(pod("stranger", ""), namespace)
    await defined.make(jinghzhu("alpha", "beta", "gamma", "stranger", "gone"), namespace)
    with defined.run(*OPERATOR, PO_NAMESPACE=namespace, PO_KUBECONFIG=str(defined.kubeconfig)) as program:
        await program.says("Name: stranger$")
        status = '{"status":{"phase":"Running"}}'
        await defined.do(
            "patch", "pod", "alpha", f"--namespace={namespace}", "--subresource=status", f"--patch={status}"
        )
        await program.says("New Status: Running$")
        await defined.do("delete", "pod", "alpha", f"--namespace={namespace}", "--now")
        await defined.do("delete", "pod", "stranger", f"--namespace={namespace}", "--now")
        await shows(defined, namespace, "beta", "gamma", "stranger", current=3)  # and gone went while nobody watched
        assert await program.interrupt(signal.SIGTERM) == 0
        assert program.complaints == []
        lines = printed(program)
    assert lines[:3] == ["Init Pod Operator...", "Ready to start Pod Operator...", "Pod Operator is running..."]
    update = ["", "Find a Pod update event.", "\tPod Name: alpha", "\tOld Status: Pending", "\tNew Status: Running"]
    assert lines[3:19] == [
        *event("add", "alpha"),
        *event("add", "beta"),
        *event("add", "gamma"),
        *event("add", "stranger"),
    ]
    assert lines[19:] == [*update, *event("delete", "alpha"), *event("delete", "stranger")]
    assert shown_in_the_docs() == [*lines[:3], *event("add", "alpha"), *update, *event("delete", "alpha")]
    await defined.do("delete", "pods", "--all", f"--namespace={namespace}", "--now")
    await defined.do("delete", "jinghzhus", "--all", f"--namespace={namespace}")


@pytest.mark.long
async def test_it_works_before_the_definition_exists_and_catches_up_with_it_with_no_more_rights_than_these(
    real_terminal: Terminal, tmp_path: Path
) -> None:
    controlplane = real_terminal.controlplane
    assert controlplane is not None
    if controlplane.exists(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{NAME}"):
        await asyncio.to_thread(controlplane.delete_crd, NAME)
    await real_terminal.do("apply", f"--filename={MANIFEST}")
    await real_terminal.make(json.dumps(LEASE), "pod-operator", anew=True)
    await real_terminal.make(pod("alpha"), "worker", anew=True)
    arguments = [f"--kubeconfig={service_account(real_terminal, tmp_path)}", "--probes=127.0.0.1:0"]
    with real_terminal.run(*OPERATOR, "--leader-elect=pod-operator", *arguments) as program:
        await program.says("Name: alpha$")
        await asyncio.to_thread(controlplane.apply_crd, CRD)
        await real_terminal.make(pod("beta"), "worker", anew=True)
        await real_terminal.make(jinghzhu("alpha", "beta"), "worker")
        await program.says("Name: beta$")
        await real_terminal.do("delete", "pod", "alpha", "--namespace=worker", "--now")
        await shows(real_terminal, "worker", "beta", current=1)
        assert await program.interrupt() == 0
        assert program.complaints == []
        assert not [line for line in program.lines if "forbidden" in line]


@pytest.mark.long
async def test_a_pod_that_went_while_the_api_server_was_away_is_taken_off(own_controlplane: ControlPlane) -> None:
    controlplane = own_controlplane
    controlplane.apply_crd(CRD)
    terminal = Terminal(controlplane.kubeconfig, controlplane=controlplane)
    namespace = terminal.create_namespace("worker")
    for name in ("alpha", "beta"):
        await terminal.make(pod(name), namespace)
    await terminal.make(jinghzhu("alpha", "beta"), namespace)
    with terminal.run(*OPERATOR) as program:
        await program.says("Name: beta$")
        await program.says("the controller pods starts")
        assert program.process is not None
        program.process.send_signal(signal.SIGSTOP)  # so that it sees nothing of what follows
        controlplane.kill()
        controlplane.start_apiserver()
        await terminal.do("delete", "pod", "alpha", f"--namespace={namespace}", "--now")
        program.process.send_signal(signal.SIGCONT)
        await shows(terminal, namespace, "beta", current=1)
        assert await program.interrupt() == 0
        assert program.complaints == []
        assert printed(program)[-4:] == event("delete", "alpha")


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"PO_KUBECONFIG": "/nowhere"}, "pod_operator: PO_KUBECONFIG: /nowhere: no such file"),
        (
            {"PO_NAMESPACE": "Not_a_name"},
            f"pod_operator: PO_NAMESPACE='Not_a_name' {NO_NAMESPACE}",
        ),
        (
            {"PO_CRD_NAMESPACE": "-"},
            f"pod_operator: PO_CRD_NAMESPACE='-' {NO_NAMESPACE}",
        ),
    ],
)
async def test_settings_that_cannot_be_used_are_said_in_one_line(
    demo_terminal: Terminal, environ: dict[str, str], says: str
) -> None:
    with demo_terminal.run(*OPERATOR, **environ) as program:
        assert await program.ends() == 2
        assert program.lines == ["Init Pod Operator...", says]


async def test_a_kubeconfig_that_is_none_is_said_with_its_name(demo_terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("{")
    with demo_terminal.run(*OPERATOR, PO_KUBECONFIG=str(tmp_path / "config")) as program:
        assert await program.ends() == 2
        assert program.lines[-1].startswith(f"pod_operator: PO_KUBECONFIG: {tmp_path / 'config'}")


def test_of_the_changes_of_a_pod_those_of_its_phase_are_printed() -> None:
    out = io.StringIO()
    pending, running = (
        msgspec.convert({"metadata": {"name": "alpha"}, "status": {"phase": phase}}, Pod)
        for phase in ("Pending", "Running")
    )
    lines = PodLines(out)
    lines.on_update(pending, pending)
    assert out.getvalue() == ""
    lines.on_update(pending, running)
    assert out.getvalue() == (
        "\nFind a Pod update event.\n\tPod Name: alpha\n\tOld Status: Pending\n\tNew Status: Running\n"
    )


def test_a_kubeconfig_that_can_be_used_is_taken_and_none_where_none_is_set(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config")
    assert Settings.read({"PO_KUBECONFIG": str(path)}).checked_kubeconfig() == path
    assert Settings.read({}).checked_kubeconfig() is None
