"""A recorded Mydemo: created with port 80, set to 8080, deleted; and another that exists."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import zstandard

from dashboard.live.history.version import Operation
from dashboard.live.moments.history_objects import HistoryObjects
from informerd.objects import Blob, Object, ObjectMeta
from tests.support.live.history import Log, history_database
from tests.support.objects.rows import Json, made
from tests.support.pages.site_without_cluster import Site

KEY = "mydemos.crddemo.k8s.io"


class RecordedSite:
    """A site whose cluster has a history that the test writes."""

    def __init__(self, log: Log, *objects: tuple[str, Json]) -> None:
        self.log = log
        self.site = Site(*objects)
        self.site.clock.skip(5)
        self.parts = cast("Any", self.site.parts)
        self.parts.history = HistoryObjects(lambda: log.reader, self.site.clock)

    def record(self, operation: Operation, obj: Json, key: str = KEY) -> str:
        """Record a version of an object; returns its time as addresses have it."""
        meta = obj["metadata"]
        metadata = ObjectMeta(
            name=meta["name"], namespace=meta.get("namespace", ""), uid=meta["uid"],
            resource_version=meta["resourceVersion"],
        )  # fmt: skip
        blob = Blob(zstandard.compress(json.dumps(obj, separators=(",", ":")).encode()))
        change = self.log.change(key, operation, Object(metadata=metadata, blob=blob))
        self.log.tick(key)
        return f"2027-01-15T08:00:00.{change.time % 1_000_000:06}".rstrip("0") + "Z"


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
