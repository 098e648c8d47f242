"""Resolution of a resource name by kubectl's rules.

Sources: cli-runtime's resource builder (a fully qualified name first, then resource and group, then kinds), client-go's
restmapper (shortcuts, and the priority of groups and versions) and apimachinery's meta.DefaultRESTMapper (plural and
singular alike; an exact group before one that begins with it). As an addition ``pods.v1`` means ``pods.v1.``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

from informerd.resource import Resource

_VERSION = re.compile(r"v\d+((alpha|beta)\d+)?")


class _Reading(msgspec.Struct, frozen=True):
    """One way to read a name. None: any."""

    name: str
    group: str | None = None
    version: str | None = None


def find_resource(resources: Sequence[Resource], name: str) -> Resource | None:
    """The resource that `name` means, of `resources` in order of priority: groups in the server's order, the preferred
    version first. None where it means none.

    A name is a plural, a singular, a short name or a kind, alone or followed by ``.group`` or ``.version.group``, where
    the beginning of a group will do. Letters' case does not matter.
    """
    readings = tuple(_readings(name.strip().lower()))
    for match in (_by_resource_name, _by_kind):
        for reading in readings:
            for among in _among(resources, reading):
                matches = match(among, reading.name)
                if matches is not None:
                    return matches
    return None


def _readings(name: str) -> Iterator[_Reading]:
    bare, dot, rest = name.partition(".")
    if not dot:
        yield _Reading(bare)
        return
    version, second_dot, group = rest.partition(".")
    if second_dot:
        yield _Reading(bare, group, version)
    elif _VERSION.fullmatch(rest):
        yield _Reading(bare, "", rest)
    yield _Reading(bare, rest or None)


def _among(resources: Sequence[Resource], reading: _Reading) -> Iterator[Sequence[Resource]]:
    """What a reading's group and version leave: first where the group is that very one, then where it begins so."""
    if reading.group is None:
        yield resources
        return
    group, version = reading.group, reading.version
    yield [each for each in resources if each.group.lower() == group and version in (None, each.version.lower())]
    if version is None:
        yield [each for each in resources if each.group.lower().startswith(group)]


def _by_resource_name(among: Sequence[Resource], name: str) -> Resource | None:
    """By plural or singular, whichever group comes first; else by short name, which never hides either."""
    full = _first(among, lambda each: name in (each.plural.lower(), each.singular.lower()))
    return full or _first(among, lambda each: name in map(str.lower, each.short_names))


def _by_kind(among: Sequence[Resource], name: str) -> Resource | None:
    return _first(among, lambda each: each.kind.lower() == name)


def _first(among: Sequence[Resource], fits: Callable[[Resource], bool]) -> Resource | None:
    return next(filter(fits, among), None)
