"""Tests of the worker's manager on a real API server: election, and messages about missing permissions."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

import pytest

from dashboard.pages.controllers.builtin_controllers import LEASE_NAME, new_manager
from informerd import Manager, load_kubeconfig
from informerd.clock import SystemClock
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos
from tests.support.program import ROOT
from tests.support.wait import eventually

CRD = ROOT / "deploy" / "crd" / "mydemos.yaml"
RBAC = "rbac.authorization.k8s.io"


@pytest.fixture
async def run(controlplane: ControlPlane) -> AsyncIterator[Callable[..., Manager]]:
    """Runs crddemo's manager as a user; all are ended after the test."""
    controlplane.apply_crd(CRD)
    running: list[tuple[Manager, asyncio.Task[None]]] = []

    def begin(user: str, *, elected: bool) -> Manager:
        cluster = load_kubeconfig(controlplane.kubeconfig_of(user))
        manager = new_manager(("crddemo",), cluster, SystemClock(), leader_election=elected)
        running.append((manager, asyncio.create_task(manager.run())))
        return manager

    yield begin
    for manager, task in running:
        manager.stop()
        await task


@contextmanager
def let(controlplane: ControlPlane, user: str, *rules: dict[str, list[str]]) -> Iterator[None]:
    """Give a user rights in the whole cluster, and take them away: others try what that user may not do."""
    name = f"{user}-{uuid.uuid4().hex[:6]}"
    path = f"/apis/{RBAC}/v1"
    controlplane.create(f"{path}/clusterroles", {"metadata": {"name": name}, "rules": list(rules)})
    subject = {"apiGroup": RBAC, "kind": "User", "name": user}
    body = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": name},
        "subjects": [subject],
    }
    controlplane.create(f"{path}/clusterrolebindings", body)
    try:
        yield
    finally:
        for plural in ("clusterrolebindings", "clusterroles"):
            controlplane.delete(f"{path}/{plural}/{name}")


async def test_a_worker_that_may_not_have_the_lease_says_what_it_needs(
    run: Callable[..., Manager], caplog: pytest.LogCaptureFixture
) -> None:
    manager = run("bob", elected=True)
    await eventually(lambda: manager.state().problem)
    state = manager.state()
    assert "the verbs get, create and update for leases in the API group coordination.k8s.io" in state.problem
    assert (state.lease, state.leads) == (f"default/{LEASE_NAME}", False)
    assert [each.phase for each in state.controllers] == ["waiting for leader"]
    await eventually(lambda: "cannot acquire the lease" in caplog.text)  # the manager's thread logs it a moment later


async def test_a_worker_that_may_write_no_events_says_so_and_reconciles_all_the_same(
    run: Callable[..., Manager], controlplane: ControlPlane, caplog: pytest.LogCaptureFixture
) -> None:
    namespace = controlplane.create_namespace(f"managing-{uuid.uuid4().hex[:8]}")
    controlplane.create(mydemos(namespace), mydemo("one"))
    reading = {"apiGroups": ["crddemo.k8s.io"], "resources": ["mydemos"], "verbs": ["get", "list", "watch"]}
    with let(controlplane, "bob", reading):
        manager = run("bob", elected=False)
        await eventually(lambda: manager.state().events.problem)
    state = manager.state()
    assert 'cannot create resource "events"' in state.events.problem
    assert state.controllers[0].reconciles["success"] >= 1
    assert (state.lease, state.leads, state.since is not None) == ("", True, True)
    assert "was not written" in caplog.text
