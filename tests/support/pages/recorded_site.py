"""Site without a cluster whose history a test writes."""

from __future__ import annotations

import json
from typing import Any, cast

import zstandard

from dashboard.live.history.version import Operation
from dashboard.live.moments.history_objects import HistoryObjects
from informerd.objects import Blob, Object, ObjectMeta
from tests.support.live.history import Log
from tests.support.objects.rows import Json, row_of
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

    def put(self, obj: Json, key: str = "pods") -> None:
        """Change an object in the present."""
        self.site.feeder(key).put(row_of(key, obj))

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
