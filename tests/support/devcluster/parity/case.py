"""Request whose response is compared between the demo cluster and the real API server, and the builders of such
requests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.support.devcluster.http_client import Json

G = "/apis/devcluster.example/v1/namespaces/{ns}/gadgets"
CORE = "/api/v1/namespaces/{ns}"
MAPS, PODS = f"{CORE}/configmaps", f"{CORE}/pods"
APPS = "/apis/apps/v1/namespaces/{ns}"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DRY = "?dryRun=All"


@dataclass(frozen=True)
class Case:
    """One request. A body that is a function is given the gadget ``a1`` as the server has it."""

    name: str
    method: str
    path: str
    body: Json | list[Any] | str | Callable[[Json], Json] | None = None
    content_type: str = "application/json"
    exact: bool = True
    """Whether the message is compared too; the code, reason, details and causes always are."""


def each(*values: Any) -> tuple[Any, ...]:
    """Values of any kinds, one after the other."""
    return values


def pod(name: str = "p", **spec: Any) -> Json:
    spec = {"containers": [{"name": "c", "image": "nginx"}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def deployment(name: str = "d", **spec: Any) -> Json:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    return {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template, **spec}}
