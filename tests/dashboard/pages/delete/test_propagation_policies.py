"""Tests of deleting a Deployment with each propagation policy while a real garbage collector runs, and of the page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.dashboard.pages.conftest import parts_for
from tests.support.controller_manager_and_kwok import controller_manager
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser, Page
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.wait import eventually

pytestmark = pytest.mark.controlplane

SETS, PODS = "/apis/apps/v1/namespaces/{}/replicasets", "/api/v1/namespaces/{}/pods"
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}
WITHIN = 60.0
"""Seconds: the collector reads what kinds there are before it begins."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """One of its own: the collector would take away what other tests say belongs to what never was."""
    made = ControlPlane(tmp_path_factory.mktemp("collected"), controlplane_binaries())
    try:
        made.start()
        with controller_manager(made, tmp_path_factory.mktemp("manager"), "garbage-collector-controller"):
            yield made
    finally:
        made.stop()


@pytest.fixture
async def parts(cluster: ControlPlane) -> AsyncIterator[SimpleNamespace]:
    async for made in parts_for(cluster.kubeconfig):
        yield made


@pytest.fixture
def namespace(cluster: ControlPlane, request: pytest.FixtureRequest) -> str:
    """One with Deployment ``web``, its ReplicaSet and two pods of that, made by hand: nobody makes them again."""
    made = cluster.create_namespace(f"collected-{request.node.callspec.params['policy'].lower()}")
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
    path = f"/apis/apps/v1/namespaces/{made}/deployments"
    deployment = cluster.create(path, {"metadata": {"name": "web"}, "spec": spec})
    owned = cluster.create(SETS.format(made), {"metadata": {"name": "web-1", **_of(deployment)}, "spec": spec})
    for name in ("web-1-a", "web-1-b"):
        pod = {"metadata": {"name": name, "labels": {"app": "web"}, **_of(owned)}, "spec": TEMPLATE["spec"]}
        cluster.create(PODS.format(made), pod)
    return made


def _of(owner: dict[str, Any]) -> dict[str, Any]:
    reference = {"apiVersion": "apps/v1", "kind": owner.get("kind"), "name": owner["metadata"]["name"]}
    more = {"uid": owner["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True}
    return {"ownerReferences": [{**reference, **more}]}


def left(cluster: ControlPlane, namespace: str) -> list[str]:
    """What belonged to the Deployment and is there."""
    return [each["metadata"]["name"] for path in (SETS, PODS) for each in cluster.get(path.format(namespace))["items"]]


@pytest.mark.parametrize(
    ("policy", "stays"), [("Foreground", []), ("Background", []), ("Orphan", ["web-1", "web-1-a", "web-1-b"])]
)
async def test_the_page_follows_until_it_is_gone_and_what_belonged_to_it_goes_or_stays_as_was_asked(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str, policy: str, stays: list[str]
) -> None:
    browser, path = Browser(parts), f"/resources/deployments.apps/{namespace}/web/delete/"
    page = await browser.open(path)
    uid = cluster.get(f"/apis/apps/v1/namespaces/{namespace}/deployments/web")["metadata"]["uid"]
    page = await browser.press(page, "delete", propagation=policy)
    assert page.status == 200, page.text
    assert await eventually(lambda: gone(browser, f"{path}?uid={uid}"), within=WITHIN, what="the page says it is gone")
    if policy == "Foreground":
        assert left(cluster, namespace) == [], "it goes last"
    assert await eventually(lambda: settled(cluster, namespace, stays), within=WITHIN, what=f"{stays} are left")
    if policy == "Orphan":
        (kept,) = cluster.get(SETS.format(namespace))["items"]
        assert "ownerReferences" not in kept["metadata"]


async def gone(browser: Browser, path: str) -> Page | None:
    page = await browser.open(path)
    return page if "The API server no longer has it" in page.text else None


async def settled(cluster: ControlPlane, namespace: str, stays: list[str]) -> bool:
    return left(cluster, namespace) == stays
