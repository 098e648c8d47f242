"""Tests of the production form with real processes and a real API server: a worker, Redis, and replicas here."""

from __future__ import annotations

import asyncio
import os
import signal
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from channels_redis.pubsub import RedisPubSubChannelLayer

from dashboard.live.replication.kind_replica import KindReplica
from dashboard.live.replication.publisher import Publisher
from dashboard.live.replication.rejected_messages import RejectedMessages
from dashboard.live.replication.replicas import Replicas
from dashboard.objects.kinds.catalog import parse_kinds
from informerd.clock import SystemClock
from informerd.decoding.compressor import MAX_SAMPLES
from tests.support.controlplane import ControlPlane
from tests.support.live.redis_layer import SECRET_KEY, encrypted_redis_layer
from tests.support.program import Program
from tests.support.skip_if_missing import redis_url
from tests.support.wait import eventually

pytestmark = pytest.mark.redis

KINDS = "configmaps,namespaces"


@pytest.fixture
def prefix() -> str:
    """Keeps this run's channels apart from every other's on the same Redis."""
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def new_worker(controlplane: ControlPlane, prefix: str, tmp_path: Path) -> Iterator[Callable[[], Program]]:
    """Starts `manage.py informerd`; all are ended after the test."""
    programs: list[Program] = []
    env = {
        "KUBECONFIG": str(controlplane.kubeconfig),
        "REDIS_URL": redis_url(),
        "DELTABOARD_CHANNEL_PREFIX": prefix,
        "DELTABOARD_KINDS": KINDS,
        "DELTABOARD_VAR": str(tmp_path),
        "SECRET_KEY": SECRET_KEY,
    }

    def start() -> Program:
        programs.append(Program("manage.py", "informerd", env=env))
        return programs[-1].start()

    yield start
    for program in programs:
        program.__exit__()


@asynccontextmanager
async def running_replicas(prefix: str, *, secret: str = SECRET_KEY) -> AsyncIterator[Replicas]:
    rejected = RejectedMessages(SystemClock())
    async with encrypted_redis_layer(prefix, secret=secret, rejected=rejected) as layer:
        followed = Replicas(layer, parse_kinds(KINDS.split(",")), SystemClock(), rejected=rejected)
        running = asyncio.create_task(followed.run())
        yield followed
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.fixture
async def replicas(prefix: str) -> AsyncIterator[Replicas]:
    async with running_replicas(prefix) as followed:
        yield followed


@pytest.fixture
def namespace(controlplane: ControlPlane) -> str:
    return controlplane.create_namespace(f"two-{uuid.uuid4().hex[:8]}")


def configmaps(namespace: str, name: str = "") -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps" + (f"/{name}" if name else "")


async def live(replica: KindReplica) -> None:
    await eventually(lambda: replica.is_live, what=f"{replica.key} live, not {replica.state}")


async def test_rows_cross_processes(
    controlplane: ControlPlane, namespace: str, new_worker: Callable[[], Program], replicas: Replicas
) -> None:
    new_worker()
    replica = replicas.get("configmaps")
    await live(replica)
    await eventually(lambda: replicas.get("namespaces").get("", namespace))
    await asyncio.to_thread(controlplane.create, configmaps(namespace), {"metadata": {"name": "one"}})
    await eventually(lambda: replica.get(namespace, "one"))
    assert replica.entries[-1].name == "one"
    assert replica.gaps == 0


@pytest.mark.long
async def test_objects_cross_processes_as_they_are_packed(
    controlplane: ControlPlane, namespace: str, new_worker: Callable[[], Program], replicas: Replicas
) -> None:
    """With the dictionary that the first ones gave their kind. The next worker has another, which is no news."""
    wanted = {f"config-{number}" for number in range(MAX_SAMPLES + 50)}
    for name in wanted:
        body = {"metadata": {"name": name}, "data": {"said": f"by {name}", "filler": "of some length " * 9}}
        await asyncio.to_thread(controlplane.create, configmaps(namespace), body)
    worker = new_worker()
    replica = replicas.get("configmaps")
    await live(replica)

    def said() -> dict[str, str]:
        mine = [row for row in replica.rows.values() if row.namespace == namespace]
        return {row.name: row.decode_object()["data"]["said"] for row in mine}

    async def packed() -> bool:
        """Whether one more is packed with the dictionary, which is made beside the list and may come after it."""
        name = f"config-{len(wanted)}"
        wanted.add(name)
        body = {"metadata": {"name": name}, "data": {"said": f"by {name}"}}
        await asyncio.to_thread(controlplane.create, configmaps(namespace), body)
        row = await eventually(lambda: replica.get(namespace, name))
        return bool(row is not None and row.blob and row.blob.dictionary)

    await eventually(packed)
    expected = {name: f"by {name}" for name in wanted}
    assert said() == expected
    first_epoch = replica.epoch
    changed: list[str] = []
    replica.on_change(lambda change: changed.extend(new.name for _, new in change.rows if new))
    worker.kill()
    new_worker()
    await eventually(lambda: replica.epoch > first_epoch and replica.is_live)
    assert said() == expected
    assert not wanted & set(changed)


@pytest.mark.long
async def test_a_worker_that_is_killed_makes_it_stale_and_the_next_one_heals_it_without_ghosts(
    controlplane: ControlPlane, namespace: str, new_worker: Callable[[], Program], replicas: Replicas
) -> None:
    for name in ("stays", "goes"):
        controlplane.create(configmaps(namespace), {"metadata": {"name": name}})
    worker = new_worker()
    replica = replicas.get("configmaps")
    await live(replica)
    assert replica.get(namespace, "goes") is not None
    first_epoch = replica.epoch

    worker.kill()
    await eventually(lambda: replica.state == "stale")
    assert replica.stale_since is not None
    assert replica.get(namespace, "goes") is not None
    await asyncio.to_thread(controlplane.delete, configmaps(namespace, "goes"))
    await asyncio.to_thread(controlplane.create, configmaps(namespace), {"metadata": {"name": "comes"}})

    new_worker()
    await live(replica)
    await eventually(lambda: replica.get(namespace, "comes"))
    assert replica.epoch > first_epoch
    assert replica.get(namespace, "goes") is None
    assert replica.get(namespace, "stays") is not None
    stored = await asyncio.to_thread(controlplane.get, "/api/v1/configmaps")
    assert set(replica.rows) == {item["metadata"]["uid"] for item in stored["items"]}


@pytest.mark.long
async def test_a_worker_that_hangs_is_noticed_and_its_return_too(
    new_worker: Callable[[], Program], replicas: Replicas
) -> None:
    worker = new_worker()
    replica = replicas.get("configmaps")
    await live(replica)
    assert worker.process
    os.kill(worker.process.pid, signal.SIGSTOP)
    try:
        await eventually(lambda: replica.state == "stale")
    finally:
        os.kill(worker.process.pid, signal.SIGCONT)
    await live(replica)
    assert replica.silences >= 1  # a busy machine may have been silent, too


@pytest.mark.long
async def test_of_two_workers_the_younger_is_followed_until_it_goes(
    new_worker: Callable[[], Program], replicas: Replicas
) -> None:
    new_worker()
    replica = replicas.get("configmaps")
    await live(replica)
    elder = replica.epoch
    younger = new_worker()
    await eventually(lambda: replica.epoch > elder and replica.is_live)
    followed, gaps = replica.epoch, replica.gaps
    for _ in range(3):
        await SystemClock().sleep(0.4)  # time in which both send heartbeats
        assert replica.epoch == followed
    await live(replica)
    assert (replica.epoch, replica.gaps) == (followed, gaps)
    younger.kill()
    await eventually(lambda: replica.epoch == elder and replica.is_live)


async def test_two_keys_are_said_by_both(new_worker: Callable[[], Program], prefix: str) -> None:
    async with running_replicas(prefix, secret="another secret") as replicas:
        worker = new_worker()
        await eventually(lambda: replicas.channel_problem)
        assert replicas.channel_problem.startswith(
            "The worker cannot be heard: worker and web process have different keys. Set DELTABOARD_FEED_KEY"
        )
        assert replicas.get("configmaps").state == "starting"
        said = "dropped a message of the channel layer: worker and web process have different keys"
        await eventually(lambda: said in worker.output)
        assert worker.output.count(said) == 1


async def test_a_worker_of_a_version_without_encryption_is_not_shown_and_said(replicas: Replicas, prefix: str) -> None:
    layer = RedisPubSubChannelLayer(hosts=[redis_url()], prefix=prefix)
    publishing = asyncio.create_task(Publisher("configmaps", layer, SystemClock()).run())
    await eventually(lambda: replicas.channel_problem)
    assert "not encrypted, as those of older versions. Run the same version" in replicas.channel_problem
    assert replicas.get("configmaps").state == "starting"
    publishing.cancel()
    await asyncio.gather(publishing, return_exceptions=True)
    await layer.flush()


@pytest.mark.long
async def test_without_redis_a_worker_waits_for_it(tmp_path: Path, controlplane: ControlPlane) -> None:
    """It neither ends nor floods its log; one line says what is wrong."""
    env = {
        "KUBECONFIG": str(controlplane.kubeconfig),
        "REDIS_URL": "redis://127.0.0.1:1",
        "DELTABOARD_VAR": str(tmp_path),
        "DELTABOARD_KINDS": KINDS,
        "SECRET_KEY": "for this test only",
    }
    with Program("manage.py", "informerd", env=env) as worker:
        worker.wait_for(lambda: "the channel layer cannot be used" in worker.output)
        await SystemClock().sleep(2.5)
        assert worker.running()
        assert worker.output.count("the channel layer") == 1, worker.output
        assert "Traceback" not in worker.output, worker.output
