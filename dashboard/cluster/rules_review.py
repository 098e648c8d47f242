"""Rules that apply to somebody in a namespace, as the API server tells them (SelfSubjectRulesReview)."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from dashboard.access.rights import Rule
from informerd.resource import Resource
from informerd.rest.client import Client

NO_NAMESPACE = "-"
"""A namespace that cannot exist, in which only those rules apply that apply everywhere."""
_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    plural="selfsubjectrulesreviews",
    kind="SelfSubjectRulesReview",
    namespaced=False,
)


class _ResourceRule(msgspec.Struct, frozen=True, rename="camel"):
    verbs: frozenset[str] = frozenset()
    api_groups: frozenset[str] | None = msgspec.field(name="apiGroups", default=None)
    resources: frozenset[str] | None = None
    resource_names: frozenset[str] | None = msgspec.field(name="resourceNames", default=None)


class _UrlRule(msgspec.Struct, frozen=True):
    verbs: frozenset[str] = frozenset()
    urls: frozenset[str] | None = msgspec.field(name="nonResourceURLs", default=None)


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    incomplete: bool
    resource_rules: tuple[_ResourceRule, ...] | None = None
    non_resource_rules: tuple[_UrlRule, ...] | None = None
    evaluation_error: str = ""


class _Review(msgspec.Struct, frozen=True):
    status: _Status


@dataclass(frozen=True, slots=True)
class RulesReview:
    """The rules of one namespace."""

    rules: frozenset[Rule]
    urls: frozenset[tuple[str, str]]
    is_complete: bool
    """Whether nothing else may be allowed. An authorizer that cannot list its rules, such as a webhook, makes it
    incomplete.
    """


async def review_rules(client: Client, namespace: str) -> RulesReview:
    """The rules that apply to the client's user in `namespace`, those of all namespaces included.

    Raises ApiError where the API server refuses to tell, Unreachable where it does not answer.
    """
    review = {"apiVersion": _REVIEWS.api_version, "kind": _REVIEWS.kind, "spec": {"namespace": namespace}}
    status: _Status = (await client.create(_REVIEWS, review)).decode(_Review).status
    return RulesReview(
        frozenset(map(_rule, status.resource_rules or ())),
        frozenset(
            (verb, url) for rule in status.non_resource_rules or () for verb in rule.verbs for url in rule.urls or ()
        ),
        not status.incomplete,
    )


def _rule(rule: _ResourceRule) -> Rule:
    nothing: frozenset[str] = frozenset()
    return Rule(rule.verbs, rule.api_groups or nothing, rule.resources or nothing, rule.resource_names or nothing)
