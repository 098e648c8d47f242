"""Printers of CustomResourceDefinitions and APIServices."""

from __future__ import annotations

import msgspec

from dashboard.objects.health import Health
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import Printer, created_at
from dashboard.objects.printers.table_printer import (
    AGE_CELL,
    STATUS_CELL,
    condition_since,
    condition_text,
    find_condition,
    table_column,
    table_printer,
)
from informerd.objects import Object


class Version(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    storage: bool = False

    def __str__(self) -> str:
        """``v1``; ``v1(storage)`` for the version that objects are stored in."""
        return f"{self.name}(storage)" if self.storage else self.name


class Names(msgspec.Struct, frozen=True, rename="camel", gc=False):
    kind: str = ""
    short_names: tuple[str, ...] = ()


class DefinitionSpec(msgspec.Struct, frozen=True, gc=False):
    group: str = ""
    scope: str = ""
    names: Names = Names()
    versions: tuple[Version, ...] = ()


class DefinitionStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    conditions: tuple[Condition, ...] | None = ()
    stored_versions: tuple[str, ...] | None = ()


class Definition(Object, frozen=True, kw_only=True):
    spec: DefinitionSpec = DefinitionSpec()
    status: DefinitionStatus = DefinitionStatus()

    def condition(self, name: str, status: str = "") -> Condition | None:
        """The condition of that type; None where there is none. `conditions` is null in a new definition."""
        return find_condition(self.status.conditions or (), name, status)


class ServiceReference(msgspec.Struct, frozen=True, gc=False):
    namespace: str = ""
    name: str = ""


class ApiServiceSpec(msgspec.Struct, frozen=True, gc=False):
    service: ServiceReference | None = None


class ApiServiceStatus(msgspec.Struct, frozen=True, gc=False):
    conditions: tuple[Condition, ...] = ()


class ApiService(Object, frozen=True, kw_only=True):
    spec: ApiServiceSpec = ApiServiceSpec()
    status: ApiServiceStatus = ApiServiceStatus()

    @property
    def available(self) -> Condition | None:
        return find_condition(self.status.conditions, "Available")


def _definition_standing(definition: Definition) -> Health:
    refused, malformed = (
        definition.condition("NamesAccepted", "False"),
        definition.condition("NonStructuralSchema", "True"),
    )
    established = definition.condition("Established")
    if refused is not None:
        return Health(
            "NamesRefused", "bad", f"its names are not accepted: {condition_text(refused)}", condition_since(refused)
        )
    if established is None or established.status != "True":
        words = f"not established: {condition_text(established)}" if established is not None else "not established yet"
        return Health("NotEstablished", "warn", words, condition_since(established) or created_at(definition))
    if malformed is not None:
        return Health("NonStructural", "warn", f"its schema is not structural: {condition_text(malformed)}")
    return Health("Established", "ok")


def _service_standing(service: ApiService) -> Health:
    available = service.available
    if available is None:
        return Health("Unknown", "warn", "its availability has not been checked yet", created_at(service))
    if available.status == "True":
        return Health("Available", "ok")
    return Health("NotAvailable", "bad", f"not available: {condition_text(available)}", condition_since(available))


def _available(service: ApiService) -> str:
    available = service.available
    if available is None:
        return "Unknown"
    return available.status if available.status == "True" else f"{available.status} ({available.reason})"


def _established(definition: Definition) -> bool:
    return definition.condition("Established", "True") is not None


def _behind(api_service: ApiService) -> str:
    service = api_service.spec.service
    return "Local" if service is None else f"{service.namespace}/{service.name}"


DEFINITIONS = table_printer(
    Definition,
    STATUS_CELL,
    table_column("scope", "Scope", "spec.scope"),
    table_column("versions", "Versions", lambda found: [str(version) for version in found.spec.versions], "mono"),
    AGE_CELL,
    table_column("group", "Group", "spec.group", "mono", priority=1),
    table_column("kind", "Kind", "spec.names.kind", "mono", priority=1),
    table_column("short-names", "Short names", "spec.names.short_names", "mono", priority=1),
    table_column("established", "Established", _established, priority=1),
    health_of=_definition_standing,
    namespaced=False,
)
API_SERVICES = table_printer(
    ApiService,
    STATUS_CELL,
    table_column("service", "Service", _behind, "mono"),
    table_column("available", "Available", _available),
    AGE_CELL,
    health_of=_service_standing,
    namespaced=False,
)
PRINTERS: dict[str, Printer] = {
    "customresourcedefinitions.apiextensions.k8s.io": DEFINITIONS,
    "apiservices.apiregistration.k8s.io": API_SERVICES,
}
