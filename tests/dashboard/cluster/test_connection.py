"""Tests of the connection to the cluster: made, checked, and replaced when its configuration changes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.cluster.choice import ClusterChoice
from dashboard.cluster.connection import CHECK_INTERVAL, CONNECTION, RETRY_INTERVAL, VERSION_INTERVAL, Connection
from dashboard.live.object_counts.scoped_counts import OBJECT_COUNTS
from dashboard.live.object_counts.worker_client import ObjectCountsClient
from dashboard.pages.layout.page import cluster_info
from dashboard.runtime.app_state import AppState
from informerd.clock import SystemClock
from informerd.errors import ConfigError, Unreachable
from informerd.rest.load_config import ClusterConfig, load_kubeconfig
from informerd.testing.demo_process import DemoProcess
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.cluster_connection import FakeClient, choice, kubeconfig_text
from tests.support.cluster_connection import clients as clients
from tests.support.wait import eventually


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
        "main at https://one:1 cannot be reached: connection refused. Deltaboard tries again every 5 s."
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
