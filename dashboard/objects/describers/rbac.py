"""Facts of roles, bindings and service accounts: who may do what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.objects.describers.fact import Section, make_fact, make_section
from dashboard.objects.describers.name_and_namespace import name_of, namespace_of
from dashboard.objects.describers.selector_text import list_href, selector_text
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text, as_texts
from dashboard.runtime.text_with_links import TextPiece, object_piece

_RBAC = "rbac.authorization.k8s.io"
_ROLES = {"Role": f"roles.{_RBAC}", "ClusterRole": f"clusterroles.{_RBAC}"}


def role_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    by_verbs: dict[str, list[str]] = {}
    for rule in as_maps(obj.get("rules")):
        by_verbs.setdefault(_verbs(rule), []).append(_about(rule))
    gathers = as_maps(as_map(obj.get("aggregationRule")).get("clusterRoleSelectors"))
    return make_section(
        "rules", "Allows",
        make_fact("Gathers", *(f"what ClusterRoles with {selector_text(each)} allow" for each in gathers)),
        *(make_fact(verbs, *lines, is_user_named=True) for verbs, lines in by_verbs.items()),
        make_fact("Nothing", "it has no rules so far" if not by_verbs else None),
    )  # fmt: skip


def binding_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    namespace, role = namespace_of(obj), as_map(obj.get("roleRef"))
    kind, name = as_text(role.get("kind")), as_text(role.get("name"))
    key = _ROLES.get(kind)
    leads = object_piece(key, namespace if kind == "Role" else "", name) if key else TextPiece(name)
    subjects = as_maps(obj.get("subjects"))
    accounts = (
        [object_piece("serviceaccounts", of := as_text(each.get("namespace")), as_text(each.get("name"))),
        TextPiece(f" in {of}")]
        for each in subjects if each.get("kind") == "ServiceAccount"
    )  # fmt: skip
    return make_section(
        "binding", "Binding",
        make_fact("Allows", [TextPiece(f"what {kind} "), leads, TextPiece(" does")]),
        make_fact("Where", f"in namespace {namespace}" if namespace else "in the whole cluster"),
        make_fact("Service accounts", *accounts),
        make_fact("Users", *_names(subjects, "User")),
        make_fact("Groups", *_names(subjects, "Group")),
        make_fact("For", None if subjects else "nobody"),
    )  # fmt: skip


def account_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    namespace, name = namespace_of(obj), name_of(obj)
    pods = list_href("pods", namespace, f".spec.serviceAccountName={name}")
    mounted = obj.get("automountServiceAccountToken")
    return make_section(
        "account", "Service account",
        make_fact("Pods that run as it", [TextPiece("list them", href=pods)]),
        make_fact("Its token", "is mounted only in pods that ask for it" if mounted is False else None),
        *(
            make_fact(title, *([object_piece("secrets", namespace,
                as_text(each.get("name")))] for each in as_maps(obj.get(field))))
            for title, field in (("Pulls images with", "imagePullSecrets"), ("Secrets", "secrets"))
        ),
    )  # fmt: skip


def _names(subjects: list[Mapping[str, Any]], kind: str) -> list[str]:
    return [as_text(each.get("name")) for each in subjects if each.get("kind") == kind]


def _verbs(rule: Mapping[str, Any]) -> str:
    verbs = as_texts(rule.get("verbs"))
    return "everything" if "*" in verbs else ", ".join(verbs)


def _about(rule: Mapping[str, Any]) -> str:
    """``pods, pods/log of the core group, only those named web``."""
    if addresses := as_texts(rule.get("nonResourceURLs")):
        return f"the addresses {', '.join(addresses)}"
    resources, groups, names = (as_texts(rule.get(field)) for field in ("resources", "apiGroups", "resourceNames"))
    kinds = "all kinds" if "*" in resources else ", ".join(resources)
    of = "all groups" if "*" in groups else " and ".join(group or "the core group" for group in groups)
    return f"{kinds} of {of}" + (f", only those named {', '.join(names)}" if names else "")
