"""Scheduling facts of a pod: what decides on its node, and what keeps it waiting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.objects.describers.fact import Section, join_sentences, make_fact, make_section
from dashboard.objects.describers.selector_text import labels_text, requirement_text, selector_text
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text, as_texts
from dashboard.runtime.counts_and_times import format_seconds
from dashboard.runtime.text_with_links import TextPiece, object_piece

_REQUIRED, _PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def scheduling_facts(spec: Mapping[str, Any], status: Mapping[str, Any]) -> tuple[Section, ...]:
    """The scheduling facts of a pod, or of a template's pods, whose `status` is empty."""
    affinity = as_map(spec.get("affinity"))
    scheduler, chosen = as_text(spec.get("schedulerName")), as_text(status.get("nominatedNodeName"))
    waits = [] if spec.get("nodeName") else [as_text(gate.get("name")) for gate in as_maps(spec.get("schedulingGates"))]
    return make_section(
        "scheduling", "Scheduling",
        make_fact("Gates", *(f"{gate} has to be removed first" for gate in waits), tone="warn"),
        make_fact("Nominated for", [object_piece("nodes", "", chosen)] if chosen else None),
        make_fact("Node labels", labels_text(spec.get("nodeSelector")) or None),
        make_fact("Nodes", *_nodes(as_map(affinity.get("nodeAffinity")))),
        make_fact("Near pods", *_pods(as_map(affinity.get("podAffinity")))),
        make_fact("Away from pods", *_pods(as_map(affinity.get("podAntiAffinity")))),
        make_fact("Spread", *map(_spread, as_maps(spec.get("topologySpreadConstraints")))),
        make_fact("Tolerates", *map(toleration_text, as_maps(spec.get("tolerations")))),
        make_fact("Priority", _priority(spec)),
        make_fact("Claims devices", *map(_device, as_maps(spec.get("resourceClaims")))),
        make_fact("Scheduler", scheduler if scheduler not in ("", "default-scheduler") else None),
    )  # fmt: skip


def taint_text(taint: Mapping[str, Any]) -> str:
    """``dedicated=gpu:NoSchedule``, as kubectl writes it."""
    value = as_text(taint.get("value"))
    return f"{as_text(taint.get('key'))}{f'={value}' if value else ''}:{as_text(taint.get('effect'))}"


def toleration_text(toleration: Mapping[str, Any]) -> str:
    """``dedicated=gpu:NoSchedule``, ``node.kubernetes.io/not-ready:NoExecute for 5 min``, ``every taint``."""
    key, value, effect = (as_text(toleration.get(name)) for name in ("key", "value", "effect"))
    exists = toleration.get("operator") == "Exists"
    words = (key if exists else f"{key}={value}") if key else "every taint"
    words += f":{effect}" if effect and key else f" with {effect}" if effect else ""
    seconds = toleration.get("tolerationSeconds")
    return words + (f" for {format_seconds(seconds)}" if seconds is not None else "")


def node_selector_text(selector: Mapping[str, Any]) -> str:
    """Terms of which one must match: ``disk in ssd, no old; or zone in a``."""
    return "; or ".join(_term(term) for term in as_maps(selector.get("nodeSelectorTerms")))


def _term(term: Mapping[str, Any]) -> str:
    entries = [*as_maps(term.get("matchExpressions")), *as_maps(term.get("matchFields"))]
    return ", ".join(map(requirement_text, entries)) or "no node"


def _nodes(affinity: Mapping[str, Any]) -> Iterator[str]:
    if needed := node_selector_text(as_map(affinity.get(_REQUIRED))):
        yield f"only those with {needed}"
    for entry in as_maps(affinity.get(_PREFERRED)):
        yield f"rather those with {_term(as_map(entry.get('preference')))}, weight {as_text(entry.get('weight'))}"


def _pods(affinity: Mapping[str, Any]) -> Iterator[str]:
    for term in as_maps(affinity.get(_REQUIRED)):
        yield f"always: {_pods_of(term)}"
    for entry in as_maps(affinity.get(_PREFERRED)):
        yield f"if it can be: {_pods_of(as_map(entry.get('podAffinityTerm')))}, weight {as_text(entry.get('weight'))}"


def _pods_of(term: Mapping[str, Any]) -> str:
    where = ", ".join(as_texts(term.get("namespaces")))
    there = f" in {where}" if where else " in any namespace" if term.get("namespaceSelector") == {} else ""
    return f"{selector_text(term.get('labelSelector')) or 'no pods'}{there}, by {as_text(term.get('topologyKey'))}"


def _spread(rule: Mapping[str, Any]) -> str:
    must = "as far as it can be" if rule.get("whenUnsatisfiable") == "ScheduleAnyway" else "else it waits"
    among = selector_text(rule.get("labelSelector")) or "no pods"
    return f"over {as_text(rule.get('topologyKey'))}, {among}: {as_text(rule.get('maxSkew'))} apart at most, {must}"


def _priority(spec: Mapping[str, Any]) -> list[TextPiece] | None:
    value, group = as_text(spec.get("priority")), as_text(spec.get("priorityClassName"))
    if value in ("", "0") and not group:
        return None
    link = [object_piece("priorityclasses.scheduling.k8s.io", "", group)] if group else []
    never = ", takes no other pod's place" if spec.get("preemptionPolicy") == "Never" else ""
    parts = ([TextPiece(value)], [TextPiece("class "), *link] if link else [])
    return [*join_sentences(part for part in parts if part and part[0].text), TextPiece(never)]


def _device(claim: Mapping[str, Any]) -> str:
    source = as_text(claim.get("resourceClaimName")) or as_text(claim.get("resourceClaimTemplateName"))
    return f"{as_text(claim.get('name'))}: {source}"
