"""Versions and printer columns of custom resources, read from their definitions and followed when these change."""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec

from dashboard.objects.kinds.row import PrinterColumn, TableDefinition
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import InformerdError, NotFound
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

CRD_RESOURCE = Resource(
    group="apiextensions.k8s.io",
    version="v1",
    plural="customresourcedefinitions",
    kind="CustomResourceDefinition",
    namespaced=False,
)


class _Printer(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    type: str = "string"
    json_path: str = msgspec.field(name="jsonPath", default="")
    priority: int = 0


class _Version(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    served: bool = True
    additional_printer_columns: tuple[_Printer, ...] = ()


class _Spec(msgspec.Struct, frozen=True):
    scope: str = ""
    versions: tuple[_Version, ...] = ()


class _Names(msgspec.Struct, frozen=True):
    kind: str = ""


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    accepted_names: _Names = msgspec.field(default_factory=_Names)


class CustomResourceDefinition(Object, frozen=True, kw_only=True):
    """A CustomResourceDefinition, of which only its served versions and printer columns are read."""

    spec: _Spec = msgspec.field(default_factory=_Spec)
    status: _Status = msgspec.field(default_factory=_Status)

    def serves(self, resource: Resource) -> bool:
        """Whether its objects are served as this resource: in its version, of its Kind, in namespaces or not."""
        versions = {version.name for version in self.spec.versions if version.served}
        scope = "Namespaced" if resource.namespaced else "Cluster"
        kind = self.status.accepted_names.kind or resource.kind
        return (resource.version, scope, resource.kind) in {(version, self.spec.scope, kind) for version in versions}

    def table_for(self, resource: Resource) -> TableDefinition:
        """The columns of the version that is followed."""
        of_version = {version.name: version.additional_printer_columns for version in self.spec.versions}
        columns = of_version.get(resource.version, ())
        return TableDefinition(
            resource.namespaced,
            tuple(PrinterColumn(each.name, each.type, each.json_path, each.priority) for each in columns),
            resource.version,
        )


class CrdClient:
    """Reads definitions from the API server."""

    def __init__(self, client: Client, factory: SharedInformerFactory | None = None) -> None:
        """Without a `factory` nothing can be watched."""
        self._client = client
        self._factory = factory

    async def find(self, resource: Resource) -> CustomResourceDefinition | None:
        """The present definition; None where there is none or it may not be read."""
        try:
            answer = await self._client.request("GET", CRD_RESOURCE.path(name=resource.key))
            definition: CustomResourceDefinition = answer.decode(CustomResourceDefinition)
        except NotFound:
            return None
        except InformerdError as error:
            logger.warning("the printer columns of %s cannot be read and are not shown: %s", resource.key, error)
            return None
        return definition

    def watch(
        self, resource: Resource, on_change: Callable[[CustomResourceDefinition], None], on_delete: Callable[[], None]
    ) -> SharedInformer[CustomResourceDefinition]:
        """Follow one definition from the factory's next start. `on_change` gets the present one and every later one."""
        if self._factory is None:
            raise TypeError("this client has no informers to watch with")
        name = f"metadata.name={resource.key}"
        informer = self._factory.informer(CRD_RESOURCE, CustomResourceDefinition, field_selector=name)
        informer.add_handler(_Listening(on_change, on_delete), name="definition")
        return informer


class _Listening:
    """A handler that is called with the definition, and when it is deleted."""

    def __init__(self, changed: Callable[[CustomResourceDefinition], None], gone: Callable[[], None]) -> None:
        self._on_change = changed
        self._on_delete = gone

    def on_add(self, obj: CustomResourceDefinition, is_in_initial_list: bool) -> None:  # noqa: ARG002
        self._on_change(obj)

    def on_update(self, old: CustomResourceDefinition, new: CustomResourceDefinition) -> None:  # noqa: ARG002
        self._on_change(new)

    def on_delete(self, obj: CustomResourceDefinition, final_state_unknown: bool) -> None:  # noqa: ARG002
        self._on_delete()
