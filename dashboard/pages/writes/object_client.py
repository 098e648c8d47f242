"""One object's traffic with the API server: read it, try a change, make it, patch it, delete it; in limited time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from dashboard.edits.autoscalers import replicas_kept
from dashboard.edits.editable import Target
from dashboard.edits.fields import Value
from dashboard.edits.owners import last_writer
from dashboard.edits.unserved import Unserved, version_of
from informerd.errors import InformerdError, MalformedAnswer, NotServed, Unreachable
from informerd.rest.answer import Answer
from informerd.rest.client import Client

if TYPE_CHECKING:
    from dashboard.authors.pen import Pen

TIME_LIMIT = 20.0
"""Seconds that a page waits for the API server, a read's tries on "come again later" included."""

Propagation = Literal["Background", "Foreground", "Orphan"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stored:
    """What the API server stored, or would store."""

    value: dict[str, Value]
    warnings: tuple[str, ...]


class Exchange:
    """Every method raises ApiError and Unreachable; a missing answer within `time_limit` seconds is Unreachable.

    NotFound says that there is no such object, or not that subresource of it; of a kind that is not served in the
    target's version, Unserved is raised.
    A write is sent once: told to come later, it is the page that waits, where it can be seen. `pen` puts a name to it.
    """

    def __init__(
        self, client: Client, target: Target, *, time_limit: float = TIME_LIMIT, pen: Pen | None = None
    ) -> None:
        self.target = target
        self._client = client
        self._pen = pen
        self._resource = target.kind.resource
        self._time_limit = time_limit

    async def read(self) -> dict[str, Value]:
        """The object as it is now, past every cache."""
        return await self.read_part("")

    async def read_part(self, subresource: str) -> dict[str, Value]:
        """One of its subresources as it is now, such as its scale."""
        name, namespace = self.target.name, self.target.namespace
        answer = await self._limited(
            lambda: self._client.get(self._resource, name, namespace, subresource=subresource), subresource
        )
        return _object(answer)

    async def read_version(self, version: str) -> dict[str, Value] | None:
        """The object as it was when it had this resourceVersion; None where the API server has that no more."""
        params = {"fieldSelector": f"metadata.name={self.target.name}"}
        exact = {"resourceVersion": version, "resourceVersionMatch": "Exact"}
        try:
            async with _within(self._time_limit):
                listed = await self._client.list(self._resource, self.target.namespace, {**params, **exact})
            items = listed.object().get("items") or ()
        except InformerdError:
            return None
        found = next((each for each in items if each["metadata"].get("resourceVersion") == version), None)
        kind = {"apiVersion": self._resource.api_version, "kind": self._resource.kind}
        return None if found is None else {**kind, **found}

    async def replicas_kept(self, was: dict[str, Value], now: dict[str, Value]) -> str:
        """Who will set the number of replicas again, as a sentence; empty where nobody does, or it stays as it is."""
        return await replicas_kept(self._client, self.target, was, now)

    async def update(self, value: dict[str, Value], *, dry_run: bool) -> Stored:
        """PUT, to the target's subresource where it has one.

        `value` carries the uid and resourceVersion it was made from. Raises Conflict if that has passed.
        """
        metadata = value["metadata"]
        if not metadata.get("uid") or not metadata.get("resourceVersion"):
            raise ValueError("an update without uid and resourceVersion could overwrite what nobody saw")
        answer = await self._limited(
            lambda: self._client.update(
                self._resource,
                value,
                self.target.namespace,
                subresource=self.target.subresource,
                dry_run=dry_run,
                patient=False,
            ),
            self.target.subresource,
        )
        return self._stored(answer, metadata["resourceVersion"], dry_run=dry_run)

    async def create(self, value: dict[str, Value], *, dry_run: bool) -> Stored:
        """POST. Raises AlreadyExists."""
        answer = await self._limited(
            lambda: self._client.create(self._resource, value, self.target.namespace, dry_run=dry_run)
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
    ) -> Stored:
        """PATCH (merge, or strategic merge) that very state of that very object. Raises Conflict if that has passed."""
        if not uid or not version:
            raise ValueError("a patch without uid and resourceVersion could overwrite what nobody saw")
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
            ),
            subresource,
        )
        return self._stored(answer, version, dry_run=dry_run)

    async def delete(
        self, uid: str, version: str, propagation: Propagation, *, grace: int | None = None, dry_run: bool = False
    ) -> tuple[str, ...]:
        """DELETE that very state of that very object, else Conflict; `grace` in seconds. The API server's warnings.

        Whether it is gone by now only a `read` tells: some kinds are answered with the object although it is gone.
        """
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
                grace_period=grace,
                dry_run=dry_run,
                patient=False,
            )
        )
        if self._pen is not None and not dry_run:
            self._pen.deleted(uid)
        return answer.warnings

    async def writer(self, live: dict[str, Value]) -> tuple[str, str]:
        """Who wrote the object, or the target's subresource of it, last, and when (RFC 3339); empty where nobody says.

        A person's name, where they wrote through this dashboard and that is known, else the field manager.
        """
        by, at = last_writer(live, self.target.subresource)
        return (await self._pen.writer(live, by, at) if self._pen is not None else by), at

    async def deleter(self, uid: str) -> str:
        """Who deleted that object through this dashboard; empty where nobody did, or it is not known."""
        return await self._pen.deleter(uid) if self._pen is not None else ""

    def _stored(self, answer: Answer, before: str, *, dry_run: bool) -> Stored:
        """What the API server answered to a write on top of the resourceVersion `before`."""
        value = _object(answer)
        if self._pen is not None and not dry_run and value["metadata"]["resourceVersion"] != before:
            self._pen.wrote(value)
        return Stored(value, answer.warnings)

    async def _limited(self, call: Callable[[], Awaitable[T]], subresource: str = "") -> T:
        async with _within(self._time_limit):
            try:
                return await call()
            except NotServed as error:
                if subresource and await self._is_served():
                    raise
                name, namespace = self.target.name, self.target.namespace
                elsewhere = await version_of(self._client, self._resource, name, namespace)
                raise Unserved(error, self._resource, elsewhere) from error

    async def _is_served(self) -> bool:
        """Whether it is a subresource alone that is not: then its object can be asked for, whatever the answer is."""
        try:
            await self._client.get(self._resource, self.target.name, self.target.namespace)
        except NotServed:
            return False
        except InformerdError:
            return True
        return True


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
