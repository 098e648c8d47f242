"""Namespaces in which Deltaboard's account may list and watch a kind, as the API server reports them.

SelfSubjectRulesReview tells of a namespace which kinds may be read there, with one request for all kinds. Where it says
that it is not complete (an authorizer that knows no rules), SelfSubjectAccessReview is asked for each kind.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dashboard.access.rights import ALL, Rule
from informerd.clock import Clock
from informerd.errors import Forbidden, InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.load_config import IN_CLUSTER_DIR

logger = logging.getLogger(__name__)

ASK_TIMEOUT = 5.0
"""Seconds for one request."""
MAX_CONCURRENT = 8
"""Requests at the same time."""
MAX_CANDIDATES = 1_000
"""Namespaces that are asked about where none are set."""
ACCESS_INTERVAL = 60.0
"""Seconds after which the account's rights are asked for again."""
SHARED_FOR = 20.0
"""Seconds for which kinds share the answers to a question that is asked because of the time."""
NAMESPACES = Resource(group="", version="v1", plural="namespaces", kind="Namespace", namespaced=False)
_GROUP = "authorization.k8s.io"
_ACCESS = Resource(
    group=_GROUP, version="v1", plural="selfsubjectaccessreviews", kind="SelfSubjectAccessReview", namespaced=False
)
_RULES = Resource(
    group=_GROUP, version="v1", plural="selfsubjectrulesreviews", kind="SelfSubjectRulesReview", namespaced=False
)


@dataclass(frozen=True, slots=True)
class AllowedNamespaces:
    """Where a kind may be listed and watched."""

    is_everywhere: bool = False
    """In all namespaces; `namespaces` is empty then."""
    namespaces: tuple[str, ...] = ()
    """Sorted."""
    unknown: frozenset[str] = frozenset()
    """Namespaces of which that could not be asked."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """Rules of one namespace; None where they could not be asked."""

    rules: tuple[Rule, ...] | None
    is_complete: bool


class NamespaceAccess:
    """Asks the API server of `client`. With `chosen` namespaces (DELTABOARD_NAMESPACES) it asks about these only.

    Otherwise about `near` ones (the context's, the pod's own), those that its rules name, and all Namespaces that it
    may list, MAX_CANDIDATES at most.
    """

    def __init__(
        self, client: Client, clock: Clock, *, chosen: Iterable[str] = (), near: Iterable[str] = ("default",)
    ) -> None:
        self.chosen = tuple(sorted(set(chosen)))
        self._client = client
        self._clock = clock
        self._near = tuple(dict.fromkeys(filter(None, near)))
        self._gate = asyncio.Semaphore(MAX_CONCURRENT)
        self._lock = asyncio.Lock()
        self._asked_at = float("-inf")
        self._by_namespace: dict[str, _Rules] = {}

    async def allowed(self, resource: Resource, *, after: float = float("-inf")) -> AllowedNamespaces:
        """Where the namespaced kind may be listed and watched, by answers from after `after` (monotonic seconds).

        Raises InformerdError where the API server does not answer.
        """
        if not self.chosen and await self._may(resource, ""):
            return AllowedNamespaces(is_everywhere=True)
        by_namespace = await self._rules(after)
        answers = await asyncio.gather(*(self._allows(resource, each, by_namespace[each]) for each in by_namespace))
        known = dict(zip(by_namespace, answers, strict=True))
        return AllowedNamespaces(
            namespaces=tuple(sorted(name for name, is_allowed in known.items() if is_allowed)),
            unknown=frozenset(name for name, is_allowed in known.items() if is_allowed is None),
        )

    async def _rules(self, after: float) -> dict[str, _Rules]:
        """The rules of all candidates; kinds that ask at the same time share the answers."""
        async with self._lock:
            if self._asked_at < after or not self._by_namespace:
                begun = self._clock.now()
                names = list(self.chosen or await self._candidates())
                answers = await asyncio.gather(*map(self._rules_of, names))
                found = dict(zip(names, answers, strict=True))
                for name in self._named(found) if not self.chosen else ():
                    found[name] = await self._rules_of(name)
                self._by_namespace, self._asked_at = found, begun
            return self._by_namespace

    async def _candidates(self) -> list[str]:
        names = dict.fromkeys(self._near)
        token = ""
        try:
            while len(names) < MAX_CANDIDATES:
                params = {"limit": "500", **({"continue": token} if token else {})}
                page = (await self._client.list(NAMESPACES, params=params)).object()
                names |= dict.fromkeys(item["metadata"]["name"] for item in page.get("items") or ())
                token = (page.get("metadata") or {}).get("continue") or ""
                if not token:
                    break
        except Forbidden:
            pass
        if token:
            logger.warning("only the first %d namespaces are asked about: set DELTABOARD_NAMESPACES", MAX_CANDIDATES)
        return list(names)[:MAX_CANDIDATES]

    @staticmethod
    def _named(found: dict[str, _Rules]) -> list[str]:
        """Namespaces that the account may get by their names."""
        names = {
            name
            for answer in found.values()
            for rule in answer.rules or ()
            if rule.is_about("", "namespaces") and not rule.verbs.isdisjoint(("get", ALL))
            for name in rule.names
        }
        return sorted(names - found.keys())[:MAX_CANDIDATES]

    async def _rules_of(self, namespace: str) -> _Rules:
        try:
            status = await self._review(_RULES, {"namespace": namespace})
        except (InformerdError, TimeoutError):
            return _Rules(None, is_complete=False)
        rules = tuple(
            Rule(
                frozenset(each.get("verbs") or ()),
                frozenset(each.get("apiGroups") or ()),
                frozenset(each.get("resources") or ()),
                frozenset(each.get("resourceNames") or ()),
            )
            for each in status.get("resourceRules") or ()
        )
        return _Rules(rules, is_complete=not status.get("incomplete"))

    async def _allows(self, resource: Resource, namespace: str, answer: _Rules) -> bool | None:
        """Whether it may be listed and watched there; None where that could not be asked."""
        if answer.rules is not None:
            about = [rule for rule in answer.rules if rule.is_about(resource.group, resource.plural) and not rule.names]
            verbs = {verb for rule in about for verb in rule.verbs}
            if ALL in verbs or _verbs(resource) <= verbs:
                return True
            if answer.is_complete:
                return False
        try:
            return await self._may(resource, namespace)
        except (InformerdError, TimeoutError):
            return None

    async def _may(self, resource: Resource, namespace: str) -> bool:
        for verb in sorted(_verbs(resource)):
            attributes = {
                "verb": verb,
                "group": resource.group,
                "version": resource.version,
                "resource": resource.plural,
                "namespace": namespace,
            }
            status = await self._review(_ACCESS, {"resourceAttributes": attributes})
            if status.get("allowed") is not True:
                return False
        return True

    async def _review(self, review: Resource, spec: dict[str, Any]) -> dict[str, Any]:
        body = {"apiVersion": review.api_version, "kind": review.kind, "spec": spec}
        async with self._gate, asyncio.timeout(ASK_TIMEOUT):
            status: dict[str, Any] = (await self._client.create(review, body)).object().get("status") or {}
        return status


def _verbs(resource: Resource) -> set[str]:
    """Verbs that following the kind takes."""
    return {"list"} if resource.verbs and "watch" not in resource.verbs else {"list", "watch"}


def near_namespaces(context_namespace: str, in_cluster_dir: Path = IN_CLUSTER_DIR) -> tuple[str, ...]:
    """The namespace of the kubeconfig's context, and that of the pod that this process runs in, if it does."""
    try:
        own = (in_cluster_dir / "namespace").read_text().strip()
    except (OSError, UnicodeDecodeError):
        own = ""
    return tuple(dict.fromkeys(filter(None, (context_namespace, own))))
