"""Comparison of selectors and listers with the real kube-apiserver: same objects, same refusals, same messages."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.lister import Lister
from informerd.errors import BadRequest, InformerdError, MalformedSelector, NotFound
from informerd.objects import Object
from informerd.resource import PODS, Resource
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from informerd.selectors.field_selector import FieldSelector
from informerd.selectors.label_selector import LabelSelector
from tests.support.controlplane import ControlPlane
from tests.support.informerd.selector_samples import ACCEPTED, REFUSED, random_label_selector, random_noise

CONFIG_MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")

LABELS: dict[str, dict[str, str]] = {
    "none": {},
    "web": {"app": "web", "tier": "front", "size": "3"},
    "api": {"app": "api", "size": "12"},
    "empty": {"app": "", "size": ""},
    "words": {"in": "notin", "notin": "in", "none": "x"},
    "numbers": {"size": "007", "a": "5", "b": "12"},
    "large": {"size": "9223372036854775807", "a": "x"},
    "too-large": {"size": "9223372036854775808", "c": ""},
    "odd": {"A_b.c-d": "E_f.g-h", "example.com/role": "db", "0/0": "0"},
    "letters": {"a": "x", "b": "y", "c": "12"},
    "letters-2": {"a": "", "b": "5"},
}


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    node_name: str = ""
    restart_policy: str = ""
    scheduler_name: str = ""
    host_network: bool = False


class Status(msgspec.Struct, frozen=True, rename="camel"):
    phase: str = ""
    nominated_node_name: str = ""


class Pod(Object, frozen=True):
    spec: Spec = Spec()
    status: Status = Status()


class Setup(msgspec.Struct):
    client: Client
    namespace: str

    async def listed(self, resource: Resource, **params: str) -> set[str] | None:
        """The names that the API server gives; None where it refuses the selector."""
        try:
            items = (await self.client.list(resource, self.namespace, params)).json()["items"]
        except BadRequest:
            return None
        return {item["metadata"]["name"] for item in items}


@pytest.fixture
async def setup(controlplane: ControlPlane) -> AsyncIterator[Setup]:
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        namespace = f"selectors-{uuid4().hex[:8]}"
        await asyncio.to_thread(controlplane.create_namespace, namespace)
        yield Setup(client, namespace)


def informer_names(lister: Lister[Any], **asked: Any) -> set[str] | None:
    try:
        return {obj.metadata.name for obj in lister.list(**asked)}
    except MalformedSelector:
        return None


async def test_label_selectors_are_accepted_refused_and_met_as_by_the_api_server(setup: Setup) -> None:
    for name, labels in LABELS.items():
        await setup.client.create(CONFIG_MAPS, {"metadata": {"name": name, "labels": labels}}, setup.namespace)
    factory = SharedInformerFactory(setup.client)
    lister = factory.lister(CONFIG_MAPS, Object, namespace=setup.namespace)
    factory.start()
    await factory.wait_for_cache_sync()
    chance = random.Random(1)
    selectors = [*ACCEPTED, *REFUSED, *(random_label_selector(chance) for _ in range(150))]
    selectors += [random_noise(chance) for _ in range(350)]
    accepted = 0
    for selector in dict.fromkeys(selectors):
        wanted = await setup.listed(CONFIG_MAPS, labelSelector=selector)
        assert informer_names(lister, label_selector=selector) == wanted, selector
        if wanted is not None:
            accepted += 1
            canonical = str(LabelSelector.parse(selector))
            assert await setup.listed(CONFIG_MAPS, labelSelector=canonical) == wanted, (selector, canonical)
    assert 150 < accepted < len(selectors) - 200  # both sides of it were tried
    await factory.stop()


@pytest.mark.parametrize("manifest", [None, {}, {"matchLabels": {"app": "web"}}])
async def test_the_text_of_a_manifests_selector_says_the_same_to_the_api_server(
    setup: Setup, manifest: dict[str, Any] | None
) -> None:
    for name, labels in LABELS.items():
        await setup.client.create(CONFIG_MAPS, {"metadata": {"name": name, "labels": labels}}, setup.namespace)
    selector = LabelSelector.from_manifest(manifest)
    matched = {name for name, labels in LABELS.items() if selector.matches(labels)}
    found = await setup.listed(CONFIG_MAPS, labelSelector=str(selector))
    assert found is not None
    assert found - {"kube-root-ca.crt"} == matched


FIELD_SELECTORS = [
    "",
    ",",
    "metadata.name=a",
    "metadata.name==a",
    "metadata.name!=a",
    "metadata.name=a,",
    ",metadata.name=a",
    "metadata.name=a,metadata.name!=b",
    "metadata.name=a,metadata.name=b",
    "spec.nodeName=n1",
    "spec.nodeName=",
    "spec.nodeName!=",
    "spec.nodeName!=n1",
    "spec.restartPolicy=Never",
    "spec.schedulerName=default-scheduler",
    "spec.hostNetwork=true",
    "spec.hostNetwork=false",
    "status.phase=Pending",
    "status.phase!=Pending,spec.nodeName=n1",
    "status.nominatedNodeName=",
    r"metadata.name=a\,b",
    r"metadata.name=a\=",
    r"metadata.name=\\",
    "metadata.name",
    "metadata.name=a=b",
    "=",
    "!=,==,metadata.name=a",
    "=a",
    "!=a",
    r"metadata.name=\a",
    "metadata.name=a\\",
    "metadata.name<a",
    "metadata.name in (a)",
    "metadata.name===a",
    "metadata.name=!a",
]


async def test_field_selectors_are_accepted_refused_and_met_as_by_the_api_server(setup: Setup) -> None:
    specs: dict[str, dict[str, Any]] = {
        "a": {"nodeName": "n1"},
        "b": {"restartPolicy": "Never", "hostNetwork": True},
        "c": {"nodeName": "n2", "schedulerName": "another"},
    }
    for name, spec in specs.items():
        pod = {"metadata": {"name": name}, "spec": {"containers": [{"name": "m", "image": "i"}], **spec}}
        await setup.client.create(PODS, pod, setup.namespace)
    factory = SharedInformerFactory(setup.client)
    lister = factory.lister(PODS, Pod, namespace=setup.namespace)
    factory.start()
    await factory.wait_for_cache_sync()
    for selector in FIELD_SELECTORS:
        wanted = await setup.listed(PODS, fieldSelector=selector)
        assert informer_names(lister, field_selector=selector) == wanted, selector
        if wanted is not None:
            canonical = str(FieldSelector.parse(selector))
            assert await setup.listed(PODS, fieldSelector=canonical) == wanted, (selector, canonical)
    await factory.stop()


async def test_a_listers_not_found_is_the_api_servers(setup: Setup) -> None:
    factory = SharedInformerFactory(setup.client)
    lister = factory.lister(PODS, Object, namespace=setup.namespace)
    factory.start()
    await factory.wait_for_cache_sync()
    with pytest.raises(NotFound) as cached:
        lister.get("absent", setup.namespace)
    with pytest.raises(NotFound) as live:
        await setup.client.get(PODS, "absent", setup.namespace)
    assert (str(cached.value), cached.value.status) == (str(live.value), live.value.status)
    await factory.stop()


async def test_an_informer_with_selectors_holds_what_the_api_server_selects(setup: Setup) -> None:
    for name, labels in LABELS.items():
        await setup.client.create(CONFIG_MAPS, {"metadata": {"name": name, "labels": labels}}, setup.namespace)
    factory = SharedInformerFactory(setup.client)
    informer = factory.informer(
        CONFIG_MAPS, namespace=setup.namespace, label_selector="size>3,!none", field_selector="metadata.name!=large"
    )
    factory.start()
    await factory.wait_for_cache_sync()
    assert sorted(obj.metadata.name for obj in informer.store) == ["api", "numbers"]
    await factory.stop()


def test_errors_of_bad_selectors_are_of_one_tree() -> None:
    assert issubclass(MalformedSelector, InformerdError)


PAINTS = Resource(group="selectors.example.com", version="v1", plural="paints", kind="Paint")
PAINT_FIELDS = {"color": "string", "size": "integer", "gloss": "boolean"}


class PaintSpec(msgspec.Struct, frozen=True):
    """None stands for what is not there; a default such as 0 would have a text of its own."""

    color: str | None = None
    size: int | None = None
    gloss: bool | None = None


class Paint(Object, frozen=True):
    spec: PaintSpec = PaintSpec()


@pytest.fixture
def paints(controlplane: ControlPlane, tmp_path: Path) -> Iterator[None]:
    """A custom resource that the API server selects by three of its fields."""
    properties = {name: {"type": kind} for name, kind in PAINT_FIELDS.items()}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    version = {
        "name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema},
        "selectableFields": [{"jsonPath": f".spec.{name}"} for name in PAINT_FIELDS],
    }  # fmt: skip
    names = {"plural": "paints", "singular": "paint", "kind": "Paint", "listKind": "PaintList"}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "paints.selectors.example.com"},
        "spec": {"group": PAINTS.group, "scope": "Namespaced", "names": names, "versions": [version]},
    }  # fmt: skip
    manifest = tmp_path / "paints.yaml"
    manifest.write_text(json.dumps(definition))
    controlplane.apply_crd(manifest)
    yield
    controlplane.delete_crd("paints.selectors.example.com")


@pytest.mark.usefixtures("paints")
async def test_custom_resources_are_selected_by_the_same_texts_of_their_fields(setup: Setup) -> None:
    specs: dict[str, dict[str, Any]] = {
        "red": {"color": "red", "size": 1, "gloss": True},
        "odd": {"color": "a,b=c\\d", "size": -5, "gloss": False},
        "large": {"color": "true", "size": 9007199254740993},
        "zero": {"color": "", "size": 0},
        "none": {},
    }
    for name, spec in specs.items():
        paint = {"apiVersion": PAINTS.api_version, "kind": "Paint", "metadata": {"name": name}, "spec": spec}
        await setup.client.create(PAINTS, paint, setup.namespace)
    factory = SharedInformerFactory(setup.client)
    lister = factory.lister(PAINTS, Paint, namespace=setup.namespace)
    factory.start()
    await factory.wait_for_cache_sync()
    values = ["", "red", "RED", "true", "false", "1", "0", "-5", "01", "1.0", "9007199254740993", r"a\,b\=c\\d", "null"]
    selectors = [f"spec.{name}{sign}{value}" for name in PAINT_FIELDS for sign in ("=", "!=") for value in values]
    selectors += ["spec.color=red,spec.size=1", "spec.color!=red,spec.gloss=", "spec.size!=0,spec.color!="]
    found = 0
    for selector in selectors:
        wanted = await setup.listed(PAINTS, fieldSelector=selector)
        assert informer_names(lister, field_selector=selector) == wanted, selector
        found += bool(wanted)
    assert 45 < found < len(selectors)
    await factory.stop()
