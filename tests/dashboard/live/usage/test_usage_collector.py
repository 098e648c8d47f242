"""Tests of the collector: one poll for all, what it publishes, what it says where there is no answer, and the past."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dashboard.live.usage.messages import (
    MAX_ITEMS,
    SHARD_PART,
    UsageRequest,
    encoder,
    past_decoder,
)
from dashboard.live.usage.missing_rights import MissingRights
from dashboard.live.usage.prometheus import Prometheus, PrometheusProblem
from dashboard.live.usage.usage_collector import (
    ABSENT_INTERVAL,
    MAX_PAUSE,
    NO_METRICS_API,
    RECOVERY_CHECK,
    ROWS_INTERVAL,
)
from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.past_usage import Sample
from dashboard.runtime.shard import Shard
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.response import Response
from tests.support.clock import run_ready_tasks
from tests.support.live.collected_usage import Collected
from tests.support.live.fake_metrics_api import MetricsApi, no_metrics_api, node_metrics, pod_metrics
from tests.support.live.replica_feeder import pod
from tests.support.objects.rows import made, row_of

NOW = 1_800_000_000.0


def node(name: str) -> Row:
    return row_of("nodes", made("Node", name, namespace=""))


async def test_one_poll_is_two_requests_and_a_report() -> None:
    api = MetricsApi(pods=[pod_metrics("shop", "web", ("100m", "64Mi"))], nodes=[node_metrics("n1", "1", "1Gi")])
    collected = Collected(api, "web")
    (part,) = await collected.poll()
    assert api.requests == ["/pods", "/nodes"]
    assert (part.epoch, part.number, part.index, part.total, part.problem) == ("1", 1, 0, 1, "")
    assert part.polled_at == part.answered_at == collected.clock.time()
    assert {key: [usage.key for usage in usages] for key, usages in part.items} == {
        "pods": ["shop/web"],
        "namespaces": ["shop"],
    }
    assert (await collected.poll())[0].number == 2


@pytest.mark.slow
async def test_a_large_report_comes_in_parts_of_limited_size() -> None:
    names = [f"web-{number}" for number in range(2 * MAX_ITEMS + 10)]
    collected = Collected(MetricsApi(pods=[pod_metrics("shop", name, ("1m", "1Mi")) for name in names]), *names)
    parts = await collected.poll()
    assert [part.index for part in parts] == list(range(len(parts)))
    assert {part.total for part in parts} == {len(parts)}
    sizes = [sum(len(usages) for _, usages in part.items) for part in parts]
    assert max(sizes) <= MAX_ITEMS
    assert sum(sizes) == len(names) + 1


async def test_of_a_report_in_parts_the_first_names_the_missing_right() -> None:
    names = [f"web-{number}" for number in range(MAX_ITEMS + 1)]
    pods = [pod_metrics("shop", name, ("1m", "1Mi")) for name in names]
    first, *others = await Collected(MetricsApi(pods=pods, forbidden=["nodes"]), *names).poll()
    assert first.missing == MissingRights(nodes=True)
    assert {part.missing for part in others} == {MissingRights()}


async def test_a_cluster_without_a_metrics_api_is_said_and_asked_less_often() -> None:
    api = MetricsApi(error=no_metrics_api())
    collected = Collected(api)
    (part,) = await collected.poll()
    assert (part.problem, part.answered_at, part.items) == (NO_METRICS_API, None, ())
    assert not part.is_served
    task = asyncio.create_task(collected.collector.run())
    await run_ready_tasks()
    polls = len(api.requests)
    await collected.clock.advance(ABSENT_INTERVAL - 1)
    assert len(api.requests) == polls
    await collected.clock.advance(1)
    assert len(api.requests) == polls + 1
    task.cancel()


async def test_a_worker_that_has_just_started_polls_again_as_soon_as_it_may_have_listed_pods() -> None:
    api = MetricsApi(pods=[pod_metrics("shop", "web", ("100m", "64Mi"))])
    collected = Collected(api)
    task = asyncio.create_task(collected.collector.run())
    await run_ready_tasks()
    polls = len(api.requests)
    await collected.clock.advance(ROWS_INTERVAL)
    assert len(api.requests) == 2 * polls
    collected.rows["uid-web"] = pod("web", namespace="shop", uid="uid-web", created=1.0)
    await collected.clock.advance(ROWS_INTERVAL)
    assert len(api.requests) == 3 * polls
    await collected.clock.advance(ROWS_INTERVAL)
    assert len(api.requests) == 3 * polls
    await collected.clock.advance(30)
    assert len(api.requests) == 4 * polls
    task.cancel()


async def test_while_nothing_answers_the_last_report_stays_and_the_reason_is_said() -> None:
    api = MetricsApi(pods=[pod_metrics("shop", "web", ("100m", "64Mi"))])
    collected = Collected(api, "web")
    assert (await collected.usages())["shop/web"].cpu == 0.1
    answered = collected.clock.time()
    collected.clock.skip(30)
    api.error = InformerdError("no route to host")
    (part,) = await collected.poll()
    assert part.problem == "The metrics API does not answer: no route to host."
    assert part.is_served
    assert part.answered_at == answered
    assert [key for key, _ in part.items] == ["pods", "namespaces"]
    api.error = None
    assert (await collected.poll())[0].problem == ""


class _StalledApi(MetricsApi):
    """One that says nothing for a minute."""

    collected: Collected

    async def list(self, resource: Resource, namespace: str = "") -> Response:
        if self.error is not None:
            self.collected.clock.skip(60)
        return await super().list(resource, namespace)


async def test_after_a_poll_that_failed_after_a_minute_the_next_one_comes_as_soon_as_usual() -> None:
    api = _StalledApi(pods=[pod_metrics("shop", "web", ("100m", "64Mi"))], error=InformerdError("it was silent"))
    collected = api.collected = Collected(api, "web")
    (part,) = await collected.poll()
    assert (part.polled_at, part.next_at) == (NOW + 60, NOW + 90)
    task = asyncio.create_task(collected.collector.run())
    await run_ready_tasks()
    api.error = None
    assert len(api.requests) == 2
    await collected.clock.advance(30)
    assert len(api.requests) == 4
    task.cancel()


async def test_once_informers_have_the_api_server_again_usage_is_asked_for_at_once() -> None:
    api = MetricsApi(pods=[pod_metrics("shop", "web", ("100m", "64Mi"))], error=InformerdError("connection refused"))
    collected = Collected(api, "web")
    collected.is_connected = False
    task = asyncio.create_task(collected.collector.run())
    await run_ready_tasks()
    await collected.clock.advance(5)
    assert len(api.requests) == 1
    api.error, collected.is_connected = None, True
    await collected.clock.advance(RECOVERY_CHECK)
    assert len(api.requests) == 3
    await collected.clock.advance(20)
    assert len(api.requests) == 3, "then as usual"
    task.cancel()


async def test_where_only_the_metrics_api_is_silent_it_is_asked_at_its_interval() -> None:
    api = MetricsApi(error=InformerdError("its server is down"))
    collected = Collected(api, "web")
    task = asyncio.create_task(collected.collector.run())
    await run_ready_tasks()
    await collected.clock.advance(29)
    assert len(api.requests) == 1
    await collected.clock.advance(1)
    assert len(api.requests) == 2
    task.cancel()


async def test_a_slow_answer_delays_the_next_poll_by_two_minutes_at_most() -> None:
    collected = Collected(MetricsApi())
    assert collected.collector._pause_after(5) == 50
    assert collected.collector._pause_after(50) == MAX_PAUSE


@pytest.mark.parametrize(
    ("forbidden", "missing", "kinds", "failures"),
    [
        (["nodes"], MissingRights(nodes=True), {"pods", "namespaces"}, 0),
        ([""], MissingRights(pods=True), {"nodes"}, 0),
        (["", "nodes"], MissingRights(pods=True, nodes=True), set(), 1),
    ],
)
async def test_of_pods_and_nodes_what_may_be_read_is_and_the_missing_right_is_told(
    forbidden: list[str], missing: MissingRights, kinds: set[str], failures: int, caplog: pytest.LogCaptureFixture
) -> None:
    api = MetricsApi(
        pods=[pod_metrics("shop", "web", ("100m", "64Mi"))], nodes=[node_metrics("n1", "1", "1Gi")],
        forbidden=forbidden,
    )  # fmt: skip
    collected = Collected(api, "web")
    collected.nodes = {"uid-n1": node("n1")}
    for _ in range(2):
        (part,) = await collected.poll()
    assert (part.missing, part.problem, part.is_served) == (missing, "", True)
    assert {key for key, usages in part.items if usages} == kinds
    assert [record.args for record in caplog.records] == [(sentence,) for sentence in missing.sentences()], "once"
    assert (collected.collector.polls, collected.collector.failures) == (2, 2 * failures)
    assert (part.answered_at is None) == bool(failures)
    api.forbidden = frozenset()
    (part,) = await collected.poll()
    assert part.missing == MissingRights()
    assert {key for key, usages in part.items if usages} == {"pods", "nodes", "namespaces"}


async def test_namespaces_whose_pods_may_not_be_read_are_told_where_there_are_pods() -> None:
    api = MetricsApi(pods=[pod_metrics("shop", "web", ("100m", "64Mi"))], forbidden=[""])
    collected = Collected(api, "web")
    collected.allowed = ("empty", "shop")
    assert (await collected.poll())[0].missing == MissingRights()
    collected.rows["uid-db"] = pod("db", namespace="bank", uid="uid-db")
    (part,) = await collected.poll()
    assert part.missing == MissingRights(namespaces=("bank",))
    assert "shop/web" in {usage.key for _, usages in part.items for usage in usages}


async def test_where_reading_is_forbidden_and_discovery_has_no_metrics_api_there_is_none() -> None:
    collected = Collected(MetricsApi(forbidden=["", "nodes"]), "web")
    collected.is_served = False
    (part,) = await collected.poll()
    assert (part.problem, part.is_served, part.missing) == (NO_METRICS_API, False, MissingRights())


async def test_what_could_be_read_counts_more_than_what_discovery_knows() -> None:
    api = MetricsApi(pods=[pod_metrics("shop", "web", ("100m", "64Mi"))], forbidden=["nodes"])
    collected = Collected(api, "web")
    collected.nodes = {"uid-n1": node("n1")}
    collected.is_served = False
    (part,) = await collected.poll()
    assert (part.is_served, part.missing.nodes, "pods" in {key for key, usages in part.items if usages}) == (True,) * 3


async def test_of_chosen_namespaces_only_these_are_polled_and_nodes_where_they_are_followed() -> None:
    api = MetricsApi(pods=[pod_metrics("shop", "web", ("100m", "64Mi"))])
    collected = Collected(api, "web", namespaces=("shop", "search"))
    assert "shop/web" in await collected.usages()
    assert api.requests == ["shop/pods", "search/pods"]
    collected.nodes = {"uid-n1": node("n1")}
    api.requests.clear()
    await collected.poll()
    assert api.requests == ["shop/pods", "search/pods", "/nodes"]


async def test_a_web_process_that_asks_gets_the_report_or_the_past_of_an_object() -> None:
    collected = Collected(MetricsApi(pods=[pod_metrics("shop", "web", ("100m", "64Mi"))]), "web")

    async def answer(request: UsageRequest) -> list[tuple[str, dict[str, Any]]]:
        collected.layer.sent.clear()
        await collected.collector._answer_message({"type": "usage.ask", "data": encoder.encode(request)})
        return list(collected.layer.sent)

    assert await answer(UsageRequest("web-1")) == []  # nothing was polled yet
    await collected.poll()
    ((channel, message),) = await answer(UsageRequest("web-1"))
    assert (channel, message["type"]) == ("web-1", "usage.part")
    ((channel, message),) = await answer(UsageRequest("web-1", "pods", "shop/web"))
    past = past_decoder.decode(message["data"])
    assert (channel, past.kind, past.key, len(past.samples)) == ("web-1", "pods", "shop/web", 1)
    assert past.begun_at == collected.clock.time()
    await collected.collector._answer_message({"type": "usage.ask", "data": b"\xff"})  # of another version


async def test_a_worker_of_a_shard_tells_of_its_namespaces_and_answers_for_them_alone() -> None:
    """Namespace shop is in the first third, red in the second; what has no namespace is in the third."""
    api = MetricsApi(
        pods=[pod_metrics(namespace, "web", ("100m", "64Mi")) for namespace in ("shop", "red")],
        nodes=[node_metrics("n1", "1", "1Gi")],
    )
    collected = Collected(api, "web", shard=Shard(1, 3))
    (part,) = await collected.poll()
    assert {key: [usage.key for usage in usages] for key, usages in part.items} == {
        "pods": ["shop/web"],
        "namespaces": ["shop"],
    }
    assert part.shard == Shard(1, 3)
    assert {message["type"] for _, message in collected.layer.sent} == {SHARD_PART}
    assert api.requests == ["/pods"], "nodes are another worker's"
    for kind, key, is_mine in [("pods", "shop/web", True), ("namespaces", "shop", True), ("pods", "red/web", False)]:
        collected.layer.sent.clear()
        request = UsageRequest("web-1", kind, key)
        await collected.collector._answer_message({"type": "usage.ask", "data": encoder.encode(request)})
        assert len(collected.layer.sent) == is_mine


async def test_a_shard_without_pods_is_not_polled_more_often() -> None:
    collected = Collected(MetricsApi(pods=[pod_metrics("red", "web", ("100m", "64Mi"))]), shard=Shard(1, 3))
    (part,) = await collected.poll()
    assert part.next_at == collected.clock.time() + 30.0


class _Earlier(Prometheus):
    """One that knows two spans, of which the worker has the second itself, or that fails."""

    def __init__(self, problem: str = "") -> None:
        super().__init__("http://p")
        self._problem = problem

    async def samples(self, selector: str, begin: float, end: float) -> list[Sample]:
        assert selector == '{container!="",namespace="shop",pod="web"}'
        if self._problem:
            raise PrometheusProblem(self._problem)
        return [Sample(NOW - 1_200, 600, 1.0, 10.0), Sample(NOW - 300, 600, 2.0, 20.0)]


@pytest.mark.parametrize(("problem", "before"), [("", [NOW - 1_200, NOW - 300]), ("Prometheus is away.", [])])
async def test_what_was_before_the_worker_began_comes_from_prometheus_in_a_second_answer(
    problem: str, before: list[float]
) -> None:
    api = MetricsApi(pods=[pod_metrics("shop", "web", ("100m", "64Mi"))])
    collected = Collected(api, "web", prometheus=_Earlier(problem))
    await collected.poll()
    question = {"type": "usage.ask", "data": encoder.encode(UsageRequest("web-1", "pods", "shop/web"))}
    collected.layer.sent.clear()
    await collected.collector._answer_message(question)
    await run_ready_tasks()
    first, second = (past_decoder.decode(message["data"]) for _, message in collected.layer.sent)
    assert ([sample.at for sample in first.samples], first.problem) == ([NOW], "")
    assert ([sample.at for sample in second.samples], second.problem) == ([*before, NOW], problem)
    assert all(sample.at + sample.seconds <= NOW for sample in second.samples[:-1])
    collected.layer.sent.clear()
    await collected.collector._answer_message(question)
    await run_ready_tasks()
    assert len(collected.layer.sent) == 1, "it is asked again only after a while"
