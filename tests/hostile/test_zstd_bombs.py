"""Attack: the whole object of a row is 20 kB that unpack to 512 MB."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest
import zstandard

from dashboard.live.replication.replica import Replica
from informerd.objects import Blob
from tests.support.clock import FakeClock
from tests.support.controlplane import ControlPlane
from tests.support.live.redis_attacker import ForgedWorker, RedisAttacker
from tests.support.live.replication_messages import chunk, frame
from tests.support.live.sample_rows import row
from tests.support.live.worker_and_web import KIND, WorkerAndWeb
from tests.support.wait import until

UNPACKED = 512 * 2**20


@pytest.fixture(scope="module")
def bomb() -> Blob:
    """JSON of spaces."""
    step = b" " * 2**20
    compressor = zstandard.ZstdCompressor(level=3).compressobj(size=UNPACKED)
    parts = [compressor.compress(step) for _ in range(UNPACKED // len(step))]
    return Blob(b"".join([*parts, compressor.flush()]))


@pytest.mark.redis
def test_a_bomb_in_redis_is_not_unpacked(controlplane: ControlPlane, tmp_path: Path, bomb: Blob) -> None:
    assert len(bomb.data) < 60_000
    namespace = controlplane.create_namespace(f"bomb-{uuid.uuid4().hex[:8]}")
    controlplane.create(f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": "real-object"}})
    with WorkerAndWeb(controlplane, tmp_path) as dashboard:
        dashboard.wait_for("real-object")
        attacker = RedisAttacker(dashboard.prefix)
        forged = ForgedWorker(attacker, KIND, row("bomb", namespace=namespace, blob=bomb))
        before = dashboard.peak_memory()

        def noticed() -> bool:
            forged.step()
            return dashboard.rejected() >= 5 or ">bomb<" in dashboard.page("/resources/configmaps/?q=bomb")

        until(noticed, within=60, what="forged messages are rejected, or shown")
        forged.step()
        dashboard.page(f"/resources/{KIND}/{namespace}/bomb/")
        attacker.close()
        assert dashboard.peak_memory() - before < UNPACKED // 4


def test_a_bomb_of_a_worker_with_the_key_is_refused(bomb: Blob) -> None:
    """In a snapshot, and in a frame, which counts as a gap."""
    replica = Replica("pods", FakeClock())
    replica.tick()
    replica.receive_chunk(chunk("5", 3, row("bomb", blob=bomb)))
    assert (replica.state, len(replica.rows)) == ("starting", 0)
    replica.receive_chunk(chunk("5", 3, row("a")))
    assert replica.state == "live"
    replica.receive_frame(frame("5", 4, row("bomb", blob=bomb)))
    assert (replica.state, replica.gaps, len(replica.rows)) == ("stale", 1, 1)
