"""Tests of crddemo as a program on both clusters; its output is checked in tests/docs/test_controllers.py."""

from __future__ import annotations

import json
import signal

import pytest

from informerd.controllers.crddemo import main
from tests.support.cluster_terminal import Running, Terminal
from tests.support.informerd.exit_code import code_of
from tests.support.informerd.sample_manifests import mydemo

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


async def events(terminal: Terminal, namespace: str) -> set[tuple[object, ...]]:
    found = json.loads(await terminal.do("get", "events", f"--namespace={namespace}", "--output=json"))["items"]
    return {
        (each["type"], each["reason"], each["message"], each["source"]["component"], each["involvedObject"]["name"],
         each["count"])
        for each in found
    }  # fmt: skip


@pytest.mark.long
async def test_what_is_there_at_its_start_is_handled_once_and_gets_an_event(terminal: Terminal) -> None:
    there = terminal.namespace("there")
    for name in ("alpha", "beta"):
        await terminal.make(mydemo(name), there)
    with terminal.run(*CRDDEMO) as program:
        for name in ("alpha", "beta"):
            await program.says(f"Successfully synced '{there}/{name}'$")
        await terminal.do(
            "patch", "mydemo", "beta", f"--namespace={there}", "--type=merge", '--patch={"spec":{"port":81}}'
        )
        await program.says(f"{there}/beta, ip 10.0.0.1, port 81 ...$")
        assert await program.interrupt(signal.SIGTERM) == 0  # which writes what was still to be written
        assert len([line for line in program.lines if f"Try to process mydemo: {there}/alpha" in line]) == 1
    synced = ("Normal", "Synced", "Mydemo synced successfully", "mydemo-controller")
    assert await events(terminal, there) == {(*synced, "alpha", 1), (*synced, "beta", 2)}


async def test_the_second_signal_ends_it_at_once(demo_terminal: Terminal) -> None:
    with demo_terminal.run(*CRDDEMO) as program:
        await program.says("Started workers$")
        assert program.process
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM):  # it finds both when it goes on
            program.process.send_signal(number)
        assert await program.interrupt(signal.SIGCONT) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--threads=3"], "crddemo: error: unrecognized arguments: --threads=3"),
        (["--kubeconfig=/nowhere"], "crddemo: /nowhere: no such file"),
        (["--master=kube:6443"], "crddemo: --master kube:6443: expected an address such as https://127.0.0.1:6443"),
    ],
)
def test_what_it_cannot_be_told_is_said_in_one_line(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(lambda: main(arguments)) == 2
    assert capsys.readouterr().err.splitlines()[-1] == says


async def test_a_missing_permission_is_a_line_of_the_log_and_waited_for(real_terminal: Terminal) -> None:
    assert real_terminal.controlplane
    alice = str(real_terminal.controlplane.kubeconfig_of("alice"))
    with real_terminal.run(*CRDDEMO, f"--kubeconfig={alice}") as program:
        await program.says("mydemos.crddemo.k8s.io.*forbidden")
        await program.says("Waiting for informer caches to sync$")
        assert said(program, " ") == START[:3]
        assert await program.interrupt() == 0
        assert program.complaints == []
