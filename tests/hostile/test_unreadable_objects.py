"""Attack: an object that no program can read, made by a user of a kind that takes any fields, to stop its informers.

Of a real API server, which takes 1,500 levels of nesting, and of the dashboard's own worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from informerd import (
    Client,
    Object,
    ReflectorSettings,
    Resource,
    SharedInformer,
    SharedInformerFactory,
    UnreadableObject,
)
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.e2e.production_stack import Worker
from tests.support.e2e.redis_server import RedisServer
from tests.support.wait import eventually

GROUP = "hostile.example.com"
TRINKETS = Resource(group=GROUP, version="v1", plural="trinkets", kind="Trinket")
MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")
DEEP = b'{"a":' * 1500 + b"1" + b"}" * 1500
DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": TRINKETS.key},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "trinkets", "singular": "trinket", "kind": "Trinket", "listKind": "TrinketList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}
YAML = msgspec.json.encode(DEFINITION)


def trinket(name: str, *, deep: bool = False, **metadata: str) -> bytes:
    whole = {"apiVersion": TRINKETS.api_version, "kind": "Trinket", "metadata": {"name": name, **metadata}}
    return msgspec.json.encode(whole)[:-1] + (b',"spec":' + DEEP if deep else b"") + b"}"


@pytest.fixture
def namespace(controlplane: ControlPlane, tmp_path: Path) -> Iterator[str]:
    manifest = tmp_path / "crd.yaml"
    manifest.write_bytes(YAML)
    controlplane.apply_crd(manifest)
    yield controlplane.create_namespace("hostile")
    controlplane.delete_crd(TRINKETS.key)


@pytest.fixture
async def client(controlplane: ControlPlane) -> AsyncIterator[Client]:
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        yield client


def names(informer: SharedInformer[Object]) -> set[str]:
    return {each.metadata.name for each in informer.store}


@pytest.mark.long
@pytest.mark.parametrize("form", ["streamed", "paged"])
async def test_an_informer_goes_on_with_all_other_objects(client: Client, namespace: str, form: str) -> None:
    await client.request("POST", TRINKETS.path(namespace), body=trinket("before"))
    await client.request("POST", TRINKETS.path(namespace), body=trinket("deep", deep=True))
    settings = ReflectorSettings(streaming_lists=form == "streamed")
    async with SharedInformerFactory(client, settings=settings) as factory:
        informer = factory.informer(TRINKETS, namespace=namespace)
        maps = factory.informer(MAPS, namespace=namespace)
        factory.start()
        await factory.wait_for_cache_sync(30)
        # by a watch, where the API server's cache answered the list before it had heard of the second
        await eventually(lambda: set(informer.unreadable) == {f"{namespace}/deep"})
        assert names(informer) == {"before"}
        with pytest.raises(UnreadableObject, match="nested too deeply"):
            informer.lister.get("deep", namespace)

        await client.request("POST", TRINKETS.path(namespace), body=trinket("after"))
        current = (await client.get(TRINKETS, "before", namespace)).object()["metadata"]["resourceVersion"]
        deep = trinket("before", deep=True, resourceVersion=current)
        await client.request("PUT", TRINKETS.path(namespace, "before"), body=deep)
        await client.create(MAPS, {"metadata": {"name": f"shapes-{form}"}}, namespace)
        await eventually(lambda: names(informer) == {"after"}, what="the others go on")
        await eventually(lambda: f"shapes-{form}" in names(maps))
        assert set(informer.unreadable) == {f"{namespace}/deep", f"{namespace}/before"}
        assert (informer.health().state, informer.health().relists, informer.health().unreadable) == ("live", 0, 2)

        await client.delete(TRINKETS, "deep", namespace)
        await eventually(lambda: set(informer.unreadable) == {f"{namespace}/before"})


def measured(worker: Worker, name: str, **labels: str) -> float | None:
    """A number of the worker's metrics about trinkets."""
    with contextlib.suppress(OSError), urllib.request.urlopen(f"{worker.url}/metrics", timeout=10) as answer:
        for family in text_string_to_metric_families(answer.read().decode()):
            for sample in family.samples:
                wanted = {"resource": TRINKETS.plural, **labels}.items()
                if sample.name == f"informerd_{name}" and wanted <= sample.labels.items():
                    return float(sample.value)
    return None


@pytest.mark.program
async def test_the_dashboards_worker_goes_on_with_all_other_objects(
    controlplane: ControlPlane, client: Client, namespace: str, tmp_path: Path
) -> None:
    await client.request("POST", TRINKETS.path(namespace), body=trinket("deep", deep=True))
    redis = RedisServer(tmp_path)
    redis.run()
    env = {
        "KUBECONFIG": str(controlplane.kubeconfig),
        "REDIS_URL": redis.url,
        "DELTABOARD_KINDS": f"pods,{TRINKETS.key}",
        "DELTABOARD_VAR": str(tmp_path),
        "HOME": str(tmp_path),
        "SECRET_KEY": "x" * 50,
    }

    def numbers() -> tuple[float | None, ...]:
        return tuple(measured(worker, name) for name in ("objects", "unreadable_objects"))

    async def reads(objects: int, unreadable: int) -> None:
        async def is_so() -> bool:
            return await asyncio.to_thread(numbers) == (objects, unreadable)

        await eventually(is_so, within=120, what=f"{objects} objects and {unreadable} that cannot be read")

    try:
        with Worker(env) as worker:
            await reads(0, 1)
            for number in range(3):
                await client.request("POST", TRINKETS.path(namespace), body=trinket(f"t{number}"))
            await reads(3, 1)
            assert await asyncio.to_thread(measured, worker, "state", state="live") == 1
            assert worker.output.count("cannot be read") == 1
    finally:
        redis.kill()
