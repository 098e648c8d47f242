"""Event handlers that users register with an informer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeVar

from informerd.errors import InvalidCall
from informerd.objects import Object

T = TypeVar("T", bound=Object)
T_contra = TypeVar("T_contra", bound=Object, contravariant=True)

HandlerReturn = Awaitable[None] | None
"""Handler methods may be plain or async; an async one is awaited before the next notification is given."""


class Handler(Protocol[T_contra]):
    """Gets every change of every object, in order, one at a time; a relist may repeat a notification.

    Changes missed during an outage come as one update, or as deletes before the adds. An object that was deleted and
    created again meanwhile is one update whose uids differ, see `is_another_object`.
    """

    def on_add(self, obj: T_contra, is_in_initial_list: bool) -> HandlerReturn:
        """It is new to the store. `is_in_initial_list`: it was there before the handler began to listen."""
        ...

    def on_update(self, old: T_contra, new: T_contra) -> HandlerReturn:
        """It changed."""
        ...

    def on_delete(self, obj: T_contra, final_state_unknown: bool) -> HandlerReturn:
        """It is gone. `final_state_unknown`: the delete was missed, and `obj` is the last state that was seen."""
        ...


class HandlerFunctions(Generic[T]):
    """A handler made of functions, each of which may be left out (client-go's ResourceEventHandlerFuncs)."""

    def __init__(
        self,
        *,
        on_add: Callable[[T, bool], HandlerReturn] | None = None,
        on_update: Callable[[T, T], HandlerReturn] | None = None,
        on_delete: Callable[[T, bool], HandlerReturn] | None = None,
    ) -> None:
        self._on_add = on_add
        self._on_update = on_update
        self._on_delete = on_delete

    @property
    def functions(self) -> list[Callable[..., HandlerReturn]]:
        """The functions that were given."""
        return [each for each in (self._on_add, self._on_update, self._on_delete) if each is not None]

    def on_add(self, obj: T, is_in_initial_list: bool) -> HandlerReturn:
        return self._on_add(obj, is_in_initial_list) if self._on_add else None

    def on_update(self, old: T, new: T) -> HandlerReturn:
        return self._on_update(old, new) if self._on_update else None

    def on_delete(self, obj: T, final_state_unknown: bool) -> HandlerReturn:
        return self._on_delete(obj, final_state_unknown) if self._on_delete else None


class FilteringHandler(Generic[T]):
    """Passes on only what `accepts` accepts: entering the filter is an add, leaving it a delete.

    (client-go's FilteringResourceEventHandler.) `accepts` must depend on nothing but the object.
    """

    def __init__(self, accepts: Callable[[T], bool], handler: Handler[T]) -> None:
        self._accepts = accepts
        self.inner = handler

    def on_add(self, obj: T, is_in_initial_list: bool) -> HandlerReturn:
        return self.inner.on_add(obj, is_in_initial_list) if self._accepts(obj) else None

    def on_update(self, old: T, new: T) -> HandlerReturn:
        before, after = self._accepts(old), self._accepts(new)
        if before and after:
            return self.inner.on_update(old, new)
        if after:
            return self.inner.on_add(new, False)
        return self.inner.on_delete(old, False) if before else None

    def on_delete(self, obj: T, final_state_unknown: bool) -> HandlerReturn:
        return self.inner.on_delete(obj, final_state_unknown) if self._accepts(obj) else None


def check_handler(handler: object) -> None:
    """Raises InvalidCall where it is not a Handler, such as a plain function."""
    methods = ("on_add", "on_update", "on_delete")
    missing = [name for name in methods if not callable(getattr(handler, name, None))]
    if missing:
        problem = f"{name_of(handler)} is not a handler, it has no {' and no '.join(missing)}"
        raise InvalidCall(f"{problem}: HandlerFunctions(on_add=…) makes one from functions")


NAME_LENGTH = 80


def name_of(handler: object) -> str:
    """Name of a handler for people: its class or its functions, cut to the last NAME_LENGTH characters."""
    if isinstance(handler, FilteringHandler):
        name = name_of(handler.inner)
    elif isinstance(handler, HandlerFunctions):
        name = ",".join(dict.fromkeys(map(name_of, handler.functions)))
    else:
        inner = getattr(handler, "func", handler)  # of a functools.partial
        name = getattr(inner, "__qualname__", type(inner).__qualname__)
    name = name.replace("<locals>.", "")
    return name if len(name) <= NAME_LENGTH else "…" + name[1 - NAME_LENGTH :]


def is_another_object(old: Object, new: Object) -> bool:
    """Whether an update stands for a missed delete and re-create under the same name."""
    return old.metadata.uid != new.metadata.uid
