"""Tests of the official Python client on the demo cluster: asyncio client, informer and dynamic clients."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, config, dynamic, informer
from kubernetes.aio import client as aio_client
from kubernetes.aio import config as aio_config
from kubernetes.aio import dynamic as aio_dynamic
from kubernetes.aio import watch as aio_watch
from kubernetes.dynamic.exceptions import NotFoundError

from tests.support.devcluster.http_client import Api
from tests.support.wait import until

MYDEMO = {
    "apiVersion": "crddemo.k8s.io/v1",
    "kind": "Mydemo",
    "metadata": {"name": "m"},
    "spec": {"ip": "1.2.3.4", "port": 5},
}


def pod(name: str) -> Any:
    return {"metadata": {"name": name, "labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


@pytest.fixture
def place(api: Api, namespace: str) -> str:
    """A namespace of the test's own."""
    assert api.post("/api/v1/namespaces", {"metadata": {"name": namespace}}).code == 201
    return namespace


@pytest.fixture
async def aio(process: Path) -> AsyncIterator[aio_client.ApiClient]:
    configuration = aio_client.Configuration()
    await aio_config.load_kube_config(str(process), client_configuration=configuration)
    async with aio_client.ApiClient(configuration) as api_client:
        yield api_client


@pytest.fixture
def plain(process: Path) -> Iterator[client.ApiClient]:
    with config.new_client_from_config(str(process)) as api_client:
        yield api_client


async def test_kubernetes_aio_writes_reads_and_deletes(aio: aio_client.ApiClient, place: str) -> None:
    pods = aio_client.CoreV1Api(aio)
    await pods.create_namespaced_pod(place, pod("one"))
    await pods.patch_namespaced_pod("one", place, {"metadata": {"labels": {"c": "d"}}})
    listed: Any = await pods.list_namespaced_pod(place, label_selector="c=d")
    assert [(item.metadata.name, item.metadata.labels) for item in listed.items] == [("one", {"a": "b", "c": "d"})]
    with pytest.raises(aio_client.ApiException) as refused:
        await pods.create_namespaced_pod(place, pod("one"))
    assert (refused.value.status, refused.value.reason) == (409, "Conflict")
    await pods.delete_namespaced_pod("one", place)
    assert (await pods.list_namespaced_pod(place)).items == []


async def test_kubernetes_aio_watches(aio: aio_client.ApiClient, place: str) -> None:
    pods = aio_client.CoreV1Api(aio)
    await pods.create_namespaced_pod(place, pod("one"))
    seen = []
    async with aio_watch.Watch() as watching:
        async for event in watching.stream(pods.list_namespaced_pod, place, timeout_seconds=20):
            seen.append((event["type"], event["object"].metadata.name))
            if len(seen) == 1:
                await pods.patch_namespaced_pod("one", place, {"metadata": {"labels": {"c": "d"}}})
            elif len(seen) == 2:
                await pods.delete_namespaced_pod("one", place)
            elif event["type"] == "DELETED":
                break
    assert seen == [("ADDED", "one"), ("MODIFIED", "one"), ("MODIFIED", "one"), ("DELETED", "one")]


async def test_the_dynamic_client_of_kubernetes_aio_finds_and_changes_custom_resources(
    aio: aio_client.ApiClient, place: str
) -> None:
    dynamic_client = await aio_dynamic.DynamicClient(aio)
    mydemos = await dynamic_client.resources.get(api_version="crddemo.k8s.io/v1", kind="Mydemo")
    await mydemos.create(MYDEMO, namespace=place)
    patched = await mydemos.patch(
        name="m", namespace=place, body={"spec": {"port": 6}}, content_type="application/merge-patch+json"
    )
    assert patched.spec.port == 6
    assert [item.metadata.name for item in (await mydemos.get(namespace=place)).items] == ["m"]


def test_the_dynamic_client_finds_changes_scales_and_deletes(plain: client.ApiClient, place: str) -> None:
    dynamic_client = dynamic.DynamicClient(plain)
    mydemos = dynamic_client.resources.get(api_version="crddemo.k8s.io/v1", kind="Mydemo")
    mydemos.create(MYDEMO, namespace=place)
    replaced = mydemos.get(name="m", namespace=place).to_dict() | {"spec": {"ip": "1.2.3.4", "port": 7}}
    assert mydemos.replace(replaced, namespace=place).spec.port == 7
    mydemos.delete(name="m", namespace=place)
    with pytest.raises(NotFoundError):
        mydemos.get(name="m", namespace=place)
    deployments = dynamic_client.resources.get(api_version="apps/v1", kind="Deployment")
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod("x")["spec"]}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    deployments.create({"metadata": {"name": "d"}, "spec": spec}, namespace=place)
    deployments.scale.patch(
        name="d", namespace=place, body={"spec": {"replicas": 4}}, content_type="application/merge-patch+json"
    )
    assert deployments.get(name="d", namespace=place).spec.replicas == 4


def test_kubernetes_informer_follows(plain: client.ApiClient, place: str) -> None:
    pods = client.CoreV1Api(plain)
    pods.create_namespaced_pod(place, pod("before"))
    seen: list[tuple[str, str]] = []
    shared = informer.SharedInformer(list_func=pods.list_namespaced_pod, namespace=place)
    for kind in (informer.ADDED, informer.MODIFIED, informer.DELETED):
        shared.add_event_handler(kind, lambda obj, kind=kind: seen.append((kind, obj.metadata.name)))
    shared.start()
    try:
        until(lambda: ("ADDED", "before") in seen, what="the list is handed over")
        pods.create_namespaced_pod(place, pod("after"))
        pods.delete_namespaced_pod("before", place)
        until(lambda: ("DELETED", "before") in seen and ("ADDED", "after") in seen, what="the changes are")
        assert [found.metadata.name for found in shared.cache.list()] == ["after"]
    finally:
        shared.stop()
