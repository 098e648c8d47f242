"""Printers of Ingresses, IngressClasses, NetworkPolicies, ServiceCIDRs and IPAddresses."""

from __future__ import annotations

import msgspec

from dashboard.objects.health import Health
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import Printer
from dashboard.objects.printers.services import LoadBalancer
from dashboard.objects.printers.table_printer import (
    AGE_CELL,
    STATUS_CELL,
    condition_since,
    condition_text,
    find_condition,
    shorten,
    table_column,
    table_printer,
)
from dashboard.objects.printers.workloads import Selector
from informerd.objects import Object

_DEFAULT = "ingressclass.kubernetes.io/is-default-class"
_MOST = 3
"""Maximum number of hosts, ports and addresses that kubectl writes out."""


class Rule(msgspec.Struct, frozen=True, gc=False):
    host: str = ""


class IngressSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    ingress_class_name: str = ""
    rules: tuple[Rule, ...] = ()
    tls: tuple[msgspec.Raw, ...] = ()


class IngressStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    load_balancer: LoadBalancer = LoadBalancer()


class Ingress(Object, frozen=True, kw_only=True):
    spec: IngressSpec = IngressSpec()
    status: IngressStatus = IngressStatus()


class Parameters(msgspec.Struct, frozen=True, rename="camel", gc=False):
    api_group: str = ""
    kind: str = ""
    name: str = ""


class ClassSpec(msgspec.Struct, frozen=True, gc=False):
    controller: str = ""
    parameters: Parameters | None = None


class IngressClass(Object, frozen=True, kw_only=True):
    spec: ClassSpec = ClassSpec()


class PolicySpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    pod_selector: Selector = Selector()
    ingress: tuple[msgspec.Raw, ...] = ()
    egress: tuple[msgspec.Raw, ...] = ()
    policy_types: tuple[str, ...] = ()


class Policy(Object, frozen=True, kw_only=True):
    spec: PolicySpec = PolicySpec()


class RangeSpec(msgspec.Struct, frozen=True, gc=False):
    cidrs: tuple[str, ...] = ()


class RangeStatus(msgspec.Struct, frozen=True, gc=False):
    conditions: tuple[Condition, ...] = ()


class Range(Object, frozen=True, kw_only=True):
    spec: RangeSpec = RangeSpec()
    status: RangeStatus = RangeStatus()


class Parent(msgspec.Struct, frozen=True, gc=False):
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""


class AddressSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    parent_ref: Parent = Parent()


class Address(Object, frozen=True, kw_only=True):
    spec: AddressSpec = AddressSpec()


def _ingress_standing(ingress: Ingress) -> Health:
    """Health of an Ingress; not every controller writes an address, so one without is not unhealthy."""
    if ingress.status.load_balancer.ingress:
        return Health("Current", "ok")
    return Health("Pending", "busy", "has no address: no ingress controller has written one")


def _range_standing(address_range: Range) -> Health:
    ready = find_condition(address_range.status.conditions, "Ready")
    if ready is None:
        return Health("Pending", "busy")
    if ready.status == "True":
        return Health("Ready", "ok")
    return Health("NotReady", "bad", f"not ready: {condition_text(ready)}", condition_since(ready))


def _hosts(ingress: Ingress) -> str:
    return shorten([rule.host for rule in ingress.spec.rules if rule.host], _MOST) or "*"


def _parameters(ingress_class: IngressClass) -> str:
    parameters = ingress_class.spec.parameters
    if parameters is None:
        return ""
    return f"{parameters.kind}{f'.{parameters.api_group}' if parameters.api_group else ''}/{parameters.name}"


def _parent(address: Address) -> str:
    parent = address.spec.parent_ref
    resource = f"{parent.resource}.{parent.group}" if parent.group else parent.resource
    return "/".join(part for part in (resource, parent.namespace, parent.name) if part)


INGRESSES = table_printer(
    Ingress,
    STATUS_CELL,
    table_column("class", "Class", "spec.ingress_class_name"),
    table_column("hosts", "Hosts", _hosts, "mono"),
    table_column(
        "address",
        "Address",
        lambda i: sorted({each.ip or each.hostname for each in i.status.load_balancer.ingress}),
        "mono",
        order="ip",
    ),
    table_column("ports", "Ports", lambda i: "80, 443" if i.spec.tls else "80", "mono"),
    AGE_CELL,
    health_of=_ingress_standing,
)
INGRESS_CLASSES = table_printer(
    IngressClass,
    table_column("default", "Default", lambda c: "yes" if c.metadata.annotations.get(_DEFAULT) == "true" else ""),
    table_column("controller", "Controller", "spec.controller", "mono"),
    table_column("parameters", "Parameters", _parameters, "mono"),
    AGE_CELL,
    namespaced=False,
)
POLICIES = table_printer(
    Policy,
    table_column("pod-selector", "Pod selector", lambda p: str(p.spec.pod_selector), "mono"),
    table_column("directions", "Policy types", "spec.policy_types", priority=1),
    AGE_CELL,
)
RANGES = table_printer(
    Range,
    STATUS_CELL,
    table_column("cidrs", "CIDRs", "spec.cidrs", "mono", order="ip"),
    AGE_CELL,
    health_of=_range_standing,
    namespaced=False,
)
ADDRESSES = table_printer(Address, table_column("parent", "Parent ref", _parent, "mono"), AGE_CELL, namespaced=False)
PRINTERS: dict[str, Printer] = {
    "ingresses.networking.k8s.io": INGRESSES,
    "ingressclasses.networking.k8s.io": INGRESS_CLASSES,
    "networkpolicies.networking.k8s.io": POLICIES,
    "servicecidrs.networking.k8s.io": RANGES,
    "ipaddresses.networking.k8s.io": ADDRESSES,
}
