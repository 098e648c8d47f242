"""A client whose metrics API answers what a test states."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from informerd.errors import Forbidden, InformerdError, NotFound
from informerd.errors.status import Status
from informerd.resource import Resource
from informerd.rest.response import Response

MEASURED_AT = "2027-01-15T08:00:00Z"
"""1,800,000,000 Unix seconds."""


def pod_metrics(namespace: str, name: str, *containers: tuple[str, str]) -> dict[str, Any]:
    """An item of the list of pods' metrics: CPU and memory of each container."""
    used = [
        {"name": f"c{index}", "usage": {"cpu": cpu, "memory": memory}} for index, (cpu, memory) in enumerate(containers)
    ]
    metadata = {"name": name, "namespace": namespace}
    return {"metadata": metadata, "timestamp": MEASURED_AT, "window": "15s", "containers": used}


def node_metrics(name: str, cpu: str, memory: str) -> dict[str, Any]:
    """An item of the list of nodes' metrics."""
    usage = {"cpu": cpu, "memory": memory}
    return {"metadata": {"name": name}, "timestamp": MEASURED_AT, "window": "20.5s", "usage": usage}


def no_metrics_api() -> NotFound:
    """The error of a cluster without one."""
    return NotFound(Status(code=404, reason="NotFound", message="the server could not find the requested resource"))


class MetricsApi:
    """The used part of a Client."""

    def __init__(
        self,
        *,
        pods: Iterable[dict[str, Any]] = (),
        nodes: Iterable[dict[str, Any]] = (),
        forbidden: Iterable[str] = (),
        error: InformerdError | None = None,
    ) -> None:
        """`forbidden` are the namespaces whose pods may not be read, "" for all of them, and "nodes" for the nodes;
        `error` ends each request.
        """
        self.pods, self.nodes, self.error = list(pods), list(nodes), error
        self.forbidden = frozenset(forbidden)
        self.requests: list[str] = []

    async def list(self, resource: Resource, namespace: str = "") -> Response:
        self.requests.append(f"{namespace}/{resource.plural}")
        if self.error is not None:
            raise self.error
        if ("nodes" if resource.plural == "nodes" else namespace) in self.forbidden:
            raise Forbidden(Status(code=403, reason="Forbidden", message=f"you may not list {resource.plural}"))
        items = self.nodes if resource.plural == "nodes" else self.pods
        chosen = [each for each in items if not namespace or each["metadata"].get("namespace") == namespace]
        return Response(200, json.dumps({"items": chosen or None}).encode())
