"""Somebody with all rights gets what the account's own pages have, byte for byte."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pytest_django import DjangoDbBlocker

from dashboard.access.person import Person
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.access.marked_cluster import marked_objects
from tests.support.access.marked_objects import (
    ALL_KINDS,
    CONFIG_MAPS,
    DEPLOYMENTS,
    LEASES,
    NODES,
    PODS,
    SECRETS,
    MarkedObjects,
    resource_of,
)
from tests.support.access.object_visits import HTML
from tests.support.access.rbac_objects import RbacObjects, policy_rule
from tests.support.access.tour import Visit
from tests.support.access.unchanged_answers import difference, unchanging_health, without_times
from tests.support.access.whole_dashboard import Dashboard, default_database, running_dashboard
from tests.support.controlplane import ControlPlane
from tests.support.program import ROOT
from tests.support.wait import eventually

ROOT_USER = Person("root-like")
WATCHED = tuple(key for key in ALL_KINDS if key != LEASES)
"""Leases change by themselves: the API server writes its own."""
OF_ONE_PROCESS: tuple[tuple[str, str], ...] = (
    (r'data-epoch="[^"]*"', "EPOCH"),
    (r'id="e\d+-', "LINE"),
    (r'name="draft(_tab)?" value="\w+"', "DRAFT"),
    (r'data-version="\d+"|resourceVersion"?: ?"\d+"', "VERSION"),
)
"""Patterns of what differs between two processes, whatever the rights: the epoch and the line ids of the feed, the keys
of a draft and of its tab, and versions, because the test writes a ConfigMap. Tokens and times: see
unchanged_answers.py.
"""


def addresses(objects: MarkedObjects) -> list[Visit]:
    """Pages, lists, exports, completions and searches; an object of each kind."""
    shown = [objects.of(key)[-1] for key in (PODS, SECRETS, NODES, DEPLOYMENTS, CONFIG_MAPS)]
    name = shown[0].name
    return [
        *(Visit(page) for page in ("/", "/feed/", "/feed/?folds=off", "/kinds/?all", "/kinds/all/", "/namespaces/")),
        *(
            Visit(page)
            for page in ("/new/", "/drafts/", "/runs/", "/controllers/", f"/search/?q={name[:4]}", "/nothing/")
        ),
        *(Visit(f"/resources/{key}/") for key in WATCHED),
        *(Visit(f"/resources/{key}/export.{suffix}") for key in WATCHED for suffix in ("csv", "json", "yaml")),
        *(Visit(f"/resources/{key}/matching/") for key in WATCHED),
        *(Visit(f"/resources/{key}/complete?q=label%3Aapp%3D&caret=10") for key in WATCHED),
        *(Visit(each.address, headers=HTML) for each in shown),
        *(Visit(f"{each.address}yaml/") for each in shown),
        *(Visit(f"{each.address}{page}") for each in shown for page in ("edit/", "delete/", "may/")),
        *(Visit(f"{each.address[:-2]}/", headers=HTML) for each in shown),
        Visit(f"/resources/{PODS}/bulk/"),
        Visit(f"/resources/{PODS}/?open={shown[0].open_parameter}"),
    ]


@asynccontextmanager
async def dashboard_of(controlplane: ControlPlane, rights: str) -> AsyncIterator[Dashboard]:
    async with running_dashboard(controlplane.kubeconfig, [*WATCHED], DELTABOARD_RIGHTS=rights) as dashboard:
        yield dashboard


async def _answers(controlplane: ControlPlane, rights: str, client: Client, objects: MarkedObjects) -> dict[str, str]:
    """What somebody with all rights gets of a Deltaboard with this setting, in which a ConfigMap has changed once."""
    target, resource = objects.of(CONFIG_MAPS, namespace=objects.namespaces[0])[0], resource_of(CONFIG_MAPS)

    async def label(value: str) -> str:
        patch = {"metadata": {"labels": {"app": value}}}
        return str(
            (await client.patch(resource, target.name, target.namespace, patch)).json()["metadata"]["resourceVersion"]
        )

    await label("one")
    async with dashboard_of(controlplane, rights) as dashboard:
        started = int(time.time())
        await eventually(lambda: time.time() >= started + 1, what="charts have begun")
        version = await label("two")
        replica = dashboard.web.replicas.get(CONFIG_MAPS)
        await eventually(lambda: replica.rows[target.uid].version == version, what="the change has come")

        async def is_counted() -> bool:
            return "<b>1</b> modified" in (await dashboard.ask(ROOT_USER, "/feed/")).text

        await eventually(is_counted, what=f"the feed's chart has the change, DELTABOARD_RIGHTS={rights}")
        return {
            visit.address: without_times(await dashboard.ask(ROOT_USER, visit.address, headers=visit.headers))
            for visit in addresses(objects)
        }


async def test_somebody_with_all_rights_gets_what_the_account_gets(
    controlplane: ControlPlane, tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    controlplane.apply_crd(ROOT / "deploy/crd/mydemos.yaml")
    with unchanging_health(), default_database(tmp_path, django_db_blocker), RbacObjects(controlplane) as rbac:
        everything = {**policy_rule("*", "*"), "apiGroups": ["*"]}
        rbac.grant(f"User/{ROOT_USER.name}", everything, {"verbs": ["*"], "nonResourceURLs": ["*"]})
        async with Client(load_kubeconfig(controlplane.kubeconfig)) as client, marked_objects(client) as objects:
            whole = await _answers(controlplane, "account", client, objects)
            own = await _answers(controlplane, "person", client, objects)
    assert whole.keys() == own.keys()
    found = [
        f"{address}: {text}"
        for address in whole
        if (text := difference(_comparable(whole[address]), _comparable(own[address])))
    ]
    assert not found, f"{len(found)} answers differ\n" + "\n".join(found)


def _comparable(text: str) -> str:
    for pattern, instead in OF_ONE_PROCESS:
        text = re.sub(pattern, instead, text)
    return text
