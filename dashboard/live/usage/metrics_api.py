"""Reader of the metrics API: what pods and nodes use, as metrics-server and its like measure it.

Source of the format: staging/src/k8s.io/metrics/pkg/apis/metrics/v1beta1/types.go of Kubernetes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple, Protocol

import msgspec

from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.query.value_parser import parse_duration
from informerd.errors import Forbidden, InformerdError, MalformedAnswer, UnknownResource
from informerd.resource import Resource
from informerd.rest.discovery import Discovery
from informerd.rest.response import Response

GROUP, VERSION = "metrics.k8s.io", "v1beta1"
POD_METRICS = Resource(group=GROUP, version=VERSION, plural="pods", kind="PodMetrics", verbs=frozenset({"get", "list"}))
NODE_METRICS = Resource(
    group=GROUP, version=VERSION, plural="nodes", kind="NodeMetrics", namespaced=False, verbs=frozenset({"get", "list"})
)
DECODED_IN_STEP = 500
"""Objects that are decoded before others get their turn: some milliseconds."""


class Measured(msgspec.Struct, frozen=True, gc=False):
    """What a pod or a node used."""

    key: str
    """``namespace/name``, or a node's name."""
    at: float
    """Unix seconds of the span's end."""
    window: float
    """Seconds of the span."""
    cpu: float
    """Cores."""
    memory: int
    """Bytes."""


class _Metadata(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    namespace: str = ""


class _Amounts(msgspec.Struct, frozen=True, gc=False):
    cpu: str = "0"
    memory: str = "0"


class _Container(msgspec.Struct, frozen=True, gc=False):
    usage: _Amounts = _Amounts()


class _Item(msgspec.Struct, frozen=True, gc=False):
    metadata: _Metadata
    timestamp: datetime
    window: str = "0s"
    containers: tuple[_Container, ...] = ()
    usage: _Amounts | None = None


class _List(msgspec.Struct):
    items: list[msgspec.Raw] | None = None


_item_decoder = msgspec.json.Decoder(_Item)
_seconds_of = lru_cache(maxsize=1024)(parse_duration)  # metrics-server writes the same few for all pods


class ListClient(Protocol):
    """The used part of a Client."""

    async def list(self, resource: Resource, namespace: str = "") -> Response: ...


class AllowedNamespaces(Protocol):
    """Finds the namespaces in which a kind may be listed."""

    async def __call__(self, resource: Resource) -> tuple[str, ...]: ...


class MeasuredPods(NamedTuple):
    """What pods use."""

    pods: list[Measured]
    namespaces: frozenset[str] | None = None
    """Namespaces that were read; None: all."""


async def is_served(discovery: Discovery) -> bool:
    """Whether the cluster has the metrics API; True where discovery cannot say, because its server is down.

    An API server refuses what may not be read also where it is not there.
    """
    try:
        await discovery.resolve(POD_METRICS.key)
    except UnknownResource:
        return False
    except InformerdError:
        pass
    return True


async def read_pods(client: ListClient, chosen: Iterable[str], allowed: AllowedNamespaces) -> MeasuredPods:
    """What all pods use, or those of the `chosen` namespaces; of either, where it may be read.

    Raises as `Client.list`: NotFound where nothing serves the metrics API, Forbidden where it may be read nowhere.
    """
    namespaces = tuple(chosen)
    denied: Forbidden | None = None
    if not namespaces:
        try:
            return MeasuredPods(await _decode(await client.list(POD_METRICS)))
        except Forbidden as error:
            denied = error
            namespaces = await allowed(POD_METRICS)
    found: list[Measured] = []
    read: set[str] = set()
    for namespace in namespaces:
        try:
            found += await _decode(await client.list(POD_METRICS, namespace))
            read.add(namespace)
        except Forbidden as error:
            denied = error
    if not read and denied is not None:
        raise denied
    return MeasuredPods(found, frozenset(read))


async def read_nodes(client: ListClient) -> list[Measured]:
    """What all nodes use. Raises as `Client.list`."""
    return await _decode(await client.list(NODE_METRICS))


async def _decode(response: Response) -> list[Measured]:
    """The list's objects; what cannot be read of them is left out."""
    listed: _List = response.decode(_List)
    items = listed.items or []
    found: list[Measured] = []
    for start in range(0, len(items), DECODED_IN_STEP):
        for raw in items[start : start + DECODED_IN_STEP]:
            try:
                found.append(_measured(_item_decoder.decode(raw)))
            except (msgspec.MsgspecError, ValueError):
                continue
        await asyncio.sleep(0)
    if items and not found:
        raise MalformedAnswer(f"none of the {len(items)} objects of the metrics API can be read")
    return found


def _measured(item: _Item) -> Measured:
    amounts = (item.usage,) if item.usage is not None else [container.usage for container in item.containers]
    namespace, name = item.metadata.namespace, item.metadata.name
    return Measured(
        key=f"{namespace}/{name}" if namespace else name,
        at=item.timestamp.timestamp(),
        window=_seconds_of(item.window) or 0.0,
        cpu=sum([_number(each.cpu) for each in amounts]),
        memory=int(sum([_number(each.memory) for each in amounts])),
    )


def _number(text: str) -> float:
    """A quantity. Raises ValueError where the text is none."""
    if text.endswith("n") and (digits := text[:-1]).isdecimal():  # as metrics-server writes it
        return int(digits) * 1e-9
    if text.endswith("Ki") and (digits := text[:-2]).isdecimal():
        return int(digits) * 1024.0
    number = parse_quantity(text)
    if number is None:
        raise ValueError(f"{text!r} is no quantity")
    return number
