"""Parts in SQLite and in PostgreSQL, for tests that both have to pass."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.live.history.part import Parts
from tests.support.live.history import Log, history_database


@pytest.fixture(scope="session")
def sqlite_parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    with history_database("sqlite", tmp_path_factory.mktemp("history")) as parts:
        yield parts


@pytest.fixture(scope="session")
def postgresql_parts() -> Iterator[Parts]:
    with history_database("postgresql", Path()) as parts:
        yield parts


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def parts(request: pytest.FixtureRequest) -> Parts:
    """A database of each sort in turn, which tests share: each has a cluster of its own in it."""
    found: Parts = request.getfixturevalue(f"{request.param}_parts")
    return found


@pytest.fixture
def log(parts: Parts) -> Iterator[Log]:
    log = Log(parts)
    yield log
    log.close()
