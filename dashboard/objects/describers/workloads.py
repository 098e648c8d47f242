"""Facts of Deployments, ReplicaSets, StatefulSets and DaemonSets: progress and strategy of a rollout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.objects.describers.fact import Fact, Section, make_fact, make_section
from dashboard.objects.describers.name_and_namespace import namespace_of
from dashboard.objects.describers.selector_text import selected_pods_piece, selector_text
from dashboard.objects.describers.volumes import claim_text
from dashboard.objects.fields.unstructured import as_int, as_map, as_maps, as_text
from dashboard.runtime.counts_and_times import format_pod_count, format_seconds
from dashboard.runtime.text_with_links import TextPiece, object_piece

_REVISION, _CAUSE = "deployment.kubernetes.io/revision", "kubernetes.io/change-cause"
_NO_DEADLINE = 2**31 - 1


def deployment_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = _parts(obj)
    deadline, revisions = spec.get("progressDeadlineSeconds"), spec.get("revisionHistoryLimit")
    stuck = f"after {format_seconds(deadline)} without progress" if deadline not in (None, _NO_DEADLINE) else None
    return make_section(
        "rollout", "Rollout",
        unobserved_fact(obj),
        make_fact("Pods", _progress(spec, status)),
        make_fact("Paused", "changes of its template make no new pods until it is resumed"
             if spec.get("paused") is True else None, tone="warn"),
        *_revision(obj),
        make_fact("Strategy", _strategy(as_map(spec.get("strategy")))),
        _available_after(spec),
        make_fact("Called stuck", stuck),
        make_fact("History", f"keeps {as_text(revisions)} old ReplicaSets" if revisions is not None else None),
        selected_pods_fact(obj, spec.get("selector")),
    )  # fmt: skip


def replicaset_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = _parts(obj)
    wanted, there = _count(spec, "replicas", 1), _count(status, "replicas")
    labelled, ready, available = (
        _count(status, name) for name in ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    )
    odd = f", {there - labelled} without all of the template's labels" if labelled < there else ""
    return make_section(
        "replicas", "Replicas",
        unobserved_fact(obj),
        make_fact("Pods", f"{there} of {format_pod_count(wanted)} there, {ready} ready, {available} available{odd}"),
        *_revision(obj),
        _available_after(spec),
        selected_pods_fact(obj, spec.get("selector")),
    )  # fmt: skip


def statefulset_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = _parts(obj)
    now, new = as_text(status.get("currentRevision")), as_text(status.get("updateRevision"))
    order = "all at once" if spec.get("podManagementPolicy") == "Parallel" else "one after another"
    retention = as_map(spec.get("persistentVolumeClaimRetentionPolicy"))
    claims = (
        f"{as_text(as_map(each.get('metadata')).get('name'))}: {claim_text(as_map(each.get('spec')))}"
        for each in as_maps(spec.get("volumeClaimTemplates"))
    )
    service = as_text(spec.get("serviceName"))
    return make_section(
        "rollout", "Rollout",
        unobserved_fact(obj),
        make_fact("Pods", _stateful_progress(spec, status)),
        make_fact("Revision", new if now in ("", new) else f"from {now} to {new}"),
        make_fact("Strategy", _stateful_strategy(as_map(spec.get("updateStrategy")))),
        make_fact("Starts and ends them", order),
        _available_after(spec),
        make_fact("Service", [object_piece("services", namespace_of(obj), service)] if service else None),
        make_fact("Claims of each pod", *claims),
        make_fact("Claims stay", _retention(retention)),
        selected_pods_fact(obj, spec.get("selector")),
    )  # fmt: skip


def daemonset_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = _parts(obj)
    wanted, there, ready, fresh = (_count(status, name) for name in (
        "desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled"))  # fmt: skip
    misscheduled, lacking = _count(status, "numberMisscheduled"), _count(status, "numberUnavailable")
    nodes = "1 node" if wanted == 1 else f"{wanted} nodes"
    return make_section(
        "rollout", "Rollout",
        unobserved_fact(obj),
        make_fact("Pods", f"on {there} of {nodes}, {ready} ready, {fresh} up to date"),
        make_fact("Unavailable", format_pod_count(lacking) if lacking else None, tone="warn"),
        make_fact(
            "Out of place",
            f"{format_pod_count(misscheduled)} on nodes that should have none" if misscheduled else None,
            tone="warn",
        ),
        make_fact("Strategy", _strategy(as_map(spec.get("updateStrategy")))),
        _available_after(spec),
        selected_pods_fact(obj, spec.get("selector")),
    )  # fmt: skip


def unobserved_fact(obj: Mapping[str, Any]) -> Fact | None:
    """A fact for a status that belongs to an earlier spec than the page shows."""
    wanted = as_int(as_map(obj.get("metadata")).get("generation"))
    seen = as_int(as_map(obj.get("status")).get("observedGeneration"))
    if wanted is None or seen is None or seen >= wanted:
        return None
    return make_fact(
        "Behind", f"its controller has not seen generation {wanted} yet: the status is of {seen}", tone="warn"
    )


def selected_pods_fact(obj: Mapping[str, Any], selector: Any) -> Fact | None:
    """Its pods, with a link to their list."""
    words, fields = selector_text(selector), as_map(selector)
    if not words:
        return None
    chosen = None if fields.get("matchExpressions") else fields.get("matchLabels")
    return make_fact("Selects", [selected_pods_piece(namespace_of(obj), chosen, words)])


def _parts(obj: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    return as_map(obj.get("spec")), as_map(obj.get("status"))


def _count(fields: Mapping[str, Any], name: str, default: int = 0) -> int:
    number = as_int(fields.get(name))
    return default if number is None else number


def _progress(spec: Mapping[str, Any], status: Mapping[str, Any]) -> str:
    wanted = _count(spec, "replicas", 1)
    there, fresh, ready, terminating = (
        _count(status, name) for name in ("replicas", "updatedReplicas", "readyReplicas", "terminatingReplicas")
    )
    old = f", {format_pod_count(there - fresh)} of an older one still there" if there > fresh else ""
    end = f", {terminating} ending" if terminating else ""
    return f"{fresh} of {format_pod_count(wanted)} of the newest template, {ready} ready{old}{end}"


def _stateful_progress(spec: Mapping[str, Any], status: Mapping[str, Any]) -> str:
    wanted = _count(spec, "replicas", 1)
    there, fresh, ready = (_count(status, name) for name in ("replicas", "updatedReplicas", "readyReplicas"))
    return f"{there} of {format_pod_count(wanted)} there, {ready} ready, {fresh} of the newest template"


def _strategy(strategy: Mapping[str, Any]) -> str | None:
    kind, rolling = as_text(strategy.get("type")), as_map(strategy.get("rollingUpdate"))
    if kind == "Recreate":
        return "Recreate: all old pods end before a new one starts"
    if kind == "OnDelete":
        return "OnDelete: a pod is replaced only when it is deleted"
    more, fewer = as_text(rolling.get("maxSurge")), as_text(rolling.get("maxUnavailable"))
    parts = (f"{fewer} fewer at most" if fewer else "", f"{more} more at most" if more not in ("", "0") else "")
    return ": ".join(part for part in (kind, ", ".join(part for part in parts if part)) if part) or None


def _stateful_strategy(strategy: Mapping[str, Any]) -> str | None:
    partition = as_int(as_map(strategy.get("rollingUpdate")).get("partition"))
    words = _strategy(strategy)
    return f"{words}, only pods from number {partition} on" if words and partition else words


def _revision(obj: Mapping[str, Any]) -> tuple[Fact | None, ...]:
    annotations = as_map(as_map(obj.get("metadata")).get("annotations"))
    revision, cause = as_text(annotations.get(_REVISION)), as_text(annotations.get(_CAUSE))
    return (
        make_fact("Revision", [TextPiece(revision), TextPiece(f", because of: {cause}" if cause and revision else "")]),
    )


def _available_after(spec: Mapping[str, Any]) -> Fact | None:
    seconds = spec.get("minReadySeconds")
    return make_fact("Available", f"after {format_seconds(seconds)} of being ready" if seconds else None)


def _retention(policy: Mapping[str, Any]) -> str | None:
    deleted, scaled = policy.get("whenDeleted") == "Delete", policy.get("whenScaled") == "Delete"
    if not deleted and not scaled:
        return None
    both = "until it is deleted or scaled down" if deleted and scaled else ""
    return both or ("until it is deleted" if deleted else "until it is scaled down")
