"""Facts of Services, EndpointSlices, Ingresses and NetworkPolicies: routes, addresses and allowed traffic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.objects.describers.fact import Section, make_fact, make_section
from dashboard.objects.describers.name_and_namespace import name_of, namespace_of
from dashboard.objects.describers.selector_text import labels_text, list_href, selected_pods_piece, selector_text
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text, as_texts
from dashboard.runtime.counts_and_times import format_seconds
from dashboard.runtime.text_with_links import TextPiece, object_piece

SLICES = "endpointslices.discovery.k8s.io"


def service_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, namespace = as_map(obj.get("spec")), namespace_of(obj)
    kind, selector = as_text(spec.get("type")), spec.get("selector")
    external, inside = as_text(spec.get("externalTrafficPolicy")), as_text(spec.get("internalTrafficPolicy"))
    check, ips = as_text(spec.get("healthCheckNodePort")), as_texts(spec.get("clusterIPs"))
    check_port = f", asked for it on port {check}" if check not in ("", "0") else ""
    elsewhere = f"to {as_text(spec.get('externalName'))}, by DNS" if kind == "ExternalName" else None
    slices = list_href(SLICES, namespace, f"label:kubernetes.io/service-name={name_of(obj)}")
    return make_section(
        "traffic", "Traffic",
        make_fact("Leads", elsewhere),
        make_fact("Ports", *map(_port, as_maps(spec.get("ports")))),
        make_fact("Pods", [selected_pods_piece(namespace, selector, labels_text(selector))] if as_map(selector) else
             None if elsewhere else "none: it has no selector, so its endpoints are managed elsewhere"),
        make_fact("Endpoints", None if elsewhere else [TextPiece("list its present pods", href=slices)]),
        make_fact("Cluster's IPs", ", ".join(ips) if len(ips) > 1 else "none: DNS names the pods themselves"
             if ips == ["None"] else None),
        make_fact(
            "From outside", f"only nodes that have one of its pods answer{check_port}" if external == "Local" else None
        ),
        make_fact("From inside", "only pods on the same node answer" if inside == "Local" else None),
        make_fact("Same client", _affinity(spec)),
        make_fact("Load balancer", *_balancer(obj)),
        make_fact("Only from", ", ".join(as_texts(spec.get("loadBalancerSourceRanges"))) or None),
        make_fact(
            "Pods that are not ready", "are endpoints, too" if spec.get("publishNotReadyAddresses") is True else None
        ),
    )  # fmt: skip


def endpointslice_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    namespace = namespace_of(obj)
    service = as_text(as_map(as_map(obj.get("metadata")).get("labels")).get("kubernetes.io/service-name"))
    lines = (_endpoint(each, namespace) for each in as_maps(obj.get("endpoints")))
    return make_section(
        "endpoints", "Endpoints",
        make_fact("Service", [object_piece("services", namespace, service)] if service else None),
        make_fact("Leads to", *lines),
    )  # fmt: skip


def ingress_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, namespace = as_map(obj.get("spec")), namespace_of(obj)
    rest = as_map(spec.get("defaultBackend"))
    secrets = (
        [TextPiece(f"{', '.join(as_texts(each.get('hosts'))) or 'all hosts'} with Secret "),
         object_piece("secrets", namespace, as_text(each.get("secretName")))]
        for each in as_maps(spec.get("tls"))
    )  # fmt: skip
    hosts = [
        make_fact(
            as_text(rule.get("host")) or "any host", *_paths(rule, namespace), is_user_named=bool(rule.get("host"))
        )
        for rule in as_maps(spec.get("rules"))
    ]
    return make_section(
        "rules", "Rules",
        *hosts,
        make_fact("All else", _backend(rest, namespace) if rest else None),
        make_fact("TLS", *secrets),
        make_fact("Load balancer", *_balancer(obj)),
    )  # fmt: skip


def policy_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, namespace = as_map(obj.get("spec")), namespace_of(obj)
    selector = as_map(spec.get("podSelector"))
    chosen = None if selector.get("matchExpressions") else selector.get("matchLabels")
    ways = as_texts(spec.get("policyTypes"))
    incoming, outgoing = as_maps(spec.get("ingress")), as_maps(spec.get("egress"))
    return make_section(
        "rules", "Rules",
        make_fact(
            "For pods", [selected_pods_piece(namespace, chosen, selector_text(selector, "all of the namespace"))]
        ),
        make_fact("May be reached", *(_allowed(rule, "from") for rule in incoming) if incoming else ("by nobody",))
        if "Ingress" in ways else make_fact("May be reached", "by all: it has no rules for that"),
        make_fact("May reach", *(_allowed(rule, "to") for rule in outgoing) if outgoing else ("nobody",))
        if "Egress" in ways else make_fact("May reach", "all: it has no rules for that"),
    )  # fmt: skip


def _port(port: Mapping[str, Any]) -> str:
    """``http: 80 → 8080/TCP, on each node 30787``."""
    name, number, node = as_text(port.get("name")), as_text(port.get("port")), as_text(port.get("nodePort"))
    target, protocol = as_text(port.get("targetPort")) or number, as_text(port.get("protocol")) or "TCP"
    words = f"{name}: " if name else ""
    return f"{words}{number}/{protocol} → {target}" + (f", on each node {node}" if node not in ("", "0") else "")


def _affinity(spec: Mapping[str, Any]) -> str | None:
    if spec.get("sessionAffinity") != "ClientIP":
        return None
    seconds = as_map(as_map(spec.get("sessionAffinityConfig")).get("clientIP")).get("timeoutSeconds")
    return "gets the same pod" + (f" for {format_seconds(seconds)}" if seconds is not None else "")


def _balancer(obj: Mapping[str, Any]) -> Iterator[str]:
    status = as_map(as_map(obj.get("status")).get("loadBalancer"))
    for entry in as_maps(status.get("ingress")):
        yield as_text(entry.get("ip")) or as_text(entry.get("hostname")) or "an entry without an address"


def _endpoint(endpoint: Mapping[str, Any], namespace: str) -> list[TextPiece]:
    conditions, target = as_map(endpoint.get("conditions")), as_map(endpoint.get("targetRef"))
    pod = object_piece("pods", namespace, as_text(target.get("name"))) if target.get("kind") == "Pod" else TextPiece("")
    node, zone = as_text(endpoint.get("nodeName")), as_text(endpoint.get("zone"))
    ending = ", ending" + (" but serving" if conditions.get("serving") is True else "")
    state = (
        ending if conditions.get("terminating") is True else ", not ready" if conditions.get("ready") is False else ""
    )
    return [
        TextPiece(", ".join(as_texts(endpoint.get("addresses")))), TextPiece(": " if pod.text else ""), pod,
        TextPiece(f" on {node}" if node else ""), TextPiece(f" in {zone}" if zone else ""), TextPiece(state),
    ]  # fmt: skip


def _paths(rule: Mapping[str, Any], namespace: str) -> Iterator[list[TextPiece]]:
    for path in as_maps(as_map(rule.get("http")).get("paths")):
        yield _path(path, namespace)


def _path(path: Mapping[str, Any], namespace: str) -> list[TextPiece]:
    exact = " exactly" if path.get("pathType") == "Exact" else ""
    return [
        TextPiece(f"{as_text(path.get('path')) or '/'}{exact} → "),
        *_backend(as_map(path.get("backend")), namespace),
    ]


def _backend(backend: Mapping[str, Any], namespace: str) -> list[TextPiece]:
    service, other = as_map(backend.get("service")), as_map(backend.get("resource"))
    if other:
        return [TextPiece(f"{as_text(other.get('kind'))} {as_text(other.get('name'))}")]
    port = as_map(service.get("port"))
    return [
        object_piece("services", namespace, as_text(service.get("name"))),
        TextPiece(f":{as_text(port.get('name')) or as_text(port.get('number'))}" if port else ""),
    ]


def _allowed(rule: Mapping[str, Any], way: str) -> str:
    """``from pods app=web, namespaces team=a; on 80/TCP``."""
    peers = [_peer(each) for each in as_maps(rule.get("from" if way == "from" else "to"))]
    ports = [_policy_port(each) for each in as_maps(rule.get("ports"))]
    on = f" on {', '.join(ports)}" if ports else ""
    return f"{way} {', or '.join(peers) if peers else 'anywhere'}{on}"


def _peer(peer: Mapping[str, Any]) -> str:
    block = as_map(peer.get("ipBlock"))
    if block:
        left_out = as_texts(block.get("except"))
        return as_text(block.get("cidr")) + (f" but {', '.join(left_out)}" if left_out else "")
    pods = selector_text(peer.get("podSelector"), "any")
    spaces = selector_text(peer.get("namespaceSelector"), "any")
    here = f"pods {pods}" if pods else "pods"
    return f"{here} in namespaces {spaces}" if spaces else here


def _policy_port(port: Mapping[str, Any]) -> str:
    number, last = as_text(port.get("port")), as_text(port.get("endPort"))
    span_of = f"{number}-{last}" if last else number or "any port"
    return f"{span_of}/{as_text(port.get('protocol')) or 'TCP'}"
