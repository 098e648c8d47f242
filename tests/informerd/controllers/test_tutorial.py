"""Tests of the tutorial controller as a program on both clusters; see also tests/docs/test_controllers.py."""

from __future__ import annotations

import pytest

from informerd.controllers.tutorial import main
from tests.support.cluster_terminal import Terminal
from tests.support.informerd.exit_code import code_of
from tests.support.informerd.sample_manifests import pod

TUTORIAL = ("-m", "informerd.controllers.tutorial")


async def test_it_says_what_comes_changes_and_goes(terminal: Terminal) -> None:
    namespace = terminal.namespace("tutorial")
    await terminal.make(pod("old"), namespace)
    with terminal.run(*TUTORIAL, f"--namespace={namespace}") as program:
        await program.says("^Sync/Add/Update for Pod old$")
        await terminal.make(pod("new"), namespace)
        await program.says("^Sync/Add/Update for Pod new$")
        await terminal.do("label", "pod", "new", "a=b", f"--namespace={namespace}")
        await program.says("^Sync/Add/Update for Pod new$", times=2)
        await terminal.do("delete", "pod", "new", "old", "--now", f"--namespace={namespace}")
        await program.says(f"^Pod {namespace}/old does not exist$")
        await program.says(f"^Pod {namespace}/new does not exist$")
        assert await program.interrupt() == 0
        assert program.complaints == []
        assert [line.partition("tutorial: ")[2] for line in program.lines if " tutorial: " in line] == [
            "Starting Pod controller",
            "Stopping Pod controller",
        ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--retries=3"], "tutorial: error: unrecognized arguments: --retries=3"),
        (
            ["--workers=0"],
            "tutorial: error: argument --workers: '0' is not a number of workers: give at least 1",
        ),
        (["--kubeconfig=/nowhere"], "tutorial: /nowhere: no such file"),
        (
            ["--resource=mydemoz"],
            "tutorial: the API server has no resource 'mydemoz'; did you mean mydemos.crddemo.k8s.io?",
        ),
    ],
)
def test_what_it_cannot_be_told_is_said_in_one_line(
    demo_terminal: Terminal, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(lambda: main([f"--kubeconfig={demo_terminal.kubeconfig}", *arguments])) == 2
    assert capsys.readouterr().err.splitlines()[-1] == says


async def test_it_fails_where_it_may_not_list(real_terminal: Terminal) -> None:
    assert real_terminal.controlplane
    alice = str(real_terminal.controlplane.kubeconfig_of("alice"))
    with real_terminal.run(*TUTORIAL, f"--kubeconfig={alice}", "--sync-timeout=0.5") as program:
        assert await program.ends() == 1
        assert program.lines[-1].startswith("tutorial: not synced within 0.5 s: pods is forbidden: ")
        assert program.complaints == []
