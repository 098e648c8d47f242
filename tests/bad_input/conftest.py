"""Fixtures with every page that accepts text, over a demo cluster in this process; no program or browser is needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest

from informerd.rest.discovery import Discovery
from tests.dashboard.pages.bulk.conftest import bulks_for
from tests.dashboard.pages.conftest import drafts, parts_at
from tests.support.edit.no_script_browser import Browser
from tests.support.restartable_api_servers import DemoCluster

__all__ = ["drafts"]


@pytest.fixture
async def parts(drafts: str) -> AsyncIterator[SimpleNamespace]:
    demo = DemoCluster()
    await demo.start_again()
    async for made in parts_at(demo.config):
        made.discovery = Discovery(made.client)
        made.bulk_runs = bulks_for(made, drafts)
        yield made
        await made.bulk_runs.stop()
    await demo.kill()


@pytest.fixture
def browser(parts: SimpleNamespace) -> Browser:
    return Browser(parts)
