"""Tests of a run's pages that depend on the database, repeated with PostgreSQL."""

from __future__ import annotations

import pytest

from tests.dashboard.pages.bulk.test_concurrency import (
    test_processes_share_what_may_be_sent_at_once_and_one_that_paused_has_no_part,
)
from tests.dashboard.pages.bulk.test_rejected_requests import test_only_the_browser_that_began_a_run_sees_it
from tests.dashboard.pages.bulk.test_run import (
    test_another_process_says_when_the_one_that_ran_it_ended_and_goes_on,
    test_it_pauses_and_goes_on,
)
from tests.dashboard.pages.bulk.test_views import (
    test_equal_changes_are_reviewed_as_one_then_written_and_told_for_each,
    test_what_changed_after_the_review_is_asked_again_and_what_changed_elsewhere_goes_on,
)
from tests.dashboard.pages.drafts.conftest import postgresql_alias

__all__ = [
    "postgresql_alias",
    "test_another_process_says_when_the_one_that_ran_it_ended_and_goes_on",
    "test_equal_changes_are_reviewed_as_one_then_written_and_told_for_each",
    "test_it_pauses_and_goes_on",
    "test_only_the_browser_that_began_a_run_sees_it",
    "test_processes_share_what_may_be_sent_at_once_and_one_that_paused_has_no_part",
    "test_what_changed_after_the_review_is_asked_again_and_what_changed_elsewhere_goes_on",
]

pytestmark = pytest.mark.postgresql


@pytest.fixture(scope="session")
def database(postgresql_alias: str) -> str:
    return postgresql_alias
