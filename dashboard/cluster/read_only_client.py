"""API client of read-only mode: it sends reads and access reviews, and refuses all else before anything is sent.

All requests of web and worker processes to the API server go through the connection's client, or one that it
impersonates with, which is of the same class. So this is the one place that keeps read-only mode, whatever a page or a
background run asks for. Dry runs are refused, too: no page of read-only mode needs one, and the cluster's admission
webhooks are called for them.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import unquote

from aiohttp import ClientWebSocketResponse

from dashboard.runtime.read_only import ReadOnlyMode
from informerd.rest.client import Client, Response, ResponseStream

_REVIEW = re.compile(
    r"/apis/(?:"
    r"authorization\.k8s\.io/v1/(?:selfsubjectaccessreviews|selfsubjectrulesreviews|subjectaccessreviews"
    r"|namespaces/[^/]+/localsubjectaccessreviews)"
    r"|authentication\.k8s\.io/v1/selfsubjectreviews)"
)
"""Path of a question about rights, which is asked with POST and stores nothing."""
_CONNECTIONS = frozenset({"exec", "attach", "portforward", "proxy"})
"""Subresources through which even a GET can change what runs in a pod, or reach a service."""


def check_read(method: str, path: str) -> None:
    """Raise ReadOnlyMode for a request that could change the cluster. `path` is percent-encoded, without a query."""
    is_review = method == "POST" and _REVIEW.fullmatch(path) is not None
    if not is_review and (method != "GET" or subresource_of(path) in _CONNECTIONS):
        raise ReadOnlyMode


def subresource_of(path: str) -> str:
    """The subresource that a path of the API names; empty where it names none. A pod may be called ``exec``."""
    parts = unquote(path).split("/")[4 if path.startswith("/apis/") else 3 :]  # after the version
    parts = parts[2:] if parts[:1] == ["namespaces"] and len(parts) > 2 else parts
    return parts[2] if len(parts) > 2 else ""


class ReadOnlyClient(Client):
    """A Client whose requests raise ReadOnlyMode where they are neither reads nor access reviews."""

    async def request(self, method: str, path: str, **options: Any) -> Response:
        check_read(method, path)
        return await super().request(method, path, **options)

    @contextlib.asynccontextmanager
    async def stream(self, path: str, *args: Any, **options: Any) -> AsyncIterator[ResponseStream]:
        check_read("GET", path)
        async with super().stream(path, *args, **options) as stream:
            yield stream

    @contextlib.asynccontextmanager
    async def download(self, path: str, *args: Any, **options: Any) -> AsyncIterator[ResponseStream]:
        check_read("GET", path)
        async with super().download(path, *args, **options) as stream:
            yield stream

    @contextlib.asynccontextmanager
    async def websocket(self, path: str, **options: Any) -> AsyncIterator[ClientWebSocketResponse]:
        check_read("GET", path.partition("?")[0])
        async with super().websocket(path, **options) as socket:
            yield socket
