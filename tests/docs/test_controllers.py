"""Tests of docs/controllers.md: its programs run and print what it says, and everything that it names exists."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import informerd
from informerd import MYDEMOS, Manager, NotFound, is_condition
from informerd.errors import controller_runtime, controller_util
from informerd.testing import DemoCluster
from tests.support.cluster_terminal import Running, Terminal, demo_terminal, real_terminal, terminal
from tests.support.informerd.sample_manifests import mydemo, pod, replica_set
from tests.support.program import ROOT
from tests.support.wait import eventually

__all__ = ["demo_terminal", "real_terminal", "terminal"]

DOCUMENT = ROOT / "docs" / "controllers.md"
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS = FENCED.findall(DOCUMENT.read_text())
PYTHON = [source for language, source in BLOCKS if language == "python"]
FIRST, COUNTER, STATUS, FINALIZER, KIT, ELECTION = PYTHON
SESSIONS = [source.splitlines() for language, source in BLOCKS if language == "console"]
PREFIX = re.compile(r"^\S+ \S+ [A-Z]+ [\w-]+: ")
"""Time, level and name of a line of the log."""


def section(title: str) -> str:
    return DOCUMENT.read_text().partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_the_first_controller_has_thirty_lines() -> None:
    lines = [line for line in FIRST.splitlines() if line.strip()]
    assert len(lines) <= 30
    assert "manager.run_program()" in lines[-1]


async def test_the_first_controller_keeps_a_config_map_for_each_mydemo(terminal: Terminal, tmp_path: Path) -> None:
    # Those that other tests have left would come first, one after the other.
    await terminal.do("delete", "mydemos", "--all", "--all-namespaces", "--wait=false")
    namespace = terminal.namespace("first")

    async def address() -> str:
        found = json.loads(await terminal.do("get", "configmaps", f"--namespace={namespace}", "--output=json"))["items"]
        return next((each["data"]["address"] for each in found if each["metadata"]["name"] == "alpha"), "")

    async def becomes(wanted: str) -> None:
        async def is_so() -> bool:
            return await address() == wanted

        await eventually(is_so, within=30, what=f"the address is {wanted}")

    with terminal.run("-c", FIRST) as program:
        await terminal.make(mydemo("alpha"), namespace)
        await becomes("10.0.0.1:80")
        patch = '--patch={"spec":{"port":81}}'
        await terminal.do("patch", "mydemo", "alpha", f"--namespace={namespace}", "--type=merge", patch)
        await becomes("10.0.0.1:81")
        patch = '--patch={"data":{"address":"nowhere"}}'
        await terminal.do("patch", "configmap", "alpha", f"--namespace={namespace}", "--type=merge", patch)
        await becomes("10.0.0.1:81")
        await terminal.do("delete", "configmap", "alpha", f"--namespace={namespace}")
        await becomes("10.0.0.1:81")
        assert await program.interrupt() == 0
        assert program.complaints == []
    said = await terminal.do("get", "events", f"--namespace={namespace}", "--output=jsonpath={.items[*].message}")
    assert "its address is 10.0.0.1:81" in said


def shown(command: str) -> tuple[list[str], list[str]]:
    """The arguments of a command of the page, and what it shows below."""
    lines = next(lines for lines in SESSIONS if command in lines[0])
    return shlex.split(lines[0])[2:], lines[1:]


def printed(program: Running, wanted: list[str]) -> list[str]:
    """Those lines of a program's that begin as some that are wanted do, without time, level and name."""
    beginnings = {line.split()[0] for line in wanted}
    lines = [PREFIX.sub("", line) for line in program.lines]
    elsewhere = re.compile(r"\b(?!shop/|Sync/|Add/)[\w-]+/")
    return [line for line in lines if line and line.split()[0] in beginnings and not elsewhere.search(line)]


async def test_crddemo_prints_what_the_page_shows(terminal: Terminal) -> None:
    await emptied(terminal, "mydemos")
    arguments, wanted = shown("informerd.controllers.crddemo")
    with terminal.run(*arguments) as program:
        await program.says("Started workers$")
        await terminal.make(mydemo("alpha"), "shop")
        await program.says("Successfully synced 'shop/alpha'$")
        await terminal.do("delete", "mydemo", "alpha", "--namespace=shop")
        await program.says("Successfully synced 'shop/alpha'$", times=2)
        await program.interrupt()
        assert printed(program, wanted) == wanted


async def test_the_tutorial_controller_prints_what_the_page_shows(terminal: Terminal) -> None:
    await emptied(terminal, "mydemos")
    arguments, wanted = shown("informerd.controllers.tutorial")
    with terminal.run(*arguments) as program:
        await terminal.make(mydemo("alpha"), "shop")
        await program.says("^Sync/Add/Update for Mydemo alpha$")
        await terminal.make(mydemo("beta"), "shop")
        await program.says("Dropping mydemo shop/beta")
        await terminal.do("delete", "mydemo", "alpha", "--namespace=shop")
        await program.says("^Mydemo shop/alpha does not exist$")
        assert [*dict.fromkeys(printed(program, wanted))] == wanted
        assert sum("Error syncing mydemo shop/beta" in line for line in program.lines) == 5  # of which one is shown


async def test_the_example_of_controller_runtime_prints_what_the_page_shows(terminal: Terminal) -> None:
    await emptied(terminal, "replicasets")
    arguments, wanted = shown("examples.replica_set_controller")
    await terminal.make(replica_set("web"), "shop")
    with terminal.run(*arguments) as program:
        await program.says("Reconciling ReplicaSet shop/web", times=2)  # once more for the label that it wrote
        assert [*dict.fromkeys(printed(program, wanted))] == wanted


async def emptied(terminal: Terminal, kind: str) -> None:
    terminal.create_namespace("shop")
    await terminal.do("delete", kind, "--all", "--namespace=shop")


@pytest.fixture
async def demo_cluster() -> AsyncIterator[DemoCluster]:
    async with DemoCluster() as cluster:
        yield cluster


@pytest.mark.program
async def test_the_pod_counter_labels_each_namespace_with_the_number_of_its_pods(demo_cluster: DemoCluster) -> None:
    manager = Manager(demo_cluster.client, factory=demo_cluster.factory)
    exec(COUNTER, {"manager": manager})
    namespaces = demo_cluster.dynamic.resource("namespaces")

    async def number() -> str:
        await demo_cluster.wait_until_settled()
        labels: dict[str, str] = (await namespaces.get("default"))["metadata"]["labels"]
        return labels["example.com/pods"]

    async with demo_cluster.run_controllers(manager):
        assert await number() == "0"
        await demo_cluster.apply(pod("a"), pod("b"))
        assert await number() == "2"
        await demo_cluster.dynamic.resource("pods", "default").delete("a", grace_period=0)
        assert await number() == "1"


def names_of_example(manager: Manager, example: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of a module that has the page's first controller for Mydemos, after `example` ran in it."""
    module = ModuleType("example_of_the_page")  # msgspec looks for the classes' module to read their annotations
    monkeypatch.setitem(sys.modules, module.__name__, module)
    names: dict[str, Any] = vars(module)
    names["manager"] = manager
    exec(FIRST.partition("\nmanager = ")[0], names)
    names["demos"] = manager.kind(MYDEMOS, names["Mydemo"])
    exec(example, names)
    return names


@pytest.mark.program
async def test_the_finalizer_of_the_page_keeps_a_mydemo_until_the_book_is_without_it(
    demo_cluster: DemoCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = Manager(demo_cluster.client, factory=demo_cluster.factory)
    names = names_of_example(manager, FINALIZER, monkeypatch)
    mydemos = demo_cluster.dynamic.resource("mydemos", "default")
    async with demo_cluster.run_controllers(manager):
        await demo_cluster.apply(mydemo("alpha"))
        await demo_cluster.wait_until_settled()
        assert names["book"] == {"default/alpha": "10.0.0.1"}
        assert (await mydemos.get("alpha"))["metadata"]["finalizers"] == ["example.com/address-book"]
        await mydemos.delete("alpha")
        await demo_cluster.wait_until_settled()
        assert names["book"] == {}
        with pytest.raises(NotFound):
            await mydemos.get("alpha")


@pytest.mark.program
async def test_the_status_of_the_page_is_written_apart_from_the_rest(
    demo_cluster: DemoCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = Manager(demo_cluster.client, factory=demo_cluster.factory)
    names_of_example(manager, STATUS, monkeypatch)
    mydemos = demo_cluster.dynamic.resource("mydemos", "default")
    async with demo_cluster.run_controllers(manager):
        await demo_cluster.apply(mydemo("alpha"), mydemo("beta", 8080))
        await demo_cluster.wait_until_settled()
        alpha, beta = await mydemos.get("alpha"), await mydemos.get("beta")
        assert [is_condition(each, "Ready") for each in (alpha, beta)] == [True, False]
        assert beta["status"]["message"] == "its port is not a well-known one"


@pytest.mark.program
async def test_the_test_of_the_page_passes() -> None:
    names: dict[str, Callable[[], Awaitable[None]]] = {}
    exec(KIT, names)
    await names["test_it_looks_again_after_an_hour"]()


def test_the_manager_of_the_page_takes_part_in_an_election(
    demo_terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(demo_terminal.kubeconfig))
    names: dict[str, informerd.Manager] = {}
    exec(ELECTION, names)
    assert not names["manager"].state().leads


def test_every_name_of_ours_exists() -> None:
    text = re.sub(r"```.*?```", "", DOCUMENT.read_text(), flags=re.DOTALL)
    for title in ("For people who know client-go and controller-runtime", "For people who know kopf"):
        for row in section(title).splitlines():
            text = text.replace(row, row.partition(" | ")[2])
    names = {*re.findall(r"`([A-Z][a-z]\w+)\b", text), *re.findall(r"`([a-z]+_\w+)\(?", section("Writing"))}
    assert len(names) > 40
    others = {"DemoCluster", "FakeClock", "LiveCluster", "None"}
    assert [name for name in sorted(names - others) if not hasattr(informerd, name)] == []


def test_every_error_of_controllers_is_named() -> None:
    named = {*re.findall(r"`([A-Z]\w+)`", section("When something is wrong"))}
    modules = (controller_runtime, controller_util)
    errors = {name for module in modules for name, each in vars(module).items() if is_error(each, module)}
    assert errors - named == set()


def is_error(each: object, module: ModuleType) -> bool:
    return isinstance(each, type) and issubclass(each, Exception) and each.__module__ == module.__name__
