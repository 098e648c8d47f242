"""Tests of the identity that is remembered of the cluster that a connection led to last."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from aiohttp import web

from dashboard.live.history import recorder_thread
from dashboard.live.history.cluster_identity import (
    ask_cluster_identity,
    connection_key,
    is_away,
    remembered_identity,
)
from dashboard.live.history.part import Parts
from dashboard.live.history.recorder import Recorder
from dashboard.live.history.retention import Retention
from informerd.clock import SystemClock
from informerd.errors import ApiError, CredentialsError, NotConnected, ServerError
from informerd.errors.status import Status
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig, TlsConfig
from tests.support.informerd.stub_servers import scripted
from tests.support.live.history import running_recorder
from tests.support.wait import eventually


async def record(parts: Parts, cluster: str, key: str, retention: Retention | None = None, *, count: int = 1) -> None:
    """Record a cluster by a connection until it has `count` parts of which the newest is being recorded."""

    async def identity() -> str:
        return cluster

    recorder = Recorder(parts, identity, lambda _: True, SystemClock(), retention, connection=key)
    async with running_recorder(recorder):
        await eventually(lambda: recorder.is_recording and len(parts.list(cluster)) >= count)


async def test_a_connection_is_remembered_with_the_cluster_that_it_led_to_last(parts: Parts) -> None:
    one, two, key = f"1-{uuid4()}", f"2-{uuid4()}", uuid4().hex
    assert remembered_identity(parts, key) == ""
    await record(parts, one, key)
    assert remembered_identity(parts, key) == one
    await record(parts, two, key)
    assert remembered_identity(parts, key) == two
    await record(parts, one, key)  # though the other one's part is newer
    assert remembered_identity(parts, key) == one
    await record(parts, two, uuid4().hex)
    assert remembered_identity(parts, key) == one


async def test_a_new_part_remembers_its_connection(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder_thread, "MAINTENANCE_SECONDS", 0.0)
    cluster, key = str(uuid4()), uuid4().hex
    await record(parts, cluster, key, Retention(max_bytes=1), count=2)
    assert remembered_identity(parts, key) == cluster


def test_another_address_authority_or_context_is_another_connection(tmp_path: Path) -> None:
    cluster = ClusterConfig(name="a", server="https://one:6443", context="a", tls=TlsConfig(ca_data=b"PEM"))
    (tmp_path / "ca.crt").write_bytes(b"PEM")
    same = replace(cluster, why="another reason", tls=TlsConfig(ca_file=tmp_path / "ca.crt"))
    others = (
        replace(cluster, server="https://two:6443"),
        replace(cluster, context="b"),
        replace(cluster, tls=TlsConfig(ca_data=b"of the cluster that was built anew")),
        replace(cluster, tls=TlsConfig()),
        replace(cluster, tls=TlsConfig(ca_file=tmp_path / "missing")),
    )
    assert connection_key(same) == connection_key(cluster)
    assert connection_key(cluster) not in {connection_key(other) for other in others}


@pytest.mark.parametrize(
    ("error", "away"),
    [
        (NotConnected("refused"), True),
        (TimeoutError(), True),
        (ApiError(Status(code=503)), True),
        (ApiError(Status(code=401)), False),
        (CredentialsError("the plugin failed"), False),
    ],
)
def test_an_api_server_that_refuses_the_account_is_not_away(error: Exception, *, away: bool) -> None:
    assert is_away(error) is away


async def test_a_refusal_of_an_api_server_that_is_not_ready_does_not_count() -> None:
    """kube-apiserver refuses everybody until it has read its roles."""
    readyz = iter([500, 200])

    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=next(readyz) if request.path == "/readyz" else 403)

    async with scripted(answer) as server, Client(server.config) as client:
        with pytest.raises(ServerError):
            await ask_cluster_identity(client, server.url)
        assert (await ask_cluster_identity(client, server.url)).startswith("address-")
