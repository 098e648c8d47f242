"""Benchmark of the frames that a change of one object sends to its pages, compared with the page as a whole.

    python -m benchmarks.detail_frames

In this process, on objects made here, without cluster and sockets. "On the wire" is the frame as a socket carries it:
JSON, gzipped from 8 kB on.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

import django
import zstandard

django.setup()

from django.template.loader import render_to_string  # noqa: E402 - Django's settings come first

from benchmarks.support.load_server_pods import START, pod  # noqa: E402
from benchmarks.support.result_table import Line, main  # noqa: E402 - Django's settings come first
from dashboard.live.hub.browser_socket import encode_frame  # noqa: E402
from dashboard.live.rendering.renderer import Renderer  # noqa: E402
from dashboard.live.replication.replica import Replica  # noqa: E402
from dashboard.live.replication.replica_change import Change  # noqa: E402
from dashboard.objects.kinds.catalog import KINDS  # noqa: E402
from dashboard.objects.kinds.row import Row  # noqa: E402
from dashboard.objects.printers import columns_for  # noqa: E402
from dashboard.pages.details.live_detail import LiveDetail  # noqa: E402
from informerd.clock import SystemClock  # noqa: E402
from informerd.objects import Blob  # noqa: E402

PODS = KINDS["pods"]
KEYS = ("type", "name", "key", "containerPort", "mountPath")
"""Merge key of each of a pod's lists."""
UNCHANGED_FIELDS = {"restartCount": 0}
"""Fields of the containers beside the first, which do not change."""
MANY = 30
"""Number of changes of a pod of many containers: they take longer to create than to measure."""


def fields_of(value: Any) -> dict[str, Any]:
    """All fields of a value, in the form of managedFields."""
    if isinstance(value, dict):
        return {f"f:{name}": fields_of(inner) for name, inner in value.items()}
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return dict(_item(item) for item in value)
    return {}


def _item(item: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    key = next(name for name in KEYS if name in item)
    return "k:" + json.dumps({key: item[key]}, separators=(",", ":")), {".": {}, **fields_of(item)}


def make_pod(version: int, containers: int = 1) -> Row:
    """A pod as its kubelet writes it, of 4.8 kB with one container; each version changes its readiness."""
    obj = json.loads(pod(7, version))
    spec, status = obj["spec"], obj["status"]
    names = ["app", *(f"app-{number}" for number in range(1, containers))]
    spec["containers"] = [spec["containers"][0] | {"name": name} for name in names]
    first_status = status["containerStatuses"][0]
    status["containerStatuses"] = [
        first_status,
        *(first_status | {"name": name, **UNCHANGED_FIELDS} for name in names[1:]),
    ]
    ready = next(each for each in status["conditions"] if each["type"] == "Ready")
    ready["status"], ready["lastTransitionTime"] = str(version % 2 == 0), f"2026-01-01T00:{version % 60:02}:00Z"
    metadata = obj["metadata"]
    wrote = {"apiVersion": "v1", "operation": "Update", "fieldsType": "FieldsV1"}
    first = {"f:metadata": fields_of({"labels": metadata["labels"]}), "f:spec": fields_of(spec)}
    metadata["managedFields"] = [
        {**wrote, "manager": "kube-controller-manager", "time": START, "fieldsV1": first},
        {**wrote, "manager": "kubelet", "subresource": "status", "time": ready["lastTransitionTime"],
         "fieldsV1": {"f:status": fields_of(status)}},
    ]  # fmt: skip
    values = {"namespace": metadata["namespace"], "name": metadata["name"], "status": "Running"}
    values["ready"] = f"{containers}/{containers}"
    cells = tuple(values.get(column.id) for column in columns_for("pods"))
    return Row(metadata["uid"], metadata["namespace"], metadata["name"], str(version), 1.7e9, "Running", "ok", cells,
               metadata["labels"], blob=Blob(zstandard.compress(json.dumps(obj).encode())))  # fmt: skip


def changes(containers: int = 1) -> Iterator[tuple[str, str, float]]:
    """For each change: the frame's HTML, the whole page's as it would be sent, and the milliseconds of the frame."""
    clock, render = SystemClock(), Renderer(render_to_string)
    replica, row = Replica("pods", clock), make_pod(1, containers)
    replica.show_object(row.namespace, row.name, row, None, "a benchmark shows it")
    view = LiveDetail(PODS, row.namespace, row.name, replica, clock)
    view.set_baseline(render)
    for version in range(2, 1_000):
        old, row = row, make_pod(version, containers)
        began = time.thread_time()
        view.apply("pods", Change(rows=[(old, row)]))
        html = view.update(render)
        took = time.thread_time() - began
        yield html, view.render_window(render), took * 1000


def figures(html: list[str]) -> dict[str, float]:
    sizes = [len(encode_frame({"content": each, "view": "0" * 12, "seq": "0", "after": "0"})) for each in html]
    return {"kB": median(map(len, html)) / 1000, "kB on the wire": median(sizes) / 1000}


def measure(arguments: argparse.Namespace) -> list[Line]:
    parts, whole = measure_frames("a change of a pod's condition, the parts", arguments.changes, 1)
    name = f"a change of one of {arguments.containers} containers, the parts"
    many, _ = measure_frames(name, min(arguments.changes, MANY), arguments.containers)
    return [parts, many, whole]


def measure_frames(name: str, times: int, containers: int) -> tuple[Line, Line]:
    """Sizes and times of the frames, and the size of the whole page."""
    found = [each for each, _ in zip(changes(containers), range(times), strict=False)]
    parts, whole = figures([html for html, _, _ in found]), figures([window for _, window, _ in found])
    spent = {"ms": median(took for _, _, took in found), "slowest, ms": max(took for _, _, took in found)}
    ratio = {"of the whole": f"× {parts['kB on the wire'] / whole['kB on the wire']:.2f}"}
    return Line(name, {**parts, **spent}, ratio), Line("the whole page", whole)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What a change of one object sends to the pages that show it.")
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--containers", type=int, default=500, help="of a pod of many (default %(default)s)")
    main("Frames of a details page", measure, parser)
