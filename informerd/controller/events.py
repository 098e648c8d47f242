"""Events of objects that sources pass to predicates and handlers (controller-runtime's event package)."""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

import msgspec

from informerd.objects import Object

T_co = TypeVar("T_co", bound=Object, covariant=True)
T = TypeVar("T", bound=Object)


class Created(msgspec.Struct, Generic[T_co], frozen=True, gc=False):
    """It is new to the cache. `is_in_initial_list`: it was there before the controller began to listen."""

    obj: T_co
    is_in_initial_list: bool = False

    @property
    def objects(self) -> tuple[T_co, ...]:
        """The object's states in the event, the oldest first."""
        return (self.obj,)


class Updated(msgspec.Struct, Generic[T_co], frozen=True, gc=False):
    """It changed; or a resync or relist repeats it, and both have one resource version."""

    old: T_co
    new: T_co

    @property
    def objects(self) -> tuple[T_co, ...]:
        """The object's states in the event, the oldest first."""
        return (self.old, self.new)


class Deleted(msgspec.Struct, Generic[T_co], frozen=True, gc=False):
    """It is gone. `final_state_unknown`: the delete was missed, and `obj` is the last state that was seen."""

    obj: T_co
    final_state_unknown: bool = False

    @property
    def objects(self) -> tuple[T_co, ...]:
        """The object's states in the event, the oldest first."""
        return (self.obj,)


class GenericEvent(msgspec.Struct, Generic[T_co], frozen=True, gc=False):
    """Something outside the cluster concerns it: what a ChannelSource brings."""

    obj: T_co

    @property
    def objects(self) -> tuple[T_co, ...]:
        """The object's states in the event, the oldest first."""
        return (self.obj,)


ObjectEvent: TypeAlias = Created[T] | Updated[T] | Deleted[T] | GenericEvent[T]
"""Any of them. (The cluster's own Events, which people read, are another thing: see `informerd.record`.)"""


def is_unchanged(event: ObjectEvent[T]) -> bool:
    """Whether an event is of the initial list, or an update that repeats a resource version, and so can wait.

    Source: controller-runtime's handler.WithLowPriorityWhenUnchanged.
    """
    if isinstance(event, Created):
        return event.is_in_initial_list
    if isinstance(event, Updated):
        return event.old.metadata.resource_version == event.new.metadata.resource_version
    return False
