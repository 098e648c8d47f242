"""Tests of reading a kind that nobody follows, once, from a real API server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from dashboard.live.worker import object_reader
from dashboard.live.worker.namespace_access import NamespaceAccess
from dashboard.live.worker.object_reader import ObjectReader
from dashboard.objects.kinds.catalog import KINDS, kind_of_key
from informerd.clock import SystemClock
from informerd.errors import NotFound, UnknownResource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.program import ROOT

CONFIG_MAPS, SECRETS, NODES = KINDS["configmaps"], KINDS["secrets"], KINDS["nodes"]


@pytest.fixture
def namespace(controlplane: ControlPlane) -> str:
    return controlplane.create_namespace(f"read-{uuid4().hex[:8]}")


@pytest.fixture
async def client(controlplane: ControlPlane) -> AsyncIterator[Client]:
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        yield client


@pytest.fixture
def reader(client: Client) -> ObjectReader:
    return ObjectReader(client, Discovery(client), SystemClock())


def chosen(client: Client, *namespaces: str) -> ObjectReader:
    """A reader for these namespaces only."""
    return ObjectReader(
        client, Discovery(client), SystemClock(), NamespaceAccess(client, SystemClock(), chosen=namespaces)
    )


async def test_one_object_is_its_row_and_a_missing_one_none(
    controlplane: ControlPlane, namespace: str, reader: ObjectReader
) -> None:
    controlplane.create(f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": "one"}, "data": {"a": "1"}})
    row, table = await reader.read(CONFIG_MAPS, namespace, "one")
    assert row is not None
    assert (row.namespace, row.name) == (namespace, "one")
    assert table is None, "the columns of a built-in kind are known"
    assert await reader.read(CONFIG_MAPS, namespace, "none") == (None, None)


async def test_what_cannot_be_there_is_not_asked_for(client: Client, namespace: str) -> None:
    reader = chosen(client, "elsewhere")
    assert (await reader.read(NODES, namespace, "one"))[0] is None, "a node is in no namespace"
    assert (await reader.read(CONFIG_MAPS, "", "one"))[0] is None
    assert (await reader.read(CONFIG_MAPS, namespace, "kube-root-ca.crt"))[0] is None, "the namespace is not chosen"


async def test_a_secrets_values_are_in_no_row(controlplane: ControlPlane, namespace: str, reader: ObjectReader) -> None:
    secret = {"metadata": {"name": "one"}, "stringData": {"password": "swordfish"}}
    controlplane.create(f"/api/v1/namespaces/{namespace}/secrets", secret)
    row, _ = await reader.read(SECRETS, namespace, "one")
    assert row is not None
    assert "swordfish" not in repr(row)
    assert "c3dvcmRmaXNo" not in repr(row)


async def test_an_object_of_a_definition_has_its_columns(
    controlplane: ControlPlane, namespace: str, reader: ObjectReader
) -> None:
    controlplane.apply_crd(ROOT / "deploy" / "crd" / "mydemos.yaml")
    controlplane.create(f"/apis/crddemo.k8s.io/v1/namespaces/{namespace}/mydemos", mydemo("one", port=1234))
    kind = kind_of_key("mydemos.crddemo.k8s.io")
    assert kind is not None
    row, _ = await reader.read(kind, namespace, "one")
    assert row is not None
    assert 1234 in row.cells
    listed = await reader.list(kind)
    assert [each.name for each in listed.rows if each.namespace == namespace] == ["one"]


async def test_a_kind_that_the_api_server_does_not_have_is_said(reader: ObjectReader) -> None:
    kind = kind_of_key("nothing.example.com")
    assert kind is not None
    with pytest.raises((UnknownResource, NotFound)):
        await reader.read(kind, "default", "one")


async def test_a_list_ends_at_its_limit_and_says_so(
    controlplane: ControlPlane, namespace: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        controlplane.create(f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": f"c-{number}"}})
    reader = chosen(client, namespace)
    whole = await reader.list(CONFIG_MAPS)
    assert whole.is_complete
    names = {f"c-{number}" for number in range(5)}
    assert names <= {row.name for row in whole.rows}
    monkeypatch.setattr(object_reader, "PAGE_SIZE", 2)
    monkeypatch.setattr(object_reader, "MAX_LISTED", 3)
    cut = await reader.list(CONFIG_MAPS)
    assert not cut.is_complete
    assert len(cut.rows) == 4, "whole pages"
