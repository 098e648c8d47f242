"""Tests of CronJobs: their Jobs, the policies of concurrency, and missed times."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

import pytest

from devcluster.cron_schedule import CronSchedule
from tests.support.devcluster.workload_cluster import CRONS, JOBS, POD_SPEC, Json, World

pytestmark = pytest.mark.slow


def cron(**spec: object) -> Json:
    template = {"metadata": {"labels": {"app": "own"}}, "spec": {**POD_SPEC, "restartPolicy": "Never"}}
    jobs = {"spec": {"template": template}}
    return {"metadata": {"name": "own"}, "spec": {"schedule": "* * * * *", "jobTemplate": jobs, **spec}}


def jobs_of(world: World) -> list[Json]:
    return [each for each in world.all(JOBS) if each["metadata"]["name"].startswith("own-")]


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
