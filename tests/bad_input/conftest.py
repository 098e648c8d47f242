"""Every page that takes a text, over a demo cluster of this process: nothing here needs a program or a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest

from informerd.rest.discovery import Discovery
from tests.bulk.conftest import bulks_for
from tests.clusters import DemoCluster
from tests.edits.browsing import Browser
from tests.edits.conftest import drafts, parts_at

__all__ = ["drafts"]


@pytest.fixture
async def parts(drafts: str) -> AsyncIterator[SimpleNamespace]:
    demo = DemoCluster()
    await demo.start_again()
    async for made in parts_at(demo.config):
        made.discovery = Discovery(made.client)
        made.bulks = bulks_for(made, drafts)
        yield made
        await made.bulks.stop()
    await demo.kill()


@pytest.fixture
def browser(parts: SimpleNamespace) -> Browser:
    return Browser(parts)
