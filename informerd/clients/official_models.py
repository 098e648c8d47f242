"""Conversion to and from the official client's models (``kubernetes.aio.client.models``, such as V1Pod).

The package is an extra of informerd, and is imported by the first call: that takes about a second and 100 MB. Nothing
here opens a connection or a session.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any, Generic, Protocol, Self, TypeVar, cast

from informerd.clients.codec import JsonCodec
from informerd.errors import InvalidCall, MissingExtra, UnexpectedObject
from informerd.resource import Resource
from informerd.unstructured import Json


class Model(Protocol):
    """Interface of every official model class."""

    @classmethod
    def from_dict(cls, obj: dict[str, Any] | None) -> Self | None: ...


M = TypeVar("M", bound=Model)


def to_model(model: type[M], obj: Json) -> M:
    """A whole object, such as `Object.full` or the dynamic client gives, as an official model.

    Fields that this release of the models does not know are left out. Raises UnexpectedObject, which names the field,
    where the object breaks the models' rules.
    """
    from pydantic import ValidationError  # the models' own, so that it is there

    try:
        converted = model.from_dict(obj)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, each['loc'])) or error.title}: {each['msg']}" for each in error.errors()
        )
        raise UnexpectedObject(f"{model.__name__} does not fit an object: {problems}") from error
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise UnexpectedObject(f"{model.__name__} does not fit an object: {error}") from error
    if converted is None:
        raise UnexpectedObject(f"{model.__name__} does not fit: there is no object")
    return converted


def to_body(obj: Model) -> Json:
    """An official model as a plain dict, ready to be sent; what is None is left out.

    Times are written with microseconds, in UTC: the only form that both metav1.Time and metav1.MicroTime (as in leases)
    take. (The official client leaves the microseconds out where they are 0, and leases are then refused.) Raises
    InvalidCall for a time without a zone, and MissingExtra.
    """
    return cast("Json", _writer().sanitize_for_serialization(obj))


class ModelCodec(Generic[M]):
    """Official models of one class, for one resource."""

    def __init__(self, resource: Resource, model: type[M]) -> None:
        self._model = model
        self._json = JsonCodec(resource)

    def decode(self, raw: bytes | memoryview) -> M:
        return to_model(self._model, self._json.decode(raw))

    def encode(self, obj: M) -> Json:
        return to_body(obj)


@cache
def _writer() -> Any:
    """The official client's way to write models, without the client. Raises MissingExtra."""
    try:
        from kubernetes.aio.client import ApiClient
    except ModuleNotFoundError as error:
        raise MissingExtra("to_body", "kubernetes") from error

    class Writer(ApiClient):
        def __init__(self) -> None:  # the official one reads the system's certificates, which nothing here needs
            pass

        def sanitize_for_serialization(self, obj: Any) -> Any:
            if isinstance(obj, datetime):
                if obj.tzinfo is None:
                    raise InvalidCall(f"the time {obj} has no time zone: give it one, such as UTC")
                return obj.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            return super().sanitize_for_serialization(obj)  # type: ignore[no-untyped-call]

    return Writer()
