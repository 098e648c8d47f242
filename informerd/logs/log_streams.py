"""Part of a client that logs are read with."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from informerd.resource import PODS, check_path_segment


class ByteStream(Protocol):
    """The bytes of one answer."""

    async def read(self) -> bytes:
        """The next bytes; empty at the end that the API server made. Raises Unreachable."""
        ...

    def close(self) -> None: ...


class LogClient(Protocol):
    """Opens streams, as `informerd.rest.client.Client` does."""

    def stream(self, path: str, params: dict[str, str | int | bool]) -> AbstractAsyncContextManager[ByteStream]: ...


def log_path(pod: str, namespace: str) -> str:
    """The address of a pod's log. Raises InvalidCall."""
    check_path_segment("namespace", namespace)
    check_path_segment("name", pod)
    return PODS.path(namespace, pod, "log")
