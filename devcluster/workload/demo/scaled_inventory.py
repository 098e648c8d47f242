"""Inventory of the demo, scaled to a requested number of pods.

A small cluster has fewer replicas and applications. A large one has more replicas and, beyond that, more cells: copies
of the teams' namespaces in other regions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeVar

from devcluster.workload.demo_inventory import (
    APPS,
    CRONS,
    DAEMON_APP,
    MYDEMOS,
    NAMESPACES,
    NODES,
    STATEFUL_APP,
    App,
    CronApp,
    MydemoApp,
    NodeProfile,
)

T = TypeVar("T", App, CronApp, MydemoApp)

JOB_PODS = 7
"""Pods of jobs that have ended, of which there are about so many at any time."""
MIN_PODS_FOR_SETS = 100
"""Pods from which on there are a StatefulSet and a DaemonSet, too."""
CELL_PODS = 1500
"""Pods of a cell at most."""
CELLS = ("", "eu", "us", "asia", "africa", "oceania", "nordics", "iberia", "india", "brazil", "canada", "japan", "gulf")
"""Suffixes of the namespaces of a cell; the first cell has none."""
NODE_PODS = 80
"""Pods of a node in a large cluster, of the 110 for which it has room."""


@dataclass(frozen=True)
class Fleet:
    """Applications and nodes of the cluster."""

    apps: tuple[App, ...]
    crons: tuple[CronApp, ...]
    nodes: tuple[NodeProfile, ...]
    mydemos: tuple[MydemoApp, ...]
    namespaces: tuple[tuple[str, str], ...]
    """Each with the team that it belongs to."""
    stateful_apps: tuple[App, ...] = ()
    """Those whose pods have numbers."""
    daemon_apps: tuple[App, ...] = ()
    """Those that have a pod on each node."""

    def app(self, key: str) -> App | None:
        """The application of a Deployment of that namespace and name."""
        return next((app for app in self.apps if app.key == key), None)


def make_fleet(pods: int) -> Fleet:
    """The fleet of a cluster with about so many pods."""
    cells = [_cell_name(number) for number in range(math.ceil(pods / CELL_PODS))]
    ended = JOB_PODS * len(cells) if pods > 5 * JOB_PODS else 0
    nodes = _nodes(pods)
    has_sets = pods >= MIN_PODS_FOR_SETS
    placed = STATEFUL_APP.replicas + len(nodes) if has_sets else 0
    shares = _shares(pods - ended - placed, [1] * len(cells))
    apps = [app for cell, share in zip(cells, shares, strict=True) for app in _apps(cell, share)]
    used = {app.namespace for app in apps}
    crons = [_moved(each, cell) for cell in cells for each in CRONS if _named(each.namespace, cell) in used]
    demos = [_moved(each, cell) for cell in cells for each in MYDEMOS if not cell or each.namespace != "default"]
    namespaces = [(_named(name, cell), name) for cell in cells for name in NAMESPACES]
    sets = ((STATEFUL_APP,), (DAEMON_APP,)) if has_sets else ((), ())
    return Fleet(tuple(apps), tuple(crons), nodes, tuple(demos), tuple(namespaces), *sets)


def _apps(cell: str, pods: int) -> list[App]:
    """A cell's applications with their share of the pods; those whose share is nothing are left out."""
    chosen = [app for app in APPS if not cell or app.namespace != "default"]
    plain = [app for app in chosen if not app.flaw]
    flawed = [app for app in chosen if app.flaw] if pods > 2 * len(chosen) else []
    shares = _shares(pods - sum(app.replicas for app in flawed), [app.replicas for app in plain])
    scaled = {app.key: share for app, share in zip(plain, shares, strict=True)} | {a.key: a.replicas for a in flawed}
    return [
        replace(_moved(app, cell), replicas=scaled[app.key]) for app in chosen if scaled.get(app.key)
    ]  # fmt: skip


def _shares(total: int, weights: list[int]) -> list[int]:
    """Whole numbers in proportion to the weights, which together make the total (largest remainders)."""
    exact = [total * weight / sum(weights) for weight in weights]
    shares = [math.floor(each) for each in exact]
    by_rest = sorted(range(len(weights)), key=lambda place: shares[place] - exact[place])
    for place in by_rest[: total - sum(shares)]:
        shares[place] += 1
    return shares


def _nodes(pods: int) -> tuple[NodeProfile, ...]:
    """The usual nodes, and further ones of a larger kind where these are not enough."""
    room = sum(spec.pods for spec in NODES if not spec.control_plane)
    if pods <= room // 2:
        return NODES
    more = math.ceil((pods - room // 2) / NODE_PODS)
    further = [
        NodeProfile(
            f"worker-{len(NODES) + number}", "abc"[number % 3], 5.0 + 50 * number / more, cpu=64, memory="256Gi"
        )
        for number in range(more)
    ]
    return (*NODES, *further)


def _cell_name(number: int) -> str:
    return CELLS[number] if number < len(CELLS) else f"cell{number}"


def _named(namespace: str, cell: str) -> str:
    return f"{namespace}-{cell}" if cell else namespace


def _moved(each: T, cell: str) -> T:
    return replace(each, namespace=_named(each.namespace, cell), cell=cell)
