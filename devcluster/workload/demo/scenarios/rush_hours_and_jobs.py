"""Scenarios of load: rush hours, and jobs that fail or take too long."""

from __future__ import annotations

from devcluster.workload import object_builders as objects
from devcluster.workload.demo.scenario_context import ScenarioContext
from devcluster.workload.demo_inventory import CronApp


async def rush_hour(stage: ScenarioContext) -> None:
    """Many customers: the application gets half as many pods more, and loses them afterwards."""
    deployment = stage.deployment
    if deployment is None:
        return
    usual = stage.app.replicas
    await stage.scale(usual + max(2, usual // 2))
    await stage.wait_until_settled()
    await stage.pause(30, 45)
    await stage.scale(usual)
    await stage.wait_until_settled()


async def failing_job(stage: ScenarioContext) -> None:
    """A migration that fails as often as it may, and is given up."""
    cron = CronApp(
        stage.app.namespace,
        f"{stage.app.name}-migration",
        "3-6",
        failure_rate=1.0,
        backoff_limit=2,
        cell=stage.app.cell,
    )
    await _run(stage, cron)


async def late_job(stage: ScenarioContext) -> None:
    """An export that takes longer than it may."""
    cron = CronApp(stage.app.namespace, f"{stage.app.name}-export", "300-400", deadline=40, cell=stage.app.cell)
    await _run(stage, cron)


async def _run(stage: ScenarioContext, cron: CronApp) -> None:
    name = f"{cron.name}-{stage.number}"
    key = f"{cron.namespace}/{name}"
    await stage.cluster.jobs.create(objects.job(cron, name))
    await stage.wait_until(
        lambda: (job := stage.cluster.jobs.get(key)) is None or job.finish_condition is not None, 120
    )
