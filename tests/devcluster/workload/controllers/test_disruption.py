"""Tests of PodDisruptionBudgets: allowed disruptions follow from the pods, and a drain waits for them."""

from __future__ import annotations

import pytest

from devcluster.server.api_errors import Failure
from devcluster.server.request_options import WriteOptions
from devcluster.workload.times import timestamp
from tests.support.devcluster.workload_cluster import Json, World

pytestmark = pytest.mark.slow

BUDGETS = "poddisruptionbudgets.policy"


def numbers(world: World, namespace: str, name: str) -> tuple[int, int, int, int]:
    """Allowed, healthy, wanted and expected."""
    status = world.one(BUDGETS, namespace, name)["status"]
    return (
        status["disruptionsAllowed"], status["currentHealthy"], status["desiredHealthy"], status["expectedPods"],
    )  # fmt: skip


def evict(world: World, pod: Json) -> None:
    meta = pod["metadata"]
    world.core.evictions.evict(meta["namespace"], meta["name"], {"metadata": {"name": meta["name"]}}, WriteOptions())


async def test_a_budget_of_the_demo_holds_a_second_eviction_until_the_first_pod_is_replaced(calm: World) -> None:
    first, second, *others = calm.pods("checkout")
    pods = 2 + len(others)
    assert numbers(calm, "shop", "checkout") == (1, pods, pods - 1, pods)
    evict(calm, first)
    with pytest.raises(Failure, match="would violate the pod's disruption budget") as held:
        evict(calm, second)
    assert held.value.code == 429
    assert await calm.live(5, lambda: numbers(calm, "shop", "checkout")[:2] == (0, pods - 1))
    assert await calm.live(60, lambda: numbers(calm, "shop", "checkout") == (1, pods, pods - 1, pods))
    assert "disruptedPods" not in calm.one(BUDGETS, "shop", "checkout")["status"]
    evict(calm, second)


async def test_a_budget_of_nothing_holds_every_eviction(calm: World) -> None:
    allowed, healthy, wanted, expected = numbers(calm, "payments", "ledger")
    assert allowed == 0
    assert healthy == wanted == expected
    (condition,) = calm.one(BUDGETS, "payments", "ledger")["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == (
        "DisruptionAllowed", "False", "InsufficientPods",
    )  # fmt: skip
    with pytest.raises(Failure):
        evict(calm, calm.pods("ledger")[0])


@pytest.mark.parametrize(
    ("spec", "wanted"), [({"minAvailable": 1}, 1), ({"minAvailable": "60%"}, 2), ({"maxUnavailable": "30%"}, 2)]
)
async def test_numbers_and_shares_say_how_many_have_to_be_healthy(calm: World, spec: Json, wanted: int) -> None:
    calm.patch("deployments.apps", "default", "hello", {"spec": {"replicas": 3}})
    assert await calm.live(60, lambda: sum("nodeName" in pod["spec"] for pod in calm.pods("hello")) == 3)
    selector = {"selector": {"matchLabels": {"app": "hello"}}}
    calm.create(BUDGETS, {"metadata": {"name": "mine"}, "spec": {**spec, **selector}})
    assert await calm.live(60, lambda: numbers(calm, "default", "mine") == (3 - wanted, 3, wanted, 3))


async def test_an_eviction_that_came_to_nothing_is_forgotten(calm: World) -> None:
    pod = calm.pods("checkout")[0]
    told = {"disruptionsAllowed": 0, "disruptedPods": {pod["metadata"]["name"]: timestamp(calm.clock.time())}}
    calm.patch(BUDGETS, "shop", "checkout", {"status": told}, subresource="status")
    assert not await calm.live(100, lambda: numbers(calm, "shop", "checkout")[0] == 1)
    assert await calm.live(40, lambda: numbers(calm, "shop", "checkout")[0] == 1)
