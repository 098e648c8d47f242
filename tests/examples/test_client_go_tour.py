"""Tests of docs/tour.md: every command runs, and prints what the page says."""

from __future__ import annotations

import asyncio
import re
import shlex
from typing import NamedTuple

import pytest

from tests.support.cluster_terminal import Running, Terminal
from tests.support.program import ROOT

DOCUMENT = ROOT / "docs" / "tour.md"
EXAMPLES = ROOT / "examples" / "client_go_tour"
FENCED = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PODS = """
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: {name: web-1}, spec: {containers: [{name: main, image: nginx}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: web-2}, spec: {containers: [{name: main, image: nginx}]}}
"""


class Session(NamedTuple):
    """A command of the page with the lines below it."""

    command: str
    lines: list[str]

    @property
    def arguments(self) -> list[str]:
        return shlex.split(self.command.removeprefix("python "))

    @property
    def follows(self) -> bool:
        """Whether it runs until somebody presses Ctrl-C."""
        return any(line.startswith("# ") for line in self.lines)

    @property
    def printed(self) -> list[str]:
        return [line for line in self.lines if not line.startswith("# ")]


def sessions() -> list[Session]:
    found: list[Session] = []
    for block in FENCED.findall(DOCUMENT.read_text()):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Session(line[2:], []))
            else:
                found[-1].lines.append(line)
    return found


SESSIONS = sessions()


@pytest.fixture
def tour(terminal: Terminal) -> Terminal:
    """The cluster with what the page says is in it."""
    terminal.create_namespace("tour")
    for kind in ("deployments", "pods"):
        terminal.kubectl("delete", kind, "--namespace=tour", "--all", "--now")
    terminal.create(PODS, "tour")
    terminal.kubectl("create", "deployment", "old", "--namespace=tour", "--image=nginx")
    return terminal


def test_the_page_shows_every_example() -> None:
    shown = {session.arguments[1].rpartition(".")[2] for session in SESSIONS}
    assert shown == {file.stem for file in EXAMPLES.glob("*.py")} - {"__init__"}


@pytest.mark.long
async def test_each_command_prints_what_the_page_says(tour: Terminal) -> None:
    tour.kubectl("delete", "deployment", "old", "--namespace=tour", "--now")
    for session in SESSIONS:
        if not session.follows:
            with tour.run(*session.arguments) as program:
                await program.ends()
                assert program.lines == session.lines


@pytest.mark.long
@pytest.mark.parametrize("session", [each for each in SESSIONS if each.follows], ids=lambda each: each.arguments[1])
async def test_each_informer_tells_of_what_is_typed_meanwhile(tour: Terminal, session: Session) -> None:
    with tour.run(*session.arguments) as program:
        for number, line in enumerate(session.lines):
            if line.startswith("# kubectl "):
                await asyncio.to_thread(tour.kubectl, *shlex.split(line)[2:])
            else:
                said = [each for each in session.lines[: number + 1] if each == line]
                await program.says(f"^{re.escape(line)}$", times=len(said))
        await program.interrupt()
        assert of_the_tour(program) == session.printed


def of_the_tour(program: Running) -> list[str]:
    """Without what other tests have left in other namespaces."""
    return [line for line in program.lines if "tour/" in line or not re.search(r"\S/\S", line)]
