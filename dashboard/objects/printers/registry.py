"""Registry of the printers by kind."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dashboard.objects.health import rules_of
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.objects.printers import (
    admission,
    autoscaling,
    certificates,
    config_maps_and_secrets,
    crds_and_api_services,
    csi,
    default_printers,
    disruption_budgets,
    dynamic_resource_allocation,
    endpoints,
    events,
    flow_control,
    jobs,
    leases,
    networking,
    nodes_and_namespaces,
    pods,
    priority_and_runtime_classes,
    quotas,
    rbac,
    replication_controllers_and_revisions,
    services,
    storage,
    storage_versions,
    workloads,
)
from dashboard.objects.printers.printer import Column, Printer
from dashboard.objects.printers.printer_columns import printer_from_columns
from dashboard.objects.printers.usage_columns import IndexedColumns, with_usage_columns
from informerd.objects import Object

PRINTERS: Mapping[str, Printer] = MappingProxyType({
    "pods": pods.PODS,
    default_printers.MYDEMO_KEY: default_printers.MYDEMOS,
    "events": events.EVENTS,
    "namespaces": nodes_and_namespaces.NAMESPACES,
    "nodes": nodes_and_namespaces.NODES,
    "deployments.apps": workloads.DEPLOYMENTS,
    "replicasets.apps": workloads.REPLICASETS,
    "statefulsets.apps": workloads.STATEFULSETS,
    "daemonsets.apps": workloads.DAEMONSETS,
    "jobs.batch": jobs.JOBS,
    "cronjobs.batch": jobs.CRONJOBS,
    "services": services.SERVICES,
    "configmaps": config_maps_and_secrets.CONFIGMAPS,
    "secrets": config_maps_and_secrets.SECRETS,
    "events.events.k8s.io": events.REGARDING_EVENTS,
    **storage.PRINTERS, **csi.PRINTERS, **networking.PRINTERS, **endpoints.PRINTERS, **rbac.PRINTERS,
    **certificates.PRINTERS,
    **quotas.PRINTERS, **autoscaling.PRINTERS, **replication_controllers_and_revisions.PRINTERS,
    **crds_and_api_services.PRINTERS, **admission.PRINTERS, **flow_control.PRINTERS, **leases.PRINTERS,
    **storage_versions.PRINTERS,
    **priority_and_runtime_classes.PRINTERS, **disruption_budgets.PRINTERS,
    **dynamic_resource_allocation.PRINTERS,
})  # fmt: skip


_described: dict[str, Printer] = {}
"""Printers of kinds whose columns a worker has sent to this process, which shows one cluster."""


def register_columns(key: str, described: TableDefinition) -> None:
    """Use these columns for rows of a kind without a printer of its own from now on in this process."""
    if key not in PRINTERS:
        _described[key] = printer_from_columns(described, rules_of(key))


def needs_columns(key: str) -> bool:
    """Whether only a worker knows the columns of a kind: it has no table here, and is not one of Kubernetes' own."""
    return key not in PRINTERS and key not in KINDS


def printer_of(key: str) -> Printer:
    """The kind's printer; kinds without one of their own show status and age.

    A generic kind whose columns no worker has sent yet has a Namespace column even if it is cluster-scoped, because
    columns are the same in every process and only discovery knows the scope.
    """
    printer = PRINTERS.get(key) or _described.get(key)
    if printer is not None:
        return printer
    known = KINDS.get(key)
    return default_printers.CUSTOM_NAMESPACED if known is None or known.namespaced else default_printers.CUSTOM_CLUSTER


def columns_for(key: str) -> tuple[Column, ...]:
    """The kind's columns; a Row's cells are in this order."""
    return printer_of(key).columns


def list_columns(key: str) -> IndexedColumns:
    """The columns that a list of the kind may show, each with the index of its cell in a row, NO_CELL for usage."""
    return with_usage_columns(key, columns_for(key))


def default_sort(key: str) -> tuple[str, bool]:
    """Column id and whether it is descending, for a list without a chosen order; ("", False) means namespace
    and name.
    """
    return printer_of(key).default_sort


def projection_for(key: str) -> type[Object]:
    """The struct that the informer decodes objects of this kind into."""
    return printer_of(key).projection


def build_row(key: str, obj: Object) -> Row:
    """The row of an object that was decoded into the kind's projection."""
    return printer_of(key).row(obj)
