"""Tests of the advice on a cache that cannot sync."""

from __future__ import annotations

import pytest

from informerd.controller.request import Request
from informerd.manager.manager import Manager
from informerd.resource import MYDEMOS, PODS, Resource
from informerd.rest.load_config import load_kubeconfig
from tests.informerd.manager.conftest import MAPS, Place, Run
from tests.support.controlplane import ControlPlane
from tests.support.program import ROOT
from tests.support.wait import eventually


async def test_a_version_that_is_not_served_is_told_which_one_is(
    place: Place, run: Run, caplog: pytest.LogCaptureFixture, request: pytest.FixtureRequest
) -> None:
    if "real" in request.node.name:
        request.getfixturevalue("controlplane").apply_crd(ROOT / "deploy" / "crd" / "mydemos.yaml")
    manager = Manager(place.config, probes="127.0.0.1:0")
    later = Resource(group=MYDEMOS.group, version="v2", plural=MYDEMOS.plural, kind=MYDEMOS.kind)
    seen: list[Request] = []

    @manager.controller("later", manager.kind(later))
    async def reconcile(_: Request) -> None: ...

    @manager.controller("well", manager.kind(MAPS))
    async def well(request: Request) -> None:
        seen.append(request)

    run(manager)
    await place.map("a")
    await eventually(lambda: seen)
    await eventually(lambda: "the API server serves it in the version v1, not in v2: ask for that one" in caplog.text)
    assert reconcile.phase == "waiting for caches"


async def test_a_kind_that_is_not_there_is_to_be_defined(
    demo: Place, run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    manager = Manager(demo.config)
    manager.kind(Resource(group="nowhere.example", version="v1", plural="things", kind="Thing"))
    run(manager)
    said = "things.nowhere.example is absent: create its definition (things.nowhere.example, v1)"
    await eventually(lambda: said in caplog.text)
    manager.kind(PODS)  # one more makes nobody say the first one's again
    await eventually(lambda: manager.client.informers[1].has_synced)
    assert caplog.text.count(said) == 1


async def test_who_may_not_read_a_kind_is_told_which_role_is_missing(
    controlplane: ControlPlane, run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    manager = Manager(load_kubeconfig(controlplane.kubeconfig_of("alice")))
    manager.kind(PODS)
    manager.kind(MYDEMOS, namespaces=["shop"])
    run(manager)
    core = "give alice (token) a ClusterRole with the verbs get, list and watch for pods in the core API group"
    shop = "a Role in the namespace shop with the verbs get, list and watch for mydemos in the API group crddemo.k8s.io"
    await eventually(lambda: core in caplog.text and shop in caplog.text)
