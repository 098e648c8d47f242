"""CPU and memory of the demo cluster's containers, computed from a pod and the time: nothing is kept.

The same run of a container uses the same at the same time, whoever asks. CPU goes up and down around a part of what
the container requests. Memory grows for some minutes after the start to a part of the limit, and stays there; that of
a container that is going to be killed for it grows until then.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping
from datetime import datetime

import msgspec

from devcluster.server.quantity import amount

SCRAPE_SECONDS = 15
"""Seconds between two measurements, and the window of each."""
WARM_UP_SECONDS = 180.0
MEBIBYTE = 2**20
LEAK_SECONDS = 300.0
"""Seconds until a container is killed for its memory, as far as nobody has seen it killed yet."""
_PERIODS = (53.0, 410.0, 5_400.0, 86_400.0)
"""Seconds of the waves that CPU is made of."""
_BEHAVIOUR = "demo.deltaboard/behaviour"


class _Metadata(msgspec.Struct, frozen=True, gc=False):
    uid: str = ""
    name: str = ""
    namespace: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class _Resources(msgspec.Struct, frozen=True, gc=False):
    requests: dict[str, str] = {}
    limits: dict[str, str] = {}


class _Container(msgspec.Struct, frozen=True, gc=False):
    name: str
    resources: _Resources = _Resources()


class _Spec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    containers: list[_Container] = []
    node_name: str = ""


class _Run(msgspec.Struct, frozen=True, rename="camel", gc=False):
    started_at: datetime | None = None
    finished_at: datetime | None = None
    reason: str = ""


class _State(msgspec.Struct, frozen=True, gc=False):
    running: _Run | None = None
    terminated: _Run | None = None


class _ContainerStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    name: str
    state: _State = _State()
    last_state: _State = _State()


class _Status(msgspec.Struct, frozen=True, rename="camel", gc=False):
    container_statuses: list[_ContainerStatus] = []


class MeasuredPod(msgspec.Struct, frozen=True, gc=False):
    """The part of a pod that decides what it uses."""

    metadata: _Metadata
    spec: _Spec = _Spec()
    status: _Status = _Status()


pod_decoder = msgspec.json.Decoder(MeasuredPod)


class ContainerUsage(msgspec.Struct, frozen=True, gc=False):
    """What one container uses."""

    name: str
    nanocores: int
    kibibytes: int


def scrape_time(now: float) -> int:
    """Unix seconds of the last measurement before `now`."""
    return int(now) // SCRAPE_SECONDS * SCRAPE_SECONDS


def container_usages(pod: MeasuredPod, at: int) -> Iterator[ContainerUsage]:
    """What the containers use that have run for a whole window at `at` (Unix seconds)."""
    statuses = {status.name: status for status in pod.status.container_statuses}
    for container in pod.spec.containers:
        status = statuses.get(container.name)
        run = status.state.running if status is not None else None
        if status is None or run is None or run.started_at is None:
            continue
        age = at - run.started_at.timestamp()
        if age < SCRAPE_SECONDS:
            continue
        seed = zlib.crc32(f"{pod.metadata.uid}/{container.name}".encode())
        leaks = pod.metadata.annotations.get(_BEHAVIOUR) == "memory"
        yield ContainerUsage(
            container.name, _nanocores(container, seed, at), _kibibytes(container, status, seed, age, leaks=leaks)
        )


def _nanocores(container: _Container, seed: int, at: int) -> int:
    base = _quantity(container.resources.requests, "cpu", 0.1) * (0.15 + 0.5 * _part(seed, 1))
    waves = sum(
        weight * math.sin(2 * math.pi * (at / period + _part(seed, number)))
        for number, (period, weight) in enumerate(zip(_PERIODS, (0.12, 0.2, 0.25, 0.3), strict=True), start=2)
    )
    return max(1, int(base * (1 + waves) * 1e9))


def _kibibytes(container: _Container, status: _ContainerStatus, seed: int, age: float, *, leaks: bool) -> int:
    requested = _quantity(container.resources.requests, "memory", 128 * MEBIBYTE)
    limit = _quantity(container.resources.limits, "memory", requested)
    killed = status.last_state.terminated
    if killed is not None and killed.reason == "OOMKilled" and killed.started_at and killed.finished_at:
        share = 0.35 + 0.62 * min(1.0, age / max(1.0, (killed.finished_at - killed.started_at).total_seconds()))
    elif leaks:
        share = 0.35 + 0.62 * min(1.0, age / LEAK_SECONDS)
    else:
        settled = 0.3 + 0.45 * _part(seed, 7)
        share = settled * (1 - 0.5 * math.exp(-age / WARM_UP_SECONDS))
        share *= 1 + 0.04 * math.sin(2 * math.pi * (age / 1_700 + _part(seed, 8)))
    return max(1, int(limit * share) // 1024)


def _quantity(amounts: Mapping[str, str], name: str, otherwise: float) -> float:
    text = amounts.get(name)
    return float(amount(text)) if text else otherwise


def _part(seed: int, number: int) -> float:
    """A number between 0 and 1 that depends on both."""
    return zlib.crc32(number.to_bytes(4, "little"), seed) / 2**32


SYSTEM_NANOCORES, SYSTEM_KIBIBYTES = 120_000_000, 700 * 1024
"""What a node's own programs use."""
