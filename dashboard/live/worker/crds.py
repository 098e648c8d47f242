"""What the definitions of custom resources serve and how they print it, now and whenever that changes."""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec

from dashboard.live.messages import Described, Printed
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import InformerdError, NotFound
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

DEFINITIONS = Resource(
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


class Definition(Object, frozen=True, kw_only=True):
    """A CustomResourceDefinition, of which only what it serves and the printer columns are read."""

    spec: _Spec = msgspec.field(default_factory=_Spec)
    status: _Status = msgspec.field(default_factory=_Status)

    def serves(self, resource: Resource) -> bool:
        """Whether its objects can be had as this resource: in its version, of its Kind, in namespaces or not."""
        versions = {version.name for version in self.spec.versions if version.served}
        scope = "Namespaced" if resource.namespaced else "Cluster"
        kind = self.status.accepted_names.kind or resource.kind
        return (resource.version, scope, resource.kind) in {(version, self.spec.scope, kind) for version in versions}

    def describe(self, resource: Resource) -> Described:
        """The columns of the version that is followed."""
        of_version = {version.name: version.additional_printer_columns for version in self.spec.versions}
        columns = of_version.get(resource.version, ())
        return Described(
            resource.namespaced,
            tuple(Printed(each.name, each.type, each.json_path, each.priority) for each in columns),
            resource.version,
        )


class Definitions:
    """Asks the API server for definitions, one at a time."""

    def __init__(self, client: Client, factory: SharedInformerFactory) -> None:
        self._client = client
        self._factory = factory

    async def find(self, resource: Resource) -> Definition | None:
        """The definition as it is now; None where there is none or it may not be read."""
        try:
            answer = await self._client.request("GET", DEFINITIONS.path(name=resource.key))
            definition: Definition = answer.decode(Definition)
        except NotFound:
            return None
        except InformerdError as error:
            logger.warning("printer columns of %s cannot be read, so they are not shown: %s", resource.key, error)
            return None
        return definition

    def watch(
        self, resource: Resource, changed: Callable[[Definition], None], gone: Callable[[], None]
    ) -> SharedInformer[Definition]:
        """Follow one definition; it runs with the factory's next start. `changed` hears of it at once and after."""
        name = f"metadata.name={resource.key}"
        informer = self._factory.informer(DEFINITIONS, Definition, field_selector=name)
        informer.add_handler(_Listening(changed, gone), name="definition")
        return informer


class _Listening:
    """A handler that is told what a definition is, and when it is gone."""

    def __init__(self, changed: Callable[[Definition], None], gone: Callable[[], None]) -> None:
        self._changed = changed
        self._gone = gone

    def on_add(self, obj: Definition, is_in_initial_list: bool) -> None:  # noqa: ARG002
        self._changed(obj)

    def on_update(self, old: Definition, new: Definition) -> None:  # noqa: ARG002
        self._changed(new)

    def on_delete(self, obj: Definition, final_state_unknown: bool) -> None:  # noqa: ARG002
        self._gone()
