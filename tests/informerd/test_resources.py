"""Tests of the ready-made resources: they are those of the real API server, and work without discovery."""

from __future__ import annotations

import pytest

from informerd import Client, SharedInformerFactory, load_kubeconfig, resources
from informerd.resource import PODS, Resource
from tests.support.controlplane import ControlPlane
from tools.builtin_resources import FILE, builtin_resources, constant_of

READY = {name: getattr(resources, name) for name in resources.__all__}


async def test_they_are_what_the_api_server_serves(controlplane: ControlPlane) -> None:
    """Where this fails for a newer API server, run tools/builtin_resources.py."""
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        served = await builtin_resources(client)
        version = await client.version()
    assert served == READY
    assert f"Kubernetes {version.removeprefix('v').rpartition('.')[0]}," in FILE.read_text()


async def test_an_informer_of_one_lives(controlplane: ControlPlane) -> None:
    async with (
        Client(load_kubeconfig(controlplane.kubeconfig)) as client,
        SharedInformerFactory(client) as factory,
    ):
        namespaces = factory.informer(resources.NAMESPACES)
        factory.start()
        await namespaces.wait_for_sync()
        assert namespaces.lister.get("default").key == "default"


def test_the_pods_are_the_ones_of_informerd_itself() -> None:
    assert resources.PODS is PODS
    assert len(READY) > 60
    assert all(isinstance(each, Resource) for each in READY.values())


@pytest.mark.parametrize(
    ("kind", "plural", "name"),
    [
        ("ConfigMap", "configmaps", "CONFIG_MAPS"),
        ("NetworkPolicy", "networkpolicies", "NETWORK_POLICIES"),
        ("CSIDriver", "csidrivers", "CSI_DRIVERS"),
        ("Endpoints", "endpoints", "ENDPOINTS"),
        ("IPAddress", "ipaddresses", "IP_ADDRESSES"),
    ],
)
def test_a_constant_is_the_kind_in_the_plural(kind: str, plural: str, name: str) -> None:
    assert constant_of(Resource(version="v1", plural=plural, kind=kind)) == name
