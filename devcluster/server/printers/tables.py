"""metav1.Table with the real server's columns, which ``kubectl get`` prints.

Source: Kubernetes' pkg/printers/internalversion/printers.go; custom resources by their additionalPrinterColumns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any

from devcluster.server.api_errors import bad_request
from devcluster.server.builtin_definitions import BuiltinTypes
from devcluster.server.kinds import Kind
from devcluster.server.printers.builtin_kinds import (
    account,
    budget,
    config_map,
    definition,
    event,
    lease,
    namespace,
    node,
    secret,
    service,
)
from devcluster.server.printers.cell_text import Cell, age
from devcluster.server.printers.partial_metadata import to_partial_metadata
from devcluster.server.printers.pod import pod
from devcluster.server.printers.workloads import cron_job, daemon_set, deployment, job, replica_set, stateful_set
from devcluster.server.storage import object_codec as objects
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.store import Record


def accepts_table(accept: str) -> bool:
    """Whether an Accept header asks for a table before anything else."""
    first = accept.split(",", 1)[0].replace(" ", "")
    return "as=Table" in first and "g=meta.k8s.io" in first


_INCLUDED: MappingProxyType[str, Callable[[Object], Object | None]] = MappingProxyType(
    {"": to_partial_metadata, "Metadata": to_partial_metadata, "Object": lambda obj: obj, "None": lambda _: None}
)
"""The object in each row, by the parameter includeObject."""


def make_table(
    kind: Kind, definitions: BuiltinTypes, records: Iterable[Record], version: str, now: float, *, include: str = ""
) -> dict[str, Any]:
    """The table of some objects. `now` (Unix seconds) is what ages are counted to. Raises Failure (400)."""
    columns = _columns(kind, definitions)
    shown = _INCLUDED.get(include)
    if shown is None:
        raise bad_request(f'unrecognized includeObject value: "{include}"')
    rows = [{"cells": _cells(kind, obj, now), "object": shown(obj)} for obj in map(objects.decode, records)]
    head = {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": version}}
    return {**head, "columnDefinitions": columns, "rows": rows}


def _columns(kind: Kind, definitions: BuiltinTypes) -> list[dict[str, Any]]:
    if kind.custom:
        given = kind.columns or ({"name": "Age", "type": "date"},)
        columns = [("Name", "string", "name", 0)]
        columns += [(c["name"], c["type"], c.get("format", ""), c.get("priority", 0)) for c in given]
    else:
        columns = definitions.columns(kind)
    return [
        {"name": name, "type": kind_of, "format": form, "description": "", "priority": priority}
        for name, kind_of, form, priority in columns
    ]


def _cells(kind: Kind, obj: Object, now: float) -> list[Cell]:
    if kind.custom:
        given = kind.columns or ({"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},)
        return [obj["metadata"]["name"], *(_custom_cell(obj, column, now) for column in given)]
    return _ROWS[kind.key](obj, now)


def _custom_cell(obj: Object, column: dict[str, Any], now: float) -> Cell:
    value: Any = obj
    for step in re.findall(r"[^.\[\]']+", column["jsonPath"]):
        value = value.get(step) if isinstance(value, dict) else None
    if column["type"] == "date":
        return age(value, now)
    return value if isinstance(value, str | int | bool) or value is None else str(value)


_ROWS: MappingProxyType[str, Callable[[Object, float], list[Cell]]] = MappingProxyType(
    {
        "pods": pod,
        "namespaces": namespace,
        "nodes": node,
        "events": event,
        "configmaps": config_map,
        "secrets": secret,
        "services": service,
        "serviceaccounts": account,
        "daemonsets.apps": daemon_set,
        "deployments.apps": deployment,
        "replicasets.apps": replica_set,
        "statefulsets.apps": stateful_set,
        "cronjobs.batch": cron_job,
        "jobs.batch": job,
        "leases.coordination.k8s.io": lease,
        "poddisruptionbudgets.policy": budget,
        "customresourcedefinitions.apiextensions.k8s.io": definition,
    }
)
