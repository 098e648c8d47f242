"""Which resources the API server has, and which one a person means by a name."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

import msgspec

from informerd.client import Client
from informerd.clock import Clock, SystemClock
from informerd.errors import ApiError, UnknownResource
from informerd.resource import Resource

_AGGREGATED = ",".join(
    (
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
        "application/json",
    )
)

LOOK_AGAIN_AFTER = 1.0
"""Seconds; a name that is not found is looked for once more on the server if what is known is older."""


class _Kind(msgspec.Struct, frozen=True):
    kind: str = ""


class _AggregatedResource(msgspec.Struct, frozen=True, rename="camel"):
    resource: str
    response_kind: _Kind | None = None
    scope: str = "Namespaced"
    singular_resource: str = ""
    verbs: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()


class _AggregatedVersion(msgspec.Struct, frozen=True):
    version: str
    resources: tuple[_AggregatedResource, ...] = ()


class _Name(msgspec.Struct, frozen=True):
    name: str = ""


class _AggregatedGroup(msgspec.Struct, frozen=True):
    metadata: _Name = _Name()
    versions: tuple[_AggregatedVersion, ...] = ()


class _PlainVersion(msgspec.Struct, frozen=True):
    version: str


class _PlainGroup(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    versions: tuple[_PlainVersion, ...] = ()
    preferred_version: _PlainVersion | None = None


class _Root(msgspec.Struct, frozen=True):
    """What /api and /apis answer, in whichever form: APIGroupDiscoveryList, APIVersions or APIGroupList."""

    kind: str = ""
    items: tuple[_AggregatedGroup, ...] = ()
    versions: tuple[str, ...] = ()
    groups: tuple[_PlainGroup, ...] = ()


class _PlainResource(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    kind: str = ""
    singular_name: str = ""
    namespaced: bool = False
    verbs: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()


class _PlainList(msgspec.Struct, frozen=True):
    resources: tuple[_PlainResource, ...] = ()


class Discovery:
    """The API server's resources, asked for once and kept until `invalidate`. However many wait, it asks once."""

    def __init__(self, client: Client, *, clock: Clock | None = None) -> None:
        self._client = client
        self._clock = clock or SystemClock()
        self._known: tuple[Resource, ...] | None = None
        self._known_at = 0.0
        self._asking: asyncio.Task[tuple[Resource, ...]] | None = None

    def invalidate(self) -> None:
        """Ask the API server again at the next use; an answer under way does not count."""
        self._known = self._asking = None

    async def resources(self) -> tuple[Resource, ...]:
        """Every resource once, in the version that its group prefers; core first, then in the server's order.

        Raises ApiError and Unreachable. A group whose own server is down is left out.
        """
        preferred: dict[str, Resource] = {}
        for resource in await self._all():
            preferred.setdefault(resource.key, resource)
        return tuple(preferred.values())

    async def resolve(self, name: str) -> Resource:
        """The resource meant by a plural, singular or short name or a kind, with its group (and version) or without.

        So ``po``, ``Pod``, ``mydemos.crddemo.k8s.io`` and ``mydemos.v1.crddemo.k8s.io``. For bare names the core group
        wins, then the server's order. Raises UnknownResource, ApiError and Unreachable.
        """
        found = _find(await self._all(), name)
        if found is None and self._clock.now() - self._known_at >= LOOK_AGAIN_AFTER:
            self.invalidate()
            found = _find(await self._all(), name)
        if found is None:
            raise UnknownResource(name, tuple(sorted(each.key for each in await self.resources())))
        return found

    async def _all(self) -> tuple[Resource, ...]:
        """Every version of every resource; a group's preferred version first."""
        if self._known is not None:
            return self._known
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask(), name="discovery")
            self._asking.add_done_callback(self._asked)
        return await asyncio.shield(self._asking)

    def _asked(self, task: asyncio.Task[tuple[Resource, ...]]) -> None:
        failed = task.cancelled() or task.exception() is not None
        if task is not self._asking:
            return
        self._asking = None
        if not failed:
            self._known, self._known_at = task.result(), self._clock.now()

    async def _ask(self) -> tuple[Resource, ...]:
        core, groups = await asyncio.gather(self._ask_root("/api"), self._ask_root("/apis"))
        return (*core, *groups)

    async def _ask_root(self, path: str) -> tuple[Resource, ...]:
        answer = await self._client.request("GET", path, headers={"Accept": _AGGREGATED})
        root: _Root = answer.decode(_Root)
        if root.kind == "APIGroupDiscoveryList":
            return tuple(_from_aggregated(root.items))
        found = await asyncio.gather(*(self._ask_plain(*each) for each in _plain_versions(root)))
        return tuple(resource for version in found for resource in version)

    async def _ask_plain(self, group: str, version: str) -> tuple[Resource, ...]:
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        try:
            answer = await self._client.request("GET", path)
        except ApiError:  # an aggregated API server that is down must not hide the others
            return ()
        listed: tuple[_PlainResource, ...] = answer.decode(_PlainList).resources
        return tuple(_from_plain(group, version, each) for each in listed if "/" not in each.name)


def _plain_versions(root: _Root) -> Iterator[tuple[str, str]]:
    """Group and version of everything in the plain form, preferred versions first."""
    yield from (("", version) for version in root.versions)
    for group in root.groups:
        first = group.preferred_version.version if group.preferred_version else ""
        names = [each.version for each in group.versions]
        yield from ((group.name, version) for version in sorted(names, key=lambda name: name != first))


def _from_plain(group: str, version: str, each: _PlainResource) -> Resource:
    return Resource(
        group=group,
        version=version,
        plural=each.name,
        kind=each.kind,
        singular=each.singular_name or each.kind.lower(),
        namespaced=each.namespaced,
        short_names=each.short_names,
        verbs=frozenset(each.verbs),
    )


def _from_aggregated(groups: Iterable[_AggregatedGroup]) -> Iterator[Resource]:
    """The server lists a group's preferred version first. A resource without a kind has subresources only."""
    for group in groups:
        for version in group.versions:
            for each in version.resources:
                if each.response_kind is not None and each.response_kind.kind:
                    yield Resource(
                        group=group.metadata.name,
                        version=version.version,
                        plural=each.resource,
                        kind=each.response_kind.kind,
                        singular=each.singular_resource or each.response_kind.kind.lower(),
                        namespaced=each.scope == "Namespaced",
                        short_names=each.short_names,
                        verbs=frozenset(each.verbs),
                    )


def _find(resources: tuple[Resource, ...], name: str) -> Resource | None:
    """The resource that a name means: a plural before a singular before a kind before a short name."""
    bare, dot, rest = name.strip().lower().partition(".")
    candidates = [each for each in resources if not dot or rest in _suffixes(each)]
    for names in (_plural, _singular, _kind, _short_names):
        for each in candidates:
            if bare in names(each):
                return each
    return None


def _suffixes(resource: Resource) -> tuple[str, str]:
    """What may follow a name: ``group``, ``version.group`` (``v1`` or ``v1.`` for the core group)."""
    if resource.group:
        return resource.group.lower(), f"{resource.version}.{resource.group}".lower()
    return resource.version, f"{resource.version}."


def _plural(resource: Resource) -> tuple[str, ...]:
    return (resource.plural.lower(),)


def _singular(resource: Resource) -> tuple[str, ...]:
    return (resource.singular.lower(),)


def _kind(resource: Resource) -> tuple[str, ...]:
    return (resource.kind.lower(),)


def _short_names(resource: Resource) -> tuple[str, ...]:
    return tuple(each.lower() for each in resource.short_names)
