"""Tests of the reader of the metrics API: amounts, what cannot be read, namespaces, and errors."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dashboard.live.usage.metrics_api import read_nodes, read_pods
from informerd.errors import Forbidden, MalformedAnswer, NotFound
from informerd.resource import Resource
from tests.support.clock import run_ready_tasks
from tests.support.live.fake_metrics_api import MetricsApi, no_metrics_api, node_metrics, pod_metrics


async def nowhere(resource: Resource) -> tuple[str, ...]:
    return ()


async def test_the_containers_of_a_pod_are_summed_up() -> None:
    api = MetricsApi(pods=[pod_metrics("shop", "web", ("250m", "64Mi"), ("12345678n", "1024Ki"), ("1", "1e3"))])
    (measured,) = (await read_pods(api, (), nowhere)).pods
    assert measured.key == "shop/web"
    assert measured.cpu == pytest.approx(1.262345678)
    assert measured.memory == 64 * 2**20 + 2**20 + 1000
    assert (measured.at, measured.window) == (1_800_000_000.0, 15.0)


async def test_a_node_has_one_amount() -> None:
    (measured,) = await read_nodes(MetricsApi(nodes=[node_metrics("n1", "2500m", "8Gi")]))
    assert (measured.key, measured.cpu, measured.memory) == ("n1", 2.5, 8 * 2**30)


@pytest.mark.parametrize(
    "broken",
    [
        pod_metrics("shop", "broken", ("lots", "64Mi")),
        {"metadata": {"name": "broken"}},
        {"metadata": "broken", "timestamp": "now"},
        pod_metrics("shop", "broken", ("1", "64Mi")) | {"timestamp": "yesterday"},
    ],
)
async def test_what_cannot_be_read_is_left_out_and_the_others_are_not(broken: dict[str, Any]) -> None:
    api = MetricsApi(pods=[broken, pod_metrics("shop", "web", ("1", "1Mi"))])
    assert [each.key for each in (await read_pods(api, (), nowhere)).pods] == ["shop/web"]
    with pytest.raises(MalformedAnswer, match="none of the 1 objects"):
        await read_pods(MetricsApi(pods=[broken]), (), nowhere)


async def test_nothing_measured_is_an_empty_list() -> None:
    assert await read_pods(MetricsApi(), (), nowhere) == ([], None)


async def test_where_not_all_pods_may_be_read_those_of_the_allowed_namespaces_are() -> None:
    pods = [pod_metrics(namespace, "web", ("1", "1Mi")) for namespace in ("a", "b", "c")]
    api = MetricsApi(pods=pods, forbidden={"", "b"})

    async def allowed(resource: Resource) -> tuple[str, ...]:
        assert resource.key == "pods.metrics.k8s.io"
        return ("a", "c")

    for chosen, read in (((), {"a", "c"}), (("c",), {"c"}), (("a", "b"), {"a"})):
        found = await read_pods(api, chosen, allowed)
        assert [each.key for each in found.pods] == [f"{namespace}/web" for namespace in sorted(read)]
        assert found.namespaces == frozenset(read)
    for chosen in ((), ("b",)):
        with pytest.raises(Forbidden):
            await read_pods(api, chosen, nowhere)


async def test_a_cluster_without_a_metrics_api_says_so() -> None:
    api = MetricsApi(error=no_metrics_api())
    with pytest.raises(NotFound):
        await read_nodes(api)


async def test_many_pods_leave_others_their_turn() -> None:
    api = MetricsApi(pods=[pod_metrics("shop", f"web-{number}", ("1", "1Mi")) for number in range(1_200)])
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await run_ready_tasks(1)

    task = asyncio.create_task(other())
    assert len((await read_pods(api, (), nowhere)).pods) == 1_200
    task.cancel()
    assert turns > 2
