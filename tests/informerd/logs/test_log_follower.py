"""Tests of a followed log on a real API server with a kubelet's answers: breaks, restarts, rotation, rights."""

from __future__ import annotations

import asyncio
import itertools
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from informerd.errors import BadRequest, NotFound, Status
from informerd.logs.log_events import LogEvent, LogLines, LogMark
from informerd.logs.log_follower import LogFollower, LogPosition
from informerd.logs.log_lines import split_time
from informerd.resource import PODS
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.daemon import Daemon
from tests.support.kubelet_logs import LoggingPod, kubelet_with_logs
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.tcp_proxy import Wire
from tests.support.wait import eventually

pytestmark = pytest.mark.soak  # a whole run is too long for these: the page of logs has the same in tests/e2e

numbers = itertools.count()


@pytest.fixture(scope="module")
def controlplane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """An API server of this file: kwok adds a kind and a node, which others do not expect."""
    made = ControlPlane(tmp_path_factory.mktemp("logs"), controlplane_binaries())
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def kubelet(controlplane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with kubelet_with_logs(controlplane, tmp_path_factory.mktemp("kubelet")) as daemon:
        yield daemon


@pytest.fixture
def pod(controlplane: ControlPlane, kubelet: Daemon, tmp_path: Path) -> LoggingPod:
    namespace = controlplane.create_namespace(f"logs-{next(numbers)}")
    return LoggingPod(controlplane, namespace, "web", tmp_path)


@dataclass
class AskedPod:
    """The state of a pod, asked for again and again."""

    client: Client
    namespace: str
    name: str

    async def pod(self) -> Mapping[str, Any] | None:
        try:
            return (await self.client.get(PODS, self.name, self.namespace)).object()
        except NotFound:
            return None

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.2))


@dataclass
class Follower:
    """What a followed log has told."""

    events: list[LogEvent] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """The lines' texts, and the kinds of marks in brackets."""
        found: list[str] = []
        for event in self.events:
            if isinstance(event, LogMark):
                found.append(f"[{event.kind}]")
            else:
                found += [split_time(line)[1].decode() for line in event.lines]
        return found

    @property
    def lines(self) -> list[bytes]:
        return [line for event in self.events if isinstance(event, LogLines) for line in event.lines]

    async def has(self, text: str) -> None:
        await eventually(lambda: text in self.texts, within=30, what=text)


@asynccontextmanager
async def followed(client: Client, pod: LoggingPod, **options: Any) -> AsyncIterator[Follower]:
    follower = Follower()
    source = AskedPod(client, pod.namespace, pod.name)
    log = LogFollower(client, source, pod.namespace, pod.name, "main", follower.events.append, **options)
    task = asyncio.create_task(log.run())
    try:
        yield follower
    finally:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error


@pytest.fixture
async def client(controlplane: ControlPlane) -> AsyncIterator[Client]:
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        yield client


async def test_lines_come_as_kubectl_shows_them(client: Client, controlplane: ControlPlane, pod: LoggingPod) -> None:
    pod.write("one", "two", "", "three é")
    async with followed(client, pod) as log:
        await log.has("three é")
        pod.write("four")
        await log.has("four")
        command = ("--kubeconfig", controlplane.kubeconfig, "logs", "--timestamps", "-n", pod.namespace, pod.name)
        shown = await asyncio.create_subprocess_exec(controlplane_binaries() / "kubectl", *command, stdout=PIPE)
        assert b"".join(line + b"\n" for line in log.lines) == (await shown.communicate())[0]


async def test_it_begins_with_the_newest_lines(client: Client, pod: LoggingPod) -> None:
    pod.write(*(f"line {number}" for number in range(50)))
    async with followed(client, pod, position=LogPosition(tail=3)) as log:
        await log.has("line 49")
        assert log.texts == ["line 47", "line 48", "line 49"]


async def test_after_a_broken_connection_nothing_comes_twice_and_nothing_is_missing(
    controlplane: ControlPlane, pod: LoggingPod
) -> None:
    config = load_kubeconfig(controlplane.kubeconfig)
    async with Wire(controlplane.api_port) as wire:
        through = replace(config, server=f"https://127.0.0.1:{wire.port}")
        async with Client(through) as client, followed(client, pod) as log:
            for number in range(4):
                pod.write(f"before {number}")
                await log.has(f"before {number}")
                await wire.cut()
                pod.write(f"meanwhile {number}")
                await log.has("[interrupted]")
                await wire.mend()
                await log.has(f"meanwhile {number}")
            expected = [f"{word} {number}" for number in range(4) for word in ("before", "meanwhile")]
            assert [text for text in log.texts if not text.startswith("[")] == expected
            assert "[resumed]" in log.texts
            assert "[gap]" not in log.texts


async def test_a_restart_of_the_api_server_is_told_and_loses_nothing(
    own_controlplane: ControlPlane, tmp_path: Path
) -> None:
    with kubelet_with_logs(own_controlplane, tmp_path / "kubelet"):
        pod = LoggingPod(own_controlplane, own_controlplane.create_namespace("logs"), "web", tmp_path)
        async with Client(load_kubeconfig(own_controlplane.kubeconfig)) as client, followed(client, pod) as log:
            pod.write("before")
            await log.has("before")
            own_controlplane.kill()
            pod.write("meanwhile")
            await log.has("[interrupted]")
            own_controlplane.start_apiserver()
            pod.write("after")
            await log.has("after")
            assert log.texts == ["before", "[interrupted]", "[resumed]", "meanwhile", "after"]


async def test_a_restart_of_the_container_is_marked_after_the_last_words_of_the_run_before(
    client: Client, pod: LoggingPod
) -> None:
    async with followed(client, pod) as log:
        pod.write("working")
        await log.has("working")
        pod.restart(137, leaves=("last words",))
        pod.write("first words")
        await log.has("first words")
        marks = [event for event in log.events if isinstance(event, LogMark)]
        assert "exit code 137" in marks[0].words
        assert log.texts == ["working", "last words", "[ended]", "[restarted]", "first words"]


async def test_where_the_log_before_a_restart_is_not_kept_the_next_one_is_followed(
    client: Client, pod: LoggingPod, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the kubelet answers once it has removed the container."""
    stream, asked = client.stream, list[Mapping[str, Any]]()

    @asynccontextmanager
    async def without_previous(path: str, params: Mapping[str, Any]) -> AsyncIterator[Any]:
        asked.append(params)
        if "previous" in params:
            raise BadRequest(Status(code=400, message='previous terminated container "main" not found'))
        async with stream(path, params) as opened:
            yield opened

    monkeypatch.setattr(client, "stream", without_previous)
    async with followed(client, pod) as log:
        pod.write("working")
        await log.has("working")
        pod.restart()
        pod.write("first words")
        await log.has("first words")
        assert log.texts == ["working", "[gap]", "[ended]", "[restarted]", "first words"]
        assert any("previous" in params for params in asked)


async def test_the_end_of_a_container_is_told_once(client: Client, pod: LoggingPod) -> None:
    pod.write("done")
    pod.end()
    async with followed(client, pod) as log:
        await log.has("[ended]")
        await asyncio.sleep(1)
        assert log.texts == ["done", "[ended]"]


async def test_a_container_that_has_not_begun_is_waited_for(client: Client, pod: LoggingPod) -> None:
    pod.set_state({"waiting": {"reason": "ContainerCreating"}})
    async with followed(client, pod) as log:
        await log.has("[waiting]")
        pod.set_state({"running": {"startedAt": "2026-01-01T00:00:00Z"}})
        pod.write("now")
        await log.has("now")
        assert log.texts == ["[waiting]", "now"]


async def test_who_may_not_read_the_log_is_told_why(
    controlplane: ControlPlane, client: Client, pod: LoggingPod
) -> None:
    pod.write("secret")
    async with Client(load_kubeconfig(controlplane.kubeconfig_of("alice"))) as alice:
        follower = Follower()
        source = AskedPod(client, pod.namespace, pod.name)
        await LogFollower(alice, source, pod.namespace, pod.name, "main", follower.events.append).run()
    assert follower.texts == ["[refused]"]
    assert "cannot get resource" in str(follower.events[0])


async def test_a_kubelet_that_does_not_answer_is_told_and_asked_again(
    own_controlplane: ControlPlane, tmp_path: Path
) -> None:
    with kubelet_with_logs(own_controlplane, tmp_path / "kubelet") as kubelet:
        pod = LoggingPod(own_controlplane, own_controlplane.create_namespace("logs"), "web", tmp_path)
        kubelet.kill()
        async with Client(load_kubeconfig(own_controlplane.kubeconfig)) as client, followed(client, pod) as log:
            await log.has("[interrupted]")
            assert "connection refused" in str(log.events[0])


async def test_it_ends_with_the_pod(client: Client, pod: LoggingPod) -> None:
    async with followed(client, pod) as log:
        pod.write("bye")
        await log.has("bye")
        pod.delete()
        await log.has("[gone]")
