"""Fixtures with pages that create objects, over the run's real API server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest

from informerd.rest.discovery import Discovery
from tests.dashboard.pages.conftest import parts_for
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser


@pytest.fixture
async def parts(cluster: ControlPlane, drafts: str) -> AsyncIterator[SimpleNamespace]:
    """The live parts, with discovery: kinds are called by their kind here."""
    async for made in parts_for(cluster.kubeconfig):
        made.discovery = Discovery(made.client)
        yield made


@pytest.fixture
def browser(parts: SimpleNamespace) -> Browser:
    """A browser without scripts."""
    return Browser(parts)
