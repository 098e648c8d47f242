"""One object's traffic with the API server: read it, try a change, make it, delete it. Always within a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from dashboard.edits.editable import Target
from dashboard.edits.fields import Value
from informerd.errors import MalformedAnswer, Unreachable
from informerd.rest.answer import Answer
from informerd.rest.client import Client

TIME_LIMIT = 20.0
"""Seconds that a page waits for the API server, tries on "come again later" included."""

Propagation = Literal["Background", "Foreground", "Orphan"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stored:
    """What the API server stored, or would store."""

    value: dict[str, Value]
    warnings: tuple[str, ...]


class Exchange:
    """Every method raises ApiError and Unreachable; a missing answer within `time_limit` seconds is Unreachable."""

    def __init__(self, client: Client, target: Target, *, time_limit: float = TIME_LIMIT) -> None:
        self.target = target
        self._client = client
        self._resource = target.kind.resource
        self._time_limit = time_limit

    async def read(self) -> dict[str, Value]:
        """The object as it is now, past every cache."""
        answer = await self._limited(lambda: self._client.get(self._resource, self.target.name, self.target.namespace))
        return _object(answer)

    async def update(self, value: dict[str, Value], *, dry_run: bool) -> Stored:
        """PUT; `value` carries the uid and resourceVersion it was made from. Raises Conflict if that has passed."""
        metadata = value["metadata"]
        if not metadata.get("uid") or not metadata.get("resourceVersion"):
            raise ValueError("an update without uid and resourceVersion could overwrite what nobody saw")
        answer = await self._limited(
            lambda: self._client.update(self._resource, value, self.target.namespace, dry_run=dry_run)
        )
        return Stored(_object(answer), answer.warnings)

    async def create(self, value: dict[str, Value], *, dry_run: bool) -> Stored:
        """POST. Raises AlreadyExists."""
        answer = await self._limited(
            lambda: self._client.create(self._resource, value, self.target.namespace, dry_run=dry_run)
        )
        return Stored(_object(answer), answer.warnings)

    async def delete(self, uid: str, version: str, propagation: Propagation) -> dict[str, Value] | None:
        """DELETE that very state of that very object, else Conflict. The object where it waits for something."""
        if not uid or not version:
            raise ValueError("a delete without uid and resourceVersion could delete what nobody saw")
        answer = await self._limited(
            lambda: self._client.delete(
                self._resource,
                self.target.name,
                self.target.namespace,
                uid=uid,
                resource_version=version,
                propagation_policy=propagation,
            )
        )
        value = _object(answer)
        return None if value.get("kind") == "Status" else value

    async def _limited(self, call: Callable[[], Awaitable[T]]) -> T:
        async with _within(self._time_limit):
            return await call()


@asynccontextmanager
async def _within(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise Unreachable(f"no answer within {seconds:g} s") from None


def _object(answer: Answer) -> dict[str, Any]:
    try:
        return answer.object()
    except MalformedAnswer:
        raise Unreachable("what answered is no Kubernetes API server: it sent something else than an object") from None
