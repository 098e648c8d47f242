"""Attack: who can read and write in Redis publishes recorded messages again, or under another name."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from dashboard.live.replication.messages import FEED_GROUP, REQUEST_GROUP
from tests.support.controlplane import ControlPlane
from tests.support.live.redis_attacker import RedisAttacker
from tests.support.live.worker_and_web import WorkerAndWeb
from tests.support.wait import until

pytestmark = pytest.mark.redis


@pytest.fixture
def namespace(controlplane: ControlPlane) -> str:
    name = controlplane.create_namespace(f"replay-{uuid.uuid4().hex[:8]}")
    controlplane.create(f"/api/v1/namespaces/{name}/configmaps", {"metadata": {"name": f"object-of-{name}"}})
    return name


def test_the_last_heartbeat_of_a_dead_worker_keeps_no_page_live(
    controlplane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    with WorkerAndWeb(controlplane, tmp_path) as dashboard:
        dashboard.wait_for(f"object-of-{namespace}")
        attacker = RedisAttacker(dashboard.prefix)
        recorded = until(lambda: attacker.read(FEED_GROUP), what="a heartbeat")
        dashboard.worker.kill()
        recorded += attacker.read(FEED_GROUP)

        def stale() -> bool:
            attacker.publish(FEED_GROUP, recorded[-1])
            return not dashboard.is_live()

        until(stale, within=20, every=0.2, what="the page is stale although the last heartbeat is repeated")
        attacker.close()


@pytest.mark.long
def test_the_feed_of_one_installation_is_not_shown_by_another(
    controlplane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    """Requests are passed on, too; the worker itself sends the answers to the channel that they name."""
    other = f"test-{uuid.uuid4().hex[:12]}"
    with WorkerAndWeb(controlplane, tmp_path, web_prefix=other) as dashboard:
        here, there = RedisAttacker(dashboard.prefix), RedisAttacker(other)

        def noticed() -> bool:
            for raw in there.read(REQUEST_GROUP):
                here.publish(REQUEST_GROUP, raw)
            for raw in here.read(FEED_GROUP):
                there.publish(FEED_GROUP, raw)
            return dashboard.rejected() >= 5 or f"object-of-{namespace}" in dashboard.page()

        until(noticed, within=90, what="messages of the other installation are rejected, or shown")
        assert f"object-of-{namespace}" not in dashboard.page()
        here.close()
        there.close()
