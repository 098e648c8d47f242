"""Tests of runs in the background while the audit log cannot be written: they wait, and nothing is marked as failed."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

from dashboard.pages.bulk.executor_factory import item_executor_factory
from dashboard.pages.bulk.item_execution import is_retryable
from dashboard.pages.bulk.runner import BulkRunner
from dashboard.pages.bulk.store import RunStore
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.errors import CallRefused
from tests.dashboard.pages.audit.conftest import recorder_at
from tests.dashboard.pages.bulk.conftest import Demos
from tests.dashboard.pages.bulk.conftest import database as bulk_database
from tests.dashboard.pages.drains.conftest import empty_database
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser

__all__ = ["bulk_database", "empty_database"]


async def test_a_run_waits_until_the_record_can_be_written(
    cluster: ControlPlane, collection: str, parts: SimpleNamespace, bulk_database: str, empty_database: str
) -> None:
    runs = RunStore(DatabaseExecutor(parts.clock, alias=bulk_database, time_limit=60))
    executors = item_executor_factory(parts.schemas, parts.authors, parts.clock)
    broken, client = recorder_at(empty_database), partial(getattr, parts, "plain_client")
    parts.bulk_runs = BulkRunner(runs, parts.clock, client, executors, audit=broken)
    demos = Demos(cluster, collection, parts, Browser(parts))
    demos.make("a", "b")
    await demos.review(verb="label", label_set="team=new")
    await demos.press("start")
    await demos.shows("The audit log cannot be written now, so nothing was sent.")
    assert demos.labels("a") == {}
    items = await runs.items(demos.run.strip("/").rpartition("/")[2])
    assert {each.state for each in items} == {"tried"}, "none counts as failed"
    await parts.bulk_runs.stop()
    await broken.stop()


def test_what_was_not_sent_can_be_sent_again() -> None:
    assert is_retryable(CallRefused("no"))
