"""Fixtures of an API server with Pod Security, an audit log, and the kinds that the chart makes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.deploy.audit import FLAGS, write_policy
from tests.support.helm import Helm
from tests.support.kubectl import kubectl_binary
from tests.support.program import ROOT
from tests.support.skip_if_missing import controlplane_binaries, missing

NAMESPACE = "deltaboard"
RESTRICTED = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}


@pytest.fixture(scope="session")
def chart_controlplane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """An API server with an audit log, the namespaces deltaboard, where Pod Security enforces `restricted`, and team-a
    and team-b, and the definitions of the kinds of others that the chart makes."""
    folder = tmp_path_factory.mktemp("chart_controlplane")
    write_policy(folder)
    server = ControlPlane(folder, controlplane_binaries(), apiserver_flags=FLAGS)
    try:
        server.start()
        server.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE, "labels": RESTRICTED}})
        for name in ("team-a", "team-b"):
            server.create_namespace(name)
        for path in sorted((ROOT / "tests" / "deploy" / "crds").glob("*.yaml")):
            server.apply_crd(path)
        yield server
    finally:
        server.stop()


@pytest.fixture
def helm(chart_controlplane: ControlPlane, tmp_path: Path) -> Helm:
    """helm for namespace deltaboard of that cluster."""
    return Helm(tmp_path, kubeconfig=chart_controlplane.kubeconfig)


@pytest.fixture
def apply(chart_controlplane: ControlPlane, tmp_path: Path) -> Callable[..., str]:
    """What ``kubectl apply`` of a file (-f) or folder (-k) would do, as the API server says; AssertionError where it
    refuses or warns."""
    binary = kubectl_binary() or missing("kubectl", "put it into KUBEBUILDER_ASSETS or PATH")
    server = ["--kubeconfig", str(chart_controlplane.kubeconfig), "--cache-dir", str(tmp_path / "cache")]
    options = ["--server-side", "--dry-run=server", "--validate=strict"]

    def run(*what: str) -> str:
        command = [binary, *server, "apply", *options, *what]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        return done.stdout

    return run
