"""Tests of the assembly of a process: its cluster, changes of its configuration, and the application."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from dashboard.cluster.access_reviews import ResourceAttributes
from dashboard.cluster.choice import ClusterChoice
from dashboard.cluster.connection import CHECK_INTERVAL, CONNECTION, RETRY_INTERVAL, VERSION_INTERVAL, Connection
from dashboard.live.hub.kind_discovery import RETRY_CHANGED
from dashboard.live.object_counts.worker_client import OBJECT_COUNTS, ObjectCountsClient
from dashboard.live.replication.rejected_messages import Rejection
from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.objects.kinds.row import TableDefinition
from dashboard.objects.query.list_query import Query
from dashboard.pages.layout.page import cluster_info
from dashboard.pages.lists.live_list import open_list
from dashboard.runtime.app_state import AppState, state_of
from dashboard.server.wiring.web import ProtocolRouter, WebProcess, WiredApplication, build_web_process
from dashboard.server.wiring.worker import WorkerProcess, choice_from_settings, kinds_from_settings
from informerd.clock import SystemClock
from informerd.errors import ConfigError, Unreachable
from informerd.resource import Resource
from informerd.rest.load_config import ClusterConfig, load_kubeconfig
from informerd.testing.demo_process import DemoProcess
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.wait import eventually

Message = dict[str, Any]


def kubeconfig_text(server: str, *, context: str = "main") -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": context,
            "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "users": [{"name": "u", "user": {"token": "secret"}}],
        }
    )


def choice(home: Path, **settings: Any) -> ClusterChoice:
    environ = settings.pop("environ", {})
    return ClusterChoice(environ=environ, home=home, **settings)


# --- which cluster ----------------------------------------------------------------------------------------------


def test_nothing_configured_means_the_demo_cluster_and_says_why(tmp_path: Path) -> None:
    chosen = choice(tmp_path)
    assert chosen.load() is None
    assert chosen.demo_reason.startswith("no cluster is configured")


def test_the_demo_can_be_asked_for_whatever_is_configured(tmp_path: Path) -> None:
    chosen = choice(tmp_path, is_demo_asked=True, environ={"KUBECONFIG": str(tmp_path / "missing")})
    assert chosen.load() is None
    assert chosen.demo_reason == "DELTABOARD_CLUSTER=demo"


@pytest.mark.parametrize("demo", [True, False])
def test_processes_that_share_redis_cannot_share_a_demo_cluster(tmp_path: Path, demo: bool) -> None:
    with pytest.raises(ConfigError, match="with REDIS_URL set, set KUBECONFIG"):
        choice(tmp_path, is_demo_asked=demo, demo_allowed=False).load()


def test_home_counts_where_kubeconfig_is_not_set(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text(kubeconfig_text("https://127.0.0.1:1"))
    config = choice(tmp_path).load()
    assert config is not None
    assert (config.name, config.server) == ("main", "https://127.0.0.1:1")


def test_a_file_that_is_made_written_or_removed_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    chosen = choice(tmp_path, environ={"KUBECONFIG": f"{path}{os.pathsep}{tmp_path / 'other'}"})
    seen = [chosen.signature()]
    path.write_text("a")
    seen.append(chosen.signature())
    path.write_text("ab")
    seen.append(chosen.signature())
    path.unlink()
    assert len(set(seen)) == 3
    assert chosen.signature() == seen[0]


def test_settings_and_the_commands_context_make_the_choice() -> None:
    with override_settings(DELTABOARD_CONTEXT="prod", DELTABOARD_CLUSTER="demo", REDIS_URL="redis://x"):
        chosen = choice_from_settings()
        assert (chosen.context, chosen.is_demo_asked, chosen.demo_allowed) == ("prod", True, False)
        assert (choice_from_settings(context="dev").context, choice_from_settings(context="dev").is_demo_asked) == (
            "dev",
            False,
        )


def test_a_kind_that_means_nothing_is_named() -> None:
    with (
        override_settings(DELTABOARD_KINDS=["pods", "gibberish"]),
        pytest.raises(ImproperlyConfigured, match="gibberish"),
    ):
        kinds_from_settings()


# --- the connection ---------------------------------------------------------------------------------------------


class FakeClient:
    """Answers `version` as told."""

    made: list[FakeClient]
    answer: str | Exception = "v1.37.1"

    def __init__(self, config: ClusterConfig, *, clock: object, user_agent: str) -> None:
        self.config = config
        self.closed = False
        self.asked = 0
        self.made.append(self)

    async def version(self) -> str:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def close(self) -> None:
        self.closed = True


class Connected:
    """A connection to what one kubeconfig says, on a fake clock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FakeClock()
        self.switches: list[FakeClient] = []
        chosen = choice(path.parent, environ={"KUBECONFIG": str(path)})
        self.connection = Connection(chosen, self.clock, on_switch=self._switched)

    async def _switched(self, client: Any, _: object) -> None:
        self.switches.append(client)

    def write(self, text: str) -> None:
        self.path.write_text(text)

    async def look(self) -> None:
        await self.connection.check()
        await run_ready_tasks()


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> list[FakeClient]:
    made: list[FakeClient] = []
    monkeypatch.setattr(FakeClient, "made", made, raising=False)
    monkeypatch.setattr("dashboard.cluster.connection.Client", FakeClient)
    return made


@pytest.fixture
async def connected(tmp_path: Path, clients: list[FakeClient]) -> AsyncIterator[Connected]:
    made = Connected(tmp_path / "kubeconfig")
    made.write(kubeconfig_text("https://one:1"))
    yield made
    await made.connection.close()


async def test_a_broken_configuration_is_a_problem_with_its_place_and_heals_when_mended(connected: Connected) -> None:
    connected.write("clusters: [\n")
    await connected.look()
    connection = connected.connection
    assert connection.client is None
    assert str(connected.path) in connection.problem
    assert "line 2" in connection.problem
    assert "It is read again when it changes, and every 5 s." in connection.problem
    connected.write(kubeconfig_text("https://one:1"))
    await connected.look()
    assert (connection.problem, connection.cluster.server) == ("", "https://one:1")
    assert [client.config.server for client in connected.switches] == ["https://one:1"]


async def test_a_configuration_that_cannot_be_used_is_read_again_each_few_seconds(
    connected: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something else than the file may mend it, a plugin or a mounted folder."""
    loads = 0

    def load(_: ClusterChoice) -> None:
        nonlocal loads
        loads += 1
        raise ConfigError("no")

    monkeypatch.setattr(ClusterChoice, "load", load)
    running = asyncio.create_task(connected.connection.run())
    await connected.clock.advance(0)
    assert loads == 1
    await connected.clock.advance(RETRY_INTERVAL + CHECK_INTERVAL)
    assert loads == 2
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_an_unchanged_configuration_is_left_alone(connected: Connected) -> None:
    for _ in range(3):
        await connected.look()
        await connected.clock.advance(60)
    os.utime(connected.path, (1, 1))
    await connected.look()
    assert len(connected.switches) == 1


async def test_the_same_context_at_another_address_is_followed(connected: Connected) -> None:
    """A local cluster that was made anew."""
    await connected.look()
    connected.write(kubeconfig_text("https://another:22"))
    await connected.look()
    assert [client.config.server for client in connected.switches] == ["https://one:1", "https://another:22"]
    assert [client.closed for client in connected.switches] == [True, False]


async def test_nobody_is_moved_to_another_context_while_the_cluster_answers(
    connected: Connected, caplog: pytest.LogCaptureFixture
) -> None:
    await connected.look()
    connected.write(kubeconfig_text("https://production:1", context="production"))
    await connected.look()
    assert len(connected.switches) == 1
    assert "stays with main" in caplog.text


async def test_another_context_is_taken_while_the_cluster_does_not_answer(connected: Connected) -> None:
    running = asyncio.create_task(connected.connection.run())
    await connected.clock.advance(0)
    connected.switches[0].answer = Unreachable("connection refused")
    await connected.clock.advance(VERSION_INTERVAL)
    assert connected.connection.problem == (
        "main at https://one:1 cannot be reached: connection refused. Tried again every 5 s."
    )
    connected.write(kubeconfig_text("https://other:1", context="other"))
    await connected.clock.advance(CHECK_INTERVAL + RETRY_INTERVAL)
    assert (connected.connection.cluster.name, connected.connection.problem) == ("other", "")
    assert connected.connection.version == "v1.37.1"
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_file_that_becomes_unreadable_leaves_a_working_connection(
    connected: Connected, caplog: pytest.LogCaptureFixture
) -> None:
    await connected.look()
    connected.write("]")
    await connected.look()
    assert connected.connection.problem == ""
    assert "the old one stays" in caplog.text


async def test_the_version_is_asked_often_until_it_is_known_and_seldom_after(
    connected: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeClient, "answer", Unreachable("no"))
    await connected.look()
    (client,) = connected.switches
    await connected.clock.advance(RETRY_INTERVAL * 4)
    assert client.asked == 5
    monkeypatch.setattr(FakeClient, "answer", "v1.37.2")
    await connected.clock.advance(RETRY_INTERVAL + VERSION_INTERVAL * 3)
    assert (client.asked, connected.connection.version) == (9, "v1.37.2")


async def test_another_client_is_asked_at_once_and_the_old_one_no_more(connected: Connected) -> None:
    await connected.look()
    await connected.clock.advance(1)
    connected.write(kubeconfig_text("https://another:22"))
    await connected.look()
    await connected.clock.advance(VERSION_INTERVAL)
    assert [client.asked for client in connected.switches] == [1, 2]


def offered_call(connection: Connection) -> str:
    """The kubectl call that pages show and that offered commands begin with."""
    counts = ObjectCountsClient(InMemoryChannelLayer(), SystemClock())
    return cluster_info(AppState({CONNECTION: connection, OBJECT_COUNTS: counts})).kubectl


async def test_offered_commands_name_the_context_and_a_file_that_kubectl_does_not_read_by_itself(
    connected: Connected,
) -> None:
    assert offered_call(connected.connection) == "", "no cluster is chosen yet"
    connected.write(kubeconfig_text("https://one:1", context="pro d"))
    await connected.look()
    call = f"kubectl --kubeconfig {connected.path} --context 'pro d'"
    assert offered_call(connected.connection) == call
    connected.write(kubeconfig_text("https://production:1", context="production"))
    await connected.look()
    assert offered_call(connected.connection) == call, "this process stays with the cluster that it shows"


@pytest.mark.usefixtures("clients")
async def test_the_default_kubeconfig_needs_no_name_but_its_context_does(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    path = tmp_path / ".kube" / "config"
    path.write_text(kubeconfig_text("https://one:1"))
    for environ in ({}, {"KUBECONFIG": str(path)}):
        async with connection_of(choice(tmp_path, environ=environ)) as connection:
            assert offered_call(connection) == "kubectl --context main"
    several = {"KUBECONFIG": f"{path}{os.pathsep}{tmp_path / 'other'}"}
    async with connection_of(choice(tmp_path, environ=several)) as connection:
        assert offered_call(connection) == f"KUBECONFIG={several['KUBECONFIG']} kubectl --context main"


@pytest.mark.usefixtures("clients")
async def test_in_a_pod_no_call_names_the_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pod = ClusterConfig(name="in-cluster", server="https://10.0.0.1:443", why="a test says so")
    monkeypatch.setattr(ClusterChoice, "load", lambda _: pod)
    async with connection_of(choice(tmp_path)) as connection:
        assert offered_call(connection) == ""


@asynccontextmanager
async def connection_of(chosen: ClusterChoice) -> AsyncIterator[Connection]:
    """A connection to the chosen cluster."""

    async def switched(*_: object) -> None:
        return None

    connection = Connection(chosen, FakeClock(), on_switch=switched)
    await connection.check()
    yield connection
    await connection.close()


# --- the demo cluster -------------------------------------------------------------------------------------------

PYTHON = (sys.executable, "-c")
ENDS_WITH_PARENT = "import sys; print({text!r}, flush=True); sys.stdin.read()"


@pytest.mark.program
async def test_a_demo_cluster_that_does_not_start_says_its_last_words() -> None:
    demo = DemoProcess(SystemClock(), command=(*PYTHON, "raise SystemExit('no port is free')"))
    with pytest.raises(ConfigError, match="the demo cluster did not start: no port is free"):
        await demo.start("asked for")
    assert not demo.is_running


@pytest.mark.program
async def test_a_demo_cluster_is_called_demo_and_ends_when_told() -> None:
    program = ENDS_WITH_PARENT.format(text=kubeconfig_text("http://127.0.0.1:1"))
    demo = DemoProcess(SystemClock(), command=(*PYTHON, program))
    config = await demo.start("nothing else")
    assert (config.name, config.why, config.server) == ("demo", "nothing else", "http://127.0.0.1:1")
    assert demo.is_running
    await demo.stop()
    await demo.stop()
    assert not demo.is_running


@pytest.mark.program
async def test_kubectl_finds_a_demo_cluster_by_a_file_that_is_its_users_alone_and_goes_with_it(tmp_path: Path) -> None:
    text = kubeconfig_text("http://127.0.0.1:1")
    path = tmp_path / "var" / "demo.kubeconfig"
    command = (*PYTHON, ENDS_WITH_PARENT.format(text=text))
    demo = DemoProcess(SystemClock(), command=command, kubeconfig=path)
    await demo.start("nothing else")
    assert load_kubeconfig(path).server == "http://127.0.0.1:1"
    assert path.stat().st_mode & 0o777 == 0o600
    await demo.stop()
    assert not path.exists()
    await demo.start("nothing else")
    path.write_text("another process's cluster")
    await demo.stop()
    assert path.exists()


@pytest.mark.program
async def test_where_that_file_cannot_be_written_the_demo_cluster_runs_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("no folder")
    command = (*PYTHON, ENDS_WITH_PARENT.format(text=kubeconfig_text("http://127.0.0.1:1")))
    demo = DemoProcess(SystemClock(), command=command, kubeconfig=tmp_path / "var" / "demo.kubeconfig")
    assert (await demo.start("nothing else")).name == "demo"
    assert demo.kubeconfig is None
    await demo.stop()


@pytest.mark.program
async def test_a_demo_cluster_that_ended_is_started_again(tmp_path: Path, clients: list[FakeClient]) -> None:
    starts = 0

    async def switched(*_: object) -> None:
        nonlocal starts
        starts += 1

    connection = Connection(choice(tmp_path), SystemClock(), on_switch=switched)
    program = ENDS_WITH_PARENT.format(text=kubeconfig_text("http://127.0.0.1:1"))
    demo = connection._demo = DemoProcess(SystemClock(), command=(*PYTHON, program))
    await connection.check()
    assert connection.cluster.name == "demo"
    assert demo._process
    demo._process.kill()
    await eventually(lambda: not demo.is_running)
    await connection.check()
    assert demo.is_running
    await connection.close()
    assert not demo.is_running


# --- the application --------------------------------------------------------------------------------------------


@pytest.fixture
async def live(tmp_path: Path, clients: list[FakeClient]) -> AsyncIterator[WebProcess]:
    """A web process's parts with a broken configuration: nothing to connect to, everything else runs."""
    layer, clock, kinds = InMemoryChannelLayer(), SystemClock(), parse_kinds(["pods", "nodes"])
    broken = choice(tmp_path, environ={"KUBECONFIG": str(tmp_path / "none")})
    made = WebProcess(WorkerProcess(broken, kinds, layer, clock, with_worker=True), kinds, layer, clock)
    yield made
    await made.stop()


async def called(application: Callable[..., Any], kind: str = "http", path: str = "/") -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": f"{kind}.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await application({"type": kind, "path": path, "headers": []}, receive, send)
    return sent


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


class Demo(Connection):
    """A connection to the demo cluster."""

    is_demo = True


@pytest.mark.parametrize(
    ("kind", "setting", "wanted", "elected"),
    [
        (Demo, None, ("crddemo",), False),
        (Demo, (), (), False),
        (Connection, None, (), True),
        (Connection, ("crddemo",), ("crddemo",), True),
    ],
)
def test_controllers_run_by_default_on_the_demo_cluster_only_and_are_elected_on_every_other(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: type[Connection],
    setting: tuple[str, ...] | None,
    wanted: tuple[str, ...],
    elected: bool,
) -> None:
    made: dict[tuple[str, ...], bool] = {}
    monkeypatch.setattr("dashboard.server.wiring.worker.Connection", kind)
    monkeypatch.setattr(
        "dashboard.server.wiring.worker.new_manager",
        lambda names, *_, leader_election: made.update({names: leader_election}),
    )
    layer, kinds = InMemoryChannelLayer(), parse_kinds(["pods"])
    upstream = WorkerProcess(choice(tmp_path), kinds, layer, FakeClock(), with_worker=True, controllers=setting)
    runner = upstream._new_controllers()
    runner._new_manager()
    assert (runner.controller_names, made) == (wanted, {wanted: elected})


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
    made.replicas.get("widgets.example.com").table = TableDefinition(True, (), "v3")  # so the worker follows it now
    await clock.advance(RETRY_CHANGED)
    await made.kind_discovery.resolve_due()
    assert [kind.resource.version for kind in made.kinds] == ["v1", "v3"]
    assert open_list(made.hub, made.hub.kinds[1], query).kind.resource.version == "v3"


async def test_sockets_elsewhere_and_other_protocols_are_turned_away() -> None:
    async def unexpected(*_: object) -> None:
        raise AssertionError("called")

    by_protocol = ProtocolRouter(unexpected, unexpected)
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
