"""API client for one object: read, dry run, create, patch, delete; each within a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from dashboard.objects.fields.field_access import Value
from dashboard.objects.fields.managed_fields import last_writer
from dashboard.objects.problems.version_not_served import VersionNotServed, find_served_version
from dashboard.pages.writes.autoscalers import autoscaler_warning
from dashboard.pages.writes.target import Target
from dashboard.runtime.tracing import span, traceparent
from informerd.errors import InformerdError, MalformedAnswer, NotServed, Unreachable
from informerd.rest.client import Client
from informerd.rest.response import Response

if TYPE_CHECKING:
    from dashboard.pages.authors.record_and_lookup import WriteRecorder

TIME_LIMIT = 20.0
"""Seconds that a page waits for the API server, retries of a read included."""

Propagation = Literal["Background", "Foreground", "Orphan"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The object that the API server stored, or would store."""

    value: dict[str, Value]
    warnings: tuple[str, ...]


class ObjectClient:
    """Every method raises ApiError and Unreachable; no answer within `time_limit` seconds is Unreachable.

    NotFound means that the object, or that subresource of it, does not exist; VersionNotServed is raised for a kind
    that is not served in the target's version. A write is sent once: where the API server asks for a retry, the page
    waits, visibly. `write_recorder` records the author.
    """

    def __init__(
        self,
        client: Client,
        target: Target,
        *,
        time_limit: float = TIME_LIMIT,
        write_recorder: WriteRecorder | None = None,
    ) -> None:
        self.target = target
        self._client = client
        self._write_recorder = write_recorder
        self._resource = target.kind.resource
        self._time_limit = time_limit

    async def read(self) -> dict[str, Value]:
        """The current object, without any cache."""
        return await self.read_subresource("")

    async def read_subresource(self, subresource: str) -> dict[str, Value]:
        """The current state of a subresource, such as its scale."""
        name, namespace = self.target.name, self.target.namespace
        answer = await self._limited(
            lambda: self._client.get(self._resource, name, namespace, subresource=subresource), subresource
        )
        return _object(answer)

    async def read_version(self, version: str) -> dict[str, Value] | None:
        """The object at this resourceVersion; None where the API server no longer has it."""
        params = {"fieldSelector": f"metadata.name={self.target.name}"}
        exact = {"resourceVersion": version, "resourceVersionMatch": "Exact"}
        try:
            async with _within(self._time_limit):
                listed = await self._client.list(self._resource, self.target.namespace, {**params, **exact})
            items = listed.object().get("items") or ()
        except InformerdError:
            return None
        item = next((each for each in items if each["metadata"].get("resourceVersion") == version), None)
        kind = {"apiVersion": self._resource.api_version, "kind": self._resource.kind}
        return None if item is None else {**kind, **item}

    async def autoscaler_warning(self, was: dict[str, Value], now: dict[str, Value]) -> str:
        """Warning about an autoscaler that overwrites the number of replicas; empty where there is none, or it stays
        the same.
        """
        return await autoscaler_warning(self._client, self.target, was, now)

    async def update(self, value: dict[str, Value], *, dry_run: bool) -> WriteResult:
        """PUT, to the target's subresource where it has one.

        `value` carries the uid and resourceVersion it was made from. Raises Conflict where that is not the current one.
        """
        metadata = value["metadata"]
        if not metadata.get("uid") or not metadata.get("resourceVersion"):
            raise ValueError("an update without uid and resourceVersion could overwrite unseen changes")
        answer = await self._limited(
            lambda: self._client.update(
                self._resource,
                value,
                self.target.namespace,
                subresource=self.target.subresource,
                dry_run=dry_run,
                headers=traceparent(),
                patient=False,
            ),
            self.target.subresource,
            _step(dry_run=dry_run),
        )
        return self._stored(answer, metadata["resourceVersion"], dry_run=dry_run)

    async def create(self, value: dict[str, Value], *, dry_run: bool) -> WriteResult:
        """POST. Raises AlreadyExists where the name is in use."""
        answer = await self._limited(
            lambda: self._client.create(
                self._resource,
                value,
                self.target.namespace,
                dry_run=dry_run,
                headers=traceparent(),
                patient=False,
            ),
            step=_step(dry_run=dry_run),
        )
        return self._stored(answer, "", dry_run=dry_run)

    async def patch(
        self,
        change: dict[str, Value],
        uid: str,
        version: str,
        *,
        dry_run: bool,
        subresource: str = "",
        strategic: bool = False,
    ) -> WriteResult:
        """PATCH (merge, or strategic merge) exactly that state of that object. Raises Conflict where it has changed."""
        if not uid or not version:
            raise ValueError("a patch without uid and resourceVersion could overwrite unseen changes")
        metadata = {**change.get("metadata", {}), "uid": uid, "resourceVersion": version}
        answer = await self._limited(
            lambda: self._client.patch(
                self._resource,
                self.target.name,
                self.target.namespace,
                {**change, "metadata": metadata},
                "strategic" if strategic else "merge",
                subresource=subresource,
                dry_run=dry_run,
                headers=traceparent(),
                patient=False,
            ),
            subresource,
            _step(dry_run=dry_run),
        )
        return self._stored(answer, version, dry_run=dry_run)

    async def delete(
        self, uid: str, version: str, propagation: Propagation, *, grace: int | None = None, dry_run: bool = False
    ) -> tuple[str, ...]:
        """DELETE exactly that state of that object; `grace` in seconds. The API server's warnings.

        Raises Conflict where it has changed. Only a `read` shows whether it is gone: for some kinds the API server
        answers with the object although it is gone.
        """
        if not uid or not version:
            raise ValueError("a delete without uid and resourceVersion could delete an unseen object")
        answer = await self._limited(
            lambda: self._client.delete(
                self._resource,
                self.target.name,
                self.target.namespace,
                uid=uid,
                resource_version=version,
                propagation_policy=propagation,
                grace_period=grace,
                dry_run=dry_run,
                headers=traceparent(),
                patient=False,
            ),
            step=_step(dry_run=dry_run),
        )
        if self._write_recorder is not None and not dry_run:
            self._write_recorder.record_deletion(uid)
        return answer.warnings

    async def last_author(self, live: dict[str, Value]) -> tuple[str, str]:
        """Last author of the object, or of the target's subresource, and the time (RFC 3339); empty where it is
        unknown.

        The user's name, where the write went through this dashboard and is known, else the field manager.
        """
        by, at = last_writer(live, self.target.subresource)
        return (await self._write_recorder.last_author(live, by, at) if self._write_recorder is not None else by), at

    async def deleter(self, uid: str) -> str:
        """The user who deleted that object through this dashboard; empty where there is none, or it is unknown."""
        return await self._write_recorder.deleter(uid) if self._write_recorder is not None else ""

    def _stored(self, answer: Response, before: str, *, dry_run: bool) -> WriteResult:
        """The API server's answer to a write on top of the resourceVersion `before`."""
        value = _object(answer)
        if self._write_recorder is not None and not dry_run and value["metadata"]["resourceVersion"] != before:
            self._write_recorder.record_write(value)
        return WriteResult(value, answer.warnings)

    async def _limited(self, call: Callable[[], Awaitable[T]], subresource: str = "", step: str = "read") -> T:
        with span(step):
            return await self._limited_call(call, subresource)

    async def _limited_call(self, call: Callable[[], Awaitable[T]], subresource: str) -> T:
        async with _within(self._time_limit):
            try:
                return await call()
            except NotServed as error:
                if subresource and await self._is_served():
                    raise
                name, namespace = self.target.name, self.target.namespace
                elsewhere = await find_served_version(self._client, self._resource, name, namespace)
                raise VersionNotServed(error, self._resource, elsewhere) from error

    async def _is_served(self) -> bool:
        """Whether only the subresource is missing: then its object can be read, whatever the answer is."""
        try:
            await self._client.get(self._resource, self.target.name, self.target.namespace)
        except NotServed:
            return False
        except InformerdError:
            return True
        return True


def _step(*, dry_run: bool) -> str:
    """Name of a span."""
    return "dry run" if dry_run else "write"


@asynccontextmanager
async def _within(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise Unreachable(f"no answer within {seconds:g} s") from None


def _object(answer: Response) -> dict[str, Any]:
    try:
        return answer.object()
    except MalformedAnswer:
        raise Unreachable("the server is not a Kubernetes API server: its answer is not an object") from None
