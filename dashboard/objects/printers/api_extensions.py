"""What adds kinds to an API server: definitions of custom resources, and other servers behind it."""

from __future__ import annotations

import msgspec

from dashboard.resources.rows.declared import AGE_SHOWN, STATUS_SHOWN, Standing, condition, declare, said, shown, since
from dashboard.resources.rows.pod_types import Condition
from dashboard.resources.rows.shape import Shape, age
from informerd.objects import Object


class Version(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    storage: bool = False

    def __str__(self) -> str:
        """Its name; the one that objects are stored in says so."""
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
        """null stands for no conditions until the server has looked at it."""
        return condition(self.status.conditions or (), name, status)


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
        return condition(self.status.conditions, "Available")


def _definition_standing(found: Definition) -> Standing:
    refused, malformed = found.condition("NamesAccepted", "False"), found.condition("NonStructuralSchema", "True")
    established = found.condition("Established")
    if refused is not None:
        return Standing("NamesRefused", "bad", f"its names are not accepted: {said(refused)}", since(refused))
    if established is None or established.status != "True":
        words = f"not established: {said(established)}" if established is not None else "not established yet"
        return Standing("NotEstablished", "warn", words, since(established) or age(found))
    if malformed is not None:
        return Standing("NonStructural", "warn", f"its schema is not structural: {said(malformed)}")
    return Standing("Established", "ok")


def _service_standing(found: ApiService) -> Standing:
    available = found.available
    if available is None:
        return Standing("Unknown", "warn", "nobody has looked whether it is available", age(found))
    if available.status == "True":
        return Standing("Available", "ok")
    return Standing("NotAvailable", "bad", f"not available: {said(available)}", since(available))


def _available(found: ApiService) -> str:
    available = found.available
    if available is None:
        return "Unknown"
    return available.status if available.status == "True" else f"{available.status} ({available.reason})"


def _established(found: Definition) -> bool:
    return found.condition("Established", "True") is not None


def _behind(found: ApiService) -> str:
    service = found.spec.service
    return "Local" if service is None else f"{service.namespace}/{service.name}"


DEFINITIONS = declare(
    Definition,
    STATUS_SHOWN,
    shown("scope", "Scope", "spec.scope"),
    shown("versions", "Versions", lambda found: [str(version) for version in found.spec.versions], "mono"),
    AGE_SHOWN,
    shown("group", "Group", "spec.group", "mono", priority=1),
    shown("kind", "Kind", "spec.names.kind", "mono", priority=1),
    shown("short-names", "Short names", "spec.names.short_names", "mono", priority=1),
    shown("established", "Established", _established, priority=1),
    judge=_definition_standing,
    namespaced=False,
)
API_SERVICES = declare(
    ApiService,
    STATUS_SHOWN,
    shown("service", "Service", _behind, "mono"),
    shown("available", "Available", _available),
    AGE_SHOWN,
    judge=_service_standing,
    namespaced=False,
)
SHAPES: dict[str, Shape] = {
    "customresourcedefinitions.apiextensions.k8s.io": DEFINITIONS,
    "apiservices.apiregistration.k8s.io": API_SERVICES,
}
