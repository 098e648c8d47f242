"""Tests of kinds that a worker follows on demand: their start and end, and the limits of number and memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from dashboard.live.replication.messages import (
    NOT_FOLLOWED,
    ON_DEMAND_SHOWN,
    ON_DEMAND_TTL,
    InterestMessage,
    SnapshotRequest,
    encoder,
)
from dashboard.live.worker.on_demand_kinds import MAX_REFUSED, REFUSAL_TTL
from dashboard.live.worker.worker import Worker
from dashboard.objects.kinds.catalog import KINDS, kind_of_key, parse_kinds
from dashboard.runtime.on_demand_kind_limits import OnDemandLimits
from informerd.clock import SystemClock
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.objects.rows import made, row_of
from tests.support.scripted_api_server import ScriptedServer

NAMES = [key for key in KINDS if key not in ("pods", "leases.coordination.k8s.io")]
LEASES = "leases.coordination.k8s.io"
LIMITS = OnDemandLimits(kinds=12, mebibytes=1, kinds_per_user=8)
SOME = NAMES[: LIMITS.kinds]


class Asked:
    """A worker of pods on a server that takes every request and answers none, with its clock in the test's hand."""

    def __init__(self, server: ScriptedServer) -> None:
        self.clock, self.layer = FakeClock(), RecordingLayer()
        self.client = server.client(SystemClock())
        self.worker = Worker(self.client, self.layer, parse_kinds(["pods"]), self.clock, limits=LIMITS)

    async def want(self, *keys: str, idle: float = 0.0, always: tuple[str, ...] = ()) -> None:
        want = InterestMessage(tuple((key, idle) for key in keys), always)
        await self.worker._answer({"type": "feed.want", "data": encoder.encode(want)})

    @property
    def informed(self) -> set[str]:
        return {informer.resource.key for informer in self.worker.factory.informers}

    async def answered(self, key: str) -> str:
        """The problem that a snapshot of the kind tells."""
        self.layer.sent.clear()
        await self.worker._answer({"type": "feed.ask", "data": encoder.encode(SnapshotRequest(key, "replica"))})
        (chunk,) = self.layer.chunks
        return chunk.health.problem

    async def pass_time(self, seconds: float) -> None:
        self.clock.skip(seconds)
        await self.worker.on_demand.sweep()


@pytest.fixture
async def asked() -> AsyncIterator[Asked]:
    server = ScriptedServer()
    await server.start()
    made = Asked(server)
    yield made
    await made.worker.stop()
    await made.client.close()
    await server.stop()


async def test_a_kind_is_followed_from_the_first_word_on_and_once(asked: Asked) -> None:
    await asked.want(LEASES)
    await asked.want(LEASES)
    assert asked.worker.on_demand.keys == (LEASES,)
    assert asked.informed == {LEASES}
    assert await asked.answered(LEASES) == ""


async def test_kinds_of_the_settings_need_no_asking(asked: Asked) -> None:
    await asked.want("pods")
    assert asked.worker.on_demand.keys == ()


async def test_a_kind_is_let_go_of_ten_minutes_after_the_last_look(asked: Asked) -> None:
    await asked.want(LEASES)
    await asked.pass_time(ON_DEMAND_TTL - 1)
    assert asked.informed == {LEASES}
    await asked.pass_time(1)
    assert (asked.informed, asked.worker.on_demand.keys) == (set(), ())


async def test_whoever_of_several_web_processes_looked_last_counts(asked: Asked) -> None:
    await asked.want(LEASES)
    await asked.pass_time(400)
    await asked.want(LEASES, idle=100)
    await asked.want(LEASES, idle=400)
    await asked.pass_time(499)
    assert asked.informed == {LEASES}
    await asked.pass_time(1)
    assert asked.informed == set()


async def test_a_worker_that_has_just_begun_follows_for_the_rest_of_the_ten_minutes(asked: Asked) -> None:
    await asked.want(LEASES, idle=ON_DEMAND_TTL - 10)
    await asked.pass_time(9)
    assert asked.informed == {LEASES}
    await asked.pass_time(1)
    assert asked.informed == set()
    await asked.want(LEASES, idle=ON_DEMAND_TTL)
    assert asked.informed == set()


async def test_a_kind_that_is_followed_again_has_a_younger_epoch(asked: Asked) -> None:
    await asked.want(LEASES)
    before = asked.worker.on_demand.get(LEASES)
    await asked.pass_time(ON_DEMAND_TTL)
    await asked.want(LEASES)
    after = asked.worker.on_demand.get(LEASES)
    assert before is not None
    assert after is not None
    assert after.publisher.epoch > before.publisher.epoch


async def test_a_kind_that_comes_back_while_it_is_being_let_go_of_keeps_its_new_informer(asked: Asked) -> None:
    await asked.want(LEASES)
    await run_ready_tasks()
    before = asked.worker.factory.informers[0]
    asked.clock.skip(ON_DEMAND_TTL)
    sweeping = asyncio.create_task(asked.worker.on_demand.sweep())
    await asyncio.sleep(0)
    await asked.want(LEASES)
    await sweeping
    (after,) = asked.worker.factory.informers
    assert after is not before
    assert asked.worker.on_demand.keys == (LEASES,)


async def test_no_more_than_so_many_are_followed_and_the_next_is_told_why(asked: Asked) -> None:
    await asked.want(*SOME)
    await asked.want(LEASES)
    assert set(asked.worker.on_demand.keys) == set(SOME)
    assert LEASES not in asked.informed
    assert await asked.answered(LEASES) == f"{NOT_FOLLOWED}: {LIMITS.kinds_reached}"
    await asked.pass_time(REFUSAL_TTL)
    assert asked.worker.on_demand.get(LEASES) is None


async def test_the_one_left_longest_gives_way_to_who_looks_now(asked: Asked) -> None:
    await asked.want(*SOME)
    await asked.want(LEASES)
    await asked.pass_time(ON_DEMAND_SHOWN + 1)
    await asked.want(*SOME[1:])
    await asked.want(LEASES)
    assert set(asked.worker.on_demand.keys) == {*SOME[1:], LEASES}
    await asked.want(NAMES[0], idle=ON_DEMAND_SHOWN + 2)  # kept by a web process, looked at by nobody
    assert NAMES[0] not in asked.worker.on_demand.keys
    assert asked.worker.on_demand.get(NAMES[0]) is None


async def test_what_is_followed_always_does_not_give_way(asked: Asked) -> None:
    await asked.want(*SOME, always=(NAMES[0],))
    asked.clock.skip(ON_DEMAND_SHOWN + 1)
    await asked.want(NAMES[0], idle=ON_DEMAND_SHOWN + 1, always=(NAMES[0],))
    await asked.want(LEASES)
    assert set(asked.worker.on_demand.keys) == {NAMES[0], *SOME[2:], LEASES}


def grow(asked: Asked, key: str, kibibytes: int) -> None:
    """Give the kind rows that take about as much."""
    followed = asked.worker.on_demand.get(key)
    assert followed is not None
    for number in range(kibibytes // 10):
        row = row_of("pods", made("Pod", f"{key}-{number}", namespace="shop", status={"message": "x" * 9_000}))
        followed.publisher.rows[f"{key}-{number}"] = msgspec.structs.replace(row, reason="x" * 9_000)


async def test_the_one_left_longest_gives_way_where_objects_take_too_much_memory(asked: Asked) -> None:
    await asked.want(*NAMES[:3])
    asked.clock.skip(ON_DEMAND_SHOWN + 1)
    await asked.want(*NAMES[1:3])
    for key in NAMES[:3]:
        grow(asked, key, 300)
    await asked.pass_time(1)
    assert set(asked.worker.on_demand.keys) == set(NAMES[:3])  # 0.9 of 1 MiB
    grow(asked, NAMES[2], 500)
    await asked.pass_time(1)
    assert set(asked.worker.on_demand.keys) == set(NAMES[1:3])
    assert asked.worker.on_demand.get(NAMES[0]) is None


async def test_where_pages_show_all_that_takes_too_much_memory_the_largest_is_refused_until_there_is_room(
    asked: Asked,
) -> None:
    await asked.want(*NAMES[:2])
    grow(asked, NAMES[0], 500)
    grow(asked, NAMES[1], 700)
    await asked.pass_time(1)
    assert asked.worker.on_demand.keys == (NAMES[0],)
    assert await asked.answered(NAMES[1]) == f"{NOT_FOLLOWED}: {LIMITS.memory_reached}"
    await asked.want(*NAMES[:2])
    assert asked.worker.on_demand.keys == (NAMES[0],)  # they would take too much again
    asked.clock.skip(ON_DEMAND_SHOWN + 1)
    await asked.want(NAMES[1])
    assert asked.worker.on_demand.keys == (NAMES[1],)


@pytest.mark.slow
async def test_refusals_are_bounded_too_and_nonsense_is_followed_by_nobody(asked: Asked) -> None:
    await asked.want(*SOME)
    await asked.want(*(f"made-up-{number}.example.com" for number in range(MAX_REFUSED + 10)))
    assert len(asked.worker.on_demand._requested) == LIMITS.kinds + MAX_REFUSED
    assert kind_of_key("../secrets") is None
    assert kind_of_key("a" * 1000) is None


async def test_a_worker_that_is_stopped_ends_what_it_followed_on_demand(asked: Asked) -> None:
    await asked.want(LEASES, "widgets.example.com")
    await run_ready_tasks()
    tasks = [*asked.worker.on_demand.get(LEASES).tasks, *asked.worker.on_demand.get("widgets.example.com").tasks]  # type: ignore[union-attr]
    await asked.worker.stop()
    assert all(task.done() for task in tasks)
    assert asked.worker.on_demand.keys == ()
