"""Seeded StatefulSets, in the state in which their controller has nothing to do."""

from __future__ import annotations

import msgspec

from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import StatefulSet
from devcluster.workload.controllers import stateful_sets
from devcluster.workload.demo_inventory import App
from devcluster.workload.seed import pods
from devcluster.workload.seed.writer import SeedWriter

_DAY = 86_400.0


def put_stateful_set(seed: SeedWriter, app: App) -> None:
    """Store a StatefulSet whose pods are all healthy."""
    created = seed.now - app.age_days * _DAY
    stored = seed.put("statefulsets.apps", objects.stateful_set(app), created)
    owner = msgspec.convert(stored, StatefulSet)
    revision = stateful_sets.revision_of(owner)
    for number in range(app.replicas):
        body = stateful_sets.pod_body(owner, owner.spec.template, revision, number)
        pods.put_healthy_pod(seed, body, created + 20 * number)
    counts = ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    names = {"currentRevision": revision, "updateRevision": revision, "collisionCount": 0}
    seed.put_status("statefulsets.apps", stored, {**dict.fromkeys(counts, app.replicas), **names})
    seed.put_supporting_objects(app, created)
