"""What decides on which node a pod may run: what it asks for, and what keeps it waiting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.resources.facts.fact import Section, fact, joined, section
from dashboard.resources.facts.selectors import labels, requirement, selector_words
from dashboard.resources.loose import mapping, mappings, text, texts
from dashboard.resources.words import Words, named, span

_REQUIRED, _PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def scheduling_of(spec: Mapping[str, Any], status: Mapping[str, Any]) -> tuple[Section, ...]:
    """Of a pod, or of a template's pods, whose `status` is empty."""
    affinity = mapping(spec.get("affinity"))
    scheduler, chosen = text(spec.get("schedulerName")), text(status.get("nominatedNodeName"))
    waits = [] if spec.get("nodeName") else [text(gate.get("name")) for gate in mappings(spec.get("schedulingGates"))]
    return section(
        "scheduling", "Scheduling",
        fact("Gates", *(f"{gate} is to be taken away first" for gate in waits), tone="warn"),
        fact("Nominated for", [named("nodes", "", chosen)] if chosen else None),
        fact("Node labels", labels(spec.get("nodeSelector")) or None),
        fact("Nodes", *_nodes(mapping(affinity.get("nodeAffinity")))),
        fact("Near pods", *_pods(mapping(affinity.get("podAffinity")))),
        fact("Away from pods", *_pods(mapping(affinity.get("podAntiAffinity")))),
        fact("Spread", *map(_spread, mappings(spec.get("topologySpreadConstraints")))),
        fact("Tolerates", *map(toleration_words, mappings(spec.get("tolerations")))),
        fact("Priority", _priority(spec)),
        fact("Claims devices", *map(_device, mappings(spec.get("resourceClaims")))),
        fact("Scheduler", scheduler if scheduler not in ("", "default-scheduler") else None),
    )  # fmt: skip


def taint_words(taint: Mapping[str, Any]) -> str:
    """``dedicated=gpu:NoSchedule``, as kubectl takes it."""
    value = text(taint.get("value"))
    return f"{text(taint.get('key'))}{f'={value}' if value else ''}:{text(taint.get('effect'))}"


def toleration_words(toleration: Mapping[str, Any]) -> str:
    """``dedicated=gpu:NoSchedule``, ``node.kubernetes.io/not-ready:NoExecute for 5 min``, ``every taint``."""
    key, value, effect = (text(toleration.get(name)) for name in ("key", "value", "effect"))
    exists = toleration.get("operator") == "Exists"
    words = (key if exists else f"{key}={value}") if key else "every taint"
    words += f":{effect}" if effect and key else f" with {effect}" if effect else ""
    seconds = toleration.get("tolerationSeconds")
    return words + (f" for {span(seconds)}" if seconds is not None else "")


def node_terms(selector: Mapping[str, Any]) -> str:
    """Terms of which one has to hold: ``disk in ssd, no old; or zone in a``."""
    return "; or ".join(_term(term) for term in mappings(selector.get("nodeSelectorTerms")))


def _term(term: Mapping[str, Any]) -> str:
    entries = [*mappings(term.get("matchExpressions")), *mappings(term.get("matchFields"))]
    return ", ".join(map(requirement, entries)) or "no node"


def _nodes(affinity: Mapping[str, Any]) -> Iterator[str]:
    if needed := node_terms(mapping(affinity.get(_REQUIRED))):
        yield f"only those with {needed}"
    for entry in mappings(affinity.get(_PREFERRED)):
        yield f"rather those with {_term(mapping(entry.get('preference')))}, weight {text(entry.get('weight'))}"


def _pods(affinity: Mapping[str, Any]) -> Iterator[str]:
    for term in mappings(affinity.get(_REQUIRED)):
        yield f"always: {_pods_of(term)}"
    for entry in mappings(affinity.get(_PREFERRED)):
        yield f"if it can be: {_pods_of(mapping(entry.get('podAffinityTerm')))}, weight {text(entry.get('weight'))}"


def _pods_of(term: Mapping[str, Any]) -> str:
    where = ", ".join(texts(term.get("namespaces")))
    there = f" in {where}" if where else " in any namespace" if term.get("namespaceSelector") == {} else ""
    return f"{selector_words(term.get('labelSelector')) or 'no pods'}{there}, by {text(term.get('topologyKey'))}"


def _spread(rule: Mapping[str, Any]) -> str:
    must = "as far as it can be" if rule.get("whenUnsatisfiable") == "ScheduleAnyway" else "else it waits"
    among = selector_words(rule.get("labelSelector")) or "no pods"
    return f"over {text(rule.get('topologyKey'))}, {among}: {text(rule.get('maxSkew'))} apart at most, {must}"


def _priority(spec: Mapping[str, Any]) -> list[Words] | None:
    value, group = text(spec.get("priority")), text(spec.get("priorityClassName"))
    if value in ("", "0") and not group:
        return None
    link = [named("priorityclasses.scheduling.k8s.io", "", group)] if group else []
    never = ", takes no other pod's place" if spec.get("preemptionPolicy") == "Never" else ""
    parts = ([Words(value)], [Words("class "), *link] if link else [])
    return [*joined(part for part in parts if part and part[0].text), Words(never)]


def _device(claim: Mapping[str, Any]) -> str:
    source = text(claim.get("resourceClaimName")) or text(claim.get("resourceClaimTemplateName"))
    return f"{text(claim.get('name'))}: {source}"
