"""Tests of usage in a web process: whole reports, the younger worker, age, and the past of objects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from dashboard.access.rights import LIST_VERBS, UNLIMITED, Rights, Rule
from dashboard.live.index.usage_lookup import PollTimes
from dashboard.live.usage.messages import USAGE_REQUEST_GROUP, ReportPart, request_decoder
from dashboard.live.usage.missing_rights import MissingRights
from dashboard.live.usage.scoped_usage import ScopedUsage
from dashboard.live.usage.usage_client import MAX_AGE, MAX_PASTS, SWITCHED_OFF, UsageClient
from dashboard.live.usage.usage_reports import SILENCE_TIMEOUT
from dashboard.objects.usage.past_usage import PastUsage, Sample
from dashboard.objects.usage.usage import Usage
from dashboard.runtime.shard import Shard
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.replica_feeder import pod

WEB = pod("web", namespace="shop", created=1.0)


def client() -> tuple[UsageClient, FakeClock]:
    clock = FakeClock()
    return UsageClient(RecordingLayer(), clock), clock


def report(
    clock: FakeClock, cpu: float = 0.1, *, epoch: str = "2", number: int = 1, index: int = 0, total: int = 1,
    **more: Any,
) -> ReportPart:  # fmt: skip
    usage = Usage(f"shop/{index or 'web'}", clock.time(), 15.0, cpu, 2**20)
    return ReportPart(epoch, number, index, total, clock.time(), items=(("pods", (usage,)),), **more)


def cpu_of(heard: UsageClient) -> float | None:
    usage = heard.get("pods", WEB)
    return usage.cpu if usage is not None else None


def test_a_report_counts_once_all_its_parts_are_there() -> None:
    heard, clock = client()
    calls: list[float | None] = []
    stop = heard.on_change(lambda: calls.append(cpu_of(heard)))
    heard.receive(report(clock, total=2))
    assert cpu_of(heard) is None
    heard.receive(report(clock, index=1, total=2))
    assert cpu_of(heard) == 0.1
    heard.receive(report(clock, 0.9, number=2, total=2))  # its other part is lost
    assert cpu_of(heard) == 0.1
    heard.receive(report(clock, 0.5, number=3))
    assert calls == [0.1, 0.5]
    stop()
    heard.receive(report(clock, number=4))
    assert len(calls) == 2


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_missing_right_of_a_report_is_that_of_its_first_part(order: tuple[int, ...]) -> None:
    heard, clock = client()
    parts = report(clock, total=2, missing=MissingRights(nodes=True)), report(clock, index=1, total=2)
    for index in order:
        heard.receive(parts[index])
    assert heard.missing_right("nodes")


def test_of_two_workers_the_younger_is_believed_until_it_is_silent() -> None:
    heard, clock = client()
    heard.receive(report(clock, 0.2, epoch="2"))
    heard.receive(report(clock, 0.1, epoch="1"))
    assert cpu_of(heard) == 0.2
    clock.skip(SILENCE_TIMEOUT)
    heard.receive(report(clock, 0.1, epoch="1"))
    assert cpu_of(heard) == 0.1


def test_the_reports_of_all_shards_are_one_which_says_whose_is_to_come() -> None:
    heard, clock = client()
    first, second = (Usage(f"{namespace}/web", clock.time(), 15.0, 0.1, 2**20) for namespace in ("shop", "red"))
    heard.receive(ReportPart("5", 1, 0, 1, clock.time(), items=(("pods", (first,)),), shard=Shard(1, 2)))
    assert heard.problem_of("pods") == "No worker of shard 2/2 has said yet what pods of its namespaces use."
    heard.receive(
        ReportPart("6", 1, 0, 1, clock.time(), items=(("pods", (second,)),), shard=Shard(2, 2), is_served=False)
    )
    assert (heard.problem_of("pods"), heard.is_served) == ("", True)
    assert heard.get("pods", WEB) == first
    assert heard.get("pods", pod("web", namespace="red", created=1.0)) == second
    heard.receive(ReportPart("6", 2, 0, 1, clock.time(), "The metrics API does not answer.", shard=Shard(2, 2)))
    assert heard.problem_of("pods", ["shop"]) == heard.problem == "The metrics API does not answer."
    assert heard.get("pods", WEB) == first


HALVES = (Shard(1, 2), Shard(2, 2))
SHOP, RED = "shop", "red"
"""A namespace of each half."""


def test_a_shard_that_is_not_heard_concerns_its_namespaces_alone() -> None:
    assert [shard.includes(namespace) for shard, namespace in zip(HALVES, (SHOP, RED), strict=True)] == [True, True]
    heard, clock = client()
    assert heard.problem_of("pods", [SHOP]) == ""
    heard.receive(ReportPart("5", 1, 0, 1, clock.time(), shard=HALVES[0]))
    of_red = "No worker of shard 2/2 has said yet what pods of its namespaces use."
    assert (
        heard.problem_of("pods") == heard.problem_of("pods", [RED]) == heard.problem_of("pods", [SHOP, RED]) == of_red
    )
    assert heard.problem_of("namespaces", name=RED) == of_red
    assert heard.problem_of("pods", [SHOP]) == heard.problem_of("namespaces", name=SHOP) == ""
    (of_nodes,) = (shard for shard in HALVES if shard.includes(""))
    said = "" if of_nodes == HALVES[0] else "No worker of shard 2/2 has said yet what nodes use."
    assert heard.problem_of("nodes") == said
    in_shop, in_red = (
        Rights([], {name: [Rule(LIST_VERBS, frozenset({"", "metrics.k8s.io"}), frozenset({"pods"}))]})
        for name in (SHOP, RED)
    )
    assert ScopedUsage(heard, in_shop).problem_of("pods") == ""
    assert ScopedUsage(heard, in_red).problem_of("pods") == of_red
    assert ScopedUsage(heard, in_shop).problem_of("pods", [RED]) == "", "nothing of it is seen"
    assert ScopedUsage(heard, UNLIMITED).problem_of("pods") == of_red


def test_a_shard_that_has_reported_and_says_no_more_is_named_once_its_next_report_is_overdue() -> None:
    heard, clock = client()
    for shard in HALVES:
        now = clock.time()
        heard.receive(ReportPart("5", 1, 0, 1, now, next_at=now + 60, shard=shard))
    clock.skip(SILENCE_TIMEOUT + 59)
    heard.receive(ReportPart("5", 2, 0, 1, clock.time(), shard=HALVES[0]))
    assert heard.problem_of("pods") == ""
    clock.skip(1)
    of_red = "No worker of shard 2/2 says any more what pods of its namespaces use."
    assert heard.problem_of("pods") == heard.problem_of("pods", [RED]) == of_red
    assert heard.problem_of("pods", [SHOP]) == ""
    heard.receive(ReportPart("6", 1, 0, 1, clock.time(), shard=HALVES[1]))
    assert heard.problem_of("pods") == ""


def test_a_worker_of_all_namespaces_that_says_no_more_is_not_named_as_a_shard() -> None:
    heard, clock = client()
    heard.receive(report(clock, 0.2))
    clock.skip(1_000)
    assert heard.problem_of("pods") == ""


def test_one_worker_that_began_after_two_takes_their_place() -> None:
    heard, clock = client()
    for number in (1, 2):
        heard.receive(ReportPart("5", 1, 0, 1, clock.time(), shard=Shard(number, 2)))
    heard.receive(report(clock, 0.3, epoch="6"))
    assert cpu_of(heard) == 0.3
    heard.receive(ReportPart("7", 1, 0, 1, clock.time(), shard=Shard(1, 3)))
    assert cpu_of(heard) == 0.3, "a third is less than the whole"
    heard.receive(ReportPart("7", 1, 0, 1, clock.time(), shard=Shard(4, 3)))
    assert cpu_of(heard) == 0.3


def test_what_is_too_old_or_of_an_earlier_object_of_the_name_is_not_known() -> None:
    heard, clock = client()
    heard.receive(report(clock))
    assert heard.get("pods", msgspec.structs.replace(WEB, created=clock.time() + 1)) is None
    assert heard.get("nodes", WEB) is None
    clock.skip(MAX_AGE + 1)
    assert cpu_of(heard) is None


def test_a_report_says_why_there_is_nothing_newer() -> None:
    heard, clock = client()
    heard.receive(report(clock, problem="The metrics API does not answer.", answered_at=5.0, next_at=clock.time() + 30))
    assert heard.poll_times == PollTimes("2027-01-15T08:00:00Z", "2027-01-15T08:00:30Z")
    assert (heard.problem, heard.answered_at) == ("The metrics API does not answer.", 5.0)
    heard.receive(report(clock, number=2, answered_at=6.0))
    assert (heard.problem, heard.answered_at) == ("", 6.0)
    assert heard.poll_times is None


def test_why_nothing_is_known_before_the_first_report_is_told_until_it_comes() -> None:
    clock = FakeClock()
    heard = UsageClient(RecordingLayer(), clock, problem=SWITCHED_OFF)
    assert (heard.problem, heard.is_served) == (SWITCHED_OFF, False)
    heard.receive(report(clock))
    assert (heard.problem, heard.is_served) == ("", True)


PODS = "that needs the right to list pods in API group metrics.k8s.io"


@pytest.mark.parametrize(
    ("missing", "asked", "sentence"),
    [
        (MissingRights(), ("pods",), ""),
        (MissingRights(pods=True), ("deployments.apps", ("shop",), "web"), f"the usage of pods: {PODS}."),
        (MissingRights(pods=True), ("nodes", (), "n1"), ""),
        (
            MissingRights(nodes=True),
            ("nodes",),
            "the usage of nodes: that needs the right to list nodes in API group metrics.k8s.io.",
        ),
        (MissingRights(nodes=True), ("pods",), ""),
        (MissingRights(namespaces=("bank",)), ("pods",), f"the usage of pods in some namespaces: {PODS} there."),
        (MissingRights(namespaces=("bank",)), ("pods", ("shop",)), ""),
        (
            MissingRights(namespaces=("bank",)),
            ("pods", ("bank", "shop")),
            f"the usage of pods in namespace bank: {PODS} there.",
        ),
        (
            MissingRights(namespaces=("bank",)),
            ("namespaces", (), "bank"),
            f"the usage of pods in namespace bank: {PODS} there.",
        ),
    ],
)
def test_a_right_that_the_account_lacks_is_named_where_the_numbers_are_missing(
    missing: MissingRights, asked: tuple[Any, ...], sentence: str
) -> None:
    heard, clock = client()
    assert not heard.is_served, "nobody knows yet"
    heard.receive(report(clock, missing=missing))
    assert heard.is_served
    assert heard.missing_right(*asked) == (f"Deltaboard's account may not read {sentence}" if sentence else "")


class SilentLayer(RecordingLayer):
    """One that never delivers anything."""

    async def receive(self, channel: str) -> Any:
        await asyncio.Event().wait()


@asynccontextmanager
async def asking() -> AsyncIterator[tuple[UsageClient, FakeClock, SilentLayer]]:
    """A client that runs, and has had a report."""
    clock, layer = FakeClock(), SilentLayer()
    heard = UsageClient(layer, clock)
    task = asyncio.create_task(heard.run())
    await run_ready_tasks()
    heard.receive(report(clock))
    layer.sent.clear()
    try:
        yield heard, clock, layer
    finally:
        task.cancel()


def requests(layer: RecordingLayer) -> list[tuple[str, str]]:
    asked = [request_decoder.decode(message["data"]) for group, message in layer.sent if group == USAGE_REQUEST_GROUP]
    return [(each.kind, each.key) for each in asked]


def past(epoch: str, begun_at: float, *cpu: float) -> PastUsage:
    samples = tuple(Sample(begun_at + 60 * number, 60, each, 2**20) for number, each in enumerate(cpu))
    return PastUsage(epoch, "pods", "shop/web", begun_at, samples)


async def test_the_past_is_asked_for_once_a_report_and_told_when_it_has_come() -> None:
    async with asking() as (heard, clock, layer):
        calls: list[int] = []
        listener = lambda: calls.append(1)  # noqa: E731
        for _ in range(3):
            assert heard.known_past("pods", WEB, listener) is None
        await run_ready_tasks()
        assert requests(layer) == [("pods", "shop/web")]
        heard._receive_past(past("2", 100.0, 0.1))
        assert calls == [1]
        known = heard.known_past("pods", WEB, listener)
        assert known is not None
        assert [each.cpu for each in known.samples] == [0.1]
        heard.receive(report(clock, number=2))
        assert heard.known_past("pods", WEB, listener) is known  # until the newer one has come
        await run_ready_tasks()
        assert len(requests(layer)) == 2


async def test_of_two_answers_the_one_that_goes_further_back_is_believed() -> None:
    async with asking() as (heard, clock, _):
        heard.known_past("pods", WEB, lambda: None)
        for answer in (past("2", 500.0, 0.5), past("1", 100.0, 0.1), past("2", 500.0, 0.5)):
            heard._receive_past(answer)
        known = heard.known_past("pods", WEB, lambda: None)
        assert known is not None
        assert known.begun_at == 100.0
        heard.receive(report(clock, number=2))  # the older worker has ended since
        heard.known_past("pods", WEB, lambda: None)
        heard._receive_past(past("2", 500.0, 0.5))
        known = heard.known_past("pods", WEB, lambda: None)
        assert known is not None
        assert known.begun_at == 500.0


async def test_the_past_of_a_limited_number_of_objects_is_kept() -> None:
    async with asking() as (heard, _, _):
        for number in range(MAX_PASTS + 20):
            heard.known_past("pods", pod(f"web-{number}"), lambda: None)
        assert len(heard._pasts) == MAX_PASTS
        heard._receive_past(past("2", 100.0, 0.1))  # of one that nobody has asked for
        assert len(heard._pasts) == MAX_PASTS


async def test_a_process_that_starts_asks_for_a_report_until_it_has_one() -> None:
    clock, layer = FakeClock(), SilentLayer()
    heard = UsageClient(layer, clock)
    task = asyncio.create_task(heard.run())
    await run_ready_tasks()
    await clock.advance(2)
    await clock.advance(2)
    assert requests(layer) == [("", "")] * 3
    heard.receive(report(clock))
    await clock.advance(10)
    assert len(requests(layer)) == 3
    task.cancel()
