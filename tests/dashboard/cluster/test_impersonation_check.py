"""Tests of the roles that ship for Deltaboard's account: with each of them people act with their own rights."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml

from dashboard.cluster.impersonation_check import ADMINISTRATOR, Form, impersonation_form, log_impersonation_form
from dashboard.cluster.rules_review import NO_NAMESPACE, review_rules
from informerd.clock import SystemClock
from informerd.errors import Forbidden
from informerd.resource import PODS, Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import Impersonation
from informerd.rest.load_config import load_kubeconfig
from tests.support.access.rbac_objects import PATH, RbacObjects, policy_rule
from tests.support.controlplane import ApiFailure, ControlPlane
from tests.support.program import ROOT
from tests.support.wait import eventually

NAMESPACES = Resource(group="", version="v1", plural="namespaces", kind="Namespace", namespaced=False)
ROLES = ROOT / "deploy" / "rbac"


def documents(name: str) -> list[dict[str, Any]]:
    """The role and the binding of deltaboard-people."""
    text = (ROLES / name).read_text()
    return [each for each in yaml.safe_load_all(text) if each["metadata"]["name"] == "deltaboard-people"]


@pytest.fixture
def applied(controlplane: ControlPlane, request: pytest.FixtureRequest) -> Iterator[None]:
    """The roles of one file, for the time of a test."""
    made = documents(request.param) if request.param else []
    for each in made:
        controlplane.create(f"{PATH}/{each['kind'].lower()}s", each)
    yield
    for each in made:
        with suppress(ApiFailure):
            controlplane.delete(f"{PATH}/{each['kind'].lower()}s/{each['metadata']['name']}")


@pytest.mark.parametrize(
    ("applied", "form"),
    [("people.yaml", "constrained"), ("people-before-1.36.yaml", "plain"), ("", "none")],
    indirect=["applied"],
)
@pytest.mark.usefixtures("applied")
async def test_the_form_is_told(controlplane: ControlPlane, form: Form) -> None:
    async with Client(load_kubeconfig(controlplane.kubeconfig_of("deltaboard"))) as client:

        async def is_form() -> bool:
            return await impersonation_form(client) == form

        await eventually(is_form)


async def test_an_administrators_account_is_warned_of(
    controlplane: ControlPlane, caplog: pytest.LogCaptureFixture
) -> None:
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        with caplog.at_level(logging.INFO):
            await log_impersonation_form(lambda: client, SystemClock())
    assert ADMINISTRATOR in caplog.messages


@pytest.mark.parametrize("applied", ["people.yaml", "people-before-1.36.yaml"], indirect=True)
@pytest.mark.usefixtures("applied")
async def test_with_the_roles_people_act_with_their_own_rights(controlplane: ControlPlane) -> None:
    name = f"anna-{uuid4().hex[:8]}"
    person = Impersonation(user=name, groups=(f"team-{name}",), uid="7")
    with RbacObjects(controlplane) as rbac:
        await asyncio.to_thread(rbac.grant, f"Group/team-{name}", policy_rule("get list watch", "namespaces"))
        async with Client(load_kubeconfig(controlplane.kubeconfig_of("deltaboard"))) as client:
            anna = client.impersonate(person)

            async def may_list() -> bool:
                try:
                    await anna.list(NAMESPACES)
                except Forbidden:
                    return False
                return True

            await eventually(may_list)
            with pytest.raises(Forbidden, match=f'User "{name}" cannot list resource "pods"'):
                await anna.list(PODS)
            assert (await review_rules(anna, NO_NAMESPACE)).is_complete
            assert (await anna.request("GET", "/openapi/v3")).object()["paths"]


@pytest.mark.parametrize("applied", ["people.yaml"], indirect=True)
@pytest.mark.usefixtures("applied")
async def test_constrained_impersonation_makes_nobody_an_administrator(controlplane: ControlPlane) -> None:
    async with Client(load_kubeconfig(controlplane.kubeconfig_of("deltaboard"))) as client:

        async def may_act() -> bool:
            return await impersonation_form(client) == "constrained"

        await eventually(may_act)
        for user, group in (("anna", "system:masters"), ("system:serviceaccount:kube-system:default", "team")):
            with pytest.raises(Forbidden):
                await client.impersonate(Impersonation(user=user, groups=(group,))).list(PODS)


def test_every_file_of_roles_can_be_applied(controlplane: ControlPlane) -> None:
    for path in sorted(Path(ROLES).glob("*.yaml")):
        for each in yaml.safe_load_all(path.read_text()):
            folder = PATH if each["apiVersion"].startswith("rbac.") else "/api/v1"
            if "namespace" in each["metadata"]:
                each["metadata"]["namespace"] = "default"  # the file's own does not exist in a dry run
                folder += "/namespaces/default"
            controlplane.create(f"{folder}/{each['kind'].lower()}s?dryRun=All", each)
