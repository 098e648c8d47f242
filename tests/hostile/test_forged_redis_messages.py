"""Attack: who can write to Redis sends messages and a snapshot of a made-up worker."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.live.redis_attacker import ForgedWorker, RedisAttacker
from tests.support.live.sample_rows import row
from tests.support.live.worker_and_web import KIND, WorkerAndWeb
from tests.support.wait import until

pytestmark = pytest.mark.redis


def test_a_made_up_object_is_not_shown(controlplane: ControlPlane, tmp_path: Path) -> None:
    namespace = controlplane.create_namespace(f"forged-{uuid.uuid4().hex[:8]}")
    controlplane.create(f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": "real-object"}})
    with WorkerAndWeb(controlplane, tmp_path) as dashboard:
        dashboard.wait_for("real-object")
        attacker = RedisAttacker(dashboard.prefix)
        forged = ForgedWorker(attacker, KIND, row("made-up-object"))

        def noticed() -> bool:
            forged.step()
            return dashboard.rejected() >= 5 or "made-up-object" in dashboard.page()

        until(noticed, within=60, what="forged messages are rejected, or shown")
        page = dashboard.page()
        attacker.close()
        assert "made-up-object" not in page
        assert "real-object" in page
        assert dashboard.web.output.count("dropped a message of the channel layer") in {1, 2}
