"""Who may do what: service accounts, roles and bindings."""

from __future__ import annotations

import msgspec

from dashboard.resources.rows.declared import AGE_SHOWN, Shown, declare, shown
from dashboard.resources.rows.shape import Shape
from informerd.objects import Object


class RoleReference(msgspec.Struct, frozen=True, gc=False):
    kind: str = ""
    name: str = ""


class Subject(msgspec.Struct, frozen=True, gc=False):
    kind: str = ""
    namespace: str = ""
    name: str = ""


class Binding(Object, frozen=True, kw_only=True):
    role_ref: RoleReference = RoleReference()
    subjects: tuple[Subject, ...] = ()

    def named(self, kind: str) -> str:
        """Its subjects of that kind, as kubectl writes them."""
        found = [subject for subject in self.subjects if subject.kind == kind]
        named = [f"{s.namespace}/{s.name}" if kind == "ServiceAccount" else s.name for s in found]
        return ", ".join(named)


class Role(Object, frozen=True, kw_only=True):
    rules: tuple[msgspec.Raw, ...] | None = ()
    """null in a role that gathers others, before it has."""


_RULES = shown("rules", "Rules", lambda role: len(role.rules or ()), "number")
_BOUND: tuple[Shown, ...] = (
    shown("role", "Role", lambda b: f"{b.role_ref.kind}/{b.role_ref.name}", "mono"),
    AGE_SHOWN,
    shown("users", "Users", lambda b: b.named("User"), priority=1),
    shown("groups", "Groups", lambda b: b.named("Group"), priority=1),
    shown("service-accounts", "Service accounts", lambda b: b.named("ServiceAccount"), priority=1),
)
_RBAC = "rbac.authorization.k8s.io"
SHAPES: dict[str, Shape] = {
    "serviceaccounts": declare(Object, AGE_SHOWN),
    f"roles.{_RBAC}": declare(Role, _RULES, AGE_SHOWN),
    f"clusterroles.{_RBAC}": declare(Role, _RULES, AGE_SHOWN, namespaced=False),
    f"rolebindings.{_RBAC}": declare(Binding, *_BOUND),
    f"clusterrolebindings.{_RBAC}": declare(Binding, *_BOUND, namespaced=False),
}
