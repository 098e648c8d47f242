"""A recorded Mydemo: created with port 80, set to 8080, deleted; and another that exists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.live.history import Log, history_database
from tests.support.objects.rows import Json, made


def mydemo(name: str = "alpha", port: int = 80, version: int = 1, uid: str = "", **metadata: Any) -> Json:
    managed = [{"manager": "kubectl", "time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:a": {}}}]
    meta = {"resourceVersion": str(version), "managedFields": managed, **({"uid": uid} if uid else {}), **metadata}
    spec = {"ip": "10.0.0.1", "port": port}
    return made("Mydemo", name, api_version="crddemo.k8s.io/v1", metadata=meta, spec=spec)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with history_database("sqlite", tmp_path) as parts:
        log = Log(parts)
        yield log
        log.close()
