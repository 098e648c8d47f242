"""Tests of what a web process has for moments: the history of its cluster, and none of another one's."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.test import override_settings

from dashboard.server.wiring import moments as wiring
from dashboard.server.wiring.moments import PastMoments, build_moments
from tests.support.pages.site_without_cluster import Site
from tests.support.wait import eventually


def past_of(site: Site, connection: Any) -> PastMoments:
    past = build_moments(connection, site.feeds, site.clock, cluster=lambda: None, find_kind=lambda _kind, _group: None)
    assert past is not None
    return past


def test_history_that_is_off_has_no_moments() -> None:
    site = Site()
    with override_settings(DELTABOARD_HISTORY=False):
        assert build_moments(
            cast("Any", None), site.feeds, site.clock, cluster=lambda: None, find_kind=lambda _kind, _group: None
        ) is None  # fmt: skip


async def test_moments_of_a_cluster_end_when_another_one_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def identity(client: str, *_: object) -> str:
        return f"uid of {client}"

    monkeypatch.setattr(wiring, "read_cluster_identity", identity)
    site = Site()
    connection = SimpleNamespace(client=None, cluster=SimpleNamespace(server="https://one"))
    with override_settings(DELTABOARD_HISTORY=True, VAR_DIR=tmp_path):
        past = past_of(site, connection)
        running = asyncio.create_task(past.run())
        await asyncio.sleep(0)
        assert not past.is_readable
        connection.client = "one"
        await site.clock.advance(1)
        await eventually(lambda: past.is_readable)
        moment = past.moments.open(1.0)
        await site.clock.advance(1)
        assert past.moments.open(1.0) is moment
        connection.client = "two"
        await site.clock.advance(1)
        await eventually(lambda: moment.has_ended)
        assert past.moments.open(1.0) is not moment
        running.cancel()
        await asyncio.wait([running])
