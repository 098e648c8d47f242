"""Printer of Services."""

from __future__ import annotations

import msgspec

from dashboard.objects.printers.printer import (
    AGE_COLUMN,
    Column,
    PrintedRow,
    Printer,
    created_at,
    namespaced_columns,
)
from informerd.objects import Object


class Port(msgspec.Struct, frozen=True, rename="camel", gc=False):
    port: int = 0
    node_port: int = 0
    protocol: str = "TCP"


class ServiceSpec(
    msgspec.Struct,
    frozen=True,
    rename={"cluster_ip": "clusterIP", "external_ips": "externalIPs", "external_name": "externalName"},
    gc=False,
):
    type: str = ""
    cluster_ip: str = ""
    external_ips: tuple[str, ...] = ()
    external_name: str = ""
    ports: tuple[Port, ...] = ()
    selector: dict[str, str] = {}


class Ingress(msgspec.Struct, frozen=True, gc=False):
    ip: str = ""
    hostname: str = ""


class LoadBalancer(msgspec.Struct, frozen=True, gc=False):
    ingress: tuple[Ingress, ...] = ()


class ServiceStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    load_balancer: LoadBalancer = LoadBalancer()


class Service(Object, frozen=True, kw_only=True):
    spec: ServiceSpec = ServiceSpec()
    status: ServiceStatus = ServiceStatus()


def read_service(service: Service) -> PrintedRow:
    """The cells of a service; a load balancer without address is waiting for one."""
    spec = service.spec
    external = _external(service)
    waiting = spec.type == "LoadBalancer" and external is None
    status = "Terminating" if service.metadata.deletion_timestamp else "Pending" if waiting else "Current"
    cells = (
        spec.type or None,
        spec.cluster_ip or None,
        "<pending>" if waiting else external,
        ",".join(f"{p.port}{f':{p.node_port}' if p.node_port else ''}/{p.protocol}" for p in spec.ports) or None,
        created_at(service),
        ",".join(f"{key}={value}" for key, value in sorted(spec.selector.items())) or None,
    )
    reason = "waiting for the address of its load balancer" if waiting else ""
    return PrintedRow(
        status, "ok" if status == "Current" else "busy", cells, reason, created_at(service) if waiting else None
    )


def _external(service: Service) -> str | None:
    if service.spec.type == "ExternalName":
        return service.spec.external_name or None
    balancers = [i.ip or i.hostname for i in service.status.load_balancer.ingress]
    return ",".join([*balancers, *service.spec.external_ips]) or None


SERVICES = Printer(
    namespaced_columns(
        Column("type", "Type", words="type"),
        Column("cluster-ip", "Cluster IP", "mono", order="ip", words="cluster IP"),
        Column("external-ip", "External IP", "mono", order="ip", words="external IP"),
        Column("ports", "Port(s)", "mono", words="ports"),
        AGE_COLUMN,
        Column("selector", "Selector", "mono", priority=1, words="selector"),
    ),
    Service,
    read_service,
)
