"""Fixture: a Deltaboard of a real cluster full of marked objects, which all tests of this folder share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.access.failing_controller import NAME
from tests.support.access.marked_cluster import MarkedCluster, marked_cluster
from tests.support.access.whole_dashboard import default_database
from tests.support.controlplane import ControlPlane
from tests.support.program import ROOT


@pytest.fixture
def controllers() -> list[str]:
    """Those that the Deltaboard runs."""
    return [NAME]


@pytest.fixture
async def cluster(
    controlplane: ControlPlane, controllers: list[str], tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> AsyncIterator[MarkedCluster]:
    controlplane.apply_crd(ROOT / "deploy/crd/mydemos.yaml")
    with default_database(tmp_path, django_db_blocker):
        async with (
            Client(load_kubeconfig(controlplane.kubeconfig)) as client,
            marked_cluster(client, controlplane, controllers) as made,
        ):
            yield made
