"""Predicates that decide which events cause a reconcile (controller-runtime's predicate package)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from inspect import isawaitable
from types import CoroutineType
from typing import Generic, TypeVar

from informerd.cache.handler import is_another_object, name_of
from informerd.controller.events import ObjectEvent, Updated
from informerd.errors import InvalidCall
from informerd.objects import Object

T = TypeVar("T", bound=Object)
T_contra = TypeVar("T_contra", bound=Object, contravariant=True)


class Predicate(ABC, Generic[T_contra]):
    """Decides whether an event causes a reconcile. Combine predicates with ``&``, ``|`` and ``~``; those of a source
    are ANDed.

    The call must be plain, quick, and depend on nothing but the event. An exception is logged with the predicate's
    name, and the event passes: a superfluous reconcile does no harm, a missed one may.
    """

    @abstractmethod
    def __call__(self, event: ObjectEvent[T_contra], /) -> bool:
        """Whether the event passes."""

    @property
    def name(self) -> str:
        """Its name in the log."""
        return type(self).__qualname__

    def __and__(self: Predicate[T], other: Predicate[T]) -> Predicate[T]:
        return _And(self, other)

    def __or__(self: Predicate[T], other: Predicate[T]) -> Predicate[T]:
        return _Or(self, other)

    def __invert__(self) -> Predicate[T_contra]:
        return _Not(self)


class _And(Predicate[T]):
    def __init__(self, one: Predicate[T], other: Predicate[T]) -> None:
        self._one, self._other = check_predicate(one), check_predicate(other)

    def __call__(self, event: ObjectEvent[T], /) -> bool:
        return evaluate(self._one, event) and evaluate(self._other, event)

    @property
    def name(self) -> str:
        return f"({self._one.name} & {self._other.name})"


class _Or(Predicate[T]):
    def __init__(self, one: Predicate[T], other: Predicate[T]) -> None:
        self._one, self._other = check_predicate(one), check_predicate(other)

    def __call__(self, event: ObjectEvent[T], /) -> bool:
        return evaluate(self._one, event) or evaluate(self._other, event)

    @property
    def name(self) -> str:
        return f"({self._one.name} | {self._other.name})"


class _Not(Predicate[T]):
    def __init__(self, inner: Predicate[T]) -> None:
        self._inner = inner

    def __call__(self, event: ObjectEvent[T], /) -> bool:
        return not evaluate(self._inner, event)

    @property
    def name(self) -> str:
        return f"~{self._inner.name}"


class _Function(Predicate[T]):
    def __init__(self, name: str, function: Callable[[ObjectEvent[T]], bool]) -> None:
        self._name, self._function = name, function

    def __call__(self, event: ObjectEvent[T], /) -> bool:
        return self._function(event)

    @property
    def name(self) -> str:
        return self._name


class _OnChange(Predicate[Object]):
    """Lets through whatever is no update, and updates that changed what `_of` gives, or the object as such.

    An update whose uids differ stands for a delete and a re-create that were missed. (controller-runtime compares
    these two as if they were one, and may lose it.)
    """

    def __call__(self, event: ObjectEvent[Object], /) -> bool:
        if not isinstance(event, Updated):
            return True
        return self._of(event.old) != self._of(event.new) or is_another_object(event.old, event.new)

    @abstractmethod
    def _of(self, obj: Object) -> object: ...


class GenerationChanged(_OnChange):
    """Leaves out updates that leave ``metadata.generation`` as it was: those of the status, labels and annotations.

    Kinds without a generation, such as pods and config maps, have no update that passes it.
    """

    def _of(self, obj: Object) -> int:
        return obj.metadata.generation


class ResourceVersionChanged(_OnChange):
    """Leaves out updates that change nothing: resyncs and relists."""

    def _of(self, obj: Object) -> str:
        return obj.metadata.resource_version


class LabelChanged(_OnChange):
    """Leaves out updates that leave the labels as they were."""

    def _of(self, obj: Object) -> Mapping[str, str]:
        return obj.metadata.labels


class AnnotationChanged(_OnChange):
    """Leaves out updates that leave the annotations as they were."""

    def _of(self, obj: Object) -> Mapping[str, str]:
        return obj.metadata.annotations


def predicate(function: Callable[[ObjectEvent[T]], bool]) -> Predicate[T]:
    """A predicate of a plain function of the event, also as a decorator. Raises InvalidCall for what is no function."""
    if not callable(function):
        raise InvalidCall(f"a predicate is a function of an event, not {function!r}")
    return _Function(name_of(function), function)


def object_predicate(function: Callable[[T], bool]) -> Predicate[T]:
    """As `predicate`, of a function of the object, for an update of its new state. (predicate.NewPredicateFuncs.)"""
    if not callable(function):
        raise InvalidCall(f"a predicate is a function of an object, not {function!r}")
    return _Function(name_of(function), lambda event: function(event.objects[-1]))


def evaluate(predicate: Predicate[T], event: ObjectEvent[T]) -> bool:
    """Whether the event passes. Raises what the predicate raises, and InvalidCall for an async one.

    An awaitable would count as true: alone it would let every event pass, behind a ``~`` none.
    """
    answer: object = predicate(event)
    if isinstance(answer, bool):
        return answer
    if isinstance(answer, CoroutineType):
        answer.close()
    if isawaitable(answer):
        raise InvalidCall("a predicate must be a plain function that returns True or False, not an async one")
    return bool(answer)


def check_predicate(predicate: Predicate[T]) -> Predicate[T]:
    """The predicate itself. Raises InvalidCall for what is none."""
    given: object = predicate
    if isinstance(given, Predicate):
        return predicate
    if isinstance(given, type) and issubclass(given, Predicate):
        raise InvalidCall(f"{given.__name__} is the class of a predicate: write {given.__name__}()")
    raise InvalidCall(f"{name_of(given)} is not a predicate: predicate(function) makes one from a function of an event")
