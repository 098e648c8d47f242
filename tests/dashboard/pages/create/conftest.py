"""Pages that make objects, over the run's real API server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest

from informerd.rest.discovery import Discovery
from tests.controlplane import ControlPlane
from tests.e2e.conftest import dashboard
from tests.edits.browsing import Browser
from tests.edits.conftest import bob, cluster, collection, drafts, namespace, parts_for

__all__ = ["bob", "cluster", "collection", "dashboard", "drafts", "namespace"]


@pytest.fixture
async def parts(cluster: ControlPlane) -> AsyncIterator[SimpleNamespace]:
    """The live parts, with discovery: kinds are called by their kind here."""
    async for made in parts_for(cluster.kubeconfig):
        made.discovery = Discovery(made.client)
        yield made


@pytest.fixture
def browser(parts: SimpleNamespace) -> Browser:
    """A browser without scripts."""
    return Browser(parts)
