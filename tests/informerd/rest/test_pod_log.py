"""Tests of `Client.logs` on a real API server with a kubelet's answers."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import itertools
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from informerd import Client, Forbidden, InvalidCall, LogEntry, NotFound, informers, load_kubeconfig
from tests.docs.test_informerd import LOG
from tests.support.clock import run_ready_tasks
from tests.support.controlplane import ControlPlane
from tests.support.daemon import Daemon
from tests.support.kubelet_logs import LoggingPod, kubelet_with_logs
from tests.support.program import ROOT, Program
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.tcp_proxy import Wire
from tests.support.wait import eventually

pytestmark = pytest.mark.controlplane

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


@pytest.fixture
async def client(controlplane: ControlPlane) -> AsyncIterator[Client]:
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        yield client


def shown(entry: LogEntry) -> str:
    return f"[{entry.mark}]" if entry.mark else str(entry)


class Reader:
    """Reads a log in a task of its own."""

    def __init__(self, entries: AsyncIterator[LogEntry]) -> None:
        self.shown: list[str] = []
        self.task = asyncio.create_task(self._read(entries))

    async def _read(self, entries: AsyncIterator[LogEntry]) -> None:
        async for entry in entries:
            self.shown.append(shown(entry))

    async def has(self, text: str) -> None:
        await eventually(lambda: text in self.shown, what=text)

    async def __aenter__(self) -> Reader:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])


def succeed(controlplane: ControlPlane, pod: LoggingPod) -> None:
    """The pod's containers have ended for good."""
    pod.end()
    path = f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}/status"
    controlplane.patch(path, {"status": {"phase": "Succeeded"}})


async def test_a_log_is_followed_through_a_break_and_a_restart_to_the_end_of_its_pod(
    controlplane: ControlPlane, pod: LoggingPod
) -> None:
    config = load_kubeconfig(controlplane.kubeconfig)
    pod.write("one", "two é")
    async with Wire(controlplane.api_port) as wire:
        wired = dataclasses.replace(config, server=f"https://127.0.0.1:{wire.port}")
        async with Client(wired) as client, Reader(client.logs(pod.name, pod.namespace, follow=True)) as log:
            await log.has("two é")
            await wire.cut()
            pod.write("three")
            await wire.mend()
            await log.has("three")
            pod.restart(leaves=("last",))
            pod.write("again")
            await log.has("again")
            succeed(controlplane, pod)
            await log.task
    assert [each for each in log.shown if each not in ("[interrupted]", "[resumed]")] == [
        "one", "two é", "three", "last", "[ended]", "[restarted]", "again", "[ended]",
    ]  # fmt: skip


@pytest.mark.long
def test_the_script_of_the_documentation_prints_a_log(
    controlplane: ControlPlane, kubelet: Daemon, tmp_path: Path
) -> None:
    pod = LoggingPod(controlplane, controlplane.create_namespace("shop"), "web-1", tmp_path)
    pod.write("one")
    script = tmp_path / "script.py"
    script.write_text(LOG.source)
    environ = {"KUBECONFIG": str(controlplane.kubeconfig), "PYTHONPATH": str(ROOT)}
    with Program("-X", "dev", "-W", "error", str(script), env=environ) as program:
        program.wait_for(lambda: "one\n" in program.output)
        pod.write("two")
        succeed(controlplane, pod)
        assert program.process is not None
        assert program.process.wait(60) == 0, program.output
        assert program.output.splitlines() == ["one", "two", "The container ended with exit code 0."]


@pytest.mark.long
def test_a_script_may_leave_the_log_before_its_end(controlplane: ControlPlane, pod: LoggingPod) -> None:
    pod.write("one", "two")
    with informers(load_kubeconfig(controlplane.kubeconfig)) as cluster:
        log = cluster.logs(pod.name, pod.namespace, follow=True, tail=1)
        assert next(log).text == "two"
        log.close()
        assert [str(each) for each in cluster.logs(pod.name, pod.namespace)] == ["one", "two"]


@pytest.mark.long
async def test_what_there_is_is_read_once(client: Client, pod: LoggingPod) -> None:
    before = datetime.now(UTC)
    pod.write("one", "two", "", "three")
    assert [shown(each) async for each in client.logs(pod.name, pod.namespace)] == ["one", "two", "", "three"]
    (last,) = [each async for each in client.logs(pod.name, pod.namespace, "main", tail=1)]
    assert last.text == "three"
    assert last.time is not None
    assert before <= last.time <= datetime.now(UTC)
    assert [each async for each in client.logs(pod.name, pod.namespace, since=last.time + timedelta(hours=1))] == []
    assert len([each async for each in client.logs(pod.name, pod.namespace, since=timedelta(hours=1))]) == 4


@pytest.mark.long
async def test_the_log_ends_when_the_pod_is_deleted(client: Client, pod: LoggingPod) -> None:
    pod.write("one")
    async with Reader(client.logs(pod.name, pod.namespace, follow=True, tail=10)) as log:
        await log.has("one")
        pod.delete()
        await log.task
    assert log.shown == ["one", "[gone]"]


@pytest.mark.long
async def test_a_container_that_has_ended_for_good_is_read_to_its_end(
    client: Client, controlplane: ControlPlane, pod: LoggingPod
) -> None:
    pod.write("one")
    succeed(controlplane, pod)
    assert [shown(each) async for each in client.logs(pod.name, pod.namespace, follow=True)] == ["one", "[ended]"]


class Firehose(Client):
    """Its logs have no end, and no waits."""

    reads = 0

    @contextlib.asynccontextmanager
    async def stream(self, path: str, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        if path.endswith("/log"):
            yield self
        else:
            async with super().stream(path, *arguments, **options) as stream:
                yield stream

    async def read(self) -> bytes:
        await asyncio.sleep(0)
        self.reads += 1
        return b"2026-11-29T12:00:00Z line\n" * 100


@pytest.mark.long
async def test_a_reader_that_takes_its_time_holds_the_log_up(controlplane: ControlPlane, pod: LoggingPod) -> None:
    """What is not read yet stays in the connection, not in memory."""
    config = load_kubeconfig(controlplane.kubeconfig)
    async with (
        Firehose(config) as client,
        contextlib.aclosing(client.logs(pod.name, pod.namespace, follow=True)) as log,
    ):
        for lines in range(1, 301):
            assert (await anext(log)).text == "line"
            await run_ready_tasks()
            assert client.reads == -(-lines // 100)


@pytest.mark.long
async def test_what_cannot_be_read_is_refused(client: Client, controlplane: ControlPlane, pod: LoggingPod) -> None:
    async def read(entries: AsyncIterator[LogEntry]) -> None:
        async for _ in entries:
            raise AssertionError("there is nothing")

    for follow in (False, True):
        with pytest.raises(NotFound):
            await read(client.logs("other", pod.namespace, follow=follow))
        async with Client(load_kubeconfig(controlplane.kubeconfig_of("bob"))) as bob:
            with pytest.raises(Forbidden):
                await read(bob.logs(pod.name, pod.namespace, follow=follow))
    with pytest.raises(InvalidCall, match="has no container 'side'"):
        await read(client.logs(pod.name, pod.namespace, "side", follow=True))
    with pytest.raises(InvalidCall, match="leave previous or follow out"):
        client.logs(pod.name, pod.namespace, follow=True, previous=True)
    with pytest.raises(InvalidCall, match="time zone"):
        client.logs(pod.name, pod.namespace, since=datetime(2026, 1, 1))  # noqa: DTZ001
