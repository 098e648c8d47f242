"""Tests of the kinds of a past moment: rows as the present had them, progress, gaps, and what is not recorded."""

from __future__ import annotations

import asyncio

import msgspec

from dashboard.live.hub.freshness import freshness_problem
from dashboard.live.moments.past_objects import KnownAt
from dashboard.live.moments.past_replica import PastReplica
from dashboard.live.moments.past_replicas import RETRY_INTERVAL, PastReplicas
from dashboard.live.rendering.time_texts import utc_text
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KINDS
from dashboard.runtime.read_only import past_is_shown
from informerd.clock import SystemClock
from tests.support.clock import FakeClock
from tests.support.live.recorded_objects import RecordedObjects
from tests.support.live.replica_feeder import pod
from tests.support.objects.rows import Json, made, row_of
from tests.support.pages.site_without_cluster import Site
from tests.support.wait import eventually

AT = 1.79e9


def pods(count: int) -> list[tuple[str, Json]]:
    return [
        ("pods", made("Pod", f"web-{number}", namespace="shop", status={"phase": "Running"})) for number in range(count)
    ]


def past(history: RecordedObjects) -> PastReplicas:
    return PastReplicas(Site(watched=("pods", "secrets", "deployments.apps")).feeds, history, AT, SystemClock())


def test_of_two_objects_of_one_name_which_a_gap_may_have_the_younger_is_shown() -> None:
    older, younger = (pod("web", uid=f"u{number}") for number in (1, 2))
    older = msgspec.structs.replace(older, created=1.0)
    younger = msgspec.structs.replace(younger, created=2.0)
    for steps in ([[older, younger]], [[younger, older]], [[older], [younger]], [[younger], [older]]):
        replica = PastReplica("pods", AT)
        for rows in steps:
            replica.add(rows, None)
        assert list(replica.rows.values()) == list(replica.rows_in(younger.namespace)) == [younger]


async def test_the_rows_are_those_that_a_worker_made_of_the_same_objects() -> None:
    objects = [*pods(3), ("secrets", made("Secret", "key", namespace="shop", data={"a": "Kioq"}))]
    replicas = past(RecordedObjects(*objects))
    await replicas.read_all()
    for key, obj in objects:
        row, expected = replicas.get(key).get("shop", obj["metadata"]["name"]), row_of(key, obj)
        assert row is not None
        assert (row.uid, row.status, row.tone, row.cells, row.labels) == (
            expected.uid, expected.status, expected.tone, expected.cells, expected.labels,
        )  # fmt: skip
        assert row.decode_object() == obj
    assert replicas.get("pods").is_live
    assert freshness_problem(KINDS["pods"], replicas.get("pods")) is None


async def test_progress_is_shown_until_all_rows_are_there() -> None:
    history = RecordedObjects(*pods(5))
    history.held.clear()
    replicas = past(history)
    replica, changes = replicas.get("pods"), list[Change]()
    replica.on_change(changes.append)
    reading = asyncio.create_task(replicas.read_all())
    await eventually(lambda: len(replica.rows) == 2)
    problem = freshness_problem(KINDS["pods"], replica)
    assert problem is not None
    assert problem.text == "Reading Pods: 2 of about 5 so far."
    assert not replica.is_live
    history.held.set()
    await reading
    assert (len(replica.rows), replica.is_live) == (5, True)
    assert [len(change.rows) for change in changes] == [2, 2, 1, 0, 0]
    assert changes[-1].is_first_snapshot


async def test_the_kind_of_the_page_is_read_first() -> None:
    history = RecordedObjects(*pods(1))
    replicas = past(history)
    replicas.read_first("deployments.apps")
    await replicas.read_all()
    assert history.read == ["deployments.apps", "pods", "secrets"]


async def test_a_moment_in_a_gap_says_since_when_its_state_is_and_why() -> None:
    history = RecordedObjects(*pods(1))
    history.known["pods"] = KnownAt(True, AT - 60, "no worker recorded")
    replicas = past(history)
    await replicas.read_all()
    problem = freshness_problem(KINDS["pods"], replicas.get("pods"))
    assert problem is not None
    assert problem.text == (
        "Pods have not been up to date since {since}: no worker recorded. What you see is from then."
    )
    assert problem.since == AT - 60
    assert len(replicas.get("pods").rows) == 1


async def test_a_kind_that_is_not_recorded_says_so() -> None:
    history = RecordedObjects(*pods(1))
    history.since["services"] = AT + 0.25
    replicas = past(history)
    await replicas.read_all()
    with past_is_shown():
        problem = freshness_problem(KINDS["secrets"], replicas.get("secrets"))
    assert problem is not None
    assert problem.text == "History has nothing of Secrets."
    replicas.add(KINDS["services"])
    await replicas.read_all()
    begins = f"History of Services begins later than this moment, at {utc_text(AT + 1)}"
    assert replicas.get("services").health.problem == begins
    assert replicas.get("services").rows == {}


async def test_history_that_cannot_be_read_is_told_of_each_kind_and_tried_again() -> None:
    history = RecordedObjects(*pods(1))
    history.problem = "disk is on fire"
    clock = FakeClock()
    replicas = PastReplicas(Site(watched=("pods", "secrets")).feeds, history, AT, clock)
    reading = asyncio.create_task(replicas.run())
    await eventually(lambda: all(replica.health.problem for replica in replicas))
    assert {replica.health.problem for replica in replicas} == {"History cannot be read: disk is on fire"}
    history.problem = ""
    await clock.advance(RETRY_INTERVAL)
    await eventually(lambda: replicas.get("pods").is_live)
    assert len(replicas.get("pods").rows) == 1
    reading.cancel()


async def test_a_kind_that_is_not_followed_now_is_read_once_a_page_asks_for_it() -> None:
    service = made("Service", "web", namespace="shop")
    replicas = past(RecordedObjects(*pods(1), ("services", service)))
    reading = asyncio.create_task(replicas.run())
    await eventually(lambda: replicas.get("pods").is_live)
    replicas.add(KINDS["services"])
    await eventually(lambda: replicas.get("services").is_live)
    assert replicas.get("services").get("shop", "web") is not None
    reading.cancel()


async def test_a_kind_that_a_page_asks_for_does_not_wait_for_one_that_is_being_read() -> None:
    history = RecordedObjects(*pods(5), ("deployments.apps", made("Deployment", "web", api_version="apps/v1")))
    history.held.clear()
    replicas = past(history)
    reading = asyncio.create_task(replicas.read_all())
    await eventually(lambda: len(replicas.get("pods").rows) == 2)
    replicas.read_first("deployments.apps")
    await eventually(lambda: replicas.get("deployments.apps").is_live)
    assert not replicas.get("pods").is_live
    history.held.set()
    await reading


async def test_an_object_that_cannot_be_read_is_a_row_with_its_name() -> None:
    broken = made("Pod", "broken", namespace="shop", spec={"containers": 3})
    replicas = past(RecordedObjects(("pods", broken), *pods(1)))
    await replicas.read_all()
    assert {row.name for row in replicas.get("pods").rows.values()} == {"broken", "web-0"}
