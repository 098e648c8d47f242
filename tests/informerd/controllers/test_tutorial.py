"""The tutorial controller, as a program on both clusters."""

from __future__ import annotations

import pytest

from tests.informerd.controllers.samples import mydemo, pod
from tests.terminal import Running, Terminal

TUTORIAL = ("-m", "informerd.controllers.tutorial")


def said(program: Running) -> list[str]:
    """What it wrote to standard output."""
    return [line for line in program.lines if line.startswith(("Sync/", "Pod ", "Mydemo ", "Deployment "))]


async def test_it_says_what_comes_changes_and_goes(terminal: Terminal) -> None:
    terminal.namespace("tutorial")
    await terminal.make(pod("old"), "tutorial")
    with terminal.run(*TUTORIAL, "--namespace=tutorial") as program:
        await program.says("^Sync/Add/Update for Pod old$")
        await terminal.make(pod("new"), "tutorial")
        await program.says("^Sync/Add/Update for Pod new$")
        await terminal.do("label", "pod", "new", "a=b", "--namespace=tutorial")
        await program.says("^Sync/Add/Update for Pod new$", times=2)
        await terminal.do("delete", "pod", "new", "old", "--now", "--namespace=tutorial")
        await program.says("^Pod tutorial/old does not exist$")
        await program.says("^Pod tutorial/new does not exist$")
        assert await program.interrupt() == 0
        assert program.complaints == []
        assert [line.partition("tutorial: ")[2] for line in program.lines if " tutorial: " in line] == [
            "Starting Pod controller",
            "Stopping Pod controller",
        ]


async def test_it_is_for_any_kind_by_whatever_name(terminal: Terminal) -> None:
    terminal.namespace("anything")
    await terminal.make(mydemo("alpha"), "anything")
    with terminal.run(*TUTORIAL, "--namespace=anything", "--resource=mydemo", "--workers=3") as program:
        await program.says("^Sync/Add/Update for Mydemo alpha$")
        await terminal.do("delete", "mydemo", "alpha", "--namespace=anything")
        await program.says("^Mydemo anything/alpha does not exist$")
        assert said(program) == ["Sync/Add/Update for Mydemo alpha", "Mydemo anything/alpha does not exist"]


async def test_a_key_that_fails_is_tried_again_and_given_up_while_the_others_go_on(terminal: Terminal) -> None:
    terminal.namespace("poison")
    for name in ("alpha", "poison", "omega"):
        await terminal.make(mydemo(name), "poison")
    arguments = ("--namespace=poison", "--resource=mydemos", "--fail=poison/poison")
    with terminal.run(*TUTORIAL, *arguments) as program:
        await program.says("Dropping mydemo poison/poison out of the queue: it was to fail$")
        await program.says("^Sync/Add/Update for Mydemo omega$")
        assert sum("Error syncing mydemo poison/poison: it was to fail" in line for line in program.lines) == 5
        assert sorted(said(program)) == ["Sync/Add/Update for Mydemo alpha", "Sync/Add/Update for Mydemo omega"]
        await terminal.do("delete", "mydemos", "--all", "--namespace=poison")
        await program.says("^Mydemo poison/alpha does not exist$")  # and the given-up key is tried again, as it changed
        await program.says("Dropping mydemo poison/poison", times=2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--retries=3"], "tutorial: error: unrecognized arguments: --retries=3"),
        (
            ["--workers=0"],
            "tutorial: error: argument --workers: '0' is no number of workers, of which there is at least 1",
        ),
        (["--kubeconfig=/nowhere"], "tutorial: /nowhere: no such file"),
        (["--resource=podz"], "tutorial: the API server has no resource 'podz'; did you mean pods?"),
    ],
)
async def test_what_it_cannot_be_told_is_said_in_one_line(
    demo_terminal: Terminal, arguments: list[str], says: str
) -> None:
    with demo_terminal.run(*TUTORIAL, *arguments) as program:
        assert await program.ends() == 2
        assert program.lines[-1] == says
        assert program.complaints == []


async def test_it_fails_where_it_may_not_list(real_terminal: Terminal) -> None:
    assert real_terminal.controlplane
    alice = str(real_terminal.controlplane.kubeconfig_of("alice"))
    with real_terminal.run(*TUTORIAL, f"--kubeconfig={alice}", "--sync-timeout=0.5") as program:
        assert await program.ends() == 1
        assert program.lines[-1].startswith("tutorial: not synced within 0.5 s: pods is forbidden: ")
        assert program.complaints == []
