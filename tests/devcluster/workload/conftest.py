"""Fixtures with demo clusters whose controllers run."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.devcluster.workload_cluster import World, running


@pytest.fixture
async def calm() -> AsyncIterator[World]:
    """Controllers without director: nothing happens by itself but what flawed applications do."""
    async with running(pods=60) as world:
        await world.live(1)
        yield world
