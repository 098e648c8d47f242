"""Random roles and bindings for people who are new to a cluster, many worlds at a time."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from dashboard.access.person import Person
from dashboard.cluster.rbac_watch import (
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    ROLE_BINDINGS,
    ROLES,
    RbacWatch,
)
from informerd.resource import Resource
from informerd.rest.client import Client
from tests.support.access.access_reviews import AccessReviews
from tests.support.access.marked_objects import (
    ALL_KINDS,
    EVENTS,
    NAMESPACED,
    PODS,
    MarkedObject,
    MarkedObjects,
    resource_of,
)
from tests.support.access.rbac_objects import GROUP, PolicyRule
from tests.support.wait import eventually

VERBS = ("get list watch", "get list watch", "list", "watch", "get", "get create update patch delete", "*")
CLUSTER_ROLES_A_BATCH, ROLES_A_NAMESPACE = 5, 3
LABEL = "test-batch"
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Grant:
    """A rule that a binding gives to somebody."""

    namespace: str
    """Of the RoleBinding; empty for a ClusterRoleBinding."""
    rule: PolicyRule
    subject: str

    def is_about(self, key: str, namespace: str) -> bool:
        """Whether it has a kind in a namespace; empty for all of them, or for kinds that have none."""
        resource = resource_of(key)
        return (
            self.namespace in ("", namespace)
            and not {"*", resource.group}.isdisjoint(self.rule.get("apiGroups") or ())
            and not {"*", resource.plural}.isdisjoint(self.rule.get("resources") or ())
        )

    @property
    def names(self) -> list[str]:
        return self.rule.get("resourceNames") or []


@dataclass
class World:
    """One person with random rights."""

    person: Person
    grants: list[Grant] = field(default_factory=list)

    @property
    def own_namespaces(self) -> set[str]:
        """Namespaces in which they have any right."""
        return {grant.namespace for grant in self.grants if grant.namespace}

    @property
    def has_all_groups(self) -> bool:
        """Whether a rule lets them read everything, Deltaboard's own pages included."""
        return any(not grant.namespace and "*" in grant.rule.get("apiGroups", ()) for grant in self.grants)

    def mentions(self, key: str, namespace: str) -> bool:
        """Whether any rule is about a kind in a namespace."""
        return any(grant.is_about(key, namespace) for grant in self.grants)

    def allows(self, verb: str, each: MarkedObject) -> bool:
        """Whether a rule lets them do this with an object of a namespace."""
        grants = [grant for grant in self.grants if grant.is_about(each.key, each.namespace)]
        return any(
            not {verb, "*"}.isdisjoint(grant.rule["verbs"]) and (not grant.names or each.name in grant.names)
            for grant in grants
        )

    def names(self, key: str, namespace: str, name: str) -> bool:
        """Whether any rule has an object's name."""
        return any(name in grant.names for grant in self.grants if grant.is_about(key, namespace))

    def __str__(self) -> str:
        lines = [f"{each.subject} in {each.namespace or 'all namespaces'}: {each.rule}" for each in self.grants]
        return "\n".join([f"{self.person}", *lines])


@dataclass(frozen=True)
class _Role:
    resource: Resource
    namespace: str
    name: str
    rules: tuple[PolicyRule, ...]


class RandomRbac:
    """Writes the roles and bindings of one batch of worlds. `remove` deletes them."""

    def __init__(self, client: Client, random: Random, objects: MarkedObjects) -> None:
        self._client = client
        self._random = random
        self._objects = objects
        self._batch = f"b{next(_numbers)}"
        self._roles: list[_Role] = []
        self._count = itertools.count(1)
        self.last = Person()
        """Somebody whose only right was written after all others."""

    async def create(self, number: int) -> list[World]:
        """So many worlds, with what they need in the cluster."""
        places = ["default", *self._objects.namespaces]
        await asyncio.gather(
            *(self._create_role(CLUSTER_ROLES, "") for _ in range(CLUSTER_ROLES_A_BATCH)),
            *(self._create_role(ROLES, place) for place in places for _ in range(ROLES_A_NAMESPACE)),
        )
        await self._aggregate()
        worlds = [self._new_world(f"{self._batch}-{i}") for i in range(number)]
        await asyncio.gather(*(self._bind_some(world) for world in worlds))
        await self._create_last()
        return worlds

    async def grant(self, world: World, namespace: str, rule: PolicyRule) -> str:
        """Give somebody one more right in a namespace; empty: in all. Returns the name of the binding."""
        resource = ROLES if namespace else CLUSTER_ROLES
        role = _Role(resource, namespace, f"{self._batch}-role-{next(self._count)}", (rule,))
        await self._write(resource, namespace, role.name, {"rules": role.rules})
        name = await self._bind(world, role, namespace, self._subject(world))
        await self._create_last()
        return name

    async def revoke(self, world: World, namespace: str, binding: str, rule: PolicyRule) -> None:
        """Delete the RoleBinding that `grant` has made."""
        await self._client.delete(ROLE_BINDINGS, binding, namespace)
        world.grants = [each for each in world.grants if each.rule is not rule]
        await self._create_last()

    async def until_known(self, watch: RbacWatch) -> None:
        """Wait until the API server's authorizer and the dashboard's watch have all that was written: each learns of
        the four kinds in their order, and of `last` last.
        """
        last = self.last.name

        async def is_effective() -> bool:
            reviews = AccessReviews(self._client, self.last)  # which remembers what it was told
            in_namespace = await reviews.allows("list", PODS, "default", subresource=last)
            return in_namespace and await reviews.allows("watch", PODS, subresource=last)

        def is_watched() -> bool:
            return all(
                any(each.metadata.name == last for each in informer.store.list()) for informer in watch._informers
            )

        await eventually(is_effective, what="the authorizer knows all roles and bindings")
        await eventually(is_watched, what="the dashboard knows all roles and bindings")

    async def remove(self) -> None:
        """Delete all that was written."""
        selector = f"{LABEL}={self._batch}"
        places = ["default", *self._objects.namespaces]
        await asyncio.gather(
            self._client.delete_collection(CLUSTER_ROLE_BINDINGS, label_selector=selector),
            self._client.delete_collection(CLUSTER_ROLES, label_selector=selector),
            *(
                self._client.delete_collection(each, place, label_selector=selector)
                for each in (ROLE_BINDINGS, ROLES)
                for place in places
            ),
        )  # fmt: skip

    def _new_world(self, name: str) -> World:
        groups = sorted(f"{name}-group-{i}" for i in range(self._random.choice([0, 0, 1, 2])))
        return World(Person(f"user-{name}", tuple(groups)))

    async def _create_role(self, resource: Resource, namespace: str) -> None:
        rules = tuple(self._rule(namespace) for _ in range(self._random.choice([1, 1, 2])))
        role = _Role(resource, namespace, f"{self._batch}-role-{next(self._count)}", rules)
        self._roles.append(role)  # before anything is awaited: the order of roles does not depend on the API server
        await self._write(resource, namespace, role.name, {"rules": rules})

    async def _aggregate(self) -> None:
        """A ClusterRole that aggregates two others. The controller manager's part is done here: it fills in the rules
        after a while.
        """
        parts = self._random.sample([role for role in self._roles if not role.namespace], 2)
        name = f"{self._batch}-aggregated"
        selector = {"clusterRoleSelectors": [{"matchLabels": {LABEL: self._batch}}]}
        await self._write(CLUSTER_ROLES, "", name, {"aggregationRule": selector})
        rules = tuple(rule for part in parts for rule in part.rules)
        await self._client.patch(CLUSTER_ROLES, name, "", {"rules": rules})
        self._roles.append(_Role(CLUSTER_ROLES, "", name, rules))

    def _rule(self, namespace: str) -> PolicyRule:
        """A random rule, as a role of that namespace or of all may have it."""
        choose, chance = self._random.choice, self._random.random
        if chance() < 0.05:
            return {"verbs": ["get", "list", "watch"], "apiGroups": ["*"], "resources": ["*"]}
        key = choose((*NAMESPACED, "pods", EVENTS) if namespace and chance() < 0.85 else ALL_KINDS)
        group = resource_of(key).group
        beside = [each for each in ALL_KINDS if resource_of(each).group == group and chance() < 0.35]
        kinds = sorted({key, *beside})
        if key == "pods" and chance() < 0.5:
            kinds = sorted({*kinds, EVENTS})
        verbs = choose(VERBS).split()
        rule = {"verbs": verbs, "apiGroups": [group], "resources": [resource_of(each).plural for each in kinds]}
        if chance() < 0.35:
            known = [
                each for each in self._objects.of(*kinds) if namespace in ("", each.namespace) or not each.namespace
            ]
            names = {each.name for each in self._random.sample(known, min(len(known), choose([1, 2, 3])))}
            rule["resourceNames"] = sorted(names)
        return rule

    async def _bind_some(self, world: World) -> None:
        cluster_roles = [each for each in self._roles if not each.namespace]
        chosen = []  # all, before anything is awaited: what somebody gets does not depend on how long the others take
        for _ in range(self._random.choice([0, 1, 2, 3, 4, 5])):
            role = self._random.choice(cluster_roles if self._random.random() < 0.4 else self._roles)
            namespace = role.namespace or self._random.choice(["", "", "default", *self._objects.namespaces])
            chosen.append((role, namespace, self._subject(world)))
        for role, namespace, subject in chosen:
            await self._bind(world, role, namespace, subject)

    def _subject(self, world: World) -> dict[str, str]:
        """The person, or one of their groups."""
        group = self._random.choice([*world.person.groups, ""])
        return {"kind": "Group", "name": group} if group else {"kind": "User", "name": world.person.name}

    async def _bind(self, world: World, role: _Role, namespace: str, subject: dict[str, str]) -> str:
        name = f"{self._batch}-binding-{next(self._count)}"
        subjects = [{"apiGroup": GROUP, **each} for each in (subject, {"kind": "User", "name": "somebody-else"})]
        body = {"subjects": subjects, "roleRef": {"apiGroup": GROUP, "kind": role.resource.kind, "name": role.name}}
        await self._write(ROLE_BINDINGS if namespace else CLUSTER_ROLE_BINDINGS, namespace, name, body)
        world.grants += [Grant(namespace, rule, subject["kind"]) for rule in role.rules]
        return name

    async def _create_last(self) -> None:
        """A person with a right that nobody else has, in the end of each of the four kinds."""
        name = f"{self._batch}-last-{next(self._count)}"
        rules = [{"verbs": ["list", "watch"], "apiGroups": [""], "resources": [f"pods/{name}"]}]
        await self._write(ROLES, "default", name, {"rules": rules})
        await self._write(CLUSTER_ROLES, "", name, {"rules": rules})
        subjects = [{"apiGroup": GROUP, "kind": "User", "name": name}]
        for resource, namespace, kind in (
            (ROLE_BINDINGS, "default", "Role"),
            (CLUSTER_ROLE_BINDINGS, "", "ClusterRole"),
        ):
            ref = {"apiGroup": GROUP, "kind": kind, "name": name}
            await self._write(resource, namespace, name, {"subjects": subjects, "roleRef": ref})
        self.last = Person(name)

    async def _write(self, resource: Resource, namespace: str, name: str, body: dict[str, Any]) -> None:
        metadata = {"name": name, "labels": {LABEL: self._batch}}
        whole = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata, **body}
        await self._client.create(resource, whole, namespace)


async def each_of(items: Iterable[Any], work: Callable[[Any], Awaitable[None]], *, at_once: int) -> None:
    """Do the work for each item, so many at once. The first error ends it."""
    queue = iter(items)

    async def worker() -> None:
        for item in queue:
            await work(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(worker())
