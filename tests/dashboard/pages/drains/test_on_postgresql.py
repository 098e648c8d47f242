"""Tests of a drain's pages that depend on the database, repeated with PostgreSQL."""

from __future__ import annotations

import pytest

from tests.dashboard.pages.drafts.conftest import postgresql_alias
from tests.dashboard.pages.drains.test_views import (
    soon,
    test_a_drain_cordons_evicts_and_waits_until_all_are_gone,
    test_another_process_shows_it_says_when_the_one_that_ran_it_ended_and_goes_on_with_it,
    test_it_pauses_goes_on_and_is_cancelled,
)

__all__ = [
    "postgresql_alias",
    "soon",
    "test_a_drain_cordons_evicts_and_waits_until_all_are_gone",
    "test_another_process_shows_it_says_when_the_one_that_ran_it_ended_and_goes_on_with_it",
    "test_it_pauses_goes_on_and_is_cancelled",
]

pytestmark = pytest.mark.postgresql


@pytest.fixture(scope="session")
def database(postgresql_alias: str) -> str:
    return postgresql_alias
