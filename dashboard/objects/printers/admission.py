"""Printers of webhook configurations and admission policies."""

from __future__ import annotations

import msgspec

from dashboard.objects.health import Health
from dashboard.objects.printers.printer import Printer
from dashboard.objects.printers.table_printer import AGE_CELL, TableColumn, table_column, table_printer
from dashboard.objects.printers.workloads import Selector
from informerd.objects import Object


class Webhooks(Object, frozen=True, kw_only=True):
    webhooks: tuple[msgspec.Raw, ...] = ()


class ParamKind(msgspec.Struct, frozen=True, rename="camel", gc=False):
    api_version: str = ""
    kind: str = ""


class PolicySpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    validations: tuple[msgspec.Raw, ...] = ()
    mutations: tuple[msgspec.Raw, ...] = ()
    param_kind: ParamKind | None = None


class ExpressionWarning(msgspec.Struct, frozen=True, rename="camel", gc=False):
    field_ref: str = ""
    warning: str = ""


class TypeChecking(msgspec.Struct, frozen=True, rename="camel", gc=False):
    expression_warnings: tuple[ExpressionWarning, ...] = ()


class PolicyStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    type_checking: TypeChecking = TypeChecking()


class Policy(Object, frozen=True, kw_only=True):
    spec: PolicySpec = PolicySpec()
    status: PolicyStatus = PolicyStatus()


class ParamReference(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    namespace: str = ""
    selector: Selector | None = None


class BindingSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    policy_name: str = ""
    param_ref: ParamReference | None = None


class Binding(Object, frozen=True, kw_only=True):
    spec: BindingSpec = BindingSpec()


def _health(policy: Policy) -> Health:
    warnings = policy.status.type_checking.expression_warnings
    if not warnings:
        return Health("Current", "ok")
    words = f"{warnings[0].field_ref}: {' '.join(warnings[0].warning.split())}"
    return Health("Warnings", "warn", words + (f" (and {len(warnings) - 1} more)" if len(warnings) > 1 else ""))


def _param_kind(policy: Policy) -> str:
    kind = policy.spec.param_kind
    return f"{kind.api_version}/{kind.kind}" if kind is not None else ""


def _param_ref(binding: Binding) -> str:
    reference = binding.spec.param_ref
    if reference is None:
        return ""
    return f"{reference.namespace or '*'}/{reference.name}" if reference.name else str(reference.selector or "*")


_PARAM_KIND = table_column("param-kind", "Param kind", _param_kind, "mono")
_HOOKS: tuple[TableColumn, ...] = (
    table_column("webhooks", "Webhooks", lambda found: len(found.webhooks), "number"),
    AGE_CELL,
)
_BOUND: tuple[TableColumn, ...] = (
    table_column("policy", "Policy name", "spec.policy_name", "mono"),
    table_column("param-ref", "Param ref", _param_ref, "mono"),
    AGE_CELL,
)
_VALIDATIONS = table_column("validations", "Validations", lambda policy: len(policy.spec.validations), "number")
_MUTATIONS = table_column("mutations", "Mutations", lambda policy: len(policy.spec.mutations), "number")
_GROUP = "admissionregistration.k8s.io"
PRINTERS: dict[str, Printer] = {
    f"validatingwebhookconfigurations.{_GROUP}": table_printer(Webhooks, *_HOOKS, namespaced=False),
    f"mutatingwebhookconfigurations.{_GROUP}": table_printer(Webhooks, *_HOOKS, namespaced=False),
    f"validatingadmissionpolicies.{_GROUP}": table_printer(
        Policy, _VALIDATIONS, _PARAM_KIND, AGE_CELL, health_of=_health, namespaced=False
    ),
    f"mutatingadmissionpolicies.{_GROUP}": table_printer(
        Policy, _MUTATIONS, _PARAM_KIND, AGE_CELL, health_of=_health, namespaced=False
    ),
    f"validatingadmissionpolicybindings.{_GROUP}": table_printer(Binding, *_BOUND, namespaced=False),
    f"mutatingadmissionpolicybindings.{_GROUP}": table_printer(Binding, *_BOUND, namespaced=False),
}
