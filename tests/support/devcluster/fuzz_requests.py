"""Malformed requests from a seed, the same ones at each run."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.support.devcluster.gadget_crd import GADGETS, gadget
from tests.support.devcluster.http_client import JSON_PATCH, MERGE, STRATEGIC
from tests.support.devcluster.parity.case import deployment, pod

_SEEDS: tuple[tuple[str, Any], ...] = (
    ("/apis/devcluster.example/v1/namespaces/t/gadgets", gadget()),
    ("/api/v1/namespaces/t/pods", pod()),
    ("/apis/apps/v1/namespaces/t/deployments", deployment()),
    ("/api/v1/namespaces/t/configmaps", {"metadata": {"name": "c"}, "data": {"a": "1"}}),
    ("/api/v1/namespaces/t/services", {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}),
    ("/api/v1/namespaces/t/events", {"metadata": {"name": "e"}, "involvedObject": {"namespace": "t"}}),
    ("/api/v1/namespaces", {"metadata": {"name": "n"}}),
    ("/api/v1/nodes", {"metadata": {"name": "n"}, "status": {"conditions": [{"type": "Ready"}]}}),
    ("/apis/batch/v1/namespaces/t/jobs", deployment()),
    ("/apis/coordination.k8s.io/v1/namespaces/t/leases", {"metadata": {"name": "l"}, "spec": {}}),
    ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", GADGETS),
)
_METHODS = ("GET", "POST", "PUT", "PATCH", "PATCH", "DELETE", "HEAD", "OPTIONS")
_LIKELY = (
    ("POST", "application/json"), ("POST", "application/json"), ("POST", "application/yaml"),
    ("PUT", "application/json"), ("PATCH", MERGE), ("PATCH", STRATEGIC), ("PATCH", JSON_PATCH), ("GET", ""),
)  # fmt: skip
_TYPES = (
    "application/json", MERGE, STRATEGIC, JSON_PATCH, "application/yaml", "application/vnd.kubernetes.protobuf",
    "x", "",
)  # fmt: skip
_QUERIES = (
    "resourceVersion", "resourceVersionMatch", "limit", "continue", "labelSelector", "fieldSelector", "dryRun",
    "fieldManager", "fieldValidation", "propagationPolicy", "gracePeriodSeconds", "timeoutSeconds", "includeObject",
)  # fmt: skip
_SCALARS: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, 2**63, 10**30, "", "x", "a/b", "0", "-1", "9" * 400, "\x00", "\ud800", "ü" * 70,
    "25%", "1e999", "$patch", "2026-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", [], {}, [None],
    {"": None}, [[]], {"a": {}},
)  # fmt: skip
_WORDS = ("0", "1", "-1", "abc", "All", "true", "%00", "%ff", "a%3Db", "!a", "a+in+(b", "Strict", "Exact", "9" * 30, "")


@dataclass(frozen=True)
class FuzzRequest:
    """One request."""

    method: str
    path: str
    content_type: str
    body: bytes


def oddities(seed: int) -> Iterator[FuzzRequest]:
    """Requests without end."""
    rng = random.Random(seed)
    while True:
        collection, obj = rng.choice(_SEEDS)
        method, kind = rng.choice(_METHODS), rng.choice(_TYPES)
        if rng.random() < 0.8:
            method, kind = rng.choice(_LIKELY)
        path = _path(rng, collection, obj, named=method in ("PUT", "PATCH"))
        value = [_operation(rng) for _ in range(rng.randrange(4))] if kind == JSON_PATCH else _mutated(rng, obj)
        text = json.dumps(value).encode()
        if rng.random() < 0.15:
            place = rng.randrange(len(text) + 1)
            text = text[:place] + rng.randbytes(rng.randrange(4)) + text[place + rng.randrange(3) :]
        if rng.random() < 0.02:
            text = rng.choice((b"[" * 20_000, b'{"a":' * 20_000, b"- " * 5_000, b"9" * 20_000, b""))
        yield FuzzRequest(method, path, kind, text)


def _path(rng: random.Random, collection: str, obj: Any, *, named: bool) -> str:
    """A path that mostly names what is there, or its collection."""
    path = collection
    if rng.random() < 0.9:
        path += "/" + obj["metadata"]["name"] if named else ""
    elif rng.random() < 0.6:
        path += "/" + rng.choice((obj["metadata"]["name"], "none", "%2e%2e", "%00", "a b".replace(" ", "%20"), "%ff"))
    if rng.random() < 0.15:
        path += "/" + rng.choice(("status", "scale", "binding", "log", "x"))
    chosen = [f"{rng.choice(_QUERIES)}={rng.choice(_WORDS)}" for _ in range(rng.choice((0, 0, 0, 1, 2)))]
    if rng.random() < 0.03:
        chosen += ["watch=1", "timeoutSeconds=1", "resourceVersion=" + rng.choice(("1", "99999999", "x"))]
    return path + ("?" + "&".join(chosen) if chosen else "")


def _mutated(rng: random.Random, value: Any, depth: int = 0) -> Any:
    if rng.random() < (0.08 if depth else 0.02):
        return rng.choice(_SCALARS)
    if isinstance(value, dict):
        found = {key: _mutated(rng, below, depth + 1) for key, below in value.items() if rng.random() > 0.05}
        if rng.random() < 0.1:
            found[rng.choice(("$patch", "$retainKeys", "metadata", "zz", "$setElementOrder/containers", "spec"))] = (
                rng.choice(_SCALARS)
            )
        return found
    if isinstance(value, list):
        return [_mutated(rng, below, depth + 1) for below in value] * rng.choice((1, 1, 1, 2, 0))
    return value


def _operation(rng: random.Random) -> Any:
    place = (
        "",
        "/",
        "/spec",
        "/metadata/labels",
        "/spec/port",
        "/spec/template/spec/containers/0",
        "/x/-",
        "x",
        "/metadata",
    )
    found = {
        "op": rng.choice(("add", "remove", "replace", "move", "copy", "test", "frob", 5)),
        "path": rng.choice(place),
        "from": rng.choice(place),
        "value": rng.choice(_SCALARS),
    }
    return rng.choice((found, found, found, rng.choice(_SCALARS)))
