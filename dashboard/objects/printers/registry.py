"""Which shape each kind has."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dashboard.live.messages import Described, Row
from dashboard.resources.kinds import KINDS
from dashboard.resources.rows import (
    access,
    admission,
    certificates,
    cluster,
    config,
    csi,
    custom,
    devices,
    endpoints,
    events,
    extension,
    jobs,
    limits,
    machinery,
    network,
    pods,
    revisions,
    scaling,
    storage,
    workloads,
)
from dashboard.resources.rows.column import Column
from dashboard.resources.rows.printed import printed_shape
from dashboard.resources.rows.shape import Shape
from informerd.objects import Object

SHAPES: Mapping[str, Shape] = MappingProxyType({
    "pods": pods.PODS_SHAPE,
    "mydemos.crddemo.k8s.io": custom.MYDEMOS_SHAPE,
    "events": events.EVENTS,
    "namespaces": cluster.NAMESPACES,
    "nodes": cluster.NODES,
    "deployments.apps": workloads.DEPLOYMENTS,
    "replicasets.apps": workloads.REPLICASETS,
    "statefulsets.apps": workloads.STATEFULSETS,
    "daemonsets.apps": workloads.DAEMONSETS,
    "jobs.batch": jobs.JOBS,
    "cronjobs.batch": jobs.CRONJOBS,
    "services": config.SERVICES,
    "configmaps": config.CONFIGMAPS,
    "secrets": config.SECRETS,
    "events.events.k8s.io": events.REGARDING_EVENTS,
    **storage.SHAPES, **csi.SHAPES, **network.SHAPES, **endpoints.SHAPES, **access.SHAPES, **certificates.SHAPES,
    **limits.SHAPES, **scaling.SHAPES, **revisions.SHAPES,
    **extension.SHAPES, **admission.SHAPES, **machinery.SHAPES, **devices.SHAPES,
})  # fmt: skip


_described: dict[str, Shape] = {}
"""Shapes of kinds that a worker has described to this process, which shows one cluster."""


def describe(key: str, described: Described) -> None:
    """From here on, rows of a kind that has no shape of its own have these columns in this process."""
    if key not in SHAPES:
        _described[key] = printed_shape(described)


def needs_description(key: str) -> bool:
    """Whether only a worker can say what columns a kind has: it has no table here, and is none of Kubernetes' own."""
    return key not in SHAPES and key not in KINDS


def shape_of(key: str) -> Shape:
    """The kind's shape; kinds without one of their own show status and age.

    A generic kind that no worker has described yet has a Namespace column even if it is cluster-scoped, because columns
    are the same in every process and only discovery knows the scope.
    """
    found = SHAPES.get(key) or _described.get(key)
    if found is not None:
        return found
    known = KINDS.get(key)
    return custom.CUSTOM_NAMESPACED if known is None or known.namespaced else custom.CUSTOM_CLUSTER


def columns_for(key: str) -> tuple[Column, ...]:
    """The kind's columns; a Row's cells are in this order."""
    return shape_of(key).columns


def default_sort(key: str) -> tuple[str, bool]:
    """Column id and whether it is descending, for a list that nobody sorted; ("", False) means namespace and name."""
    return shape_of(key).default_sort


def projection_for(key: str) -> type[Object]:
    """The struct that the informer decodes objects of this kind into."""
    return shape_of(key).projection


def build_row(key: str, obj: Object) -> Row:
    """The row of an object that was decoded into the kind's projection."""
    return shape_of(key).row(obj)
