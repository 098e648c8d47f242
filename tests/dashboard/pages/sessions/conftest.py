"""Fixture: a migrated SQLite file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.support.databases import in_file


@pytest.fixture(scope="session")
def sessions_alias(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    with in_file("sessions_registry", tmp_path_factory.mktemp("sessions"), django_db_blocker) as made:
        yield made
