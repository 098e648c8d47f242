"""Tests of what a web process has for moments: the history of its cluster, and none of another one's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.test import override_settings

from dashboard.live.history.cluster_identity import FIRST_NAMESPACE, RETRY, connection_key
from dashboard.live.history.part_writer import Counts, PartWriter
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.server.wiring.moments import CHECK_INTERVAL, REMEMBERED, PastMoments, build_moments
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig
from tests.support.pages.site_without_cluster import Site
from tests.support.scripted_api_server import ScriptedServer, status
from tests.support.wait import eventually


def past_of(site: Site, connection: Any, drop_views: Callable[[], None] = lambda: None) -> PastMoments:
    past = build_moments(
        connection,
        site.feeds,
        site.clock,
        cluster=lambda: None,
        find_kind=lambda _kind, _group: None,
        drop_views=drop_views,
    )
    assert past is not None
    return past


def test_history_that_is_off_has_no_moments() -> None:
    site = Site()
    with override_settings(DELTABOARD_HISTORY=False):
        assert build_moments(
            cast("Any", None), site.feeds, site.clock, cluster=lambda: None, find_kind=lambda _kind, _group: None
        ) is None  # fmt: skip


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    resource = Resource(
        group="", version="v1", plural=f"namespaces/{FIRST_NAMESPACE}", kind="Namespace", namespaced=False
    )
    server = ScriptedServer(resource)
    await server.start()
    yield server
    await server.stop()


@asynccontextmanager
async def running(past: PastMoments) -> AsyncIterator[None]:
    task = asyncio.create_task(past.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def connection_to(server: ScriptedServer, client: Client | None) -> Any:
    """A connection as `Connection` has it, which a test switches."""
    cluster = ClusterConfig(name="scripted", server=f"http://127.0.0.1:{server.port}")
    return SimpleNamespace(client=client, cluster=cluster)


def remember(folder: Path, cluster: ClusterConfig, identity: str) -> None:
    """Record a cluster by this connection."""
    session = SqliteParts(folder / "history").begin_recording(identity)
    assert session is not None
    writer = PartWriter(session.connect(session.create_part(1)), Counts())
    writer.note_connection(connection_key(cluster), 1)
    session.close()


async def has_tried_again(site: Site, server: ScriptedServer) -> bool:
    await site.clock.advance(RETRY)
    return bool(server.waiting)


async def say(server: ScriptedServer, uid: str) -> None:
    """Answer the request for the namespace kube-system."""
    request = await server.take()
    request.answer_text(f'{{"metadata": {{"uid": "{uid}"}}}}')


async def test_moments_of_a_cluster_end_when_another_one_is_chosen(tmp_path: Path, server: ScriptedServer) -> None:
    site = Site()
    async with server.client(site.clock) as one, server.client(site.clock) as two:
        connection = connection_to(server, None)
        with override_settings(DELTABOARD_HISTORY=True, VAR_DIR=tmp_path):
            past = past_of(site, connection)
            async with running(past):
                await asyncio.sleep(0)
                assert not past.is_readable
                connection.client = one
                await site.clock.advance(1)
                await say(server, "one")
                await eventually(lambda: past.is_readable)
                moment = past.moments.open(1.0)
                await site.clock.advance(1)
                assert past.moments.open(1.0) is moment
                connection.client = two
                await site.clock.advance(1)
                await say(server, "two")
                await eventually(lambda: moment.has_ended)
                assert past.moments.open(1.0) is not moment


async def test_while_the_api_server_is_away_the_cluster_is_remembered_until_another_one_answers(
    tmp_path: Path, server: ScriptedServer
) -> None:
    site, drops = Site(), []
    async with server.client(site.clock) as client:
        connection = connection_to(server, client)
        remember(tmp_path, connection.cluster, "one")
        await server.stop()
        with override_settings(DELTABOARD_HISTORY=True, VAR_DIR=tmp_path, DELTABOARD_RIGHTS="account"):
            past = past_of(site, connection, drop_views=lambda: drops.append(past.is_readable))
            async with running(past):
                await eventually(lambda: past.is_readable)
                assert past.note == REMEMBERED
                moment = past.moments.open(2.0)
                assert moment.hub.note() == REMEMBERED
                await server.start()
                await site.clock.advance(RETRY)
                await say(server, "two")
                await eventually(lambda: not past.note)
                assert moment.has_ended
                await eventually(lambda: drops == [False])  # between the two, nothing is read


async def test_the_remembered_cluster_that_answers_keeps_its_moments(tmp_path: Path, server: ScriptedServer) -> None:
    site = Site()
    async with server.client(site.clock) as client:
        connection = connection_to(server, client)
        remember(tmp_path, connection.cluster, "one")
        await server.stop()
        with override_settings(DELTABOARD_HISTORY=True, VAR_DIR=tmp_path, DELTABOARD_RIGHTS="account"):
            past = past_of(site, connection)
            async with running(past):
                await eventually(lambda: past.is_readable)
                moment = past.moments.open(2.0)
                await server.start()
                await site.clock.advance(RETRY)
                await say(server, "one")
                await eventually(lambda: not past.note)
                assert past.moments.open(2.0) is moment


async def test_what_is_remembered_of_one_connection_is_not_shown_of_another(
    tmp_path: Path, server: ScriptedServer
) -> None:
    site = Site()
    async with server.client(site.clock) as one, server.client(site.clock) as two:
        connection = connection_to(server, one)
        remember(tmp_path, connection.cluster, "one")
        await server.stop()
        with override_settings(DELTABOARD_HISTORY=True, VAR_DIR=tmp_path, DELTABOARD_RIGHTS="account"):
            past = past_of(site, connection)
            async with running(past):
                await eventually(lambda: past.is_readable)
                connection.client, connection.cluster = two, replace(connection.cluster, context="another")
                await site.clock.advance(1)
                await eventually(lambda: not past.is_readable)


async def test_another_cluster_is_noticed_while_the_api_server_of_the_one_before_takes_its_time(
    tmp_path: Path, server: ScriptedServer
) -> None:
    site = Site()
    async with server.client(site.clock) as one, server.client(site.clock) as two:
        connection = connection_to(server, one)
        remember(tmp_path, connection.cluster, "one")
        with override_settings(DELTABOARD_HISTORY=True, VAR_DIR=tmp_path, DELTABOARD_RIGHTS="account"):
            past = past_of(site, connection)
            async with running(past):
                (await server.take()).fail(status(503, "Unavailable"))
                await eventually(lambda: past.is_readable)
                await eventually(partial(has_tried_again, site, server))
                await server.take()  # and never answer
                connection.client, connection.cluster = two, replace(connection.cluster, context="another")
                await site.clock.advance_until(lambda: not past.is_readable, step=CHECK_INTERVAL)
                await say(server, "two")
                await eventually(lambda: past.is_readable)
                assert not past.note


@pytest.mark.parametrize(("rights", "code"), [("person", 503), ("account", 401)])
async def test_nothing_is_remembered_for_people_nor_where_the_account_is_refused(
    tmp_path: Path, server: ScriptedServer, rights: str, code: int
) -> None:
    site = Site()
    async with server.client(site.clock) as client:
        connection = connection_to(server, client)
        remember(tmp_path, connection.cluster, "one")
        with override_settings(DELTABOARD_HISTORY=True, VAR_DIR=tmp_path, DELTABOARD_RIGHTS=rights):
            past = past_of(site, connection)
            async with running(past):
                for _ in range(3):  # the next try comes after all that follows from the one before
                    (await server.take()).fail(status(code, "Refused"))
                    assert not past.is_readable
                    await eventually(partial(has_tried_again, site, server))
