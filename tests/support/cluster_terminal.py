"""Terminal at a cluster, the real or the demo one, in which a test runs kubectl and our programs."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from uuid import uuid4

import pytest
from ruamel.yaml import YAML

from informerd import ClusterConfig, load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.devcluster.http_client import Api
from tests.support.kubectl import collection_path
from tests.support.long_tests import long_but
from tests.support.program import ROOT, Program
from tests.support.skip_if_missing import controlplane_binaries, missing
from tests.support.wait import eventually

COMPLAINTS = ("Traceback", "Warning:", "Exception ignored", "never retrieved", "was destroyed", "Unclosed")


class Running(Program):
    """A Python program that runs with warnings as errors."""

    @property
    def lines(self) -> list[str]:
        """What it has written so far, standard error too."""
        return self.output.splitlines()

    async def says(self, pattern: str, *, times: int = 1, within: float = 30.0) -> None:
        """Wait until that many of its lines have a match of the regular expression; fails if it ends before."""
        expression = re.compile(pattern)

        def said() -> bool:
            enough = sum(1 for line in self.lines if expression.search(line)) >= times
            assert enough or self.running(), f"{self.arguments} ended early:\n{self.output}"
            return enough

        try:
            await eventually(said, within=within, what=f"{self.arguments} says {pattern!r} {times} times")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.output}") from None

    async def ends(self, *, within: float = 30.0) -> int:
        """Wait until it has ended by itself; the exit code."""
        await eventually(lambda: not self.running(), within=within, what=f"{self.arguments} ends\n{self.output}")
        return self.stop()

    async def interrupt(self, number: int = signal.SIGINT) -> int:
        """Press Ctrl-C, or send another signal, and wait for its end; the exit code."""
        return await asyncio.to_thread(self.stop, number)

    @property
    def complaints(self) -> list[str]:
        """Lines of tracebacks and of Python's warnings, of which there should be none."""
        return [line for line in self.lines if any(each in line for each in COMPLAINTS)]


class Terminal:
    """A terminal in which an administrator works with one cluster."""

    def __init__(self, kubeconfig: Path, *, controlplane: ControlPlane | None = None) -> None:
        self.kubeconfig = kubeconfig
        self.controlplane = controlplane
        """The real API server, None for the demo cluster."""

    @property
    def is_real(self) -> bool:
        return self.controlplane is not None

    @property
    def config(self) -> ClusterConfig:
        return load_kubeconfig(self.kubeconfig)

    def run(self, *arguments: str, **environ: str) -> Running:
        """A Python program, to be used with ``with``: ``run("-m", "informerd.controllers.crddemo")``."""
        env = {"KUBECONFIG": str(self.kubeconfig), "PYTHONPATH": str(ROOT), **environ}
        return Running("-X", "dev", "-W", "error", *arguments, env=env)

    def kubectl(self, *arguments: str, manifest: str | None = None) -> str:
        """What kubectl writes to standard output. Raises AssertionError with what it says where it fails."""
        program = controlplane_binaries() / "kubectl"
        if not os.access(program, os.X_OK):
            missing("kubectl", f"there is none in {program.parent}")
        done = subprocess.run(
            [program, "--kubeconfig", self.kubeconfig, *arguments],
            input=manifest, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    @cached_property
    def api(self) -> Api:
        """For what kubectl would be started for in vain."""
        return Api.of(self.kubeconfig)

    def create(self, manifest: str, namespace: str, *, anew: bool = False) -> None:
        """Create the objects of a manifest (one, or a List), unchecked; `anew`: in place of those of these names."""
        read = YAML(typ="safe").load(manifest)
        for obj in read["items"] if read["kind"] == "List" else [read]:
            obj["metadata"]["namespace"] = namespace
            path = collection_path(obj)
            if anew:
                self.api.delete(f"{path}/{obj['metadata']['name']}?gracePeriodSeconds=0")
            reply = self.api.post(path, obj)
            assert reply.code == 201, reply.text

    async def do(self, *arguments: str) -> str:
        """`kubectl`, while the event loop goes on."""
        return await asyncio.to_thread(self.kubectl, *arguments)

    async def make(self, manifest: str, namespace: str, *, anew: bool = False) -> None:
        """`create`, while the event loop goes on."""
        await asyncio.to_thread(self.create, manifest, namespace, anew=anew)

    def namespace(self, name: str) -> str:
        """Create a namespace that nobody has used, whose name begins so. Returns its name."""
        return self.create_namespace(f"{name}-{uuid4().hex[:8]}")

    def create_namespace(self, name: str) -> str:
        """Create the namespace that a page of the documentation names, unless it exists. Returns its name."""
        reply = self.api.post("/api/v1/namespaces", {"metadata": {"name": name}})
        assert reply.code in (201, 409), reply.text
        return name


@pytest.fixture(scope="session")
def demo_terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """The run's demo cluster, shared, with nothing moving in it by itself: use a namespace of your own."""
    kubeconfig = tmp_path_factory.mktemp("demo") / "kubeconfig"
    demo = Program("-m", "devcluster", "--port", "0", "--kubeconfig", str(kubeconfig), "--no-workload").start()
    try:
        demo.wait_for(lambda: "ready at" in demo.output)
        yield Terminal(kubeconfig)
    finally:
        demo.stop()


@pytest.fixture(scope="session")
def real_terminal(controlplane: ControlPlane) -> Terminal:
    """The run's real API server, with the definitions of deploy/crd."""
    controlplane.apply_crd(ROOT / "deploy" / "crd" / "mydemos.yaml")
    return Terminal(controlplane.kubeconfig, controlplane=controlplane)


@pytest.fixture(params=long_but(["kube-apiserver", "demo cluster"], "kube-apiserver"))
def terminal(request: pytest.FixtureRequest) -> Terminal:
    """Each of the two in turn."""
    name = "real_terminal" if request.param == "kube-apiserver" else "demo_terminal"
    found: Terminal = request.getfixturevalue(name)
    return found
