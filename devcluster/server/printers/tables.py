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
from devcluster.server.printers.cell_text import NONE, UNKNOWN, Cell, age, age_of, labels_text, name_of
from devcluster.server.printers.partial_metadata import to_partial_metadata
from devcluster.server.printers.pod import pod_ready, pod_restarts, pod_status
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


def _pod(obj: Object, now: float) -> list[Cell]:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    gates = NONE if not spec.get("readinessGates") else f"0/{len(spec['readinessGates'])}"
    nominated = status.get("nominatedNodeName") or NONE
    address, node = status.get("podIP") or NONE, spec.get("nodeName") or NONE
    restarts, ended = pod_restarts(obj)
    shown = f"{restarts} ({age(ended, now)} ago)" if restarts and ended else str(restarts)
    return [name_of(obj), pod_ready(obj), pod_status(obj), shown, age_of(obj, now), address, node, nominated, gates]


def _namespace(obj: Object, now: float) -> list[Cell]:
    return [name_of(obj), (obj.get("status") or {}).get("phase", ""), age_of(obj, now)]


def _node(obj: Object, now: float) -> list[Cell]:
    status = obj.get("status") or {}
    info, addresses = status.get("nodeInfo") or {}, status.get("addresses") or []
    ready = next((c["status"] for c in status.get("conditions") or () if c["type"] == "Ready"), "Unknown")
    word = {"True": "Ready", "False": "NotReady"}.get(ready, "Unknown")
    if (obj.get("spec") or {}).get("unschedulable"):
        word += ",SchedulingDisabled"
    prefix = "node-role.kubernetes.io/"
    roles = sorted(key[len(prefix) :] for key in obj["metadata"].get("labels") or {} if key.startswith(prefix))
    where = {a["type"]: a["address"] for a in addresses}
    about = [info.get(key) or UNKNOWN for key in ("osImage", "kernelVersion", "containerRuntimeVersion")]
    places = [where.get("InternalIP", NONE), where.get("ExternalIP", NONE)]
    return [
        name_of(obj),
        word,
        ",".join(roles) or NONE,
        age_of(obj, now),
        info.get("kubeletVersion", ""),
        *places,
        *about,
    ]


def _event(obj: Object, now: float) -> list[Cell]:
    about, source = obj.get("involvedObject") or {}, obj.get("source") or {}
    first = obj.get("firstTimestamp") or obj.get("eventTime")
    last = obj.get("lastTimestamp") or first
    target = f"{about.get('kind', '').lower()}/{about.get('name', '')}"
    origin = ", ".join(filter(None, (source.get("component") or obj.get("reportingComponent"), source.get("host"))))
    cells = [obj.get("type", ""), obj.get("reason", ""), target, about.get("fieldPath", ""), origin]
    return [
        age(last, now),
        *cells,
        obj.get("message", "").strip(),
        age(first, now),
        obj.get("count") or 1,
        name_of(obj),
    ]


def _config_map(obj: Object, now: float) -> list[Cell]:
    return [name_of(obj), len(obj.get("data") or ()) + len(obj.get("binaryData") or ()), age_of(obj, now)]


def _secret(obj: Object, now: float) -> list[Cell]:
    return [name_of(obj), obj.get("type", ""), len(obj.get("data") or ()), age_of(obj, now)]


def _service(obj: Object, now: float) -> list[Cell]:
    spec = obj.get("spec") or {}
    ports = ",".join(f"{p['port']}/{p.get('protocol', 'TCP')}" for p in spec.get("ports") or ()) or NONE
    address = spec.get("clusterIP") or NONE
    external = spec.get("externalName") or (",".join(spec.get("externalIPs") or ()) or NONE)
    return [
        name_of(obj),
        spec.get("type", ""),
        address,
        external,
        ports,
        age_of(obj, now),
        labels_text(spec.get("selector")),
    ]


def _account(obj: Object, now: float) -> list[Cell]:
    return [name_of(obj), age_of(obj, now)]


def _lease(obj: Object, now: float) -> list[Cell]:
    return [name_of(obj), (obj.get("spec") or {}).get("holderIdentity", ""), age_of(obj, now)]


def _budget(obj: Object, now: float) -> list[Cell]:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    rules = [str(spec.get(name, "N/A")) for name in ("minAvailable", "maxUnavailable")]
    return [name_of(obj), *rules, status.get("disruptionsAllowed", 0), age_of(obj, now)]


def _definition(obj: Object, _now: float) -> list[Cell]:
    spec, names = obj["spec"], obj["spec"]["names"]
    versions = ",".join(v["name"] + ("(storage)" if v.get("storage") else "") for v in spec["versions"])
    established = any(c["type"] == "Established" and c["status"] == "True" for c in obj["status"]["conditions"])
    created, short = obj["metadata"]["creationTimestamp"], ",".join(names.get("shortNames") or ())
    return [name_of(obj), spec["scope"], versions, created, spec["group"], names["kind"], short, established]


_ROWS: MappingProxyType[str, Callable[[Object, float], list[Cell]]] = MappingProxyType(
    {
        "pods": _pod,
        "namespaces": _namespace,
        "nodes": _node,
        "events": _event,
        "configmaps": _config_map,
        "secrets": _secret,
        "services": _service,
        "serviceaccounts": _account,
        "daemonsets.apps": daemon_set,
        "deployments.apps": deployment,
        "replicasets.apps": replica_set,
        "statefulsets.apps": stateful_set,
        "cronjobs.batch": cron_job,
        "jobs.batch": job,
        "leases.coordination.k8s.io": _lease,
        "poddisruptionbudgets.policy": _budget,
        "customresourcedefinitions.apiextensions.k8s.io": _definition,
    }
)
