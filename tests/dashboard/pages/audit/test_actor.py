"""Tests of the actor of a request, and of the state by which all that a request writes is recorded as theirs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.access.person import PERSON_KEY, Person
from dashboard.cluster.connection import CONNECTION
from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.pages.audit.actor import actor_of
from dashboard.runtime.app_state import state_of
from dashboard.server.audit_layer import AuditLayer
from dashboard.server.wiring.web import WebProcess, WiredApplication
from dashboard.server.wiring.worker import WorkerProcess
from informerd.clock import SystemClock
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from tests.support.cluster_connection import FakeClient, choice
from tests.support.cluster_connection import clients as clients

Scope = dict[str, Any]
ANNA = Person("anna", ("ops",))


def scope(*headers: tuple[bytes, bytes], kind: str = "http") -> Scope:
    return {"type": kind, "path": "/", "headers": list(headers), PERSON_KEY: ANNA}


@pytest.fixture
async def live(tmp_path: Path, clients: list[FakeClient], settings: SimpleNamespace) -> AsyncIterator[WebProcess]:
    """A web process that records, with a client of a cluster that does not answer."""
    settings.DELTABOARD_AUDIT, settings.DELTABOARD_SIGN_IN = "on", "proxy"
    layer, clock, kinds = InMemoryChannelLayer(), SystemClock(), parse_kinds(["pods"])
    broken = choice(tmp_path, environ={"KUBECONFIG": str(tmp_path / "none")})
    made = WebProcess(WorkerProcess(broken, kinds, layer, clock, with_worker=True), kinds, layer, clock)
    made._started = True
    async with Client(ClusterConfig(name="c", server="https://127.0.0.1:1", why="")) as client:
        made.connection.client = client
        yield made
    made.connection.client = None
    await made.stop()


async def seen(live: WebProcess, given: Scope) -> Scope:
    """The scope that pages get."""
    found: list[Scope] = []

    async def inner(scope: Scope, _receive: object, _send: object) -> None:
        found.append(scope)

    await WiredApplication(AuditLayer(inner), live)(given, None, None)  # type: ignore[arg-type]
    return found[0]


async def test_what_a_request_writes_is_recorded_as_its_persons(live: WebProcess) -> None:
    given = await seen(live, scope((b"x-request-id", b"from-the-proxy")))
    client, shared = state_of(given)[CONNECTION].client, live.connection.client
    assert client is not None
    assert shared is not None
    observer: Any = client._observer
    assert observer._actor == actor_of(given)
    assert (observer._actor.person, observer._actor.request_id) == (ANNA, "from-the-proxy")
    assert shared._observer is None, "what the worker does is no person's"
    assert client._transport is shared._transport


async def test_each_request_has_an_id_that_stays(live: WebProcess) -> None:
    one, other = await seen(live, scope()), await seen(live, scope())
    assert actor_of(one) == actor_of(one)
    assert actor_of(one).request_id != actor_of(other).request_id
    observer: Any = getattr(state_of(one)[CONNECTION].client, "_observer", None)
    assert observer._actor == actor_of(one)


@pytest.mark.parametrize("header", [b"", b"x" * 129, b"a\nb"])
async def test_an_id_that_is_none_is_replaced(live: WebProcess, header: bytes) -> None:
    assert len(actor_of(await seen(live, scope((b"x-request-id", header)))).request_id) == 16


async def test_nobody_chooses_an_id_past_a_proxy(live: WebProcess, settings: SimpleNamespace) -> None:
    settings.DELTABOARD_SIGN_IN = "token"
    assert actor_of(await seen(live, scope((b"x-request-id", b"mine")))).request_id != "mine"


async def test_sockets_do_not_write_and_get_what_all_share(live: WebProcess) -> None:
    assert state_of(await seen(live, scope(kind="websocket"))) is live.state


async def test_without_a_record_all_requests_get_what_all_share(live: WebProcess) -> None:
    live.audit.store = None
    assert state_of(await seen(live, scope())) is live.state


async def test_those_who_read_the_record_do_not_keep_those_who_write_it_waiting(live: WebProcess) -> None:
    store = live.audit.store
    assert store is not None
    assert store.reader is not store._database
    assert store.reader._threads is not store._database._threads
