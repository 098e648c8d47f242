"""Informers of one resource, one for each of some namespaces, that are read as one.

For an account that may list single namespaces only (controller-runtime's cache.Options.DefaultNamespaces). Here
namespaces can come and go while the informers run. Each has a list, a watch and resource versions of its own; versions
of two namespaces are never compared.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import Handler
from informerd.cache.health import Health
from informerd.cache.namespace_health import joined_health
from informerd.cache.shared_informer import Registration, SharedInformer
from informerd.decoding.decoder import Reduce, Transform
from informerd.errors import Forbidden, Unreadable
from informerd.objects import Object
from informerd.resource import Resource

T = TypeVar("T", bound=Object)

OnForbidden = Callable[[str, Forbidden], None]
"""Called with a namespace and the error each time that its list or watch is forbidden."""


class _Member(Generic[T]):
    """One namespace. `informer` is None where it was denied."""

    def __init__(self, informer: SharedInformer[T] | None, *, is_late: bool) -> None:
        self.informer = informer
        self.is_late = is_late
        """Whether it came, or could first be listed, after the others: until its objects are there, it is left out."""
        self.registrations: dict[JoinedRegistration[T], Registration[T]] = {}
        self.problem = ""
        self.since = 0.0
        """Why it was denied, and since when (Unix seconds)."""

    @property
    def is_forbidden(self) -> bool:
        return self.informer is None or (not self.informer.has_synced and self.informer.health().state == "forbidden")

    @property
    def is_handled(self) -> bool:
        """Whether its first list is in the store, and all handlers have seen it."""
        has_list = self.informer is not None and self.informer.has_synced
        return has_list and all(each.has_synced for each in self.registrations.values())


class JoinedRegistration(Generic[T]):
    """Registration of one handler at all namespaces, see `NamespaceInformers.add_handler`."""

    def __init__(self, members: Mapping[str, _Member[T]], handler: Handler[T], name: str) -> None:
        self.handler = handler
        self.name = name
        self._members = members

    @property
    def has_synced(self) -> bool:
        """Whether the handler has seen the first list of each namespace that may be listed."""
        counted = [member for member in self._members.values() if not (member.is_forbidden or member.is_late)]
        return bool(counted) and all(self in each.registrations and each.is_handled for each in counted)

    @property
    def depth(self) -> int:
        """Number of notifications that wait for the handler."""
        return sum(each.depth for each in self._parts)

    @property
    def oldest_age(self) -> float:
        """Age of the oldest of them in seconds."""
        return max((each.oldest_age for each in self._parts), default=0.0)

    def remove(self) -> None:
        """Notify the handler no longer."""
        for member in self._members.values():
            if (registration := member.registrations.pop(self, None)) is not None:
                registration.remove()

    @property
    def _parts(self) -> list[Registration[T]]:
        return [member.registrations[self] for member in self._members.values() if self in member.registrations]


class NamespaceInformers(Generic[T]):
    """Informers of `resource` in the namespaces that were added, made by `factory` and started with its next start.

    A namespace that may not be listed does not hold up the others; its informer tries again as any other does.
    """

    def __init__(
        self,
        factory: SharedInformerFactory,
        resource: Resource,
        projection: type[T],
        *,
        transform: Transform | None = None,
        reduce: Reduce | None = None,
        on_forbidden: OnForbidden = lambda _namespace, _error: None,
    ) -> None:
        self.resource = resource
        self._factory = factory
        self._projection = projection
        self._transform = transform
        self._reduce = reduce
        self._on_forbidden = on_forbidden
        self._members: dict[str, _Member[T]] = {}
        self._registrations: list[JoinedRegistration[T]] = []
        self._listeners: dict[object, Callable[[Health], None]] = {}
        self._has_settled = False

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces that have an informer."""
        return tuple(name for name, member in self._members.items() if member.informer is not None)

    @property
    def informers(self) -> tuple[SharedInformer[T], ...]:
        """Their informers, in the same order."""
        return tuple(member.informer for member in self._members.values() if member.informer is not None)

    @property
    def unreadable(self) -> Mapping[str, Unreadable]:
        """By key the objects that exist and cannot be read, see `SharedInformer.unreadable`."""
        return ChainMap(*(dict(informer.unreadable) for informer in self.informers))

    @property
    def has_settled(self) -> bool:
        """Whether each namespace has been listed, or may not be, and one has been listed at least."""
        members = [member for member in self._members.values() if not member.is_late]
        listed = [member for member in members if not member.is_forbidden]
        return bool(listed) and all(each.informer is not None and each.informer.has_synced for each in listed)

    def has_listed(self, namespace: str) -> bool:
        """Whether the namespace has had a complete list."""
        member = self._members.get(namespace)
        return member is not None and member.informer is not None and member.informer.has_synced

    def add(self, namespace: str) -> None:
        """Follow a namespace from the factory's next start; nothing to do where it is followed.

        Handlers get its objects as adds of the initial list. Raises what `SharedInformerFactory.informer` raises.
        """
        before = self._members.get(namespace)
        if before is not None and before.informer is not None:
            return
        informer = self._factory.informer(
            self.resource, self._projection, transform=self._transform, reduce=self._reduce, namespace=namespace
        )
        member = self._members[namespace] = _Member(informer, is_late=self._note_settled())
        informer.set_watch_error_handler(lambda error: self._failed(namespace, error))
        informer.on_health(lambda _: self._tell())
        for registration in self._registrations:
            self._register(member, registration)

    async def remove(self, namespace: str) -> None:
        """Follow a namespace no longer. Handlers are not told of its objects: the caller knows that they are gone."""
        member = self._members.pop(namespace, None)
        if member is not None and member.informer is not None:
            await self._factory.drop(member.informer)
        self._tell()

    async def deny(self, namespace: str, problem: str, since: float) -> None:
        """As `remove`, for a namespace that may no longer be listed: until `add` the health says so."""
        member = self._members.pop(namespace, None)
        denied = self._members[namespace] = _Member[T](None, is_late=True)
        denied.problem, denied.since = problem, since
        if member is not None and member.informer is not None:
            await self._factory.drop(member.informer)
        self._tell()

    async def close(self) -> None:
        """Stop all; returns when they have ended."""
        informers = self.informers
        self._members.clear()
        await self._factory.drop(*informers)

    def add_handler(self, handler: Handler[T], *, name: str = "") -> JoinedRegistration[T]:
        """Notify `handler` of the objects of all namespaces, those that are added later included, and of each change.

        In order within a namespace; see `SharedInformer.add_handler`.
        """
        registration = JoinedRegistration(self._members, handler, name)
        self._registrations.append(registration)
        for member in self._members.values():
            self._register(member, registration)
        return registration

    def on_health(self, listener: Callable[[Health], None]) -> Callable[[], None]:
        """Call `listener` with the joined health where that of a namespace changes; returns a function that ends
        this.
        """
        token = object()
        self._listeners[token] = listener
        return lambda: self._listeners.pop(token, None) and None

    def health(self) -> Health:
        """The worst health of the namespaces, see `joined_health`."""
        self._note_settled()
        counted: dict[str, Health] = {}
        forbidden: dict[str, Health] = {}
        lost: list[str] = []
        for namespace, member in self._members.items():
            if member.informer is None:
                forbidden[namespace] = Health("forbidden", member.since, problem=member.problem)
                lost.append(namespace)
            elif member.is_forbidden:
                forbidden[namespace] = member.informer.health()
            elif not member.is_late:
                counted[namespace] = member.informer.health()
        return joined_health(counted, forbidden, tuple(lost))

    def _note_settled(self) -> bool:
        """Once all have been listed, those that could not be are late; a late one counts once it is handled."""
        self._has_settled = self._has_settled or self.has_settled
        for member in self._members.values():
            if member.is_late and member.is_handled:
                member.is_late = False
            elif self._has_settled and member.is_forbidden:
                member.is_late = True
        return self._has_settled

    def _register(self, member: _Member[T], registration: JoinedRegistration[T]) -> None:
        if member.informer is not None:
            member.registrations[registration] = member.informer.add_handler(
                registration.handler, name=registration.name
            )

    def _failed(self, namespace: str, error: Exception) -> None:
        if isinstance(error, Forbidden):
            self._on_forbidden(namespace, error)

    def _tell(self) -> None:
        for listener in [*self._listeners.values()]:
            listener(self.health())


AnyInformer = SharedInformer[Any] | NamespaceInformers[Any]
