"""Tests of people's rights: what a real API server tells of them, and how soon a change of roles is known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast
from uuid import uuid4

import msgspec
import pytest

from dashboard.access.person import Person
from dashboard.access.rights import EVERYTHING, NOTHING, KindScope, Rights
from dashboard.cluster.access_probe import AccessProbe
from dashboard.cluster.people_rights import FORGET_SECONDS, MAX_CONCURRENT, REFRESH_SECONDS, PeopleRights
from dashboard.objects.kinds.catalog import KINDS
from informerd.clock import SystemClock
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig, Impersonation
from informerd.rest.load_config import load_kubeconfig
from tests.support.access.rbac_objects import RbacObjects, policy_rule
from tests.support.clock import FakeClock
from tests.support.controlplane import ControlPlane
from tests.support.wait import eventually

READ = policy_rule("get list watch")


@pytest.fixture
def rbac(controlplane: ControlPlane) -> Iterator[RbacObjects]:
    with RbacObjects(controlplane) as objects:
        yield objects


@pytest.fixture
def namespaces(controlplane: ControlPlane) -> list[str]:
    """Two namespaces of this test's own."""
    names = [f"{name}-{uuid4().hex[:8]}" for name in ("shop", "bank")]
    for name in names:
        controlplane.create("/api/v1/namespaces", {"metadata": {"name": name}})
    return names


@pytest.fixture
def anna() -> Person:
    """Somebody whom no other test names."""
    return Person(f"anna-{uuid4().hex[:8]}", (f"team-{uuid4().hex[:8]}",), "7")


@dataclass
class People:
    """The rights of a process's people, and the client that it asks with; `client` may be replaced."""

    client: Client
    namespaces: list[str]
    rights: PeopleRights
    asks_with: Client | None = None
    """What asks for people's rights, where that is another one."""

    async def of(self, person: Person) -> Rights:
        known = await self.rights.find(person)
        assert known.rights is not None, known.problem
        return known.rights

    async def scope(self, person: Person, key: str = "pods") -> KindScope:
        return (await self.of(person)).scope_of(key)


@asynccontextmanager
async def people(config: ClusterConfig, namespaces: list[str]) -> AsyncIterator[People]:
    async with Client(config) as client:

        def client_of(person: Person) -> Client:
            return (made.asks_with or made.client).impersonate(
                Impersonation(user=person.name, groups=person.groups, uid=person.uid)
            )

        rights = PeopleRights(
            lambda: made.client,
            client_of,
            SystemClock(),
            namespaces=lambda: namespaces,
            probe=AccessProbe(lambda: [KINDS["pods"], KINDS["nodes"]]),
        )
        made = People(client, namespaces, rights)
        running = asyncio.create_task(rights.run())
        try:
            yield made
        finally:
            running.cancel()
            await asyncio.wait([running])


@pytest.fixture
async def known(controlplane: ControlPlane, namespaces: list[str]) -> AsyncIterator[People]:
    async with people(load_kubeconfig(controlplane.kubeconfig), namespaces) as made:
        yield made


async def test_who_has_no_rights_sees_nothing(known: People, anna: Person) -> None:
    rights = await known.of(anna)
    assert rights.scope_of("pods") == NOTHING
    assert rights.allows("create", "selfsubjectaccessreviews.authorization.k8s.io")
    assert rights.allows_url("get", "/openapi/v3/apis/apps/v1")
    assert not rights.allows_url("get", "/metrics")


async def test_rights_come_from_users_and_groups_everywhere_and_in_namespaces(
    known: People, anna: Person, rbac: RbacObjects
) -> None:
    shop, bank = known.namespaces
    rbac.grant(f"User/{anna.name}", READ, namespace=shop)
    rbac.grant(f"Group/{anna.groups[0]}", policy_rule("get", names=["web"]), namespace=bank)
    rbac.grant(f"Group/{anna.groups[0]}", policy_rule("list", "nodes"))
    await eventually(lambda: known.rights.rbac.is_live)
    expected = KindScope(namespaces=frozenset({shop}), names=frozenset({(bank, "web")}))
    assert await known.scope(anna) == expected
    assert await known.scope(anna, "nodes") == EVERYTHING
    assert (await known.rights.find(anna)).is_complete


async def test_rights_of_the_group_of_all_who_are_signed_in(known: People, anna: Person, rbac: RbacObjects) -> None:
    shop, _ = known.namespaces
    rbac.grant("Group/system:authenticated", READ, namespace=shop)
    assert (await known.scope(anna)).namespaces == {shop}


async def test_a_change_of_roles_and_bindings_is_known_and_told(
    known: People, anna: Person, rbac: RbacObjects, controlplane: ControlPlane
) -> None:
    shop, _ = known.namespaces
    await eventually(lambda: known.rights.rbac.is_live)
    told: list[None] = []
    leave = known.rights.listen(anna, lambda: told.append(None))
    assert await known.scope(anna) == NOTHING

    async def becomes(expected: KindScope) -> None:
        async def has() -> bool:
            return await known.scope(anna) == expected

        await eventually(has)
        assert told
        told.clear()

    await asyncio.sleep(0)
    told.clear()
    binding = await asyncio.to_thread(rbac.grant, f"Group/{anna.groups[0]}", READ, namespace=shop)
    await becomes(KindScope(namespaces=frozenset({shop})))
    everywhere = await asyncio.to_thread(rbac.grant, f"User/{anna.name}", READ)
    await becomes(EVERYTHING)
    narrow = {"rules": [policy_rule("get", names=["web"])]}
    await asyncio.to_thread(controlplane.patch, rbac.role_of(everywhere), narrow)
    await becomes(KindScope(namespaces=frozenset({shop}), names_anywhere=frozenset({"web"})))
    await asyncio.to_thread(controlplane.patch, rbac.role_of(binding), {"rules": [policy_rule("get", names=["db"])]})
    await becomes(KindScope(names=frozenset({(shop, "db")}), names_anywhere=frozenset({"web"})))
    await asyncio.to_thread(controlplane.delete, binding)
    await becomes(KindScope(names_anywhere=frozenset({"web"})))
    await asyncio.to_thread(controlplane.delete, everywhere)
    await becomes(NOTHING)
    leave()


async def test_nobody_is_asked_about_for_whom_nothing_has_changed(
    known: People, anna: Person, rbac: RbacObjects, namespaces: list[str]
) -> None:
    await eventually(lambda: known.rights.rbac.is_live)
    await known.of(anna)
    await eventually(lambda: not (asked := known.rights.known(anna)) or not asked.due)
    confirmed = (await known.rights.find(anna)).confirmed_at
    other = Person(f"ben-{uuid4().hex[:8]}")
    await known.of(other)
    await asyncio.to_thread(rbac.grant, f"User/{other.name}", READ, namespace=namespaces[0])

    async def is_known() -> bool:
        return (await known.scope(other)).namespaces == {namespaces[0]}

    await eventually(is_known)
    assert (await known.rights.find(anna)).confirmed_at == confirmed


@pytest.mark.long
async def test_rights_end_with_a_change_about_which_the_api_server_does_not_answer(
    known: People, anna: Person, rbac: RbacObjects, controlplane: ControlPlane
) -> None:
    binding = await asyncio.to_thread(rbac.grant, f"User/{anna.name}", READ)
    await eventually(lambda: known.rights.rbac.is_live)
    assert await known.scope(anna) == EVERYTHING
    asked = await known.rights.find(anna)
    await eventually(lambda: not asked.due)
    async with Client(ClusterConfig(name="c", server="http://127.0.0.1:1")) as nowhere:
        known.asks_with = nowhere
        await asyncio.to_thread(controlplane.delete, binding)
        await eventually(lambda: asked.rights is None)
        assert "does not say what you may see" in asked.problem
        known.asks_with = None
    await eventually(lambda: asked.rights is not None, within=60)
    assert asked.rights is not None
    assert asked.rights.scope_of("pods") == NOTHING


async def test_an_account_that_may_not_impersonate_shows_nothing_and_says_why(
    controlplane: ControlPlane, anna: Person
) -> None:
    async with people(load_kubeconfig(controlplane.kubeconfig_of("bob")), []) as made:
        known = await made.rights.find(anna)
        assert known.rights is None
        assert "right to impersonate users and groups" in known.problem
        assert "selfsubjectrulesreviews" in known.problem


async def test_a_cluster_that_does_not_answer_shows_nothing_to_who_is_new(anna: Person) -> None:
    async with people(ClusterConfig(name="c", server="http://127.0.0.1:1"), []) as made:
        known = await made.rights.find(anna)
        assert (known.rights, known.problem != "") == (None, True)


async def test_another_client_withdraws_all_rights_until_they_are_asked_for_again(
    known: People, controlplane: ControlPlane, anna: Person, rbac: RbacObjects
) -> None:
    rbac.grant(f"User/{anna.name}", READ)
    await eventually(lambda: known.rights.rbac.is_live)
    seen: list[Rights | None] = []
    asked = await known.rights.find(anna)
    assert asked.rights is not None
    known.rights.listen(anna, lambda: seen.append(asked.rights))
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as other:
        before, known.client = known.client, other
        await eventually(lambda: len(seen) > 1)
        assert seen[0] is None
        assert seen[-1] is not None
        known.client = before


async def test_who_is_gone_is_forgotten(controlplane: ControlPlane, anna: Person) -> None:
    async with people(load_kubeconfig(controlplane.kubeconfig), []) as made:
        known = await made.rights.find(anna)
        known.used_at -= FORGET_SECONDS + 1
        await made.rights.sweep()
        assert len(made.rights) == 0


class HangingClient:
    """Answers reviews, until it `hangs`: an API server with much to do cannot be had at the right moment."""

    hangs = False

    async def create(self, resource: Resource, review: object) -> HangingClient:
        if self.hangs:
            await asyncio.Event().wait()
        return self

    def decode(self, kind: type[object]) -> object:
        return msgspec.convert({"status": {"incomplete": False}}, kind)


async def test_somebody_new_does_not_wait_until_all_others_are_asked_about_again() -> None:
    old, new, clock = HangingClient(), HangingClient(), FakeClock()
    rights = PeopleRights(
        lambda: None,
        lambda person: cast("Client", new if person.name == "new" else old),
        clock,
        namespaces=list,
        probe=AccessProbe(list),
    )
    running = asyncio.create_task(rights.run())
    for number in range(2 * MAX_CONCURRENT):
        assert (await rights.find(Person(f"old-{number}"))).rights is not None
    old.hangs = True
    await clock.advance(REFRESH_SECONDS)
    await rights.sweep()
    finding = asyncio.create_task(rights.find(Person("new")))
    await eventually(finding.done)
    assert (await finding).rights is not None
    running.cancel()
    await asyncio.wait([running])
