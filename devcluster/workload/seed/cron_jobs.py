"""Seeded CronJobs, in the state in which their controller has nothing to do."""

from __future__ import annotations

import msgspec

from devcluster.cron_schedule import CronSchedule
from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import CronJob
from devcluster.workload.demo_inventory import CronApp
from devcluster.workload.object_builders import Json
from devcluster.workload.seed.writer import SeedWriter
from devcluster.workload.times import timestamp

_DAY = 86_400.0
_HOUR = 3_600.0


def put_cron_job(seed: SeedWriter, cron: CronApp, ended_at: float, *, suspended: bool) -> Json:
    """Store a CronJob whose last Job ended at `ended_at`. Returns the ownerReference to it."""
    stored = seed.put("cronjobs.batch", objects.cron_job(cron, suspended=suspended), seed.now - 30 * _DAY)
    schedule, last = CronSchedule.parse(cron.schedule), seed.now - _HOUR
    while (following := schedule.next_after(last)) is not None and following <= seed.now:
        last = following
    status = {"lastScheduleTime": timestamp(last), "lastSuccessfulTime": timestamp(ended_at)}
    seed.put_status("cronjobs.batch", stored, status, observed=False)
    return objects.controller_reference(msgspec.convert(stored, CronJob))
