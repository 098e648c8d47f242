"""Responses of the metrics API (metrics.k8s.io): what pods and nodes use.

As with metrics-server, what has not been measured yet is left out of lists, and so is a node whose kubelet does not
answer, with its pods. Source: metrics-server's pkg/api/pod.go and node.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from devcluster.server.api_errors import not_found
from devcluster.server.api_server_core import ApiServer
from devcluster.server.kinds import POD_METRICS, PODS, Kind
from devcluster.server.metrics.container_usage import (
    SCRAPE_SECONDS,
    SYSTEM_KIBIBYTES,
    SYSTEM_NANOCORES,
    ContainerUsage,
    MeasuredPod,
    container_usages,
    pod_decoder,
    scrape_time,
)
from devcluster.server.storage.selectors import Selection
from devcluster.server.storage.store import Record

Json = dict[str, Any]
PODS_IN_STEP = 200
"""Pods that are measured before others get their turn."""
_STARTED = b'"startedAt"'


class _Condition(msgspec.Struct, frozen=True, gc=False):
    type: str
    status: str


class _NodeStatus(msgspec.Struct, frozen=True, gc=False):
    conditions: list[_Condition] = []


class _Metadata(msgspec.Struct, frozen=True, gc=False):
    name: str
    labels: dict[str, str] = {}


class _Node(msgspec.Struct, frozen=True, gc=False):
    metadata: _Metadata
    status: _NodeStatus = _NodeStatus()


_node_decoder = msgspec.json.Decoder(_Node)


async def list_metrics(core: ApiServer, kind: Kind, selection: Selection) -> Json:
    """The list of pods' or nodes' metrics."""
    at = scrape_time(core.now())
    items = [each async for each in _items(core, kind, selection, at)]
    return {
        "kind": f"{kind.kind}List",
        "apiVersion": kind.api_version,
        "metadata": {},
        "items": items,
    }


async def get_metrics(core: ApiServer, kind: Kind, namespace: str, name: str) -> Json:
    """What one pod or node uses. Raises Failure (404) where it is not measured."""
    selection = Selection(namespace)
    at = scrape_time(core.now())
    async for item in _items(core, kind, selection, at, name):
        return {"kind": kind.kind, "apiVersion": kind.api_version, **item}
    raise not_found(kind, f"{namespace}/{name}" if namespace else name)


async def _items(core: ApiServer, kind: Kind, selection: Selection, at: int, name: str = "") -> AsyncIterator[Json]:
    silent = {node.metadata.name for _, node in _nodes(core) if not _answers(node)}
    if kind is POD_METRICS:
        async for pod, usages in _pods(core, at, selection, name):
            if pod.spec.node_name not in silent:
                containers = [{"name": each.name, "usage": _amounts(each.nanocores, each.kibibytes)} for each in usages]
                metadata = {"name": pod.metadata.name, "namespace": pod.metadata.namespace}
                yield _item(metadata, pod.metadata.labels, at, containers=containers)
        return
    sums = await _sums_by_node(core, at)
    for record, node in _nodes(core):
        named = name in ("", node.metadata.name)
        if named and selection.matches(record) and _answers(node):
            nanocores, kibibytes = sums.get(node.metadata.name, (0, 0))
            usage = _amounts(nanocores + SYSTEM_NANOCORES, kibibytes + SYSTEM_KIBIBYTES)
            yield _item({"name": node.metadata.name}, node.metadata.labels, at, usage=usage)


async def _sums_by_node(core: ApiServer, at: int) -> dict[str, tuple[int, int]]:
    """Nanocores and kibibytes of each node's pods."""
    sums: dict[str, tuple[int, int]] = {}
    async for pod, usages in _pods(core, at, Selection()):
        nanocores, kibibytes = sums.get(pod.spec.node_name, (0, 0))
        sums[pod.spec.node_name] = (
            nanocores + sum(each.nanocores for each in usages),
            kibibytes + sum(each.kibibytes for each in usages),
        )
    return sums


async def _pods(
    core: ApiServer, at: int, selection: Selection, name: str = ""
) -> AsyncIterator[tuple[MeasuredPod, list[ContainerUsage]]]:
    records = core.store.records(PODS.key)
    for number, key in enumerate(sorted(records)):
        if number % PODS_IN_STEP == PODS_IN_STEP - 1:
            await asyncio.sleep(0)
        record = records.get(key)
        if record is None:  # it was deleted meanwhile
            continue
        if (name and key[1] != name) or _STARTED not in record.raw or not selection.matches(record):
            continue
        pod = pod_decoder.decode(record.raw)
        if usages := list(container_usages(pod, at)):
            yield pod, usages


def _nodes(core: ApiServer) -> list[tuple[Record, _Node]]:
    records = core.store.records("nodes")
    return [(records[key], _node_decoder.decode(records[key].raw)) for key in sorted(records)]


def _answers(node: _Node) -> bool:
    return all(each.status != "Unknown" for each in node.status.conditions if each.type == "Ready")


def _item(metadata: Json, labels: dict[str, str], at: int, **usage: Any) -> Json:
    moment = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    named = {**metadata, "creationTimestamp": moment, **({"labels": labels} if labels else {})}
    return {"metadata": named, "timestamp": moment, "window": f"{SCRAPE_SECONDS}s", **usage}


def _amounts(nanocores: int, kibibytes: int) -> dict[str, str]:
    return {"cpu": f"{nanocores}n", "memory": f"{kibibytes}Ki"}
