"""Tests of what the demo cluster's containers use."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from devcluster.server.metrics.container_usage import (
    SCRAPE_SECONDS,
    ContainerUsage,
    MeasuredPod,
    container_usages,
    scrape_time,
)
from devcluster.workload.pod_behaviour import BEHAVIOUR_ANNOTATION

START = 1_795_849_200
LIMIT_KIBIBYTES = 256 * 1024


def moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def pod(*, last: dict[str, Any] | None = None, uid: str = "u1", leaks: bool = False) -> MeasuredPod:
    resources = {"requests": {"cpu": "200m", "memory": "256Mi"}, "limits": {"memory": "256Mi"}}
    status = {"name": "main", "state": {"running": {"startedAt": moment(START)}}, "lastState": last or {}}
    return msgspec.convert(
        {
            "metadata": {"uid": uid, "annotations": {BEHAVIOUR_ANNOTATION: "memory"} if leaks else {}},
            "spec": {"containers": [{"name": "main", "resources": resources}, {"name": "waiting"}]},
            "status": {"containerStatuses": [status]},
        },
        MeasuredPod,
    )


def usage_after(seconds: int, of: MeasuredPod | None = None) -> ContainerUsage:
    (usage,) = container_usages(of or pod(), START + seconds)
    return usage


def test_a_container_that_waits_or_has_just_started_is_not_measured() -> None:
    assert list(container_usages(pod(), START + SCRAPE_SECONDS - 1)) == []
    assert usage_after(SCRAPE_SECONDS).name == "main"


def test_the_same_run_uses_the_same_at_the_same_time_and_another_pod_something_else() -> None:
    assert usage_after(600) == usage_after(600)
    assert usage_after(600) != usage_after(660)
    assert usage_after(600).kibibytes != usage_after(600, pod(uid="u2")).kibibytes


def test_memory_grows_after_the_start_and_stays_below_the_limit() -> None:
    used = [usage_after(seconds).kibibytes for seconds in range(15, 86_400, 15)]
    assert used[0] < 0.7 * used[80]
    assert max(used) < 0.85 * LIMIT_KIBIBYTES
    assert min(usage_after(seconds).nanocores for seconds in range(15, 86_400, 600)) > 0


@pytest.mark.parametrize("is_killed_before", [True, False])
def test_memory_of_what_is_going_to_be_killed_grows_until_then(is_killed_before: bool) -> None:
    killed = {"reason": "OOMKilled", "startedAt": moment(START - 200), "finishedAt": moment(START)}
    leaking = pod(last={"terminated": killed}) if is_killed_before else pod(leaks=True)
    used = [usage_after(seconds, leaking).kibibytes for seconds in range(15, 195, 15)]
    assert used == sorted(used)
    assert used[-1] > (0.9 if is_killed_before else 0.7) * LIMIT_KIBIBYTES
    assert usage_after(10_000, leaking).kibibytes <= LIMIT_KIBIBYTES


def test_containers_are_measured_every_fifteen_seconds() -> None:
    assert scrape_time(START + 14.9) == scrape_time(START) == START
    assert scrape_time(START + 15) == START + 15
