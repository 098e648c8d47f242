"""Router of API paths, used in place of aiohttp's, which cannot follow kinds that come and go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import unquote

from devcluster.server.api_errors import Failure, no_containers, no_such_resource, not_found
from devcluster.server.kinds import PODS, Kind, ServedKinds

_OF_CONTAINERS: Mapping[str, str] = MappingProxyType(
    {
        "attach": "has nothing to attach to",
        "portforward": "listens on no port",
        "proxy": "listens on no port",
        "ephemeralcontainers": "has nothing to debug",
    }
)
"""Subresources that pods do not have here, with the reason."""


class PlainNotFound(Exception):
    """A path that no group and version serves: the real server answers in plain text."""


@dataclass(frozen=True)
class Route:
    """A collection (no name), an object, or its subresource."""

    kind: Kind
    namespace: str = ""
    name: str = ""
    subresource: str = ""


def resolve(registry: ServedKinds, raw_path: str) -> Route:
    """The resource that a path below /api/v1/ or /apis/GROUP/VERSION/ means. Raises PlainNotFound or Failure (404)."""
    parts = [unquote(part) for part in raw_path.strip("/").split("/")]
    if parts[0] == "api" and len(parts) > 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        raise PlainNotFound
    if version not in registry.group_versions().get(group, ()):
        raise PlainNotFound
    return _resource(registry, group, version, rest)


def _resource(registry: ServedKinds, group: str, version: str, rest: list[str]) -> Route:
    namespace = ""
    if rest[0] == "namespaces" and (len(rest) > 2 and rest[2] not in ("status", "finalize")):
        namespace, rest = rest[1], rest[2:]
    kind = registry.find(group, version, rest[0])
    if kind is None or len(rest) > 3:
        raise no_such_resource()
    route = Route(kind, namespace, rest[1] if len(rest) > 1 else "", rest[2] if len(rest) > 2 else "")
    return _checked(route)


def _checked(route: Route) -> Route:
    kind = route.kind
    if route.namespace and not kind.namespaced:
        raise no_such_resource()
    if route.name and kind.namespaced and not route.namespace:
        raise PlainNotFound if kind.custom else no_such_resource()
    if kind is PODS and route.subresource in _OF_CONTAINERS:
        raise no_containers(route.name, _OF_CONTAINERS[route.subresource])
    if route.subresource and route.subresource not in kind.subresources:
        raise _no_subresource(route)
    return route


def _no_subresource(route: Route) -> Failure:
    return not_found(route.kind, route.name) if route.kind.custom else no_such_resource()
