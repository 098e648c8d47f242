"""Fixtures with whole programs against a real API server, and a real browser."""

from __future__ import annotations

import itertools
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.controlplane import ControlPlane, free_ports
from tests.support.daemon import Daemon
from tests.support.e2e.production_stack import ProductionStack
from tests.support.kubelet_logs import kubelet_with_logs
from tests.support.program import ROOT, Program, answers, run_program
from tests.support.skip_if_missing import controlplane_binaries

CRD = ROOT / "deploy" / "crd" / "mydemos.yaml"
_numbers = itertools.count(1)


class Dashboard(Program):
    """`manage.py deltaboard` on one kubeconfig; `url` is where it answers."""

    def __init__(self, kubeconfig: Path, home: Path, **env: str) -> None:
        (self.port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{self.port}"
        super().__init__(
            "manage.py",
            "deltaboard",
            "--port",
            str(self.port),
            env={"KUBECONFIG": str(kubeconfig), "HOME": str(home), "DELTABOARD_VAR": str(home), **env},
        )

    def migrate(self) -> None:
        """Make the database's tables, as `make run` does; only tests of what is kept in it need them."""
        migrated = run_program("manage.py", "migrate", "--verbosity", "0", env=self.env)
        assert migrated.returncode == 0, migrated.stderr

    def open(self) -> Dashboard:
        """Start it and wait for its first answer."""
        self.start()
        self.wait_for(lambda: answers(f"{self.url}/healthz"))
        return self

    def wait_until_live(self) -> None:
        """Wait until it has listed Pods and Mydemos: what is made from then on is a change, not a part of the list."""
        self.wait_for(lambda: {"pods", "mydemos"} <= self._live_kinds())

    def _live_kinds(self) -> set[str]:
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=30) as answer:
            families = text_string_to_metric_families(answer.read().decode())
            return {
                sample.labels["resource"]
                for family in families
                for sample in family.samples
                if sample.name == "informerd_state" and sample.labels["state"] == "live" and sample.value
            }


@pytest.fixture(scope="session")
def cluster(controlplane: ControlPlane) -> ControlPlane:
    """The run's API server with the Mydemo CRD."""
    controlplane.apply_crd(CRD)
    return controlplane


@pytest.fixture(scope="module")
def dashboard(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """The embedded form, shared by the tests that harm neither it nor its API server."""
    program = Dashboard(cluster.kubeconfig, tmp_path_factory.mktemp("home"))
    try:
        program.open().wait_until_live()
        yield program
    finally:
        program.__exit__()


@pytest.fixture
def namespace(cluster: ControlPlane) -> str:
    """A namespace of the test's own on the shared API server."""
    return cluster.create_namespace(f"e2e-{next(_numbers)}")


@pytest.fixture
def new_dashboard(tmp_path: Path) -> Iterator[Callable[..., Dashboard]]:
    """Starts dashboards for one test; all are ended after it."""
    programs: list[Dashboard] = []

    def make(kubeconfig: Path, **env: str) -> Dashboard:
        programs.append(Dashboard(kubeconfig, tmp_path, **env))
        return programs[-1].open()

    yield make
    for program in programs:
        program.__exit__()


@pytest.fixture(scope="module")
def modules_controlplane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """An API server of one module's tests, with the Mydemo CRD, which may be killed and frozen."""
    controlplane = ControlPlane(tmp_path_factory.mktemp("modules_controlplane"), controlplane_binaries())
    try:
        controlplane.start()
        controlplane.apply_crd(CRD)
        yield controlplane
    finally:
        controlplane.stop()


@pytest.fixture(scope="module")
def production(
    modules_controlplane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ProductionStack]:
    """The production form on it, for one test of the module after the other."""
    stack = ProductionStack(modules_controlplane, tmp_path_factory.mktemp("stack"))
    try:
        stack.start()
        yield stack
    finally:
        stack.stop()


@pytest.fixture(scope="module")
def kubelet(modules_controlplane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A kubelet with log files, for the nodes of `modules_controlplane`."""
    with kubelet_with_logs(modules_controlplane, tmp_path_factory.mktemp("kubelet")) as daemon:
        yield daemon
