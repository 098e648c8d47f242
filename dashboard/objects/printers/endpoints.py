"""Printers of Endpoints and EndpointSlices, the addresses behind services."""

from __future__ import annotations

import msgspec

from dashboard.objects.health import Health
from dashboard.objects.printers.printer import Printer
from dashboard.objects.printers.table_printer import AGE_CELL, STATUS_CELL, shorten, table_column, table_printer
from informerd.objects import Object

_MOST = 3
"""Maximum number of addresses and ports that kubectl writes out."""


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
    """Both are null where there are none."""


def _health(ready: int, unready: int) -> Health:
    """Health of endpoints; a service may have no pods for long, so an empty one is not unhealthy."""
    total = ready + unready
    if not total:
        return Health("Empty", "idle")
    if not unready:
        return Health("Ready", "ok")
    words = f"{unready} of {total} endpoints {'is' if unready == 1 else 'are'} not ready"
    return Health("PartlyReady", "busy", words) if ready else Health("NotReady", "warn", words)


def _endpoints_standing(endpoints: Endpoints) -> Health:
    return _health(
        sum(len(subset.addresses) for subset in endpoints.subsets),
        sum(len(subset.not_ready_addresses) for subset in endpoints.subsets),
    )


def _slice_standing(endpoint_slice: EndpointSlice) -> Health:
    endpoints = endpoint_slice.endpoints or ()
    ready = sum(endpoint.conditions.ready for endpoint in endpoints)
    return _health(ready, len(endpoints) - ready)


def _ports(endpoint_slice: EndpointSlice) -> str | None:
    return shorten(
        [(port.name or "*") if port.port is None else str(port.port) for port in endpoint_slice.ports or ()], _MOST
    )


ENDPOINTS = table_printer(
    Endpoints,
    STATUS_CELL,
    table_column(
        "endpoints", "Endpoints", lambda e: shorten([t for subset in e.subsets for t in subset.texts], _MOST), "mono"
    ),
    AGE_CELL,
    health_of=_endpoints_standing,
)
SLICES = table_printer(
    EndpointSlice,
    STATUS_CELL,
    table_column("address-type", "Address type", "address_type"),
    table_column("ports", "Ports", _ports, "mono"),
    table_column(
        "endpoints", "Endpoints", lambda s: shorten([a for e in s.endpoints or () for a in e.addresses], _MOST), "mono"
    ),
    AGE_CELL,
    health_of=_slice_standing,
)
PRINTERS: dict[str, Printer] = {"endpoints": ENDPOINTS, "endpointslices.discovery.k8s.io": SLICES}
