"""Test of a user's controller with a kind of its own, as in docs/controllers.md; mypy checks it too."""

from __future__ import annotations

from typing import assert_type

import msgspec
import pytest

from informerd import (
    MYDEMOS,
    EnqueueMapped,
    KindSource,
    Manager,
    NotFound,
    Object,
    Request,
    Resource,
    Result,
    SharedInformer,
    TerminalError,
    Updated,
    object_predicate,
    predicate,
)
from informerd.testing import DemoCluster, FakeClock

MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")


class Spec(msgspec.Struct, frozen=True):
    port: int = 0


class Mydemo(Object, frozen=True):
    spec: Spec = Spec()


def add_ports(manager: Manager) -> None:
    """For each Mydemo a config map that says its port, looked at once an hour."""
    demos = manager.kind(MYDEMOS, Mydemo)
    maps = manager.kind(MAPS)

    @manager.controller("ports", demos, owns=[maps])
    async def reconcile(request: Request) -> Result | None:
        demo = demos.get(request)
        if demo is None:
            return None
        if demo.spec.port == 13:
            raise TerminalError("13 is nobody's port")
        if maps.get(request) is None:
            owner = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "controller": True}
            owner |= {"name": request.name, "uid": demo.metadata.uid}
            metadata = {"name": request.name, "namespace": request.namespace, "ownerReferences": [owner]}
            await maps.create({"metadata": metadata, "data": {"port": str(demo.spec.port)}})
        return Result(requeue_after=3600)


def mydemo(name: str, port: int) -> dict[str, object]:
    head = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "metadata": {"name": name}}
    return {**head, "spec": {"ip": "10.0.0.1", "port": port}}


@pytest.mark.program
async def test_each_mydemo_has_a_config_map_that_comes_back() -> None:
    clock = FakeClock()
    async with DemoCluster() as cluster:
        manager = Manager(cluster.client, factory=cluster.factory, clock=clock)
        add_ports(manager)
        maps = cluster.dynamic.resource("configmaps", "default")
        async with cluster.run_controllers(manager):
            await cluster.apply(mydemo("web", 80), mydemo("unlucky", 13))
            await cluster.wait_until_settled()
            assert (await maps.get("web"))["data"] == {"port": "80"}
            await maps.delete("web")
            await cluster.wait_until_settled()
            assert (await maps.get("web"))["data"] == {"port": "80"}
            with pytest.raises(NotFound):
                await maps.get("unlucky")
            before = manager.controllers[0].state()
            assert [(failed.key, failed.retry_at) for failed in before.failed] == [("default/unlucky", None)]
            await clock.advance(3600)
            await cluster.wait_until_settled()
            after = manager.controllers[0].state()
            assert after.reconciles["requeue_after"] == before.reconciles["requeue_after"] + 1


def is_what_mypy_sees(manager: Manager, informer: SharedInformer[Mydemo]) -> None:
    """Never called. An ignored error that were none would be one: mypy warns of unused ignores."""
    demos = manager.kind(MYDEMOS, Mydemo)
    demo = demos.get("default/web")
    assert_type(demo, Mydemo | None)
    _ = demo.spec  # type: ignore[union-attr]
    if demo is not None:
        assert_type(demo.spec.port, int)
        _ = demo.spec.prot  # type: ignore[attr-defined]
    mapped = EnqueueMapped(lambda each: [Request("", str(each.spec.port))])  # type: ignore[var-annotated]
    KindSource(informer, mapped)
    KindSource(informer, EnqueueMapped(lambda each: [Request("", str(each.spec.port))]))
    KindSource(informer, EnqueueMapped(lambda each: [Request("", str(each.spec.prot))]))  # type: ignore[attr-defined]
    KindSource(informer, EnqueueMapped(lambda each: [each.spec.port]))  # type: ignore[list-item]
    KindSource(informer, None, object_predicate(lambda each: each.spec.port > 0))
    KindSource(informer, None, predicate(lambda event: isinstance(event, Updated) and event.new.spec.port > 0))
