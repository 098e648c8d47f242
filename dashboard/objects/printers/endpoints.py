"""The addresses behind services: Endpoints and EndpointSlices."""

from __future__ import annotations

import msgspec

from dashboard.resources.rows.declared import AGE_SHOWN, STATUS_SHOWN, Standing, declare, shown, some
from dashboard.resources.rows.shape import Shape
from informerd.objects import Object

_MOST = 3
"""Addresses and ports that kubectl writes out."""


class Address(msgspec.Struct, frozen=True, gc=False):
    ip: str = ""


class Port(msgspec.Struct, frozen=True, gc=False):
    port: int | None = None
    name: str = ""


class Subset(msgspec.Struct, frozen=True, rename="camel", gc=False):
    addresses: tuple[Address, ...] = ()
    not_ready_addresses: tuple[Address, ...] = ()
    ports: tuple[Port, ...] = ()

    @property
    def texts(self) -> list[str]:
        """Each address with each port, IPv6 in brackets."""
        hosts = [f"[{address.ip}]" if ":" in address.ip else address.ip for address in self.addresses]
        if not self.ports:
            return [address.ip for address in self.addresses]
        return [f"{host}:{port.port}" for port in self.ports for host in hosts]


class Endpoints(Object, frozen=True, kw_only=True):
    subsets: tuple[Subset, ...] = ()


class Conditions(msgspec.Struct, frozen=True, gc=False):
    ready: bool = True


class Endpoint(msgspec.Struct, frozen=True, gc=False):
    addresses: tuple[str, ...] = ()
    conditions: Conditions = Conditions()


class EndpointSlice(Object, frozen=True, kw_only=True):
    address_type: str = ""
    endpoints: tuple[Endpoint, ...] | None = ()
    ports: tuple[Port, ...] | None = ()
    """null, both, where there are none."""


def _standing(ready: int, unready: int) -> Standing:
    """A service may have no pods for long, so that none of these is counted as wrong."""
    total = ready + unready
    if not total:
        return Standing("Empty", "idle")
    if not unready:
        return Standing("Ready", "ok")
    words = f"{unready} of {total} endpoints {'is' if unready == 1 else 'are'} not ready"
    return Standing("PartlyReady", "busy", words) if ready else Standing("NotReady", "warn", words)


def _endpoints_standing(found: Endpoints) -> Standing:
    return _standing(
        sum(len(subset.addresses) for subset in found.subsets),
        sum(len(subset.not_ready_addresses) for subset in found.subsets),
    )


def _slice_standing(found: EndpointSlice) -> Standing:
    endpoints = found.endpoints or ()
    ready = sum(endpoint.conditions.ready for endpoint in endpoints)
    return _standing(ready, len(endpoints) - ready)


def _ports(found: EndpointSlice) -> str | None:
    return some([(port.name or "*") if port.port is None else str(port.port) for port in found.ports or ()], _MOST)


ENDPOINTS = declare(
    Endpoints,
    STATUS_SHOWN,
    shown("endpoints", "Endpoints", lambda e: some([t for subset in e.subsets for t in subset.texts], _MOST), "mono"),
    AGE_SHOWN,
    judge=_endpoints_standing,
)
SLICES = declare(
    EndpointSlice,
    STATUS_SHOWN,
    shown("address-type", "Address type", "address_type"),
    shown("ports", "Ports", _ports, "mono"),
    shown("endpoints", "Endpoints", lambda s: some([a for e in s.endpoints or () for a in e.addresses], _MOST), "mono"),
    AGE_SHOWN,
    judge=_slice_standing,
)
SHAPES: dict[str, Shape] = {"endpoints": ENDPOINTS, "endpointslices.discovery.k8s.io": SLICES}
