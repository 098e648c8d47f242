"""Codecs between JSON and the form of object that a caller of the dynamic or typed client works with."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

import msgspec

from informerd.decoding.decoder import Decoder
from informerd.errors import UNREADABLE, InvalidCall, MalformedAnswer, UnexpectedObject
from informerd.objects import Object
from informerd.resource import Resource
from informerd.unstructured import Json

T = TypeVar("T")
P = TypeVar("P", bound=Object)


class Codec(Protocol[T]):
    """Between JSON and one form of objects, for one resource."""

    def decode(self, raw: bytes | memoryview) -> T:
        """An object that came, whole or as an item of a list (which may lack kind and apiVersion).

        Raises MalformedAnswer for what is no JSON and UnexpectedObject for what does not fit.
        """
        ...

    def encode(self, obj: T) -> Json:
        """An object to send. Raises InvalidCall where sending it would lose something."""
        ...


class JsonCodec:
    """Plain dicts, as they are in a manifest."""

    def __init__(self, resource: Resource) -> None:
        self._type = {"apiVersion": resource.api_version, "kind": resource.kind}

    def decode(self, raw: bytes | memoryview) -> Json:
        try:
            decoded: Any = msgspec.json.decode(raw)
        except UNREADABLE as error:
            raise MalformedAnswer(f"an object is not valid JSON: {error}") from error
        if not isinstance(decoded, dict):
            raise UnexpectedObject(f"expected a {self._type['kind']}, got no object at all")
        return decoded if "kind" in decoded else {**self._type, **decoded}

    def encode(self, obj: Json) -> Json:
        return obj


class ProjectionCodec(Generic[P]):
    """Projections (`informerd.objects`): a few fields typed, the whole object by `full`. For reading only."""

    def __init__(self, resource: Resource, projection: type[P]) -> None:
        self._decoder = Decoder(resource, projection)

    def decode(self, raw: bytes | memoryview) -> P:
        try:
            return self._decoder.decode_item(memoryview(raw))
        except UNREADABLE as error:
            raise MalformedAnswer(f"an object is not valid JSON: {error}") from error

    def encode(self, obj: P) -> Json:
        raise InvalidCall(
            f"{type(obj).__name__} {obj.key} is a projection, which has some of the fields only: sent as it is, "
            "it would delete the others. Patch, or change what full() gives and send that."
        )
