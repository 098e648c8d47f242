"""Benchmark of the three-way merge of an edit, from three objects to the text that the user continues with.

Each object is a Deployment of 5,000 lines of YAML: containers with environment and arguments, and labels. Both sides
changed ten fields, one of which the other changed too. "merge" is the merge alone; "rewrite" puts its result into the
commented text; "page" is all that a save does between two answers of the API server: reading the text, the merge, and
what of either side needs no question.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable
from typing import Any

from benchmarks.support.result_table import Line, main
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.manifests.document import parse
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.merge.three_way import merge
from dashboard.objects.schemas.schema import METADATA, Schema
from dashboard.pages.edit.concurrent_changes import compute_moved
from dashboard.pages.writes.editable_part import Base
from dashboard.pages.writes.outcomes import Moved, Submission
from dashboard.pages.writes.target import Target

Json = dict[str, Any]
_ENV = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object"}}
_CONTAINERS = {"x-kubernetes-patch-merge-key": "name", "items": {"properties": {"env": _ENV}}}
_POD = {"properties": {"containers": _CONTAINERS}}
SCHEMA = Schema({
    "properties": {
        "metadata": METADATA.node,
        "spec": {"properties": {"template": {"properties": {"spec": _POD}}}},
    }
})  # fmt: skip
"""Parts of a Deployment's schema that the merge needs."""


def deployment(lines: int) -> Json:
    """A Deployment whose YAML has about so many lines."""
    containers = [
        {
            "name": f"worker-{number}",
            "image": f"registry.example/worker:{number}",
            "env": [{"name": f"SETTING_{each}", "value": f"value {each}"} for each in range(20)],
            "args": [f"--shard={number}", "--verbose"],
            "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}},
        }
        for number in range(lines // 51)
    ]
    labels = {f"example.com/label-{number}": "on" for number in range(lines // 50)}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "large", "labels": labels},
        "spec": {"replicas": 3, "template": {"spec": {"containers": containers}}},
    }


def change_fields(base: Json, first: int) -> Json:
    """Ten fields changed, in every tenth container from the `first`; and the replicas."""
    side = copy.deepcopy(base)
    side["spec"]["replicas"] = 10 + first
    for container in side["spec"]["template"]["spec"]["containers"][first::10][:9]:
        container["env"][first]["value"] = f"changed by {first}"
    return side


def measure(arguments: argparse.Namespace) -> list[Line]:
    base = deployment(arguments.lines)
    theirs, mine = change_fields(base, 1), change_fields(base, 2)
    text = "# mine\n" + to_yaml(mine)
    document = parse(text)
    merged = merge(base, theirs, document.value, schema=SCHEMA)
    if len(merged.conflicts) != 1:
        raise SystemExit(f"{len(merged.conflicts)} conflicts, not one")

    target = Target(KINDS["deployments.apps"], "default", "large")
    live = {**theirs, "metadata": {**theirs["metadata"], "uid": "u", "resourceVersion": "2"}}
    draft = Submission(text, Base("u", "1", base))

    def page() -> Moved:
        return compute_moved(target, draft, parse(text), live, SCHEMA)

    steps: dict[str, Callable[[], object]] = {
        "merge": lambda: merge(base, theirs, document.value, schema=SCHEMA),
        "rewrite": lambda: rewrite(document, merged.value),
        "page": page,
    }
    lines = text.count("\n")
    return [Line(f"{name}, {lines:,} lines", _figures(step, arguments.rounds)) for name, step in steps.items()]


def _figures(step: Callable[[], object], rounds: int) -> dict[str, float]:
    taken = sorted(_seconds(step) for _ in range(rounds))
    return {"median, ms": 1000 * taken[len(taken) // 2], "worst, ms": 1000 * taken[-1]}


def _seconds(step: Callable[[], object]) -> float:
    began = time.perf_counter()
    step()
    return time.perf_counter() - began


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=5000, help="of YAML in each object")
    parser.add_argument("--rounds", type=int, default=20)
    main("Merge of two changed objects", measure, parser)
