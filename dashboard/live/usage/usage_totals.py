"""Usage of pods and nodes with their limits, and its totals by namespace and by owner."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from dashboard.live.usage.metrics_api import Measured
from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import columns_for
from dashboard.objects.usage.usage import Basis, Usage

PODS, NODES, NAMESPACES = "pods", "nodes", "namespaces"
NOT_OWNERS = frozenset({PODS, NODES, NAMESPACES, "events", "events.events.k8s.io"})
MAX_DEPTH = 8
"""Owners of owners that are looked for: a Mydemo's Deployment's ReplicaSet's pod has three."""
SUMMED_IN_STEP = 500
"""Pods that are summed up before others get their turn."""

_number_of = lru_cache(maxsize=4096)(parse_quantity)  # most pods have one of few limits
Rows = Mapping[str, Mapping[str, Row]]
"""Rows by uid, by the key of their kind."""
Usages = dict[str, list[Usage]]
"""By the key of the kind."""


def _place(key: str, column: str) -> int:
    return next(place for place, each in enumerate(columns_for(key)) if each.id == column)


_POD_NODE, _POD_CPU, _POD_MEMORY = (_place(PODS, name) for name in ("node", "cpu-limit", "memory-limit"))
_POD_PHASE = _place(PODS, "phase")
_ENDED = frozenset({"Succeeded", "Failed"})
"""Phases of pods that use nothing any more."""
_NODE_CPU, _NODE_MEMORY = (_place(NODES, name) for name in ("cpu-allocatable", "memory-allocatable"))


@dataclass(slots=True)
class _Sum:
    at: float = float("inf")
    window: float = 0.0
    cpu: float = 0.0
    memory: int = 0
    cpu_limit: float = 0.0
    memory_limit: int = 0
    is_cpu_limited: bool = True
    is_memory_limited: bool = True
    pods: int = 0
    unmeasured: int = 0

    def add(self, usage: Usage | None) -> None:
        """Add a pod; None for one that was not measured."""
        if usage is None:
            self.unmeasured += 1
            return
        self.pods += 1
        self.at, self.window = min(self.at, usage.at), max(self.window, usage.window)
        self.cpu += usage.cpu
        self.memory += usage.memory
        self.cpu_limit += usage.cpu_capacity
        self.memory_limit += usage.memory_capacity
        self.is_cpu_limited &= usage.cpu_basis == "limit"
        self.is_memory_limited &= usage.memory_basis == "limit"

    def usage(self, key: str) -> Usage:
        """The sum; a share of it is known where each pod has a limit."""
        return Usage(
            key=key,
            at=self.at,
            window=self.window,
            cpu=self.cpu,
            memory=self.memory,
            cpu_capacity=self.cpu_limit if self.is_cpu_limited else 0.0,
            memory_capacity=self.memory_limit if self.is_memory_limited else 0,
            cpu_basis="limit" if self.is_cpu_limited and self.cpu_limit else "",
            memory_basis="limit" if self.is_memory_limited and self.memory_limit else "",
            pods=self.pods,
            unmeasured=self.unmeasured,
        )


@dataclass(slots=True)
class _Owners:
    """Owners by uid, each found once."""

    rows: Rows
    known: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def above(self, uid: str) -> tuple[tuple[str, str], ...]:
        """Kind and key of the object, and of all that own it, as far as their kinds are followed."""
        chain = self.known.get(uid)
        if chain is None:
            chain = self.known[uid] = tuple(self._find(uid))
        return chain

    def _find(self, uid: str) -> Iterator[tuple[str, str]]:
        seen: set[str] = set()
        while uid not in seen and len(seen) < MAX_DEPTH:
            seen.add(uid)
            found = next(((key, rows[uid]) for key, rows in self.rows.items() if uid in rows), None)
            if found is None or found[0] in NOT_OWNERS:
                return
            key, row = found
            yield key, row.key
            uid = row.owner[2] if row.owner is not None else uid


async def usages_of(pods: Iterable[Measured], nodes: Iterable[Measured], rows: Rows) -> Usages:
    """What each object uses. Pods and nodes that nobody follows are left out, and so is what was measured of an earlier
    pod of the same name. A sum of which no pod was measured is left out, too.
    """
    nodes_by_name = {row.name: row for row in rows.get(NODES, {}).values()}
    measured_pods = {each.key: each for each in pods}
    of_nodes = [_of_node(each, nodes_by_name[each.key]) for each in nodes if each.key in nodes_by_name]
    of_pods: list[Usage] = []
    sums: dict[tuple[str, str], _Sum] = {}
    owners = _Owners(rows)
    for number, row in enumerate([*rows.get(PODS, {}).values()]):
        if number % SUMMED_IN_STEP == SUMMED_IN_STEP - 1:
            await asyncio.sleep(0)
        measured = measured_pods.get(row.key)
        if measured is not None and (row.created is None or measured.at >= row.created):
            usage = _of_pod(measured, row, nodes_by_name)
            of_pods.append(usage)
        elif _may_run(row):
            usage = None
        else:
            continue
        above = owners.above(row.owner[2]) if row.owner is not None else ()
        for place in ((NAMESPACES, row.namespace), *above):
            sums.setdefault(place, _Sum()).add(usage)
    found: Usages = {PODS: of_pods, NODES: of_nodes}
    for (key, name), each in sums.items():
        if each.pods:
            found.setdefault(key, []).append(each.usage(name))
    return found


def _may_run(row: Row) -> bool:
    """Whether containers of a pod may run: it has a node, and has not ended."""
    return bool(_cell(row, _POD_NODE)) and _cell(row, _POD_PHASE) not in _ENDED


def pods_of(kind: str, key: str, rows: Rows) -> list[str]:
    """Names of the pods that an object owns now, itself or through others."""
    owners = _Owners(rows)
    namespace = key.rpartition("/")[0]
    return [
        row.name
        for row in rows.get(PODS, {}).values()
        if row.namespace == namespace and row.owner is not None and (kind, key) in owners.above(row.owner[2])
    ]


def _of_pod(measured: Measured, row: Row, nodes: Mapping[str, Row]) -> Usage:
    node = nodes.get(str(_cell(row, _POD_NODE)))
    cpu, cpu_basis = _capacity(row, _POD_CPU, node, _NODE_CPU)
    memory, memory_basis = _capacity(row, _POD_MEMORY, node, _NODE_MEMORY)
    return Usage(
        measured.key, measured.at, measured.window, measured.cpu, measured.memory,
        cpu, int(memory), cpu_basis, memory_basis,
    )  # fmt: skip


def _of_node(measured: Measured, row: Row) -> Usage:
    cpu, memory = _amount(row, _NODE_CPU), _amount(row, _NODE_MEMORY)
    return Usage(
        measured.key, measured.at, measured.window, measured.cpu, measured.memory,
        cpu, int(memory), "allocatable" if cpu else "", "allocatable" if memory else "",
    )  # fmt: skip


def _capacity(pod: Row, place: int, node: Row | None, node_place: int) -> tuple[float, Basis]:
    """A pod's limit; where it has none, what its node has for pods."""
    if limit := _amount(pod, place):
        return limit, "limit"
    if node is not None and (allocatable := _amount(node, node_place)):
        return allocatable, "allocatable"
    return 0.0, ""


def _amount(row: Row, place: int) -> float:
    cell = _cell(row, place)
    return (_number_of(cell) or 0.0) if isinstance(cell, str) else 0.0


def _cell(row: Row, place: int) -> object:
    return row.cells[place] if place < len(row.cells) else None
