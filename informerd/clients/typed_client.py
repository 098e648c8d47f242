"""Typed client: the dynamic client's verbs, with objects of a type that the caller names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from informerd.clients.codec import Codec, ProjectionCodec
from informerd.clients.dynamic_client import DynamicClient
from informerd.clients.official_models import ModelCodec
from informerd.clients.resource_client import ResourceClient
from informerd.decoding.projection_validation import check_projection
from informerd.errors import InvalidCall
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.rest.warning_log import OnWarning

T = TypeVar("T")


class TypedClient:
    """Makes clients of single resources, which share one Client and one Discovery (by default one of its own)."""

    def __init__(self, client: Client, *, discovery: Discovery | None = None) -> None:
        self._dynamic = DynamicClient(client, discovery=discovery)

    def resource(
        self, resource: Resource | str, type_: type[T], namespace: str = "", *, on_warning: OnWarning | None = None
    ) -> ResourceClient[T]:
        """The verbs of a resource, whose objects are of `type_`.

        That is a projection (a msgspec struct that extends `Object`; it carries the whole object, for reading and
        patching) or a class of the official client's models, such as V1Deployment (for everything;
        `informerd.clients.official_models` says what they leave out). Objects to send may always be plain dicts. Raises
        InvalidCall for another type and UnusableProjection.
        """
        resolved = self._dynamic.resolve(resource)
        return ResourceClient(self._dynamic.client, resolved, _codec_for(type_), namespace, on_warning=on_warning)


def _codec_for(type_: type[T]) -> Callable[[Resource], Codec[T]]:
    if not isinstance(type_, type):
        raise InvalidCall(f"give a type for objects, such as a subclass of Object, not {type_!r}")
    chosen: Any = type_
    if issubclass(type_, Object):
        check_projection(chosen)
        return cast("Callable[[Resource], Codec[T]]", lambda resource: ProjectionCodec(resource, chosen))
    if hasattr(type_, "openapi_types"):
        return cast("Callable[[Resource], Codec[T]]", lambda resource: ModelCodec(resource, chosen))
    raise InvalidCall(f"{type_.__name__} is neither a projection (a subclass of Object) nor an official model")
