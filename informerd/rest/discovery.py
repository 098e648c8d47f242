"""Discovery of the API server's resources, and resolution of names and kinds to resources."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from informerd.clock import Clock, SystemClock
from informerd.errors import ApiError, GroupUnavailable, InformerdError, MalformedAnswer, UnknownResource
from informerd.log_throttle import LogThrottle, repeat_suffix
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery_documents import (
    AGGREGATED,
    GroupVersion,
    PlainList,
    Root,
    aggregated_versions,
    plain_resources,
    plain_versions,
)
from informerd.rest.resource_lookup import find_resource

log = logging.getLogger(__name__)
T = TypeVar("T")

MIN_REFRESH_SECONDS = 1.0
"""Seconds; a name that is not found is requested again from the server if the cached resources are older."""

MAX_AGE_SECONDS = 600.0
"""Seconds after which the cached resources are validated, which costs two empty responses (304)."""


class _Document(msgspec.Struct, frozen=True):
    """A cached document that is not sent again while its ETag is valid."""

    etag: str
    content: Any


class _Known(msgspec.Struct, frozen=True):
    versions: tuple[GroupVersion, ...]
    resources: tuple[Resource, ...]
    """In order of priority: core first, then groups in the server's order, in each the preferred version first."""


class Discovery:
    """The API server's resources, fetched once and cached until `invalidate`, for `MAX_AGE_SECONDS` at most.

    Concurrent callers share one request. What has not changed is not sent again (ETag). A refresh because of age
    returns the cached resources while the server cannot be reached.
    """

    def __init__(self, client: Client, *, clock: Clock | None = None) -> None:
        self._client = client
        self._clock = clock or SystemClock()
        self._known: _Known | None = None
        self._repeats = LogThrottle(self._clock)
        self._known_at = 0.0
        self._valid = False
        self._asking: asyncio.Task[_Known] | None = None
        self._waiting: Counter[asyncio.Task[_Known]] = Counter()
        self._documents: dict[str, _Document] = {}
        self._last: dict[str, tuple[Resource, ...]] = {}

    def invalidate(self) -> None:
        """Ask the API server again at the next use; an answer under way does not count."""
        self._valid = False
        self._asking = None

    async def resources(self) -> tuple[Resource, ...]:
        """Every resource once, in the version that its group prefers; core first, then in the server's order.

        For a group whose own server is down, its last known resources. Raises ApiError, Unreachable and
        MalformedAnswer.
        """
        preferred: dict[str, Resource] = {}
        for resource in (await self._all()).resources:
            preferred.setdefault(resource.key, resource)
        return tuple(preferred.values())

    async def served_resources(self) -> tuple[Resource, ...]:
        """Every resource in every version that is served, the preferred ones of each group first. Raises as above."""
        return (await self._all()).resources

    async def stale_versions(self) -> tuple[str, ...]:
        """The versions, such as ``metrics.k8s.io/v1beta1``, whose own servers could not be asked. Raises as above."""
        return tuple(each.name for each in (await self._all()).versions if each.stale)

    async def resolve(self, name: str) -> Resource:
        """The resource meant by a plural, singular or short name or a kind, with its group (and version) or without.

        So ``po``, ``Pod``, ``mydemos.crddemo.k8s.io``, ``mydemos.v1.crddemo.k8s.io`` and ``deploy.app``, by kubectl's
        rules (`informerd.rest.resource_lookup`). A name means the same whether or not some group's server is down.
        Raises UnknownResource, GroupUnavailable where the name says a group whose own server is down, ApiError,
        Unreachable and MalformedAnswer.
        """
        suffix = name.strip().lower().partition(".")[2]
        return await self._look(
            name,
            lambda known: find_resource(known.resources, name),
            lambda version: bool(version.group) and suffix in (version.group, f"{version.version}.{version.group}"),
        )

    async def resource_of(self, api_version: str, kind: str) -> Resource:
        """The resource of objects with this apiVersion and kind, exactly. Raises as `resolve` does."""
        return await self._look(
            f"{kind} in {api_version}",
            lambda known: next((r for r in known.resources if (r.api_version, r.kind) == (api_version, kind)), None),
            lambda version: version.name == api_version,
        )

    async def _look(
        self, name: str, find: Callable[[_Known], Resource | None], is_asked_for: Callable[[GroupVersion], bool]
    ) -> Resource:
        """`is_asked_for` says whether the name is one of that version."""
        resource = find(await self._all())
        if resource is None and self._clock.now() - self._known_at >= MIN_REFRESH_SECONDS:
            self.invalidate()
            resource = find(await self._all())
        if resource is None:
            down = [each for each in (await self._all()).versions if each.stale and is_asked_for(each)]
            if down:
                raise GroupUnavailable(name, down[0].group, tuple(each.name for each in down))
            known = tuple(sorted(each.key for each in await self.resources()))
            raise UnknownResource(name, known, stale=await self.stale_versions())
        return resource

    async def _all(self) -> _Known:
        known = self._known
        if known is None or not self._valid:
            return await self._ask()
        if self._clock.now() - self._known_at < MAX_AGE_SECONDS:
            return known
        try:
            return await self._ask()
        except InformerdError as error:
            if number := self._repeats.count("old"):
                age = self._clock.now() - self._known_at
                fields = {"problem": str(error), "age": age, "failures": number}
                log.warning(
                    "the API server's resources are %.0f s old: %s%s", age, error, repeat_suffix(number), extra=fields
                )
            self._known_at += MAX_AGE_SECONDS / 10  # not at each use
            return known

    async def _ask(self) -> _Known:
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask_roots(), name="discovery")
            self._asking.add_done_callback(self._answered)
        asking = self._asking
        self._waiting[asking] += 1
        try:
            return await asyncio.shield(asking)
        finally:
            self._leave(asking)

    def _leave(self, asking: asyncio.Task[_Known]) -> None:
        """Remove one waiter; a request without waiters is cancelled."""
        self._waiting[asking] -= 1
        if self._waiting[asking]:
            return
        del self._waiting[asking]
        asking.cancel()
        if self._asking is asking:
            self._asking = None

    def _answered(self, task: asyncio.Task[_Known]) -> None:
        failed = task.cancelled() or task.exception() is not None
        if task is not self._asking:
            return
        self._asking = None
        if not failed:
            self._known, self._known_at, self._valid = task.result(), self._clock.now(), True
            self._last = {each.name: each.resources for each in self._known.versions}

    async def _ask_roots(self) -> _Known:
        core, groups = await asyncio.gather(self._ask_root("/api"), self._ask_root("/apis"))
        versions = (*core, *groups)
        return _Known(versions, tuple(resource for each in versions for resource in each.resources))

    async def _ask_root(self, path: str) -> tuple[GroupVersion, ...]:
        root = await self._document(path, Root)
        if root.is_aggregated:
            return tuple(self._remembered(each) for each in aggregated_versions(root))
        if root.versions is None and root.groups is None:
            raise MalformedAnswer(f"{path} of the API server names neither versions nor groups")
        return tuple(await asyncio.gather(*map(self._ask_plain, plain_versions(root))))

    async def _ask_plain(self, version: GroupVersion) -> GroupVersion:
        try:
            listed = await self._document(version.path, PlainList)
        except (ApiError, MalformedAnswer):  # an aggregated API server that is down must not hide the others
            return self._remembered(msgspec.structs.replace(version, stale=True))
        resources = plain_resources(version.group, version.version, listed)
        return msgspec.structs.replace(version, resources=resources)

    def _remembered(self, version: GroupVersion) -> GroupVersion:
        """A version whose server is down, with the resources that it had: else a name would come to mean another."""
        if not version.stale or version.resources:
            return version
        return msgspec.structs.replace(version, resources=self._last.get(version.name, ()))

    async def _document(self, path: str, form: type[T]) -> T:
        known = self._documents.get(path)
        headers = {"Accept": AGGREGATED} if form is Root else {}
        if known is not None:
            headers["If-None-Match"] = known.etag
        answer = await self._client.request("GET", path, headers=headers)
        if known is not None and answer.status == 304:
            content: T = known.content
            return content
        content = answer.decode(form)
        self._documents.pop(path, None)
        if answer.etag:
            self._documents[path] = _Document(answer.etag, content)
        return content
