"""Handlers that turn an event into requests (controller-runtime's handler package)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from inspect import isawaitable
from types import CoroutineType
from typing import Any, Generic, TypeVar

from informerd.cache.handler import name_of
from informerd.controller.events import ObjectEvent
from informerd.controller.predicates import Predicate
from informerd.controller.request import Request
from informerd.errors import InvalidCall
from informerd.objects import Object
from informerd.resource import Resource

T = TypeVar("T", bound=Object)
T_contra = TypeVar("T_contra", bound=Object, contravariant=True)


class EnqueueHandler(ABC, Generic[T_contra]):
    """Makes requests of events. Must be plain and quick, because it runs on the informer's event loop.

    An exception is logged with the handler's name, and the requests that it made before are used.
    """

    @abstractmethod
    def __call__(self, event: ObjectEvent[T_contra], /) -> Iterable[Request]:
        """The requests for an event; those that come twice are one to the work queue."""

    @property
    def name(self) -> str:
        """Its name in the log."""
        return type(self).__qualname__


class EnqueueObject(EnqueueHandler[Object]):
    """The object itself."""

    def __call__(self, event: ObjectEvent[Object], /) -> Iterable[Request]:
        return (Request.of(event.objects[-1]),)


class _EachState(EnqueueHandler[T]):
    """The requests of the old state and of the new one, without duplicates. An error for one state loses no requests of
    the other.

    So those are asked for, too, that an object has nothing to do with any more.
    """

    def __call__(self, event: ObjectEvent[T], /) -> Iterator[Request]:
        requests: dict[Request, None] = {}
        failures: list[Exception] = []
        for obj in event.objects:
            try:
                for request in self._of(obj):
                    requests[request] = None
            except Exception as error:  # noqa: BLE001 - it is raised after the requests of the other state
                failures.append(error)
        yield from requests
        if failures:
            raise failures[0]

    @abstractmethod
    def _of(self, obj: T) -> Iterable[Request]: ...


class EnqueueOwner(_EachState[Object]):
    """The objects of `resource` that own the object: the one that controls it, or any with `only_controller=False`.

    Owners are known by group and kind, of whatever version, and sought in the object's own namespace, or in none where
    the resource has none. Source: controller-runtime's handler/enqueue_owner.go. Raises InvalidCall.
    """

    def __init__(self, resource: Resource, *, only_controller: bool = True) -> None:
        if not isinstance(resource, Resource):
            raise InvalidCall(f"EnqueueOwner needs the owner's Resource, such as MYDEMOS, not {resource!r}")
        self._resource = resource
        self._only_controller = only_controller

    def _of(self, obj: Object) -> Iterator[Request]:
        resource = self._resource
        for owner in obj.metadata.owner_references:
            if owner.kind != resource.kind or owner.api_version.rpartition("/")[0] != resource.group:
                continue
            if owner.controller or not self._only_controller:
                yield Request(obj.metadata.namespace if resource.namespaced else "", owner.name)


class EnqueueMapped(_EachState[T]):
    """The requests that `function` gives for an object: a plain function, quick, such as a look into an index.

    It runs on an update's old and new state. Raises InvalidCall for what is no function.
    """

    def __init__(self, function: Callable[[T], Iterable[Request]]) -> None:
        if not callable(function):
            raise InvalidCall(f"EnqueueMapped needs a function from an object to requests, not {function!r}")
        self._function = function

    @property
    def name(self) -> str:
        return name_of(self._function)

    def _of(self, obj: T) -> Iterable[Request]:
        return [as_request(each) for each in _iterable(self._function(obj), self.name)]


def _iterable(answer: Any, name: str) -> Iterable[Any]:
    """Raises InvalidCall for an invalid result of a map function."""
    if isinstance(answer, CoroutineType):
        answer.close()
    if isawaitable(answer):
        raise InvalidCall(f"{name} must be a plain function: it runs between the informer and the queue")
    if isinstance(answer, Request):
        return (answer,)
    if answer is None or isinstance(answer, str) or not isinstance(answer, Iterable):
        raise InvalidCall(f"{name} returned {answer!r}: it must return requests, such as [Request.of(obj)], or []")
    return answer


def as_request(value: Any) -> Request:
    """The request itself. Raises InvalidCall for any other value, also for a string, which may be a mistake."""
    if isinstance(value, Request):
        return value
    raise InvalidCall(f"{value!r} is not a Request: write Request(namespace, name), or Request.from_key(text)")


def check_handler(handler: EnqueueHandler[T]) -> EnqueueHandler[T]:
    """The handler itself. Raises InvalidCall for what is none."""
    given: object = handler
    if isinstance(given, EnqueueHandler):
        return handler
    if isinstance(given, type) and issubclass(given, EnqueueHandler):
        raise InvalidCall(f"{given.__name__} is the class of a handler: write {given.__name__}(…)")
    if isinstance(given, Predicate):
        raise InvalidCall(f"{given.name} is a predicate where a handler is expected: EnqueueObject() comes before it")
    raise InvalidCall(
        f"{name_of(given)} is not a handler: EnqueueMapped(function) makes one from a function of an object"
    )
