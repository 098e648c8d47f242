"""crddemo: its lines, their order and words, as a program on both clusters."""

from __future__ import annotations

import json
import signal

import pytest

from tests.informerd.controllers.samples import mydemo
from tests.terminal import Running, Terminal

CRDDEMO = ("-m", "informerd.controllers.crddemo")
START = [
    "Setting up mydemo event handlers",
    "Starting Mydemo control loop",
    "Waiting for informer caches to sync",
    "Starting workers",
    "Started workers",
]


def said(program: Running, about: str = "") -> list[str]:
    """What it has said of itself and of the objects of a namespace, without time, level and name."""
    lines = [line.partition(" mydemo-controller: ")[2] for line in program.lines]
    return [line for line in lines if line and (about in line or "/" not in line)]


async def events(terminal: Terminal, namespace: str) -> list[tuple[str, ...]]:
    found = json.loads(await terminal.do("get", "events", f"--namespace={namespace}", "--output=json"))["items"]
    return [
        (each["type"], each["reason"], each["message"], each["source"]["component"], each["involvedObject"]["name"])
        for each in found
    ]


async def test_it_says_what_the_go_program_says_in_its_order(terminal: Terminal) -> None:
    terminal.namespace("crddemo")
    with terminal.run(*CRDDEMO, f"--kubeconfig={terminal.kubeconfig}") as program:
        await program.says("Started workers$")
        await terminal.make(mydemo("alpha"), "crddemo")
        await program.says("Successfully synced 'crddemo/alpha'$")
        await terminal.do("delete", "mydemo", "alpha", "--namespace=crddemo")
        await program.says("Successfully synced 'crddemo/alpha'$", times=2)
        assert await program.interrupt() == 0
        assert program.complaints == []
        assert said(program, "crddemo/") == [
            *START,
            "[DemoCRD] Try to process mydemo: crddemo/alpha, ip 10.0.0.1, port 80 ...",
            "Successfully synced 'crddemo/alpha'",
            "DemoCRD: crddemo/alpha does not exist in local cache, will delete it from Mydemo ...",
            "[DemoCRD] Deleting mydemo: crddemo/alpha ...",
            "Successfully synced 'crddemo/alpha'",
            "Shutting down workers",
        ]


async def test_each_object_that_it_handles_gets_an_event(terminal: Terminal) -> None:
    terminal.namespace("synced")
    await terminal.make(mydemo("alpha"), "synced")
    with terminal.run(*CRDDEMO) as program:
        await program.says("Successfully synced 'synced/alpha'$")
        assert await program.interrupt(signal.SIGTERM) == 0  # which writes what was still to be written
    message = "Mydemo synced successfully"
    assert await events(terminal, "synced") == [("Normal", "Synced", message, "mydemo-controller", "alpha")]


async def test_what_is_there_at_its_start_is_handled_once(terminal: Terminal) -> None:
    terminal.namespace("there")
    for name in ("alpha", "beta"):
        await terminal.make(mydemo(name), "there")
    with terminal.run(*CRDDEMO) as program:
        for name in ("alpha", "beta"):
            await program.says(f"Successfully synced 'there/{name}'$")
        await terminal.do(
            "patch", "mydemo", "beta", "--namespace=there", "--type=merge", '--patch={"spec":{"port":81}}'
        )
        await program.says("there/beta, ip 10.0.0.1, port 81 ...$")
        await program.interrupt()
        assert len([line for line in program.lines if "Try to process mydemo: there/alpha" in line]) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--threads=3"], "crddemo: error: unrecognized arguments: --threads=3"),
        (["--kubeconfig=/nowhere"], "crddemo: /nowhere: no such file"),
        (["--master=kube:6443"], "crddemo: --master kube:6443: expected an address such as https://127.0.0.1:6443"),
    ],
)
async def test_what_it_cannot_be_told_is_said_in_one_line(
    demo_terminal: Terminal, arguments: list[str], says: str
) -> None:
    with demo_terminal.run(*CRDDEMO, *arguments) as program:
        assert await program.ends() == 2
        assert program.lines[-1] == says
        assert program.complaints == []


async def test_a_missing_permission_is_a_line_of_the_log_and_waited_for(real_terminal: Terminal) -> None:
    assert real_terminal.controlplane
    alice = str(real_terminal.controlplane.kubeconfig_of("alice"))
    with real_terminal.run(*CRDDEMO, f"--kubeconfig={alice}") as program:
        await program.says("mydemos.crddemo.k8s.io.*forbidden")
        assert said(program, " ") == START[:3]
        assert await program.interrupt() == 0
        assert program.complaints == []
