"""Watch of the cluster's roles and bindings: whom a change is about, and in which namespaces somebody is named."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from dashboard.access.person import Person
from dashboard.runtime.background_tasks import cancel_all
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import HandlerFunctions
from informerd.cache.shared_informer import SharedInformer
from informerd.clock import Clock
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client

CHECK_INTERVAL = 1.0
"""Seconds between two looks whether the cluster's client is another one."""
EVERYBODY = "system:authenticated"
"""The group of all who are signed in."""
_GROUP = "rbac.authorization.k8s.io"

Subject = tuple[str, str]
"""User or Group, and the name."""


def _resource(kind: str, *, namespaced: bool) -> Resource:
    return Resource(group=_GROUP, version="v1", plural=f"{kind.lower()}s", kind=kind, namespaced=namespaced)


ROLES = _resource("Role", namespaced=True)
CLUSTER_ROLES = _resource("ClusterRole", namespaced=False)
ROLE_BINDINGS = _resource("RoleBinding", namespaced=True)
CLUSTER_ROLE_BINDINGS = _resource("ClusterRoleBinding", namespaced=False)


class _Subject(msgspec.Struct, frozen=True):
    kind: str = ""
    name: str = ""


class _RoleRef(msgspec.Struct, frozen=True):
    kind: str = ""
    name: str = ""


class Binding(Object, frozen=True, kw_only=True):
    """A RoleBinding or ClusterRoleBinding. No service account signs in here, so they are left out."""

    subjects: tuple[_Subject, ...] | None = None
    role_ref: _RoleRef = msgspec.field(default_factory=_RoleRef)

    @property
    def people(self) -> frozenset[Subject]:
        """The users and groups that it names."""
        return frozenset((each.kind, each.name) for each in self.subjects or () if each.kind in ("User", "Group"))


@dataclass(frozen=True, slots=True)
class RbacChange:
    """A change of rights: of whom, and in which namespace; empty for all namespaces."""

    subjects: frozenset[Subject]
    namespace: str

    def is_about(self, person: Person) -> bool:
        return not self.subjects.isdisjoint(subjects_of(person))


def subjects_of(person: Person) -> tuple[Subject, ...]:
    """All that bindings may name somebody by."""
    return (("User", person.name), *(("Group", group) for group in (*person.groups, EVERYBODY)))


class RbacWatch:
    """Follows roles and bindings with the client that `client` returns, while `run` runs.

    `on_change` is called with each change after the first lists, `on_listed` once these are there, and `on_switch` when
    `client` returns another client.
    """

    def __init__(
        self,
        client: Callable[[], Client | None],
        clock: Clock,
        *,
        on_change: Callable[[RbacChange], None],
        on_listed: Callable[[], None],
        on_switch: Callable[[], None],
    ) -> None:
        self._client = client
        self._clock = clock
        self._on_change = on_change
        self._on_listed = on_listed
        self._on_switch = on_switch
        self._bindings: SharedInformer[Binding] | None = None
        self._informers: tuple[SharedInformer[Any], ...] = ()

    @property
    def is_listed(self) -> bool:
        """Whether all roles and bindings have been listed."""
        return bool(self._informers) and all(each.has_synced for each in self._informers)

    @property
    def is_live(self) -> bool:
        """Whether all roles and bindings are known, and each change arrives."""
        return bool(self._informers) and all(
            each.has_synced and each.health().state == "live" for each in self._informers
        )

    @property
    def problem(self) -> str:
        """Why they are not, as a sentence; empty where they are, or are being listed."""
        return next((health.problem for each in self._informers if (health := each.health()).problem), "")

    def namespaces_of(self, person: Person) -> frozenset[str]:
        """Namespaces in which a RoleBinding names somebody or one of their groups. Empty unless `is_listed`."""
        if self._bindings is None:
            return frozenset()
        store = self._bindings.store
        return frozenset(
            binding.metadata.namespace
            for subject in subjects_of(person)
            for binding in store.by_index("subject", _index_value(subject))
        )

    async def run(self) -> None:
        """Watch until cancelled, each client of the cluster after the other."""
        while True:
            client = self._client()
            if client is None:
                await self._clock.sleep(CHECK_INTERVAL)
                continue
            async with SharedInformerFactory(client, clock=self._clock) as factory:
                self._begin(factory)
                listing = asyncio.create_task(self._wait_for_first_lists(), name="first roles and bindings")
                try:
                    while self._client() is client:
                        await self._clock.sleep(CHECK_INTERVAL)
                finally:
                    await cancel_all([listing])
                    self._informers, self._bindings = (), None
            self._on_switch()

    async def _wait_for_first_lists(self) -> None:
        """Return when all four are listed. What changes before that is not told apart, so everything may have."""
        for informer in self._informers:
            await informer.wait_for_sync()
        self._on_listed()

    def _begin(self, factory: SharedInformerFactory) -> None:
        roles, cluster_roles = factory.informer(ROLES), factory.informer(CLUSTER_ROLES)
        bindings, cluster_bindings = (
            factory.informer(ROLE_BINDINGS, Binding),
            factory.informer(CLUSTER_ROLE_BINDINGS, Binding),
        )
        for informer in (bindings, cluster_bindings):
            informer.add_index("subject", lambda binding: [_index_value(each) for each in binding.people])
            informer.add_index("role", lambda binding: f"{binding.role_ref.kind}/{binding.role_ref.name}")
            informer.add_handler(_handler(self._binding_changed))

        def role_changed(role: Object, _: Object | None = None) -> None:
            named = bindings.store.by_index("role", f"Role/{role.metadata.name}")
            self._role_changed(each for each in named if each.metadata.namespace == role.metadata.namespace)

        def cluster_role_changed(role: Object, _: Object | None = None) -> None:
            name = f"ClusterRole/{role.metadata.name}"
            self._role_changed((*bindings.store.by_index("role", name), *cluster_bindings.store.by_index("role", name)))

        roles.add_handler(_handler(role_changed))
        cluster_roles.add_handler(_handler(cluster_role_changed))
        self._bindings, self._informers = bindings, (roles, cluster_roles, bindings, cluster_bindings)
        factory.start()

    def _role_changed(self, bindings: Iterable[Binding]) -> None:
        for binding in bindings:
            self._on_change(RbacChange(binding.people, binding.metadata.namespace))

    def _binding_changed(self, binding: Binding, before: Binding | None = None) -> None:
        named = binding.people | (before.people if before is not None else frozenset())
        self._on_change(RbacChange(named, binding.metadata.namespace))


def _handler(changed: Callable[..., None]) -> HandlerFunctions[Any]:
    """Calls `changed` for each change after the first list."""

    def on_add(obj: Any, is_in_initial_list: bool) -> None:
        if not is_in_initial_list:
            changed(obj)

    return HandlerFunctions(
        on_add=on_add, on_update=lambda old, new: changed(new, old), on_delete=lambda obj, _: changed(obj)
    )


def _index_value(subject: Subject) -> str:
    return f"{subject[0]}/{subject[1]}"
