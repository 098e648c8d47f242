"""Printers of service accounts, roles and bindings."""

from __future__ import annotations

import msgspec

from dashboard.objects.printers.printer import Printer
from dashboard.objects.printers.table_printer import AGE_CELL, TableColumn, table_column, table_printer
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
        subjects = [subject for subject in self.subjects if subject.kind == kind]
        named = [f"{s.namespace}/{s.name}" if kind == "ServiceAccount" else s.name for s in subjects]
        return ", ".join(named)


class Role(Object, frozen=True, kw_only=True):
    rules: tuple[msgspec.Raw, ...] | None = ()
    """Null in a role that aggregates others, until it has been filled."""


_RULES = table_column("rules", "Rules", lambda role: len(role.rules or ()), "number")
_BOUND: tuple[TableColumn, ...] = (
    table_column("role", "Role", lambda b: f"{b.role_ref.kind}/{b.role_ref.name}", "mono"),
    AGE_CELL,
    table_column("users", "Users", lambda b: b.named("User"), priority=1),
    table_column("groups", "Groups", lambda b: b.named("Group"), priority=1),
    table_column("service-accounts", "Service accounts", lambda b: b.named("ServiceAccount"), priority=1),
)
_RBAC = "rbac.authorization.k8s.io"
PRINTERS: dict[str, Printer] = {
    "serviceaccounts": table_printer(Object, AGE_CELL),
    f"roles.{_RBAC}": table_printer(Role, _RULES, AGE_CELL),
    f"clusterroles.{_RBAC}": table_printer(Role, _RULES, AGE_CELL, namespaced=False),
    f"rolebindings.{_RBAC}": table_printer(Binding, *_BOUND),
    f"clusterrolebindings.{_RBAC}": table_printer(Binding, *_BOUND, namespaced=False),
}
