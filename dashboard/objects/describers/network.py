"""Services, EndpointSlices, Ingresses and NetworkPolicies: what leads where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.resources.facts.fact import Section, fact, section
from dashboard.resources.facts.selectors import labels, list_href, selected, selector_words
from dashboard.resources.facts.template import name_of, namespace_of
from dashboard.resources.loose import mapping, mappings, text, texts
from dashboard.resources.words import Words, named, span

SLICES = "endpointslices.discovery.k8s.io"


def service_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, namespace = mapping(obj.get("spec")), namespace_of(obj)
    kind, selector = text(spec.get("type")), spec.get("selector")
    external, inside = text(spec.get("externalTrafficPolicy")), text(spec.get("internalTrafficPolicy"))
    check, ips = text(spec.get("healthCheckNodePort")), texts(spec.get("clusterIPs"))
    asked = f", asked for it on port {check}" if check not in ("", "0") else ""
    elsewhere = f"to {text(spec.get('externalName'))}, by DNS" if kind == "ExternalName" else None
    slices = list_href(SLICES, namespace, f"label:kubernetes.io/service-name={name_of(obj)}")
    return section(
        "traffic", "Traffic",
        fact("Leads", elsewhere),
        fact("Ports", *map(_port, mappings(spec.get("ports")))),
        fact("Pods", [selected(namespace, selector, labels(selector))] if mapping(selector) else
             None if elsewhere else "none of its own: it has no selector, somebody else writes its endpoints"),
        fact("Endpoints", None if elsewhere else [Words("list those it has now", href=slices)]),
        fact("Cluster's IPs", ", ".join(ips) if len(ips) > 1 else "none: DNS names the pods themselves"
             if ips == ["None"] else None),
        fact("From outside", f"only nodes that have one of its pods answer{asked}" if external == "Local" else None),
        fact("From inside", "only pods on the same node answer" if inside == "Local" else None),
        fact("Same client", _affinity(spec)),
        fact("Load balancer", *_balancer(obj)),
        fact("Only from", ", ".join(texts(spec.get("loadBalancerSourceRanges"))) or None),
        fact("Pods that are not ready", "are endpoints, too" if spec.get("publishNotReadyAddresses") is True else None),
    )  # fmt: skip


def endpointslice_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    namespace = namespace_of(obj)
    service = text(mapping(mapping(obj.get("metadata")).get("labels")).get("kubernetes.io/service-name"))
    lines = (_endpoint(each, namespace) for each in mappings(obj.get("endpoints")))
    return section(
        "endpoints", "Endpoints",
        fact("Service", [named("services", namespace, service)] if service else None),
        fact("Leads to", *lines),
    )  # fmt: skip


def ingress_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, namespace = mapping(obj.get("spec")), namespace_of(obj)
    rest = mapping(spec.get("defaultBackend"))
    secrets = (
        [Words(f"{', '.join(texts(each.get('hosts'))) or 'all hosts'} with Secret "),
         named("secrets", namespace, text(each.get("secretName")))]
        for each in mappings(spec.get("tls"))
    )  # fmt: skip
    hosts = [
        fact(text(rule.get("host")) or "any host", *_paths(rule, namespace), given=bool(rule.get("host")))
        for rule in mappings(spec.get("rules"))
    ]
    return section(
        "rules", "Rules",
        *hosts,
        fact("All else", _backend(rest, namespace) if rest else None),
        fact("TLS", *secrets),
        fact("Load balancer", *_balancer(obj)),
    )  # fmt: skip


def policy_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, namespace = mapping(obj.get("spec")), namespace_of(obj)
    selector = mapping(spec.get("podSelector"))
    chosen = None if selector.get("matchExpressions") else selector.get("matchLabels")
    ways = texts(spec.get("policyTypes"))
    incoming, outgoing = mappings(spec.get("ingress")), mappings(spec.get("egress"))
    return section(
        "rules", "Rules",
        fact("For pods", [selected(namespace, chosen, selector_words(selector, "all of the namespace"))]),
        fact("May be reached", *(_allowed(rule, "from") for rule in incoming) if incoming else ("by nobody",))
        if "Ingress" in ways else fact("May be reached", "by all: it says nothing of that"),
        fact("May reach", *(_allowed(rule, "to") for rule in outgoing) if outgoing else ("nobody",))
        if "Egress" in ways else fact("May reach", "all: it says nothing of that"),
    )  # fmt: skip


def _port(port: Mapping[str, Any]) -> str:
    """``http: 80 → 8080/TCP, on each node 30787``."""
    name, number, node = text(port.get("name")), text(port.get("port")), text(port.get("nodePort"))
    target, protocol = text(port.get("targetPort")) or number, text(port.get("protocol")) or "TCP"
    words = f"{name}: " if name else ""
    return f"{words}{number}/{protocol} → {target}" + (f", on each node {node}" if node not in ("", "0") else "")


def _affinity(spec: Mapping[str, Any]) -> str | None:
    if spec.get("sessionAffinity") != "ClientIP":
        return None
    seconds = mapping(mapping(spec.get("sessionAffinityConfig")).get("clientIP")).get("timeoutSeconds")
    return "gets the same pod" + (f" for {span(seconds)}" if seconds is not None else "")


def _balancer(obj: Mapping[str, Any]) -> Iterator[str]:
    status = mapping(mapping(obj.get("status")).get("loadBalancer"))
    for entry in mappings(status.get("ingress")):
        yield text(entry.get("ip")) or text(entry.get("hostname")) or "an entry without an address"


def _endpoint(endpoint: Mapping[str, Any], namespace: str) -> list[Words]:
    conditions, target = mapping(endpoint.get("conditions")), mapping(endpoint.get("targetRef"))
    pod = named("pods", namespace, text(target.get("name"))) if target.get("kind") == "Pod" else Words("")
    node, zone = text(endpoint.get("nodeName")), text(endpoint.get("zone"))
    ending = ", ending" + (" but serving" if conditions.get("serving") is True else "")
    state = (
        ending if conditions.get("terminating") is True else ", not ready" if conditions.get("ready") is False else ""
    )
    return [
        Words(", ".join(texts(endpoint.get("addresses")))), Words(": " if pod.text else ""), pod,
        Words(f" on {node}" if node else ""), Words(f" in {zone}" if zone else ""), Words(state),
    ]  # fmt: skip


def _paths(rule: Mapping[str, Any], namespace: str) -> Iterator[list[Words]]:
    for path in mappings(mapping(rule.get("http")).get("paths")):
        yield _path(path, namespace)


def _path(path: Mapping[str, Any], namespace: str) -> list[Words]:
    exact = " exactly" if path.get("pathType") == "Exact" else ""
    return [Words(f"{text(path.get('path')) or '/'}{exact} → "), *_backend(mapping(path.get("backend")), namespace)]


def _backend(backend: Mapping[str, Any], namespace: str) -> list[Words]:
    service, other = mapping(backend.get("service")), mapping(backend.get("resource"))
    if other:
        return [Words(f"{text(other.get('kind'))} {text(other.get('name'))}")]
    port = mapping(service.get("port"))
    return [
        named("services", namespace, text(service.get("name"))),
        Words(f":{text(port.get('name')) or text(port.get('number'))}" if port else ""),
    ]


def _allowed(rule: Mapping[str, Any], way: str) -> str:
    """``from pods app=web, namespaces team=a; on 80/TCP``."""
    peers = [_peer(each) for each in mappings(rule.get("from" if way == "from" else "to"))]
    ports = [_policy_port(each) for each in mappings(rule.get("ports"))]
    on = f" on {', '.join(ports)}" if ports else ""
    return f"{way} {', or '.join(peers) if peers else 'anywhere'}{on}"


def _peer(peer: Mapping[str, Any]) -> str:
    block = mapping(peer.get("ipBlock"))
    if block:
        left_out = texts(block.get("except"))
        return text(block.get("cidr")) + (f" but {', '.join(left_out)}" if left_out else "")
    pods = selector_words(peer.get("podSelector"), "any")
    spaces = selector_words(peer.get("namespaceSelector"), "any")
    here = f"pods {pods}" if pods else "pods"
    return f"{here} in namespaces {spaces}" if spaces else here


def _policy_port(port: Mapping[str, Any]) -> str:
    number, last = text(port.get("port")), text(port.get("endPort"))
    span_of = f"{number}-{last}" if last else number or "any port"
    return f"{span_of}/{text(port.get('protocol')) or 'TCP'}"
