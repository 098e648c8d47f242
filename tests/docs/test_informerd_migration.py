"""Tests of docs/informerd-migration.md: each pair of programs prints the same against a real API server."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import informerd
from informerd import AlreadyExists, Client, DynamicClient, Json, load_kubeconfig
from tests.informerd.test_distribution import empty_environment, install, python_of
from tests.support.controlplane import ControlPlane
from tests.support.program import ROOT
from tests.support.wait import eventually

pytestmark = [pytest.mark.program, pytest.mark.controlplane]

DOCUMENT = (ROOT / "docs" / "informerd-migration.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", DOCUMENT, re.DOTALL | re.MULTILINE)
(WATCH, INFORMER), (KOPF, INDEX), (KR8S, DYNAMIC), (LIGHTKUBE, TYPED) = zip(BLOCKS[::2], BLOCKS[1::2], strict=True)
KOPF_COMMAND = ("-m", "kopf", "run", "--standalone", "-n", "shop")
READY = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}


def pod(name: str, app: str) -> Json:
    return {"metadata": {"name": name, "labels": {"app": app}}, "spec": {"containers": [{"name": "a", "image": "a"}]}}


@pytest.fixture
async def dynamic(controlplane: ControlPlane) -> AsyncIterator[DynamicClient]:
    """The namespace `shop` with its pods, of which web-1 is ready and has no tier."""
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        dynamic = DynamicClient(client)
        pods = dynamic.resource("pods", "shop")
        try:
            await dynamic.resource("namespaces").create({"metadata": {"name": "shop"}})
        except AlreadyExists:
            for each in await pods.list():
                await pods.delete(each["metadata"]["name"], grace_period=0)
        for name, app in (("web-1", "web"), ("web-2", "web"), ("db-1", "db")):
            await pods.create(pod(name, app))
        await pods.patch("web-1", READY, subresource="status")
        yield dynamic


class Programs:
    """Runs the blocks, each as a program of its own."""

    def __init__(self, folder: Path, kubeconfig: Path) -> None:
        self._folder = folder
        self._environ = {"KUBECONFIG": str(kubeconfig), "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
        self._environ |= {"HOME": str(folder), "PYTHONUNBUFFERED": "1"}

    async def _start(self, source: str, command: tuple[str, ...], python: object) -> asyncio.subprocess.Process:
        file = self._folder / "program.py"
        file.write_text(source)
        with (self._folder / "output").open("wb") as output, (self._folder / "errors").open("wb") as errors:
            return await asyncio.create_subprocess_exec(
                str(python), *command, str(file), cwd=self._folder, env=self._environ, stdout=output, stderr=errors
            )

    @property
    def output(self) -> list[str]:
        return (self._folder / "output").read_text().splitlines()

    @property
    def errors(self) -> str:
        return (self._folder / "errors").read_text()

    async def run(self, source: str, *, python: object = sys.executable) -> list[str]:
        """What a program prints that ends by itself."""
        process = await self._start(source, (), python)
        assert await process.wait() == 0, self.errors
        return self.output

    @asynccontextmanager
    async def running(self, source: str, *command: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """A program that runs until it is ended."""
        process = await self._start(source, command, sys.executable)
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    async def says(self, process: asyncio.subprocess.Process, line: str) -> None:
        await eventually(lambda: line in self.output or process.returncode is not None, within=60, what=line)
        assert line in self.output, self.errors


@pytest.fixture
def programs(tmp_path: Path, controlplane: ControlPlane) -> Programs:
    return Programs(tmp_path, controlplane.kubeconfig)


def test_each_program_has_about_ten_lines() -> None:
    assert len(BLOCKS) == 8
    lengths = [len([line for line in block.splitlines() if line.strip()]) for block in BLOCKS]
    assert max(lengths) <= 15
    assert max(lengths[::2]) <= 10


@pytest.mark.parametrize(
    "source", [pytest.param(WATCH, marks=pytest.mark.long, id="before"), pytest.param(INFORMER, id="after")]
)
async def test_both_tell_what_is_there_and_what_comes_and_goes(
    source: str, dynamic: DynamicClient, programs: Programs
) -> None:
    pods = dynamic.resource("pods", "shop")
    async with programs.running(source) as process:
        for name in ("web-1", "web-2", "db-1"):
            await programs.says(process, f"ADDED {name}")
        await pods.create(pod("new", "new"))
        await programs.says(process, "ADDED new")
        await pods.patch("new", {"metadata": {"labels": {"a": "b"}}})
        await programs.says(process, "MODIFIED new")
        await pods.delete("new", grace_period=0)
        await programs.says(process, "DELETED new")


@pytest.mark.parametrize(
    ("source", "command"),
    [pytest.param(KOPF, KOPF_COMMAND, marks=pytest.mark.long, id="before"), pytest.param(INDEX, (), id="after")],
)
async def test_both_find_pods_by_their_label(
    source: str, command: tuple[str, ...], dynamic: DynamicClient, programs: Programs
) -> None:
    async with programs.running(source, *command) as process:
        await programs.says(process, "db-1 sees ['web-1', 'web-2']")
        await dynamic.resource("pods", "shop").delete("web-2", grace_period=0)
        await dynamic.resource("pods", "shop").patch("db-1", {"metadata": {"labels": {"a": "b"}}})
        await programs.says(process, "db-1 sees ['web-1']")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        pytest.param(DYNAMIC, ["web-1 front", "web-2 None"], id="kr8s"),
        pytest.param(TYPED, ["web-1 is ready", "web-1 front", "web-2 None"], id="lightkube"),
    ],
)
@pytest.mark.usefixtures("dynamic")
async def test_the_programs_with_informerd_print_what_the_others_do(
    source: str, said: list[str], programs: Programs
) -> None:
    assert await programs.run(source) == said


@pytest.mark.long
@pytest.mark.timeout(600)  # it fetches what is installed
@pytest.mark.parametrize(
    ("source", "package", "said"),
    [
        pytest.param(KR8S, "kr8s~=0.20.15", ["web-1 front", "web-2 None"], id="kr8s"),
        pytest.param(LIGHTKUBE, "lightkube~=1.0", ["web-1 is ready", "web-1 front", "web-2 None"], id="lightkube"),
    ],
)
@pytest.mark.usefixtures("dynamic")
async def test_the_programs_of_libraries_that_are_not_installed_print_it(
    source: str, package: str, said: list[str], programs: Programs, tmp_path: Path
) -> None:
    environment = await asyncio.to_thread(empty_environment, tmp_path / "environment")
    await asyncio.to_thread(install, environment, package)
    assert await programs.run(source, python=python_of(environment)) == said


def test_every_name_of_ours_in_the_tables_exists() -> None:
    cells = [line.split(" | ")[-1] for line in DOCUMENT.splitlines() if line.startswith("| ")]
    names = {name for cell in cells for name in re.findall(r"`([A-Z]\w+)\b", cell)} - {"V1Pod"}
    assert len(names) > 5
    assert [name for name in sorted(names) if not hasattr(informerd, name)] == []
