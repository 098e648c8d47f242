"""Ingresses, policies and the addresses behind services."""

from __future__ import annotations

import msgspec

from dashboard.resources.rows.config import LoadBalancer
from dashboard.resources.rows.declared import (
    AGE_SHOWN,
    STATUS_SHOWN,
    Standing,
    condition,
    declare,
    said,
    shown,
    since,
    some,
)
from dashboard.resources.rows.pod_types import Condition
from dashboard.resources.rows.shape import Shape
from dashboard.resources.rows.workloads import Selector
from informerd.objects import Object

_DEFAULT = "ingressclass.kubernetes.io/is-default-class"
_MOST = 3
"""Hosts, ports and addresses that kubectl writes out."""


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


def _ingress_standing(ingress: Ingress) -> Standing:
    """Not every controller writes an address, so that one without is never counted as wrong."""
    if ingress.status.load_balancer.ingress:
        return Standing("Current", "ok")
    return Standing("Pending", "busy", "has no address: no ingress controller has written one")


def _range_standing(found: Range) -> Standing:
    ready = condition(found.status.conditions, "Ready")
    if ready is None:
        return Standing("Pending", "busy")
    if ready.status == "True":
        return Standing("Ready", "ok")
    return Standing("NotReady", "bad", f"not ready: {said(ready)}", since(ready))


def _hosts(ingress: Ingress) -> str:
    return some([rule.host for rule in ingress.spec.rules if rule.host], _MOST) or "*"


def _parameters(found: IngressClass) -> str:
    given = found.spec.parameters
    if given is None:
        return ""
    return f"{given.kind}{f'.{given.api_group}' if given.api_group else ''}/{given.name}"


def _parent(address: Address) -> str:
    parent = address.spec.parent_ref
    resource = f"{parent.resource}.{parent.group}" if parent.group else parent.resource
    return "/".join(part for part in (resource, parent.namespace, parent.name) if part)


INGRESSES = declare(
    Ingress,
    STATUS_SHOWN,
    shown("class", "Class", "spec.ingress_class_name"),
    shown("hosts", "Hosts", _hosts, "mono"),
    shown(
        "address",
        "Address",
        lambda i: sorted({each.ip or each.hostname for each in i.status.load_balancer.ingress}),
        "mono",
        order="ip",
    ),
    shown("ports", "Ports", lambda i: "80, 443" if i.spec.tls else "80", "mono"),
    AGE_SHOWN,
    judge=_ingress_standing,
)
INGRESS_CLASSES = declare(
    IngressClass,
    shown("default", "Default", lambda c: "yes" if c.metadata.annotations.get(_DEFAULT) == "true" else ""),
    shown("controller", "Controller", "spec.controller", "mono"),
    shown("parameters", "Parameters", _parameters, "mono"),
    AGE_SHOWN,
    namespaced=False,
)
POLICIES = declare(
    Policy,
    shown("pod-selector", "Pod selector", lambda p: str(p.spec.pod_selector), "mono"),
    shown("directions", "Policy types", "spec.policy_types", priority=1),
    AGE_SHOWN,
)
RANGES = declare(
    Range,
    STATUS_SHOWN,
    shown("cidrs", "CIDRs", "spec.cidrs", "mono", order="ip"),
    AGE_SHOWN,
    judge=_range_standing,
    namespaced=False,
)
ADDRESSES = declare(Address, shown("parent", "Parent ref", _parent, "mono"), AGE_SHOWN, namespaced=False)
SHAPES: dict[str, Shape] = {
    "ingresses.networking.k8s.io": INGRESSES,
    "ingressclasses.networking.k8s.io": INGRESS_CLASSES,
    "networkpolicies.networking.k8s.io": POLICIES,
    "servicecidrs.networking.k8s.io": RANGES,
    "ipaddresses.networking.k8s.io": ADDRESSES,
}
