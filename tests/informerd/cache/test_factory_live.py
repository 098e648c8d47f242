"""Tests of informers by the names that people use, found through discovery, on the real kube-apiserver."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.errors import MalformedSelector, NotWatchable, UnknownResource
from informerd.objects import Object
from informerd.resource import MYDEMOS
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane

MYDEMO_FILE = Path(__file__).parents[3] / "deploy" / "crd" / "mydemos.yaml"


class Spec(msgspec.Struct, frozen=True):
    ip: str = ""
    port: int = 0


class Mydemo(Object, frozen=True):
    spec: Spec = Spec()


@pytest.fixture
async def factory(controlplane: ControlPlane) -> AsyncIterator[SharedInformerFactory]:
    await asyncio.to_thread(controlplane.apply_crd, MYDEMO_FILE)
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        factory = SharedInformerFactory(client)
        yield factory
        await factory.stop()


@pytest.mark.parametrize(
    ("name", "key", "api_version"),
    [
        ("deployments.apps", "deployments.apps", "apps/v1"),
        ("deploy", "deployments.apps", "apps/v1"),
        ("Deployment", "deployments.apps", "apps/v1"),
        ("po", "pods", "v1"),
        ("Mydemo", "mydemos.crddemo.k8s.io", "crddemo.k8s.io/v1"),
        ("horizontalpodautoscalers.v1.autoscaling", "horizontalpodautoscalers.autoscaling", "autoscaling/v1"),
    ],
)
async def test_any_kind_is_followed_by_the_name_a_person_gives_it(
    factory: SharedInformerFactory, name: str, key: str, api_version: str
) -> None:
    informer = await factory.informer_for(name, Object)
    assert (informer.resource.key, informer.resource.api_version) == (key, api_version)
    factory.start()
    async with asyncio.timeout(30):
        await factory.wait_for_cache_sync()
    assert informer.health().state in ("syncing", "live")


async def test_names_of_one_resource_share_its_informer(factory: SharedInformerFactory) -> None:
    first = await factory.informer_for("mydemos.crddemo.k8s.io", Mydemo, label_selector="a=b")
    assert await factory.informer_for("Mydemo", Mydemo, label_selector="a in (b)") is first
    assert factory.informer(MYDEMOS, Mydemo, label_selector="a==b") is first


async def test_a_custom_resource_is_decoded_into_a_projection_of_ten_lines(
    factory: SharedInformerFactory, controlplane: ControlPlane
) -> None:
    namespace = await asyncio.to_thread(controlplane.create_namespace, f"factory-{uuid4().hex[:8]}")
    demo = {
        "apiVersion": MYDEMOS.api_version, "kind": "Mydemo",
        "metadata": {"name": "one"}, "spec": {"ip": "10.0.0.1", "port": 80},
    }  # fmt: skip
    await asyncio.to_thread(controlplane.create, MYDEMOS.path(namespace), demo)
    informer = await factory.informer_for("mydemo", Mydemo, namespace=namespace)
    factory.start()
    await informer.wait_for_sync()
    assert informer.lister.get("one", namespace).spec == Spec("10.0.0.1", 80)
    assert [obj.metadata.name for obj in informer.lister.list(field_selector="spec.port=80")] == ["one"]


async def test_a_resource_that_does_not_exist_is_a_typed_error_that_names_those_that_do(
    factory: SharedInformerFactory,
) -> None:
    with pytest.raises(UnknownResource, match="no resource 'podz'") as raised:
        await factory.informer_for("podz", Object)
    assert {"pods", "deployments.apps", "mydemos.crddemo.k8s.io"} <= set(raised.value.known)
    assert factory.informers == []


async def test_a_resource_that_cannot_be_watched_is_a_typed_error_that_says_what_it_can(
    factory: SharedInformerFactory,
) -> None:
    with pytest.raises(NotWatchable, match=r"'tokenreviews\.authentication\.k8s\.io' cannot be followed.*: create"):
        await factory.informer_for("tokenreviews", Object)
    with pytest.raises(NotWatchable, match="'componentstatuses' cannot be followed"):
        await factory.informer_for("cs", Object)


async def test_a_malformed_selector_is_refused_as_ever(factory: SharedInformerFactory) -> None:
    with pytest.raises(MalformedSelector):
        await factory.informer_for("pods", Object, label_selector="a=b=c")
