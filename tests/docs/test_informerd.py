"""Tests of docs/informerd.md: every block runs, prints what it says, and imports from `informerd` alone.

A block that runs an event loop of its own is a program; the others are pieces of one async function, in their order.
All run in separate processes in which every warning is an error.
"""

from __future__ import annotations

import ast
import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

import informerd
from informerd import AlreadyExists, Client, DynamicClient, load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.program import ROOT, Program
from tests.support.wait import eventually

DOCUMENT = ROOT / "docs" / "informerd.md"
FENCED = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SAID = re.compile(r"(?:print\(.*\)  # |  # prints: )(.*)$", re.MULTILINE)
PIECES = """
import ast, asyncio, json, sys

async def main():
    names = {"__name__": "pieces"}
    for place, source in json.load(sys.stdin):
        source = "\\n" * place + source
        code = compile(source, "docs/informerd.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        waiting = eval(code, names)
        if waiting is not None:
            await waiting

asyncio.run(main())
"""


class Block(NamedTuple):
    """A fenced block of Python, and the number of its first line, from 0."""

    place: int
    source: str

    @property
    def is_program(self) -> bool:
        return "asyncio.run(" in self.source or "with informers(" in self.source

    @property
    def applies(self) -> bool:
        """Whether it needs server-side apply, which the demo cluster does not have."""
        return ".apply(" in self.source

    @property
    def said(self) -> list[str]:
        """The lines that its comments say it prints."""
        return SAID.findall(self.source)


def blocks() -> list[Block]:
    text = DOCUMENT.read_text()
    return [Block(text.count("\n", 0, match.start(1)), match[1]) for match in FENCED.finditer(text)]


BLOCKS = blocks()
PROGRAMS = [block for block in BLOCKS if block.is_program]
WATCH, CONTROLLER, WAIT, WAIT_FOR_ONE, LOG, READ = PROGRAMS


class Shop(NamedTuple):
    """A cluster with the objects that the page assumes."""

    is_real: bool
    kubeconfig: Path
    dynamic: DynamicClient

    def program(self, block: Block, tmp_path: Path) -> Program:
        file = tmp_path / "program.py"
        file.write_text(block.source)
        environ = {"KUBECONFIG": str(self.kubeconfig), "PYTHONPATH": str(ROOT)}
        return Program("-X", "dev", "-W", "error", str(file), env=environ)


def pod(name: str, app: str, node: str = "") -> informerd.Json:
    spec = {"containers": [{"name": "main", "image": "nginx:1"}], **({"nodeName": node} if node else {})}
    return {"metadata": {"name": name, "labels": {"app": app}}, "spec": spec}


def mydemo(name: str, port: int) -> informerd.Json:
    head = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "metadata": {"name": name}}
    return {**head, "spec": {"ip": "10.0.0.1", "port": port}}


async def open_shop(dynamic: DynamicClient) -> None:
    """Create the namespace `shop` with the page's objects, whatever an earlier test left there."""
    objects = {
        "pods": [pod("web-1", "web", "n1"), pod("web-2", "web", "n2"), pod("db-1", "db")],
        "mydemos": [mydemo("alpha", 80), mydemo("beta", 90)],
        "configmaps": [{"metadata": {"name": "colours"}, "data": {"sky": "blue"}}],
        "secrets": [{"metadata": {"name": "password"}, "data": {"word": "aGlkZGVu"}}],
    }
    try:
        await dynamic.resource("namespaces").create({"metadata": {"name": "shop"}})
    except AlreadyExists:
        for kind in objects:
            for each in await dynamic.resource(kind, "shop").list():
                await dynamic.resource(kind, "shop").delete(each["metadata"]["name"], grace_period=0)
    for kind, wanted in objects.items():
        for obj in wanted:
            await dynamic.resource(kind, "shop").create(obj)


@pytest.fixture(
    params=[
        pytest.param("kube-apiserver", marks=[pytest.mark.controlplane, pytest.mark.program]),
        pytest.param("demo cluster", marks=[pytest.mark.program, pytest.mark.long]),
    ]
)
async def shop(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Shop]:
    demo: Program | None = None
    if request.param == "kube-apiserver":
        controlplane: ControlPlane = request.getfixturevalue("controlplane")
        await asyncio.to_thread(controlplane.apply_crd, ROOT / "deploy" / "crd" / "mydemos.yaml")
        kubeconfig = controlplane.kubeconfig
    else:
        kubeconfig = tmp_path / "kubeconfig"
        demo = Program("-m", "devcluster", "--port", "0", "--kubeconfig", str(kubeconfig), "--no-workload").start()
        await asyncio.to_thread(demo.wait_for, lambda: "ready at" in demo.output)
    try:
        async with Client(load_kubeconfig(kubeconfig)) as client:
            dynamic = DynamicClient(client)
            await open_shop(dynamic)
            yield Shop(demo is None, kubeconfig, dynamic)
    finally:
        if demo is not None:
            await asyncio.to_thread(demo.stop)


async def until_said(program: Program, lines: str) -> None:
    await eventually(lambda: lines in program.output, within=30)


def interrupt(program: Program) -> None:
    """Press Ctrl-C: it ends by that and says nothing else."""
    assert program.stop(signal.SIGINT) == -signal.SIGINT, program.output
    assert program.output.rstrip().endswith("KeyboardInterrupt")
    assert complaints(program.output) == []


def complaints(text: str) -> list[str]:
    words = ("Warning", "Exception ignored", "never retrieved", "was destroyed", "Unclosed")
    return [line for line in text.splitlines() if any(word in line for word in words)]


# The page itself


def test_the_page_begins_with_a_watch_of_pods_in_ten_lines() -> None:
    assert BLOCKS[0] == WATCH
    assert len([line for line in WATCH.source.splitlines() if line.strip()]) == 10
    assert DOCUMENT.read_text().index(WATCH.source) < 700


def test_all_of_it_is_imported_from_informerd_itself() -> None:
    imported = [
        (node.module, alias.name)
        for block in BLOCKS
        for node in ast.walk(ast.parse(block.source))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    ours = [(module, name) for module, name in imported if module and module.startswith("informerd")]
    assert len(ours) > 20
    assert {module for module, _ in ours} == {"informerd", "informerd.metrics"}
    assert [name for module, name in ours if module == "informerd" and name not in informerd.__all__] == []


def test_every_error_that_it_names_exists_and_every_kind_of_error_is_named() -> None:
    table = DOCUMENT.read_text().partition("## Errors")[2].partition("```")[0]
    named = {*re.findall(r"`([A-Z]\w+)`", table)}
    errors = {name for name in informerd.__all__ if is_error(name)}
    internal = {"TransformFailed"}
    assert named - {"InformerdError"} == errors - internal - {"InformerdError"}


def is_error(name: str) -> bool:
    kind = getattr(informerd, name)
    return isinstance(kind, type) and issubclass(kind, Exception)


def test_every_name_of_ours_in_the_comparison_exists() -> None:
    table = DOCUMENT.read_text().partition("## For people who know client-go")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 25
    names = {name for row in rows for name in re.findall(r"`([A-Z]\w+)\b", row[1])}
    assert [name for name in sorted(names) if not hasattr(informerd, name)] == []


# Its programs


async def test_the_watch_of_pods_tells_what_comes_changes_and_goes(shop: Shop, tmp_path: Path) -> None:
    pods = shop.dynamic.resource("pods", "shop")
    with shop.program(WATCH, tmp_path) as program:
        await until_said(program, "+ shop/db-1")
        await pods.create(pod("new", "new"))
        await until_said(program, "+ shop/new")
        await pods.patch("new", {"metadata": {"labels": {"a": "b"}}})
        await until_said(program, "~ shop/new")
        await pods.delete("new", grace_period=0)
        await until_said(program, "- shop/new")
        await asyncio.to_thread(interrupt, program)


async def test_the_controller_keeps_a_config_map_for_each_port(shop: Shop, tmp_path: Path) -> None:
    demos, maps = shop.dynamic.resource("mydemos", "shop"), shop.dynamic.resource("configmaps", "shop")

    async def says(port: int, names: str) -> None:
        async def said() -> bool:
            return any(each["data"] == {"names": names} for each in await maps.list(field_selector=of(port)))

        await eventually(said, within=30, what=f"port {port} has {names}")

    def of(port: int) -> str:
        return f"metadata.name=port-{port}"

    if not shop.is_real:
        with shop.program(CONTROLLER, tmp_path) as program:
            await until_said(program, "port 80: server-side apply is not supported by the demo cluster")
            await asyncio.to_thread(interrupt, program)
        return
    with shop.program(CONTROLLER, tmp_path) as program:
        await says(80, "alpha")
        await says(90, "beta")
        await demos.create(mydemo("gamma", 80))
        await says(80, "alpha gamma")
        await demos.patch("alpha", {"spec": {"port": 90}})
        await says(80, "gamma")
        await says(90, "alpha beta")
        await demos.delete("beta")
        await says(90, "alpha")
        await asyncio.to_thread(interrupt, program)


async def test_the_scripts_print_what_they_say(shop: Shop, tmp_path: Path) -> None:
    scripts = (WAIT, WAIT_FOR_ONE, READ)
    assert [script.said for script in scripts] == [["2"], ["shop"], ["shop/db-1"]]
    for script in scripts:
        with shop.program(script, tmp_path) as program:
            assert await asyncio.to_thread(lambda: program.process and program.process.wait(60)) == 0, program.output
            assert program.output.splitlines() == script.said


def test_the_programs_of_the_distributions_readme_are_among_them() -> None:
    readme = FENCED.findall((ROOT / "informerd" / "README.md").read_text())
    assert readme == [WAIT.source, WATCH.source]


def test_the_short_scripts_have_five_lines() -> None:
    """`LOG` is run where there is a log, in tests/informerd/rest/test_pod_log.py."""
    assert "cluster.logs(" in LOG.source
    lengths = [len([line for line in block.source.splitlines() if line.strip()]) for block in (WAIT, WAIT_FOR_ONE, LOG)]
    assert lengths == [5, 5, 4]


# Its pieces


async def test_the_pieces_run_in_their_order_and_print_what_they_say(shop: Shop) -> None:
    pieces = [block for block in BLOCKS if not block.is_program and (shop.is_real or not block.applies)]
    assert len(pieces) > 15
    program = f"import sys, json; sys.path.insert(0, {str(ROOT)!r})\n{PIECES}"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-X", "dev", "-W", "error", "-c", program, cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={"KUBECONFIG": str(shop.kubeconfig), "PATH": ""},
    )  # fmt: skip
    output, errors = await process.communicate(msgspec.json.encode(pieces))
    assert process.returncode == 0, errors.decode()
    assert complaints(errors.decode()) == []
    said, printed = [line for block in pieces for line in block.said], iter(output.decode().splitlines())
    assert len(said) > 25
    missing = [line for line in said if line not in printed]  # each is looked for after the one before
    assert missing == [], output.decode()
