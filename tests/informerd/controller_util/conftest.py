"""Fixtures with a namespace of a cluster, real and demo, for writes."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from informerd.clients.dynamic_client import DynamicClient
from informerd.clients.resource_client import ResourceClient
from informerd.resource import MYDEMOS, Resource
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from informerd.unstructured import Json
from tests.support.controlplane import ControlPlane
from tests.support.restartable_api_servers import DemoCluster

CRD = Path(__file__).parents[3] / "deploy" / "crd" / "mydemos.yaml"
CONFIG_MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")


class Place:
    """A namespace of its own, and the verbs in it."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace
        self.dynamic = DynamicClient(client)
        self.maps = self.verbs(CONFIG_MAPS)
        self.demos = self.verbs(MYDEMOS)

    def verbs(self, resource: Resource) -> ResourceClient[Json]:
        return self.dynamic.resource(resource, self.namespace)

    async def map(self, name: str = "shapes", **data: str) -> Json:
        return await self.maps.create({"metadata": {"name": name}, "data": data})

    async def demo(self, name: str = "a", **meta: Any) -> Json:
        body = {"metadata": {"name": name, **meta}, "spec": {"ip": "10.0.0.1", "port": 80}}
        return await self.demos.create(body)


@pytest.fixture(params=[pytest.param("real", marks=pytest.mark.controlplane), "demo"])
async def place(request: pytest.FixtureRequest) -> AsyncIterator[Place]:
    """On the real API server and on the demo cluster."""
    name = f"writing-{uuid.uuid4().hex[:8]}"
    if request.param == "demo":
        demo = DemoCluster()
        await demo.start_again()
        config = demo.config
    else:
        controlplane: ControlPlane = request.getfixturevalue("controlplane")
        controlplane.apply_crd(CRD)
        config = load_kubeconfig(controlplane.kubeconfig)
    async with Client(config) as client:
        namespaces = DynamicClient(client).resource(
            Resource(version="v1", plural="namespaces", kind="Namespace", namespaced=False)
        )
        await namespaces.create({"metadata": {"name": name}})
        yield Place(client, name)
    if request.param == "demo":
        await demo.kill()
