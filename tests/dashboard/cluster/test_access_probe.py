"""Tests of the probe for rights that somebody's rules do not tell: a real API server is asked kind by kind."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from dashboard.access.person import Person
from dashboard.access.rights import EVERYTHING, NOTHING, Rights
from dashboard.cluster.access_probe import AccessProbe
from dashboard.objects.kinds.catalog import KINDS
from informerd.rest.client import Client
from informerd.rest.cluster_config import Impersonation
from informerd.rest.load_config import load_kubeconfig
from tests.support.access.rbac_objects import RbacObjects, policy_rule
from tests.support.controlplane import ControlPlane

READ = policy_rule("get list watch")


@pytest.fixture
def rbac(controlplane: ControlPlane) -> Iterator[RbacObjects]:
    with RbacObjects(controlplane) as objects:
        yield objects


async def test_what_the_rules_leave_out_is_found_in_the_cluster_and_in_each_namespace(
    controlplane: ControlPlane, rbac: RbacObjects
) -> None:
    shop, bank = (controlplane.create_namespace(f"{name}-{uuid4().hex[:8]}") for name in ("shop", "bank"))
    anna = Person(f"anna-{uuid4().hex[:8]}", ("testers",), "7")
    rbac.grant(f"User/{anna.name}", READ, namespace=shop)
    rbac.grant(f"User/{anna.name}", policy_rule("list", "nodes"))
    probe = AccessProbe(lambda: [KINDS["pods"], KINDS["nodes"]])
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as admin:
        client = admin.impersonate(Impersonation(user=anna.name, groups=anna.groups))
        rights = await probe.completed(Rights((), {}), anna, client, [shop, bank], [KINDS["configmaps"]])
    assert rights.scope_of("pods").namespaces == {shop}
    assert rights.scope_of("nodes") == EVERYTHING
    assert rights.scope_of("configmaps") == NOTHING
    assert rights.fingerprint != Rights(rights.everywhere, rights.by_namespace).fingerprint, "nobody shares them"


async def test_what_the_rules_tell_already_is_not_asked_again(controlplane: ControlPlane) -> None:
    known = Rights((), {}).with_name("pods", "shop", "web")
    probe = AccessProbe(list)
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as admin:
        rights = await probe.completed(known, Person("anna"), admin, ["shop"])
    assert rights.scope_of("pods").names == {("shop", "web")}
