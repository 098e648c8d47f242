"""Tests of an election in its thread, on API servers: one leader, blocked loops, and the reasons of the others."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import pytest

from informerd.errors import LeaderElectionLost, NotLeading
from informerd.leader_election.election_config import Election
from informerd.leader_election.election_thread import ElectionThread
from informerd.leader_election.lease_record import LEASES, LeaseRecord
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.leader_write_guard import guard_writes
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.wait import eventually, until

TERMS: dict[str, Any] = {"namespace": "default", "lease_duration": 3, "renew_deadline": 2.5, "retry_period": 0.2}
LASTING = {"lease_duration": 15, "renew_deadline": 10.0}
Begin = Callable[..., ElectionThread]


@pytest.fixture
async def begin() -> AsyncIterator[Begin]:
    """Starts a process's part in an election, and ends it with the test."""
    async with AsyncExitStack() as stack:

        def begin(config: ClusterConfig, name: str, **terms: Any) -> ElectionThread:
            election = ElectionThread(config, Election(name, **{**TERMS, **terms}))
            election.start()
            stack.push_async_callback(election.stop)
            return election

        yield begin


async def released_lease(config: ClusterConfig) -> str:
    """The name of a lease that somebody has held and given up."""
    name = f"lead-{uuid4().hex[:8]}"
    async with Client(config) as client:
        spec = LeaseRecord(duration=1, transitions=3).spec() | {"acquireTime": None, "renewTime": None}
        await client.create(LEASES, {"metadata": {"name": name}, "spec": spec}, "default")
    return name


async def test_the_second_leads_as_soon_as_the_first_one_stops(cluster: ClusterConfig, begin: Begin) -> None:
    name = await released_lease(cluster)
    first = begin(cluster, name, identity="first", **LASTING)
    await first.wait_until_leading()
    second = begin(cluster, name, identity="second", **LASTING)
    await eventually(lambda: second.leadership.last_record.holder == "first")
    assert (first.leadership.is_leading, second.leadership.is_leading) == (True, False)
    await first.stop()
    assert not first.leadership.is_leading
    await second.wait_until_leading()
    assert second.leadership.last_record.transitions == 5
    assert isinstance(await first.wait_until_lost(), LeaderElectionLost)


@pytest.mark.long
@pytest.mark.slow
async def test_a_lease_that_is_not_there_is_created(cluster: ClusterConfig, begin: Begin) -> None:
    election = begin(cluster, f"lead-{uuid4().hex[:8]}")
    await election.wait_until_leading()
    assert election.leadership.last_record.transitions == 0


@pytest.mark.long
@pytest.mark.slow
async def test_without_a_release_the_next_one_waits_for_the_end_of_the_lease(
    cluster: ClusterConfig, begin: Begin
) -> None:
    name = await released_lease(cluster)
    first, second = begin(cluster, name, identity="first"), None
    await first.wait_until_leading()
    await first.stop(release=False)
    second = begin(cluster, name, identity="second")
    await eventually(lambda: second.leadership.last_record.holder == "first")
    await second.wait_until_leading()
    assert second.leadership.last_record.holder == "second"


async def test_while_the_main_loop_is_blocked_the_lease_is_renewed(controlplane: ControlPlane, begin: Begin) -> None:
    config = load_kubeconfig(controlplane.kubeconfig)
    name = await released_lease(config)
    election = begin(config, name)
    await election.wait_until_leading()
    path = LEASES.path("default", name)
    seen: set[str] = set()

    def renewed_often() -> bool:  # blocks this loop for longer than the lease lasts
        seen.add(controlplane.get(path)["spec"]["renewTime"])
        return len(seen) > 12

    until(renewed_often)
    assert election.leadership.is_leading


@pytest.mark.long
async def test_a_main_loop_that_is_blocked_for_too_long_lets_another_take_over(
    controlplane: ControlPlane, begin: Begin, caplog: pytest.LogCaptureFixture
) -> None:
    config = load_kubeconfig(controlplane.kubeconfig)
    name = await released_lease(config)
    election = begin(config, name, blocked_limit=1.0)
    await election.wait_until_leading()
    until(lambda: "is no longer renewed: the event loop has been blocked" in caplog.text)
    with pytest.raises(NotLeading):
        election.leadership.guard()
    lost = await election.wait_until_lost()
    assert str(lost).startswith(f"lost the lease default/{name}: the event loop has been blocked for")
    other = begin(config, name, identity="other")
    await other.wait_until_leading()


@pytest.mark.long
async def test_while_the_api_server_is_gone_the_lease_is_lost_and_nothing_is_written(
    own_controlplane: ControlPlane, begin: Begin
) -> None:
    config = load_kubeconfig(own_controlplane.kubeconfig)
    name = await released_lease(config)
    election = begin(config, name)
    await election.wait_until_leading()
    await asyncio.to_thread(own_controlplane.pause)
    lost = await election.wait_until_lost()
    assert "not renewed for 2.5 s" in str(lost)
    await asyncio.to_thread(own_controlplane.kill)
    other = begin(config, name, identity="other")
    await eventually(lambda: "refused the connection" in other.leadership.problem)
    await asyncio.to_thread(own_controlplane.start_apiserver)
    async with Client(config) as client:
        with guard_writes(election.leadership.guard), pytest.raises(NotLeading, match="nothing was sent"):
            await client.create(LEASES, {"metadata": {"name": "after"}, "spec": {}}, "default")
    await other.wait_until_leading()
    assert not own_controlplane.exists(LEASES.path("default", "after"))


@pytest.mark.long
async def test_who_may_not_touch_leases_is_told_which_role_is_missing_and_leads_when_it_is_there(
    controlplane: ControlPlane, begin: Begin, caplog: pytest.LogCaptureFixture
) -> None:
    place = await asyncio.to_thread(controlplane.create_namespace, f"leases-{uuid4().hex[:8]}")
    election = begin(load_kubeconfig(controlplane.kubeconfig_of("bob")), "lead", namespace=place)
    await eventually(lambda: election.leadership.problem)
    said = "with the verbs get, create and update for leases in the API group coordination.k8s.io"
    assert 'User "bob" cannot get resource "leases"' in election.leadership.problem
    await eventually(lambda: f"a Role in the namespace {place} {said}" in caplog.text, what="the role in the log")
    await asyncio.to_thread(_let_bob_elect, controlplane, place)
    await election.wait_until_leading()
    assert election.leadership.problem == ""


def _let_bob_elect(controlplane: ControlPlane, namespace: str) -> None:
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    rule = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]}
    controlplane.create(f"{rbac}/roles", {"metadata": {"name": "elector"}, "rules": [rule]})
    user = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "bob"}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "elector"}
    controlplane.create(f"{rbac}/rolebindings", {"metadata": {"name": "elector"}, "subjects": [user], "roleRef": role})


async def test_a_namespace_that_is_not_there_is_named(cluster: ClusterConfig, begin: Begin) -> None:
    election = begin(cluster, "lead", namespace="nowhere")
    await eventually(lambda: "create the namespace nowhere" in election.leadership.problem)


async def test_an_election_is_stopped_before_it_began_or_twice(cluster: ClusterConfig) -> None:
    election = ElectionThread(cluster, Election("never", **TERMS))
    await election.stop()
    election.start()
    await election.stop()
    await election.stop()
    with pytest.raises(LeaderElectionLost, match="the election was stopped"):
        await election.wait_until_leading()


async def test_the_thread_ends_with_a_loop_that_forgot_it(
    controlplane: ControlPlane, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    config = load_kubeconfig(controlplane.kubeconfig)
    name = await released_lease(config)
    made: list[ElectionThread] = []

    async def forgetful() -> None:
        made.append(ElectionThread(config, Election(name, **TERMS)))
        made[0].start()
        await made[0].wait_until_leading()

    await asyncio.to_thread(asyncio.run, forgetful())
    await eventually(lambda: "is no longer renewed: the event loop has ended" in caplog.text)
    assert not made[0].leadership.is_leading
