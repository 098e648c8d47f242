"""Tests of the wiring of a web process: its start, its end, and its ASGI application."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from channels.layers import InMemoryChannelLayer
from django.test import override_settings

from dashboard.cluster.access_reviews import ResourceAttributes
from dashboard.live.hub.kind_discovery import RETRY_CHANGED
from dashboard.live.replication.rejected_messages import Rejection
from dashboard.live.usage.usage_client import SWITCHED_OFF
from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.objects.kinds.row import TableDefinition
from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.live_list import open_list
from dashboard.runtime.app_state import AppState, state_of
from dashboard.runtime.shard import WHOLE
from dashboard.server.wiring.web import ProtocolRouter, WebProcess, WiredApplication, build_web_process
from dashboard.server.wiring.worker import WorkerProcess
from informerd.clock import SystemClock
from informerd.resource import Resource
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.cluster_connection import FakeClient, choice, kubeconfig_text
from tests.support.cluster_connection import clients as clients
from tests.support.controlplane import free_ports
from tests.support.wait import eventually

Message = dict[str, Any]


@pytest.fixture
async def live(tmp_path: Path, clients: list[FakeClient]) -> AsyncIterator[WebProcess]:
    """A web process's parts with a broken configuration: nothing to connect to, everything else runs."""
    layer, clock, kinds = InMemoryChannelLayer(), SystemClock(), parse_kinds(["pods", "nodes"])
    broken = choice(tmp_path, environ={"KUBECONFIG": str(tmp_path / "none")})
    made = WebProcess(WorkerProcess(broken, kinds, layer, clock, with_worker=True), kinds, layer, clock)
    yield made
    await made.stop()


def is_listening(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


async def called(application: Callable[..., Any], kind: str = "http", path: str = "/") -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": f"{kind}.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await application({"type": kind, "path": path, "headers": []}, receive, send)
    return sent


async def test_metrics_are_served_at_an_address_of_their_own(live: WebProcess) -> None:
    (port,) = free_ports(1)
    with override_settings(DELTABOARD_METRICS=f"127.0.0.1:{port}"):
        live.start()
        await eventually(lambda: is_listening(port))
    async with ClientSession() as session, session.get(f"http://127.0.0.1:{port}/metrics") as response:
        assert "\ndeltaboard_sockets 0.0\n" in await response.text()


async def test_an_address_of_metrics_that_is_taken_is_said_and_the_pages_go_on(
    live: WebProcess, caplog: pytest.LogCaptureFixture
) -> None:
    taken = socket.create_server(("127.0.0.1", 0))
    address = "{}:{}".format(*taken.getsockname())
    with taken, override_settings(DELTABOARD_METRICS=address):
        live.start()
        await eventually(lambda: f"DELTABOARD_METRICS: cannot serve probes at {address}" in caplog.text)
    assert live.is_started


async def test_changes_are_received_once_the_kinds_that_are_followed_always_are_known(
    live: WebProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier, the feed would say that every change is known, and not that those of such a kind are not."""
    received, asleep = asyncio.Event(), asyncio.Event()

    async def receive() -> None:
        received.set()

    monkeypatch.setattr(live.replicas, "run", receive)
    monkeypatch.setattr(live.followed_kinds, "run", asleep.wait)
    live.start()
    await asyncio.sleep(0.05)
    assert not received.is_set()
    live.followed_kinds.first_read_ended.set()
    async with asyncio.timeout(5):
        await received.wait()


async def test_the_live_parts_start_with_the_first_request_and_only_once(live: WebProcess) -> None:
    seen: list[AppState] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        seen.append(state_of(scope))

    application = WiredApplication(inner, live)
    assert not live.is_started
    await called(application)
    tasks = list(live._tasks)
    await called(application)
    assert seen == [live.state, live.state]
    assert live._tasks == tasks


async def test_with_a_broken_configuration_everything_runs_and_says_so(live: WebProcess) -> None:
    live.start()
    await eventually(lambda: live.problem)
    assert "no such file" in live.problem
    assert (live.client, live.discovery, live.version, live.cluster.name) == (None, None, "", "no cluster")
    assert [kind.key for kind in live.kinds] == ["pods", "nodes"]
    assert live.hub.connection_problem() == live.problem
    assert live.replicas.get("pods").state == "starting"
    assert live.cannot_watch


async def test_a_web_process_waits_for_the_worker_though_its_own_configuration_is_broken(tmp_path: Path) -> None:
    """The worker elsewhere may have a better one; until it has spoken there is nothing to show."""
    broken = choice(tmp_path, environ={"KUBECONFIG": str(tmp_path / "none")}, demo_allowed=False)
    upstream = WorkerProcess(broken, parse_kinds(["pods"]), InMemoryChannelLayer(), SystemClock(), with_worker=False)
    await upstream.connection.check()
    upstream.connection.cluster_chosen.set()
    assert upstream.connection.problem
    assert not upstream.cannot_watch


@pytest.mark.parametrize("given", [{}, {"log_cluster": True}])
async def test_which_cluster_was_chosen_is_logged_for_servers_that_are_no_command_of_ours(
    live: WebProcess, given: dict[str, bool], caplog: pytest.LogCaptureFixture
) -> None:
    path = Path(live.connection._choice.environ["KUBECONFIG"])
    path.write_text(kubeconfig_text("https://one:1"))  # noqa: ASYNC240
    with caplog.at_level("INFO", logger="dashboard"):
        live.start(**given)
        await eventually(lambda: live.client)
        await run_ready_tasks()
    said = [record.message for record in caplog.records if "Cluster main" in record.message]
    assert said == (
        [f"Cluster main at https://one:1, because: KUBECONFIG={path}, current context main"] if given else []
    )


async def test_beats_name_the_cluster_that_is_being_chosen_and_then_was_not(live: WebProcess) -> None:
    assert (live.cluster.name, live.cluster.why) == ("starting", "the cluster is being chosen")
    live.start()
    await eventually(lambda: live.problem)
    assert (live.hub._heartbeat._cluster() or {})["why"] == "its configuration cannot be used"


async def test_stopping_ends_every_task(live: WebProcess) -> None:
    before = asyncio.all_tasks()
    live.start()
    await eventually(lambda: live.connection.cluster_chosen.is_set())
    await live.stop()
    assert asyncio.all_tasks() == before


async def test_what_is_drawn_while_everything_ends_leaves_no_question_behind(live: WebProcess) -> None:
    class Told:
        def access_changed(self) -> None:
            pass

    told, kind = Told(), parse_kinds(["pods"])[0]

    async def drawing() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            live.access_reviews.cached_denial(ResourceAttributes("update", kind.resource), told)

    live.start()
    live._keep("a page that is drawn", drawing)
    await eventually(lambda: live.connection.cluster_chosen.is_set())
    await live.stop()
    live.access_reviews.cached_denial(ResourceAttributes("delete", kind.resource), told)
    assert not live.access_reviews._tasks


async def test_a_page_that_connects_again_during_the_shutdown_starts_nothing(live: WebProcess) -> None:
    async def inner(*_: object) -> None:
        pass

    before = asyncio.all_tasks()
    live.start()
    await eventually(lambda: live.connection.cluster_chosen.is_set())
    stopping = asyncio.create_task(live.stop())
    await asyncio.sleep(0)
    await called(WiredApplication(inner, live))
    await stopping
    await called(WiredApplication(inner, live))
    assert asyncio.all_tasks() == before


async def test_what_discovery_says_of_a_kind_reaches_the_hub_too(tmp_path: Path, clients: list[FakeClient]) -> None:
    """Its pages name the kind by what they get from there."""

    class Known:
        def invalidate(self) -> None:
            pass

        async def resolve(self, name: str) -> Resource:
            version = "v3" if name == "widgets.v3.example.com" else "v2"
            return Resource(group="example.com", version=version, plural=name.partition(".")[0], kind="Widget")

    layer, clock, kinds = InMemoryChannelLayer(), FakeClock(), parse_kinds(["pods", "widgets.example.com"])
    broken = choice(tmp_path, environ={"KUBECONFIG": str(tmp_path / "none")})
    made = WebProcess(WorkerProcess(broken, kinds, layer, clock, with_worker=False), kinds, layer, clock)
    made.connection.discovery = Known()  # type: ignore[assignment]
    await made.kind_discovery.resolve_due()
    assert made.hub.kinds == made.kinds
    assert [kind.resource.version for kind in made.hub.kinds] == ["v1", "v2"]
    query = Query.parse({}, "widgets.example.com")
    assert open_list(made.hub, made.hub.kinds[1], query).kind.resource.kind == "Widget"
    undivided = made.replicas.get("widgets.example.com").replica_of(WHOLE)
    assert undivided is not None
    undivided.table = TableDefinition(True, (), "v3")  # so the worker follows it now
    await clock.advance(RETRY_CHANGED)
    await made.kind_discovery.resolve_due()
    assert [kind.resource.version for kind in made.kinds] == ["v1", "v3"]
    assert open_list(made.hub, made.hub.kinds[1], query).kind.resource.version == "v3"


async def test_sockets_elsewhere_and_other_protocols_are_turned_away() -> None:
    async def unexpected(*_: object) -> None:
        raise AssertionError("called")

    by_protocol = ProtocolRouter(unexpected, {"/live/": unexpected})
    assert await called(by_protocol, "websocket", "/other/") == [{"type": "websocket.close", "code": 4404}]
    with pytest.raises(ValueError, match="there is no handler for the protocol lifespan"):
        await called(by_protocol, "lifespan")


async def test_messages_that_cannot_be_read_are_the_problem_of_every_page() -> None:
    web_process = build_web_process(clock=FakeClock())
    web_process.worker_process.rejected_messages.record(Rejection.OTHER_KEY)
    assert "worker and web process have different keys. Set DELTABOARD_FEED_KEY" in web_process.problem
    assert web_process.replicas.channel_problem == web_process.problem


def test_live_parts_are_missed_with_a_sentence_where_nothing_was_wired() -> None:
    with pytest.raises(LookupError, match="has no state"):
        state_of({"type": "http"})


def test_with_redis_a_web_process_holds_no_worker() -> None:
    with override_settings(REDIS_URL="redis://127.0.0.1:1"):
        assert build_web_process().worker_process._with_worker is False
    assert build_web_process().worker_process._with_worker is True


@pytest.mark.parametrize(("seconds", "problem"), [(0, SWITCHED_OFF), (30, "")])
def test_usage_that_is_switched_off_is_told_from_usage_that_is_not_known_yet(seconds: int, problem: str) -> None:
    with override_settings(DELTABOARD_USAGE_SECONDS=seconds):
        assert build_web_process(clock=FakeClock()).usage.problem == problem
