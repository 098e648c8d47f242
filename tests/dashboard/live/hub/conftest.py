"""Fixtures of the tests of the hub."""

from __future__ import annotations

import pytest

from tests.support.live.hub_with_browsers import World


@pytest.fixture
def world() -> World:
    return World()
