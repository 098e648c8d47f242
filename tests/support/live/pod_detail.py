"""Live view of a pod's details, its events and its changes, as tests follow it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import zstandard
from django.template.loader import render_to_string

from dashboard.live.rendering.renderer import Renderer
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.row import Cell, Row
from dashboard.objects.printers import columns_for
from dashboard.pages.details.live_detail import LiveDetail
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.objects import Blob
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, pod

PODS = KINDS["pods"]


def whole(spec: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    metadata = {"name": "web", "namespace": "default", "uid": "uid-default-web", **more.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec or {}, **more}


def web(version: int = 1, spec: dict[str, Any] | None = None, *, uid: str = "", **more: Any) -> Row:
    return pod("web", version=version, uid=uid, obj=whole(spec, **more))


def event(
    name: str, about: dict[str, Any], *, reason: str = "BackOff", last: float = 1.8e9, kind: str = "Warning"
) -> Row:
    obj = {"kind": "Event", "involvedObject": about, "reason": reason, "message": f"{name}!", "type": kind, "count": 9}
    values: dict[str, Cell] = {
        "namespace": "default",
        "name": name,
        "last-seen": last,
        "object": f"pod/{about['name']}",
    }
    return Row(
        uid=f"uid-{name}", namespace="default", name=name, version="1", created=last, status=kind, tone="warn",
        cells=tuple(values.get(column.id) for column in columns_for("events")), labels={},
        blob=Blob(zstandard.compress(msgspec.json.encode(obj))),
    )  # fmt: skip


WEB = {"kind": "Pod", "namespace": "default", "name": "web", "uid": "uid-default-web"}


class Shown:
    def __init__(
        self, *rows: Row, events: tuple[Row, ...] = (), later: Callable[[SlicedWork], None] = run_at_once
    ) -> None:
        self.clock = FakeClock()
        self.pods = Feeder("pods", self.clock, rows)
        self.events = Feeder("events", self.clock, events)
        self.view = LiveDetail(
            PODS,
            "default",
            "web",
            self.pods.replica,
            self.clock,
            kinds=lambda: [(PODS, self.pods.replica), (KINDS["events"], self.events.replica)],
            schedule=later,
        )
        self.render = Renderer(render_to_string)
        for feeder in (self.pods, self.events):
            feeder.replica.on_change(lambda change, key=feeder.key: self.view.apply(key, change))  # type: ignore[misc]

    @property
    def changes(self) -> list[tuple[str, list[tuple[str, str, str]]]]:
        return [(line.words, [(one.path, one.was, one.now) for one in line.fields]) for line in self.view.changes]
