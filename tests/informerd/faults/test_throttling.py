"""Tests of throttling: 429 on lists from the API server, and on watches from a proxy."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.informerd.faults.faulty_proxy import Proxy, Rule, proxied, too_many
from tests.support.informerd.faults.informer_rig import CONFIG_MAPS, QUICK, Rig, rigged
from tests.support.informerd.faults.rbac import allow
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.wait import eventually

NAMES = [f"c{number}" for number in range(5)]


@pytest.fixture
def busy_controlplane(tmp_path: Path) -> Iterator[ControlPlane]:
    """An API server that answers one request at a time and refuses the others, but for administrators'.

    It knows no streaming lists, which as watches would never be refused.
    """
    flags = (
        "--enable-priority-and-fairness=false", "--max-requests-inflight=1", "--feature-gates=WatchList=false",
    )  # fmt: skip
    controlplane = ControlPlane(tmp_path / "busy", controlplane_binaries(), apiserver_flags=flags)
    try:
        controlplane.start()
        yield controlplane
    finally:
        controlplane.stop()


@pytest.mark.long
async def test_lists_refused_by_a_busy_api_server_are_made_again_until_they_are_answered(
    busy_controlplane: ControlPlane,
) -> None:
    """Its one place is taken by a client that asks for 11 MB and does not read them."""
    async with rigged(busy_controlplane) as rig:
        await allow(rig, "alice")
        await rig.create(*NAMES)
        for number in range(12):
            large = {"metadata": {"name": f"large{number}"}, "data": {"text": 900_000 * "x"}}
            await rig.client.create(CONFIG_MAPS, large, rig.namespace)
        alice = load_kubeconfig(busy_controlplane.kubeconfig_of("alice"))
        async with proxied(busy_controlplane, alice) as proxy:
            async with _slow_reader(rig):
                followed = rig.follow(rig.factory(proxy.config, **QUICK))
                await eventually(lambda: _refused(proxy) >= 2, what="two of the informer's lists refused")
                assert not followed.informer.has_synced
            await followed.becomes("live")
            await rig.equal(followed)
            assert followed.informer.health().relists == 0
            assert followed.ledger.adds == len(NAMES) + 12
            assert [each.status for each in proxy.watches("configmaps")] == [422, 200]


@pytest.mark.long
@pytest.mark.parametrize("seconds", [1, None], ids=["Retry-After", "no Retry-After"])
async def test_watches_refused_are_begun_again_where_they_were_and_nothing_is_listed_again(
    rig: Rig, seconds: int | None
) -> None:
    await rig.create(*NAMES)
    async with proxied(rig.controlplane, rig.client.config) as proxy:
        followed = rig.follow(rig.factory(proxy.config, streaming_lists=False, watch_timeout=1.0, **QUICK))
        await rig.equal(followed)
        proxy.rule = _refuse_watches(3, seconds)
        before = len(proxy.seen)
        await followed.becomes("stale")
        assert followed.informer.health().has_answer
        await rig.change(*NAMES)
        await followed.becomes("live")
        await rig.equal(followed)
        later = proxy.seen[before:]
        statuses = [each.status for each in later if each.is_watch]
        begun = statuses.index(429)  # one that was under way when the rule came may have been answered first
        assert statuses[begun : begun + 4] == [429, 429, 429, 200]
        assert len({each.query["resourceVersion"] for each in later if each.is_watch and each.status == 429}) == 1
        assert len(proxy.lists("configmaps")) == 1


async def test_streaming_lists_refused_are_begun_again(rig: Rig) -> None:
    await rig.create(*NAMES)
    async with proxied(rig.controlplane, rig.client.config) as proxy:
        proxy.rule = _refuse_watches(3, None)
        followed = rig.follow(rig.factory(proxy.config, **QUICK))
        await rig.equal(followed)
        assert [each.status for each in proxy.watches("configmaps")] == [429, 429, 429, 200]
        assert proxy.lists("configmaps") == []


def _refused(proxy: Proxy) -> int:
    return sum(each.status == 429 for each in proxy.lists("configmaps"))


def _refuse_watches(count: int, seconds: int | None) -> Rule:
    left = count

    async def rule(request: web.Request) -> web.Response | None:
        nonlocal left
        if request.query.get("watch") != "true" or left == 0:
            return None
        left -= 1
        return too_many(seconds)

    return rule


@asynccontextmanager
async def _slow_reader(rig: Rig) -> AsyncIterator[None]:
    """A list as alice of which nothing but the head is read."""
    tls = ssl.create_default_context(cafile=str(rig.controlplane.ca_file))
    tls.verify_flags &= ~ssl.VERIFY_X509_STRICT
    with socket.socket() as narrow:
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**16)
        narrow.connect(("127.0.0.1", rig.controlplane.api_port))
        reader, writer = await asyncio.open_connection(sock=narrow, ssl=tls, server_hostname="127.0.0.1")
        lines = (f"GET {CONFIG_MAPS.path(rig.namespace)} HTTP/1.1", "Host: a", "Authorization: Bearer alice-token")
        writer.write("\r\n".join((*lines, "", "")).encode())
        assert b" 200 " in await reader.readline()
        try:
            yield
        finally:
            writer.transport.abort()
