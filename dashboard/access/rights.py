"""Rights of one person in the cluster: the rules that apply to them, and the objects of a kind that these let them see.

A rule has the form and the meaning of RBAC's (rbac.authorization.k8s.io/v1 PolicyRule), as SelfSubjectRulesReview
returns them. Source of the matching: pkg/apis/rbac/v1/evaluation_helpers.go of Kubernetes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from dashboard.runtime.app_state import Key

ALL = "*"
LIST_VERBS = frozenset({"list", "watch", ALL})
"""A watch begins with all objects that there are: either verb tells of every object."""
READ_VERBS = LIST_VERBS | {"get"}
EVENT_KINDS = frozenset({"events", "events.events.k8s.io"})


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. Without `names` it is about every object of the resources."""

    verbs: frozenset[str]
    groups: frozenset[str]
    resources: frozenset[str]
    """Plurals, and subresources as ``pods/log``."""
    names: frozenset[str] = frozenset()

    def is_about(self, group: str, plural: str) -> bool:
        """Whether it is about a resource itself, not only about its subresources."""
        return not self.groups.isdisjoint((group, ALL)) and not self.resources.isdisjoint((plural, ALL))

    def allows(self, verb: str, group: str, plural: str, subresource: str, name: str) -> bool:
        """Whether it allows a request for an object, or without `name` for all objects."""
        resources = (ALL, f"{plural}/{subresource}", f"{ALL}/{subresource}") if subresource else (ALL, plural)
        return (
            not self.verbs.isdisjoint((verb, ALL))
            and not self.groups.isdisjoint((group, ALL))
            and not self.resources.isdisjoint(resources)
            and (not self.names or name in self.names)
        )

    def as_key(self) -> tuple[list[str], list[str], list[str], list[str]]:
        """The same for equal rules, whatever the order of their parts."""
        return sorted(self.verbs), sorted(self.groups), sorted(self.resources), sorted(self.names)


@dataclass(frozen=True, slots=True)
class KindScope:
    """Objects of one kind that somebody may see."""

    is_everything: bool = False
    namespaces: frozenset[str] = frozenset()
    """Namespaces of which every object may be seen."""
    names: frozenset[tuple[str, str]] = frozenset()
    """Namespace and name of single objects; the namespace is empty where the kind has none."""
    names_anywhere: frozenset[str] = frozenset()
    """Names of objects that may be seen in every namespace."""

    def includes(self, namespace: str, name: str) -> bool:
        return (
            self.is_everything
            or namespace in self.namespaces
            or name in self.names_anywhere
            or (namespace, name) in self.names
        )

    def includes_some_of(self, namespace: str) -> bool:
        """Whether it includes an object of this namespace, if there is one."""
        is_named = any(each == namespace for each, _ in self.names)
        return self.is_everything or namespace in self.namespaces or is_named

    @property
    def includes_cluster_scoped(self) -> bool:
        """Whether it includes an object that has no namespace, if there is one: rules within a namespace give none."""
        return self.is_everything or bool(self.names_anywhere) or self.includes_some_of("")

    @property
    def possible_namespaces(self) -> frozenset[str] | None:
        """Namespaces in which all of these objects are, empty for those that have none; None: they may be anywhere."""
        if self.is_everything or self.names_anywhere:
            return None
        return self.namespaces | {namespace for namespace, _ in self.names}

    @property
    def is_all_there(self) -> bool:
        """Whether these are all objects in `possible_namespaces`."""
        return not self.names and not self.names_anywhere

    @property
    def is_empty(self) -> bool:
        return not (self.is_everything or self.namespaces or self.names or self.names_anywhere)


NOTHING = KindScope()
EVERYTHING = KindScope(is_everything=True)


class Rights:
    """Rules that apply to somebody: those of every namespace, and those of single namespaces.

    Equal rights have equal fingerprints, in every process. `owner` is part of the fingerprint: it names the person
    where the rules are not all that is known of them, so that nobody shares their pages.
    """

    def __init__(
        self,
        everywhere: Iterable[Rule],
        by_namespace: Mapping[str, Iterable[Rule]] = MappingProxyType({}),
        *,
        urls: Iterable[tuple[str, str]] = (),
        owner: str = "",
    ) -> None:
        """`urls`: verbs and the addresses for which they are allowed, such as ``("get", "/metrics")``."""
        self.everywhere = tuple(everywhere)
        self.urls = frozenset(urls)
        own = {namespace: tuple(rules) for namespace, rules in by_namespace.items()}
        self.by_namespace = {namespace: rules for namespace, rules in sorted(own.items()) if rules}
        self.owner = owner
        self._scopes: dict[str, KindScope] = {}

    @cached_property
    def fingerprint(self) -> str:
        """Names these rights."""
        own = {name: _keys(each) for name, each in self.by_namespace.items()}
        content = [self.owner, _keys(self.everywhere), own, sorted(self.urls)]
        return hashlib.blake2b(json.dumps(content).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def scope_of(self, key: str) -> KindScope:
        """The objects of a kind that may be seen; `key` is ``plural`` or ``plural.group``.

        Everything of a namespace needs the right to list or watch there. One object is seen with the right to get,
        list or watch it by its name. A right to get any object by a name that one knows shows none: nobody learns
        from it which there are.
        """
        scope = self._scopes.get(key)
        if scope is None:
            scope = self._scopes[key] = self._scope_of(key)
        return scope

    def allows(self, verb: str, key: str, namespace: str = "", name: str = "", subresource: str = "") -> bool:
        """Whether a request is allowed: `key` is ``plural`` or ``plural.group``. Without `namespace` it is about all
        namespaces, or about a kind that has none; without `name` about all objects.
        """
        plural, _, group = key.partition(".")
        if key == "namespaces":  # a request for a Namespace is one in that namespace
            namespace = name
        rules = (*self.everywhere, *(self.by_namespace.get(namespace, ()) if namespace else ()))
        return any(rule.allows(verb, group, plural, subresource, name) for rule in rules)

    def may_see(self, key: str, namespace: str, name: str) -> bool:
        """Whether one object may be seen, in a list or by its name; without `name` all of them in the namespace."""
        if self.may_list(key, namespace, name):
            return True
        return bool(name) and key not in EVENT_KINDS and self.allows("get", key, namespace, name)

    def may_list(self, key: str, namespace: str, name: str) -> bool:
        """Whether one object may be named, as in a list; without `name` all of them in the namespace.

        An Event may be named with the object that it is about. That is not known here, and most have its name in
        theirs: they need the right to everything.
        """
        return self.sees_all if key in EVENT_KINDS else self.scope_of(key).includes(namespace, name)

    @property
    def sees_all(self) -> bool:
        """Whether every object of every kind may be seen."""
        return self.lists_all_of(ALL)

    def allows_url(self, verb: str, url: str) -> bool:
        """Whether a request for an address that is no resource is allowed."""
        return any(
            allowed in (verb, ALL)
            and (pattern == url or (pattern.endswith(ALL) and url.startswith(pattern.rstrip(ALL))))
            for allowed, pattern in self.urls
        )

    def with_name(self, key: str, namespace: str, name: str) -> Rights:
        """The same rights, and that to see one object of the kind `key`."""
        plural, _, group = key.partition(".")
        rule = Rule(frozenset({"get"}), frozenset({group}), frozenset({plural}), frozenset({name}))
        if not namespace:
            return Rights((*self.everywhere, rule), self.by_namespace, urls=self.urls, owner=self.owner)
        own = {**self.by_namespace, namespace: (*self.by_namespace.get(namespace, ()), rule)}
        return Rights(self.everywhere, own, urls=self.urls, owner=self.owner)

    def lists_all_of(self, group: str) -> bool:
        """Whether all objects of all kinds of an API group may be seen; with ``*`` those of all groups."""
        return _list_all(rule for rule in self.everywhere if rule.is_about(group, ALL))

    def _scope_of(self, key: str) -> KindScope:
        plural, _, group = key.partition(".")
        rules = [rule for rule in self.everywhere if rule.is_about(group, plural)]
        if _list_all(rules):
            return EVERYTHING
        if key == "namespaces":  # other kinds without a namespace are not asked for in one
            return KindScope(names=frozenset(("", name) for name in _names(rules) | self._readable_namespaces()))
        own = {
            namespace: [rule for rule in rules if rule.is_about(group, plural)]
            for namespace, rules in self.by_namespace.items()
        }
        return KindScope(
            namespaces=frozenset(namespace for namespace, rules in own.items() if _list_all(rules)),
            names=frozenset((namespace, name) for namespace, rules in own.items() for name in _names(rules)),
            names_anywhere=_names(rules),
        )

    def _readable_namespaces(self) -> frozenset[str]:
        """Namespaces that a rule within them lets somebody get: a request for a Namespace is one in that namespace
        (pkg/endpoints/request/requestinfo.go of Kubernetes' apiserver).
        """
        return frozenset(
            namespace
            for namespace, rules in self.by_namespace.items()
            for rule in rules
            if rule.is_about("", "namespaces")
            and not rule.verbs.isdisjoint(("get", ALL))
            and (not rule.names or namespace in rule.names)
        )


UNLIMITED = Rights([Rule(frozenset({ALL}), frozenset({ALL}), frozenset({ALL}))], urls=[(ALL, ALL)])
"""Rights to everything: of whoever acts with those of Deltaboard's account, and sees what that has."""
RIGHTS: Key[Rights] = Key("rights")
"""The rights of whoever asks."""


def _list_all(rules: Iterable[Rule]) -> bool:
    return any(not rule.names and not rule.verbs.isdisjoint(LIST_VERBS) for rule in rules)


def _names(rules: Iterable[Rule]) -> frozenset[str]:
    return frozenset(name for rule in rules if not rule.verbs.isdisjoint(READ_VERBS) for name in rule.names)


def _keys(rules: Iterable[Rule]) -> list[tuple[list[str], list[str], list[str], list[str]]]:
    return sorted(rule.as_key() for rule in frozenset(rules))
