"""Tests of StatefulSets, DaemonSets and CronJobs: their objects, the order, and the events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, tzinfo

import pytest

from devcluster.cron_schedule import CronSchedule
from tests.support.devcluster.workload_cluster import (
    CRONS,
    DAEMONS,
    EVENTS,
    JOBS,
    NODES,
    PODS,
    STATEFUL,
    Json,
    World,
    running,
)

pytestmark = pytest.mark.slow

POD: Json = {"containers": [{"name": "c", "image": "i:1"}]}


def made(**spec: object) -> Json:
    labels = {"app": "own"}
    template = {"metadata": {"labels": labels}, "spec": POD}
    return {"metadata": {"name": "own"}, "spec": {"selector": {"matchLabels": labels}, "template": template, **spec}}


def cron(**spec: object) -> Json:
    template = {"metadata": {"labels": {"app": "own"}}, "spec": {**POD, "restartPolicy": "Never"}}
    jobs = {"spec": {"template": template}}
    return {"metadata": {"name": "own"}, "spec": {"schedule": "* * * * *", "jobTemplate": jobs, **spec}}


def numbered(world: World) -> list[str]:
    return sorted(pod["metadata"]["name"] for pod in world.pods("own"))


def is_ready(pod: Json) -> bool:
    return any(each["type"] == "Ready" and each["status"] == "True" for each in pod["status"].get("conditions", ()))


def jobs_of(world: World) -> list[Json]:
    return [each for each in world.all(JOBS) if each["metadata"]["name"].startswith("own-")]


async def test_pods_of_a_stateful_set_come_in_order_and_go_in_the_other(calm: World) -> None:
    calm.create(STATEFUL, made(replicas=3, serviceName="own"))
    assert await calm.live(90, lambda: calm.one(STATEFUL, "default", "own")["status"].get("readyReplicas") == 3)
    created = [message for _, reason, message in calm.said("own") if reason == "SuccessfulCreate"]
    assert created == [f"create Pod own-{number} in StatefulSet own successful" for number in range(3)]
    times = [calm.states(PODS, f"own-{number}")[0]["metadata"]["resourceVersion"] for number in range(3)]
    readied = [
        next(s for s in calm.states(PODS, f"own-{n}") if is_ready(s))["metadata"]["resourceVersion"] for n in (0, 1)
    ]
    assert int(times[1]) > int(readied[0])
    assert int(times[2]) > int(readied[1])
    assert calm.one(PODS, "default", "own-1")["spec"]["hostname"] == "own-1"
    calm.patch(STATEFUL, "default", "own", {"spec": {"replicas": 1}})
    assert await calm.live(90, lambda: numbered(calm) == ["own-0"])
    gone = [message for _, reason, message in calm.said("own") if reason == "SuccessfulDelete"]
    assert gone == [f"delete Pod own-{number} in StatefulSet own successful" for number in (2, 1)]


async def test_a_new_template_of_a_stateful_set_begins_with_the_last_pod_and_ends_at_the_partition(calm: World) -> None:
    calm.create(STATEFUL, made(replicas=2))
    assert await calm.live(60, lambda: calm.one(STATEFUL, "default", "own")["status"].get("readyReplicas") == 2)
    before = calm.one(STATEFUL, "default", "own")["status"]
    assert before["currentRevision"] == before["updateRevision"]
    container = [{"name": "c", "image": "i:2"}]
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
    change = {"template": {"spec": {"containers": container}}, "updateStrategy": rolling}
    calm.patch(STATEFUL, "default", "own", {"spec": change})
    assert await calm.live(60, lambda: calm.one(STATEFUL, "default", "own")["status"].get("updatedReplicas") == 1)
    calm.delete(PODS, "default", "own-0")
    assert await calm.live(60, lambda: calm.one(STATEFUL, "default", "own")["status"].get("readyReplicas") == 2)
    images = [calm.one(PODS, "default", name)["spec"]["containers"][0]["image"] for name in ("own-0", "own-1")]
    assert images == ["i:1", "i:2"], "what is below the partition stays of the old one"
    calm.patch(STATEFUL, "default", "own", {"spec": {"updateStrategy": {"rollingUpdate": {"partition": 0}}}})
    new = before["updateRevision"]

    def is_done() -> bool:
        status = calm.one(STATEFUL, "default", "own")["status"]
        return bool(status["currentRevision"] == status["updateRevision"] != new and status["readyReplicas"] == 2)

    assert await calm.live(60, is_done)


async def test_a_daemon_set_has_a_pod_on_each_node_and_a_drain_leaves_it(calm: World) -> None:
    calm.create(DAEMONS, made())
    workers = {node["metadata"]["name"] for node in calm.all(NODES) if not node["spec"].get("taints")}
    assert await calm.live(60, lambda: calm.one(DAEMONS, "default", "own")["status"]["numberReady"] == len(workers))
    assert {pod["spec"]["nodeName"] for pod in calm.pods("own")} == workers
    calm.patch(NODES, "", "worker-1", {"spec": {"unschedulable": True}})
    there = next(pod for pod in calm.pods("own") if pod["spec"]["nodeName"] == "worker-1")["metadata"]["name"]
    calm.delete(PODS, "default", there)
    assert await calm.live(
        60, lambda: len([p for p in calm.pods("own") if is_ready(p) and p["metadata"]["name"] != there]) == len(workers)
    )
    assert {pod["spec"]["nodeName"] for pod in calm.pods("own")} == workers, "it comes back to the cordoned node"


async def test_a_daemon_set_replaces_one_pod_at_a_time(calm: World) -> None:
    calm.create(DAEMONS, made())
    assert await calm.live(60, lambda: calm.one(DAEMONS, "default", "own")["status"]["numberReady"] == 5)
    container = [{"name": "c", "image": "i:2"}]
    calm.patch(DAEMONS, "default", "own", {"spec": {"template": {"spec": {"containers": container}}}})

    def is_done() -> bool:
        status = calm.one(DAEMONS, "default", "own")["status"]
        is_seen = status["observedGeneration"] == 2
        return bool(is_seen and status.get("updatedNumberScheduled") == status.get("numberAvailable") == 5)

    assert await calm.live(300, is_done)
    rolling = [each["status"] for each in calm.states(DAEMONS, "own") if each["status"].get("observedGeneration") == 2]
    assert min(status["numberReady"] for status in rolling) == 4
    assert calm.one(DAEMONS, "default", "own")["metadata"]["annotations"] == {
        "deprecated.daemonset.template.generation": "2"
    }


async def test_a_daemon_set_with_a_surge_misses_no_pod_while_it_rolls(calm: World) -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    calm.create(DAEMONS, made(updateStrategy=rolling))
    assert await calm.live(60, lambda: calm.one(DAEMONS, "default", "own")["status"]["numberReady"] == 5)
    container = [{"name": "c", "image": "i:2"}]
    calm.patch(DAEMONS, "default", "own", {"spec": {"template": {"spec": {"containers": container}}}})
    numbers = set[int]()

    def is_done() -> bool:
        there = [pod for pod in calm.pods("own") if not pod["metadata"].get("deletionTimestamp")]
        numbers.add(len(there))
        assert len({pod["spec"]["nodeName"] for pod in there if is_ready(pod)}) == 5
        status = calm.one(DAEMONS, "default", "own")["status"]
        return bool(status["observedGeneration"] == 2 and status.get("updatedNumberScheduled") == 5)

    assert await calm.live(300, is_done)
    assert numbers == {5, 6}, "one new pod beside an old one at a time"
    rolled = [each["status"] for each in calm.states(DAEMONS, "own") if each["status"].get("observedGeneration") == 2]
    assert {status["numberReady"] for status in rolled} == {status["numberAvailable"] for status in rolled} == {5}
    assert await calm.live(60, lambda: len(calm.pods("own")) == 5)
    assert {pod["spec"]["containers"][0]["image"] for pod in calm.pods("own")} == {"i:2"}


async def test_a_surge_takes_the_place_of_pods_that_are_not_ready_at_once(calm: World) -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "20%", "maxUnavailable": 0}}
    body = made(updateStrategy=rolling)
    body["spec"]["template"]["spec"] = {"containers": [{"name": "c", "image": "i:does-not-exist"}]}
    calm.create(DAEMONS, body)
    assert await calm.live(20, lambda: len(calm.pods("own")) == 5)
    calm.patch(DAEMONS, "default", "own", {"spec": {"template": {"spec": POD}}})
    assert await calm.live(90, lambda: calm.one(DAEMONS, "default", "own")["status"]["numberReady"] == 5)
    assert await calm.live(60, lambda: len(calm.pods("own")) == 5)


async def test_a_cron_job_starts_its_jobs_keeps_few_and_stops_while_suspended(calm: World) -> None:
    calm.create(CRONS, cron(successfulJobsHistoryLimit=2))
    assert await calm.live(70, lambda: len(jobs_of(calm)) == 1)
    (job,) = jobs_of(calm)
    assert job["metadata"]["ownerReferences"][0]["kind"] == "CronJob"
    begun = datetime.fromisoformat(job["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"])
    assert job["metadata"]["name"] == f"own-{int(begun.timestamp()) // 60}"
    status = calm.one(CRONS, "default", "own")["status"]
    assert [each["name"] for each in status["active"]] == [job["metadata"]["name"]]
    assert await calm.live(240, lambda: "SuccessfulDelete" in calm.reasons("own"))
    assert {"SuccessfulCreate", "SawCompletedJob"} <= set(calm.reasons("own"))
    calm.patch(CRONS, "default", "own", {"spec": {"suspend": True}})
    await calm.live(30)
    there = {each["metadata"]["name"] for each in jobs_of(calm)}
    await calm.live(130)
    assert {each["metadata"]["name"] for each in jobs_of(calm)} <= there
    assert calm.one(CRONS, "default", "own")["status"].get("lastSuccessfulTime")


@pytest.mark.parametrize(
    ("policy", "most", "said"), [("Forbid", 1, "JobAlreadyActive"), ("Replace", 1, "SuccessfulDelete")]
)
async def test_a_cron_job_whose_job_still_runs_does_as_its_policy_says(
    calm: World, policy: str, most: int, said: str
) -> None:
    body = cron(concurrencyPolicy=policy)
    body["spec"]["jobTemplate"]["spec"]["template"]["metadata"]["annotations"] = {"demo.deltaboard/seconds": "600"}
    calm.create(CRONS, body)
    assert await calm.live(150, lambda: said in calm.reasons("own"))
    await calm.live(5)
    active = [each for each in jobs_of(calm) if not each["metadata"].get("deletionTimestamp")]
    assert len(active) == most


@pytest.fixture
async def usual() -> AsyncIterator[World]:
    async with running(pods=120) as world:
        yield world


async def test_what_is_seeded_needs_nobody(usual: World) -> None:
    await usual.live(5)
    written = [change for change in usual.changes if change.bucket in (STATEFUL, DAEMONS, CRONS, PODS, JOBS)]
    sets = {"queue", "node-agent"}
    names = {change.record.key[1] for change in written}
    assert not [name for name in names if any(name.startswith(each) for each in sets)]
    assert len(usual.pods("queue")) == 3
    assert len(usual.pods("node-agent")) == len(usual.all(NODES)) == 6
    assert usual.one(DAEMONS, "platform", "node-agent")["status"]["numberReady"] == 6
    assert all(each["spec"]["suspend"] for each in usual.all(CRONS)), "nothing begins by itself at rate 0"
    assert not [event for event in usual.all(EVENTS) if event["involvedObject"]["name"] in sets]


async def test_a_cron_job_that_missed_many_times_starts_the_newest(calm: World) -> None:
    calm.create(CRONS, cron(suspend=True))
    before = datetime.fromtimestamp(calm.clock.time() - 900 * 86_400, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    calm.patch(CRONS, "default", "own", {"status": {"lastScheduleTime": before}}, subresource="status")
    with pytest.MonkeyPatch.context() as patch:
        counted = count_steps(patch)
        calm.patch(CRONS, "default", "own", {"spec": {"suspend": False}})
        assert await calm.live(10, lambda: jobs_of(calm))
    assert len(counted) < 300
    (job,) = jobs_of(calm)
    assert 0 <= calm.clock.time() // 60 - int(job["metadata"]["name"].removeprefix("own-")) <= 1


def count_steps(patch: pytest.MonkeyPatch) -> list[float]:
    steps, after = list[float](), CronSchedule.next_after

    def counting(schedule: CronSchedule, seconds: float, zone: tzinfo = UTC) -> float | None:
        steps.append(seconds)
        return after(schedule, seconds, zone)

    patch.setattr(CronSchedule, "next_after", counting)
    return steps


@pytest.mark.parametrize("text", ["* * * * *", "0,1 * * * *", "30 9 * * mon-fri", "* 3 1 * *", "0 0 31 2 *"])
def test_the_newest_time_is_the_last_of_all_that_passed(text: str) -> None:
    schedule, start = CronSchedule.parse(text), datetime(2026, 11, 1, 2, 59, 30, tzinfo=UTC).timestamp()
    for until in (start, start + 29, start + 30, start + 4000, start + 200_000.5, start + 3_000_000):
        expected, following = None, schedule.next_after(start)
        while following is not None and following <= until:
            expected, following = following, schedule.next_after(following)
        assert schedule.latest_between(start, until) == expected


@pytest.mark.parametrize(
    ("text", "since", "due"),
    [
        ("*/5 * * * *", "2026-11-22T19:04:59", "2026-11-22T19:05:00"),
        ("0 0 * * *", "2026-11-22T00:00:00", "2026-11-23T00:00:00"),
        ("30 9 * jan-mar mon-fri", "2026-11-22T19:00:00", "2027-01-01T09:30:00"),
        ("0 12 13 * 5", "2026-11-22T19:00:00", "2026-11-27T12:00:00"),
        ("0 0 29 2 *", "2026-11-22T19:00:00", "2028-02-29T00:00:00"),
        ("@hourly", "2026-11-22T19:00:00", "2026-11-22T20:00:00"),
        ("0 0 31 2 *", "2026-11-22T19:00:00", ""),
    ],
)
def test_a_schedule_says_when_it_is_due(text: str, since: str, due: str) -> None:
    found = CronSchedule.parse(text).next_after(datetime.fromisoformat(since).replace(tzinfo=UTC).timestamp())
    assert ("" if found is None else datetime.fromtimestamp(found, UTC).strftime("%Y-%m-%dT%H:%M:%S")) == due
