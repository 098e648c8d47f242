"""What the definition of a custom resource says of how to print it."""

from __future__ import annotations

import logging

import msgspec

from dashboard.live.messages import Described, Printed
from informerd.errors import InformerdError, NotFound
from informerd.resource import Resource
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class _Printer(msgspec.Struct, rename="camel"):
    name: str = ""
    type: str = "string"
    json_path: str = msgspec.field(name="jsonPath", default="")
    priority: int = 0


class _Version(msgspec.Struct, rename="camel"):
    name: str = ""
    additional_printer_columns: tuple[_Printer, ...] = ()


class _Spec(msgspec.Struct):
    versions: tuple[_Version, ...] = ()


class _Definition(msgspec.Struct):
    spec: _Spec = msgspec.field(default_factory=_Spec)


class Definitions:
    """Asks the API server for definitions as they are now."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def describe(self, resource: Resource) -> Described:
        """The columns of the version that is followed. None where there is no definition or it may not be read."""
        try:
            answer = await self._client.request("GET", f"{PATH}/{resource.key}")
            definition = answer.decode(_Definition)
        except NotFound:
            return Described(resource.namespaced)
        except InformerdError as error:
            logger.warning("printer columns of %s cannot be read, so they are not shown: %s", resource.key, error)
            return Described(resource.namespaced)
        of_version = {version.name: version.additional_printer_columns for version in definition.spec.versions}
        columns = of_version.get(resource.version, ())
        return Described(
            resource.namespaced,
            tuple(Printed(each.name, each.type, each.json_path, each.priority) for each in columns),
        )
