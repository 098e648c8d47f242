"""Roles, their bindings and service accounts: who may do what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.resources.facts.fact import Section, fact, section
from dashboard.resources.facts.selectors import list_href, selector_words
from dashboard.resources.facts.template import name_of, namespace_of
from dashboard.resources.loose import mapping, mappings, text, texts
from dashboard.resources.words import Words, named

_RBAC = "rbac.authorization.k8s.io"
_ROLES = {"Role": f"roles.{_RBAC}", "ClusterRole": f"clusterroles.{_RBAC}"}


def role_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    by_verbs: dict[str, list[str]] = {}
    for rule in mappings(obj.get("rules")):
        by_verbs.setdefault(_verbs(rule), []).append(_about(rule))
    gathers = mappings(mapping(obj.get("aggregationRule")).get("clusterRoleSelectors"))
    return section(
        "rules", "Allows",
        fact("Gathers", *(f"what ClusterRoles with {selector_words(each)} allow" for each in gathers)),
        *(fact(verbs, *lines, given=True) for verbs, lines in by_verbs.items()),
        fact("Nothing", "it has no rules so far" if not by_verbs else None),
    )  # fmt: skip


def binding_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    namespace, role = namespace_of(obj), mapping(obj.get("roleRef"))
    kind, name = text(role.get("kind")), text(role.get("name"))
    key = _ROLES.get(kind)
    leads = named(key, namespace if kind == "Role" else "", name) if key else Words(name)
    subjects = mappings(obj.get("subjects"))
    accounts = (
        [named("serviceaccounts", of := text(each.get("namespace")), text(each.get("name"))), Words(f" in {of}")]
        for each in subjects if each.get("kind") == "ServiceAccount"
    )  # fmt: skip
    return section(
        "binding", "Binding",
        fact("Allows", [Words(f"what {kind} "), leads, Words(" does")]),
        fact("Where", f"in namespace {namespace}" if namespace else "in the whole cluster"),
        fact("Service accounts", *accounts),
        fact("Users", *_names(subjects, "User")),
        fact("Groups", *_names(subjects, "Group")),
        fact("For", None if subjects else "nobody"),
    )  # fmt: skip


def account_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    namespace, name = namespace_of(obj), name_of(obj)
    pods = list_href("pods", namespace, f".spec.serviceAccountName={name}")
    mounted = obj.get("automountServiceAccountToken")
    return section(
        "account", "Service account",
        fact("Pods that run as it", [Words("list them", href=pods)]),
        fact("Its token", "is in no pod that does not ask for it" if mounted is False else None),
        *(
            fact(title, *([named("secrets", namespace, text(each.get("name")))] for each in mappings(obj.get(field))))
            for title, field in (("Pulls images with", "imagePullSecrets"), ("Secrets", "secrets"))
        ),
    )  # fmt: skip


def _names(subjects: list[Mapping[str, Any]], kind: str) -> list[str]:
    return [text(each.get("name")) for each in subjects if each.get("kind") == kind]


def _verbs(rule: Mapping[str, Any]) -> str:
    verbs = texts(rule.get("verbs"))
    return "everything" if "*" in verbs else ", ".join(verbs)


def _about(rule: Mapping[str, Any]) -> str:
    """``pods, pods/log of the core group, only those named web``."""
    if addresses := texts(rule.get("nonResourceURLs")):
        return f"the addresses {', '.join(addresses)}"
    resources, groups, names = (texts(rule.get(field)) for field in ("resources", "apiGroups", "resourceNames"))
    kinds = "all kinds" if "*" in resources else ", ".join(resources)
    of = "all groups" if "*" in groups else " and ".join(group or "the core group" for group in groups)
    return f"{kinds} of {of}" + (f", only those named {', '.join(names)}" if names else "")
