"""Seeded DaemonSets, in the state in which their controller has nothing to do."""

from __future__ import annotations

import msgspec

from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import DaemonSet
from devcluster.workload.controllers import daemon_sets
from devcluster.workload.demo_inventory import App
from devcluster.workload.seed import pods
from devcluster.workload.seed.writer import SeedWriter

_DAY = 86_400.0


def put_daemon_set(seed: SeedWriter, app: App) -> None:
    """Store a DaemonSet with a healthy pod on each node."""
    created = seed.now - app.age_days * _DAY
    stored = seed.put("daemonsets.apps", objects.daemon_set(app), created)
    owner = msgspec.convert(stored, DaemonSet)
    nodes = list(seed.node_names())
    for number, node in enumerate(nodes):
        name = f"{app.name}-{seed.random_source.name_suffix('pod', app.namespace, app.name, -1 - number)}"
        body = daemon_sets.pod_body(owner, name, node)
        pods.put_healthy_pod(seed, body, created, (node, *seed.address_on(node, 0)))
    counts = (
        "currentNumberScheduled", "desiredNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable",
    )  # fmt: skip
    seed.put_status("daemonsets.apps", stored, {**dict.fromkeys(counts, len(nodes)), "numberMisscheduled": 0})
