"""Error for a kind that the API server does not serve in the requested version, whatever objects exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from informerd.errors import ApiError, InformerdError, NotServed
from informerd.resource import Resource

if TYPE_CHECKING:
    from informerd.rest.client import Client


class VersionNotServed(ApiError):
    """NotServed in terms of a page: it is not a NotFound, so that the object does not count as deleted."""

    def __init__(self, error: NotServed, resource: Resource, elsewhere: str) -> None:
        super().__init__(error.status, retry_after=error.retry_after, warnings=error.warnings)
        self.resource = resource
        self.served_version = elsewhere
        """The version in which the object exists; empty where that is not known."""

    @property
    def words(self) -> str:
        """What happened and what to do, as sentences."""
        what = f"The API server does not serve {self.resource.kind} in the version {self.resource.version}."
        if self.served_version:
            return f"{what} The object is still there, in the version {self.served_version}: load its page again."
        return f"{what} The object may be there in another one: load its page again in a moment."


class _Version(msgspec.Struct, frozen=True):
    version: str = ""


class _Group(msgspec.Struct, frozen=True):
    versions: tuple[_Version, ...] = ()


async def find_served_version(client: Client, resource: Resource, name: str, namespace: str) -> str:
    """Another version of the resource in which an object of the name exists; empty where none was found."""
    if not (resource.group and name):
        return ""
    try:
        group: _Group = (await client.request("GET", f"/apis/{resource.group}")).decode(_Group)
    except InformerdError:
        return ""
    for version in (each.version for each in group.versions if each.version != resource.version):
        try:
            await client.get(msgspec.structs.replace(resource, version=version), name, namespace)
        except InformerdError:
            continue
        return version
    return ""
