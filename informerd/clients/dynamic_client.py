"""Dynamic client: any kind, by a name that discovery knows or by a manifest, with objects as plain dicts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from informerd.clients.codec import JsonCodec
from informerd.clients.resource_client import ResourceClient
from informerd.errors import InvalidCall
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.rest.warning_log import OnWarning
from informerd.unstructured import Json, metadata_of


class DynamicClient:
    """Makes clients of single resources, which share one Client and one Discovery (by default one of its own)."""

    def __init__(self, client: Client, *, discovery: Discovery | None = None) -> None:
        self.client = client
        self.discovery = discovery or Discovery(client)

    def resource(
        self, resource: Resource | str, namespace: str = "", *, on_warning: OnWarning | None = None
    ) -> ResourceClient[Json]:
        """The verbs of a resource, given as a Resource or by a name that kubectl accepts, such as ``deploy``.

        Nothing is sent yet: a name is looked up with the first call. An empty `namespace` means all of them, or none
        for a cluster-scoped resource.
        """
        return ResourceClient(self.client, self.resolve(resource), JsonCodec, namespace, on_warning=on_warning)

    def for_manifest(self, manifest: Json, *, on_warning: OnWarning | None = None) -> ResourceClient[Json]:
        """The verbs of the resource that a manifest's apiVersion and kind name, in its namespace.

        Raises InvalidCall where it has neither.
        """
        if not isinstance(manifest, dict):
            raise InvalidCall(f"a manifest is a mapping, not {type(manifest).__name__}")
        api_version, kind = manifest.get("apiVersion"), manifest.get("kind")
        if not isinstance(api_version, str) or not isinstance(kind, str) or not api_version or not kind:
            raise InvalidCall("a manifest needs apiVersion and kind")
        return ResourceClient(
            self.client,
            lambda: self.discovery.resource_of(api_version, kind),
            JsonCodec,
            metadata_of(manifest).get("namespace", ""),
            on_warning=on_warning,
        )

    def resolve(self, resource: Resource | str) -> Resource | Callable[[], Awaitable[Resource]]:
        """A resource, or how to find out which one is meant."""
        if isinstance(resource, Resource):
            return resource
        name = resource
        return lambda: self.discovery.resolve(name)
