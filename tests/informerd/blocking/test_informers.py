"""Tests of the blocking informers for scripts: on a real API server, in separate processes, and in this one."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from informerd import informers
from informerd.blocking.informer import BlockingRegistration
from informerd.blocking.loop_thread import LoopThread
from informerd.errors import (
    CacheSyncTimeout,
    ConfigError,
    InformerStopped,
    InsideEventLoop,
    NotFound,
    NotInTime,
    NotSynced,
    UnknownResource,
    Unreachable,
)
from informerd.objects import Object
from informerd.resource import PODS, Resource
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane, free_ports
from tests.support.informerd.recording_handler import Recorder
from tests.support.program import without_slow_steps
from tests.support.wait import until

CONFIGMAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap", singular="configmap")

SCRIPT = """
from informerd import informers

with informers() as cluster:
    maps = cluster.informer("cm", label_selector="mine=yes")
    cluster.wait_for_sync(30)
    for each in maps.list("default"):
        print(each.key)
"""

WAITS = """
import sys, threading
from informerd import informers

with informers() as cluster:
    maps = cluster.informer("cm")
    cluster.wait_for_sync(30)
    print("synced", flush=True)
    maps.wait_for("999999999", None)
"""

LEFT_OPEN = """
from informerd import informers

cluster = informers().open()
maps = cluster.informer("namespaces")
maps.wait_for_sync(30)
print("at the end", flush=True)
"""


def script(text: str, controlplane: ControlPlane) -> subprocess.Popen[str]:
    environ = {**os.environ, "KUBECONFIG": str(controlplane.kubeconfig)}
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", text]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environ, stdout=pipe, stderr=pipe, text=True)


def create(controlplane: ControlPlane, name: str) -> str:
    """A config map; its version."""
    body = {"metadata": {"name": name, "labels": {"mine": "yes"}}}
    made = controlplane.request("POST", "/api/v1/namespaces/default/configmaps", body)
    return str(made["metadata"]["resourceVersion"])


@pytest.fixture
def config(controlplane: ControlPlane) -> ClusterConfig:
    return load_kubeconfig(controlplane.kubeconfig)


def test_a_script_of_ten_lines_prints_what_the_cluster_has_and_ends_without_a_warning(
    controlplane: ControlPlane,
) -> None:
    name = f"blocking-{uuid4().hex[:8]}"
    create(controlplane, name)
    running = script(SCRIPT, controlplane)
    output, errors = running.communicate(timeout=90)
    assert (running.returncode, without_slow_steps(errors)) == (0, "")
    assert f"default/{name}" in output.splitlines()


def test_ctrl_c_ends_a_wait_and_the_block_cleanly(controlplane: ControlPlane) -> None:
    running = script(WAITS, controlplane)
    assert running.stdout is not None
    assert running.stdout.readline() == "synced\n"
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=90)
    assert running.returncode == -signal.SIGINT
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert "Warning" not in errors
    assert "never retrieved" not in errors
    assert "During handling" not in errors


def test_a_program_that_ends_without_closing_ends_all_the_same(controlplane: ControlPlane) -> None:
    running = script(LEFT_OPEN, controlplane)
    output, errors = running.communicate(timeout=90)
    assert (running.returncode, output, without_slow_steps(errors)) == (0, "at the end\n", "")


def test_it_reads_writes_waits_and_tells_and_leaves_nothing_behind(
    controlplane: ControlPlane, config: ClusterConfig
) -> None:
    before = set(threading.enumerate())
    recorder = Recorder()
    with informers(config) as cluster:
        maps = cluster.informer(CONFIGMAPS, namespace="default", label_selector="mine=yes")
        registration = maps.add_handler(recorder)
        cluster.wait_for_sync(30)
        registration.wait_for_sync(30)
        maps.wait_for(create(controlplane, "blocking-written"), 30)
        assert maps.get("blocking-written", "default").metadata.labels == {"mine": "yes"}
        assert "default/blocking-written" in {each.key for each in maps.list()}
        assert maps.list(where=lambda obj: obj.metadata.name == "nobody") == []
        with pytest.raises(NotFound):
            maps.get("nobody", "default")
        with pytest.raises(UnknownResource):
            cluster.informer("nothings")
        answer = cluster.run(lambda client: client.get(CONFIGMAPS, "blocking-written", "default"))
        assert answer.json()["metadata"]["name"] == "blocking-written"
        until(lambda: any("add default/blocking-written" in word for word in recorder.words))
        assert maps.health().state == "live"
        assert registration.failures == 0
        registration.remove()
    gc.collect()
    assert set(threading.enumerate()) <= before
    with pytest.raises(InformerStopped):
        maps.list()
    cluster.close()


def test_a_handler_may_read_and_remove_itself_from_its_thread(
    controlplane: ControlPlane, config: ClusterConfig
) -> None:
    create(controlplane, "blocking-handler")
    seen: list[str] = []
    with informers(config) as cluster:
        maps = cluster.informer("configmaps", namespace="default", label_selector="mine=yes")

        class Reads(Recorder):
            def on_add(self, obj: Object, is_in_initial_list: bool) -> None:
                seen.append(maps.get(obj.metadata.name, "default").key)
                registered.result().remove()

        registered: Future[BlockingRegistration[Object]] = Future()
        maps.wait_for_sync(30)
        registered.set_result(maps.add_handler(Reads()))
        until(lambda: len(seen) == 1)
    assert len(seen) == 1


def test_what_has_not_synced_is_not_read_and_a_wait_says_why() -> None:
    nobody = ClusterConfig(name="nobody", server=f"http://127.0.0.1:{free_ports(1)[0]}")
    with informers(nobody) as cluster:
        pods = cluster.informer(PODS)
        with pytest.raises(NotSynced, match="pods is"):
            pods.list()
        with pytest.raises(CacheSyncTimeout, match=r"pods is unreachable: .* refused the connection"):
            cluster.wait_for_sync(0.5)
        with pytest.raises(NotInTime, match=r"waited 0\.1 s for pods, which is unreachable"):
            pods.wait_for("7", 0.1)
        with pytest.raises(Unreachable):
            cluster.informer("deployments")


def test_without_a_cluster_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    with pytest.raises(ConfigError, match="no cluster is configured"):
        informers().open()


async def test_inside_an_event_loop_it_says_to_use_the_async_one() -> None:
    nobody = ClusterConfig(name="nobody", server="http://127.0.0.1:1")
    with pytest.raises(InsideEventLoop, match="use the async SharedInformerFactory"):
        informers(nobody).open()
    loop = LoopThread("test")
    await asyncio.to_thread(loop.start)
    with pytest.raises(InsideEventLoop):
        loop.call(lambda: 7)
    assert await asyncio.to_thread(loop.call, lambda: 7) == 7
    await asyncio.to_thread(loop.close)


def test_closing_ends_the_waits_of_other_threads() -> None:
    nobody = ClusterConfig(name="nobody", server=f"http://127.0.0.1:{free_ports(1)[0]}")
    raised: list[BaseException] = []
    cluster = informers(nobody).open()
    pods = cluster.informer(PODS)

    def wait() -> None:
        try:
            pods.wait_for("7", None)
        except InformerStopped as error:
            raised.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    until(lambda: pods._informer._version_waiters)
    cluster.close()
    thread.join(10)
    assert len(raised) == 1


def test_a_wait_that_is_interrupted_before_it_has_begun_leaves_no_coroutine_unawaited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ctrl-C may come between asking the event loop for the wait and the wait's first step."""
    nobody = ClusterConfig(name="nobody", server=f"http://127.0.0.1:{free_ports(1)[0]}")
    with informers(nobody) as cluster:
        pods = cluster.informer(PODS)
        handled = pods.add_handler(Recorder())

        def interrupted(loop: LoopThread, make: Callable[[], Coroutine[Any, Any, None]]) -> None:
            make().close()

        with monkeypatch.context() as patch:
            patch.setattr(LoopThread, "run", interrupted)
            pods.wait_for("7", 1)
            pods.wait_for_sync(1)
            handled.wait_for_sync(1)
    gc.collect()
