"""Parser of discovery documents, aggregated and plain, into resources."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from informerd.resource import Resource

AGGREGATED = ",".join(
    (
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
        "application/json",
    )
)
"""The Accept header that asks for the aggregated form and takes the plain one."""


class _Kind(msgspec.Struct, frozen=True):
    kind: str = ""


class _Subresource(msgspec.Struct, frozen=True):
    subresource: str = ""


class _AggregatedResource(msgspec.Struct, frozen=True, rename="camel"):
    resource: str
    response_kind: _Kind | None = None
    scope: str = "Namespaced"
    singular_resource: str = ""
    verbs: tuple[str, ...] | None = ()
    short_names: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    subresources: tuple[_Subresource, ...] | None = None


class _AggregatedVersion(msgspec.Struct, frozen=True):
    version: str
    resources: tuple[_AggregatedResource, ...] | None = None
    freshness: str = ""


class _Name(msgspec.Struct, frozen=True):
    name: str = ""


class _AggregatedGroup(msgspec.Struct, frozen=True):
    metadata: _Name = _Name()
    versions: tuple[_AggregatedVersion, ...] | None = None


class _PlainVersion(msgspec.Struct, frozen=True):
    version: str


class _PlainGroup(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    versions: tuple[_PlainVersion, ...] | None = None
    preferred_version: _PlainVersion | None = None


class Root(msgspec.Struct, frozen=True):
    """Document of /api and /apis in any form: APIGroupDiscoveryList, APIVersions or APIGroupList."""

    kind: str = ""
    items: tuple[_AggregatedGroup, ...] | None = None
    versions: tuple[str, ...] | None = None
    groups: tuple[_PlainGroup, ...] | None = None

    @property
    def is_aggregated(self) -> bool:
        return self.kind == "APIGroupDiscoveryList"


class _PlainResource(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    kind: str = ""
    singular_name: str = ""
    namespaced: bool = False
    verbs: tuple[str, ...] | None = ()
    short_names: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None


class PlainList(msgspec.Struct, frozen=True):
    """Document of one version of a group."""

    resources: tuple[_PlainResource, ...] | None = None


class GroupVersion(msgspec.Struct, frozen=True):
    """One version of a group with its resources."""

    group: str
    version: str
    resources: tuple[Resource, ...] = ()
    stale: bool = False
    """Whether the server behind it could not be asked: the resources are those it had, where that is known."""

    @property
    def name(self) -> str:
        """``apps/v1``, ``v1``."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def path(self) -> str:
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


def plain_versions(root: Root) -> Iterator[GroupVersion]:
    """Every version that the plain form names, still without resources; a group's preferred version first."""
    yield from (GroupVersion("", version) for version in root.versions or ())
    for group in root.groups or ():
        first = group.preferred_version.version if group.preferred_version else ""
        names = [each.version for each in group.versions or ()]
        yield from (GroupVersion(group.name, version) for version in sorted(names, key=lambda name: name != first))


def plain_resources(group: str, version: str, listed: PlainList) -> tuple[Resource, ...]:
    """The resources of one version, each with the names of its subresources."""
    below: dict[str, set[str]] = {}
    for each in listed.resources or ():
        name, slash, subresource = each.name.partition("/")
        if slash:
            below.setdefault(name, set()).add(subresource)
    return tuple(
        Resource(
            group=group,
            version=version,
            plural=each.name,
            kind=each.kind,
            singular=each.singular_name or each.kind.lower(),
            namespaced=each.namespaced,
            short_names=each.short_names or (),
            categories=each.categories or (),
            verbs=frozenset(each.verbs or ()),
            subresources=frozenset(below.get(each.name, ())),
        )
        for each in listed.resources or ()
        if "/" not in each.name
    )


def aggregated_versions(root: Root) -> Iterator[GroupVersion]:
    """Every version with its resources. The server lists a group's preferred version first."""
    for group in root.items or ():
        for version in group.versions or ():
            resources = tuple(_aggregated_resources(group.metadata.name, version))
            yield GroupVersion(group.metadata.name, version.version, resources, version.freshness == "Stale")


def _aggregated_resources(group: str, version: _AggregatedVersion) -> Iterator[Resource]:
    """A resource without a kind has subresources only."""
    for each in version.resources or ():
        if each.response_kind is not None and each.response_kind.kind:
            yield Resource(
                group=group,
                version=version.version,
                plural=each.resource,
                kind=each.response_kind.kind,
                singular=each.singular_resource or each.response_kind.kind.lower(),
                namespaced=each.scope == "Namespaced",
                short_names=each.short_names or (),
                categories=each.categories or (),
                verbs=frozenset(each.verbs or ()),
                subresources=frozenset(subresource.subresource for subresource in each.subresources or ()),
            )
