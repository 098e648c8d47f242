"""Deployments, ReplicaSets, StatefulSets and DaemonSets: how far a rollout has come, and how it goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.resources.facts.fact import Fact, Section, fact, section
from dashboard.resources.facts.selectors import selected, selector_words
from dashboard.resources.facts.template import namespace_of
from dashboard.resources.facts.volumes import claim_words
from dashboard.resources.loose import mapping, mappings, number, text
from dashboard.resources.words import Words, named, pods, span

_REVISION, _CAUSE = "deployment.kubernetes.io/revision", "kubernetes.io/change-cause"
_NO_DEADLINE = 2**31 - 1


def deployment_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = _parts(obj)
    deadline, kept = spec.get("progressDeadlineSeconds"), spec.get("revisionHistoryLimit")
    stuck = f"after {span(deadline)} without progress" if deadline not in (None, _NO_DEADLINE) else None
    return section(
        "rollout", "Rollout",
        unseen(obj),
        fact("Pods", _progress(spec, status)),
        fact("Paused", "a change of its template makes no new pods until it is resumed"
             if spec.get("paused") is True else None, tone="warn"),
        *_revision(obj),
        fact("Strategy", _strategy(mapping(spec.get("strategy")))),
        _available_after(spec),
        fact("Called stuck", stuck),
        fact("History", f"keeps {text(kept)} old ReplicaSets" if kept is not None else None),
        selects(obj, spec.get("selector")),
    )  # fmt: skip


def replicaset_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = _parts(obj)
    wanted, there = _count(spec, "replicas", 1), _count(status, "replicas")
    labelled, ready, available = (
        _count(status, name) for name in ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    )
    odd = f", {there - labelled} without all of the template's labels" if labelled < there else ""
    return section(
        "replicas", "Replicas",
        unseen(obj),
        fact("Pods", f"{there} of {pods(wanted)} there, {ready} ready, {available} available{odd}"),
        *_revision(obj),
        _available_after(spec),
        selects(obj, spec.get("selector")),
    )  # fmt: skip


def statefulset_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = _parts(obj)
    now, new = text(status.get("currentRevision")), text(status.get("updateRevision"))
    order = "all at once" if spec.get("podManagementPolicy") == "Parallel" else "one after another"
    retention = mapping(spec.get("persistentVolumeClaimRetentionPolicy"))
    claims = (
        f"{text(mapping(each.get('metadata')).get('name'))}: {claim_words(mapping(each.get('spec')))}"
        for each in mappings(spec.get("volumeClaimTemplates"))
    )
    service = text(spec.get("serviceName"))
    return section(
        "rollout", "Rollout",
        unseen(obj),
        fact("Pods", _stateful_progress(spec, status)),
        fact("Revision", new if now in ("", new) else f"from {now} to {new}"),
        fact("Strategy", _stateful_strategy(mapping(spec.get("updateStrategy")))),
        fact("Starts and ends them", order),
        _available_after(spec),
        fact("Service", [named("services", namespace_of(obj), service)] if service else None),
        fact("Claims of each pod", *claims),
        fact("Claims stay", _retention(retention)),
        selects(obj, spec.get("selector")),
    )  # fmt: skip


def daemonset_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = _parts(obj)
    wanted, there, ready, fresh = (_count(status, name) for name in (
        "desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled"))  # fmt: skip
    wrong, lacking = _count(status, "numberMisscheduled"), _count(status, "numberUnavailable")
    nodes = "1 node" if wanted == 1 else f"{wanted} nodes"
    return section(
        "rollout", "Rollout",
        unseen(obj),
        fact("Pods", f"on {there} of {nodes}, {ready} ready, {fresh} up to date"),
        fact("Unavailable", pods(lacking) if lacking else None, tone="warn"),
        fact("Out of place", f"{pods(wrong)} on nodes that should have none" if wrong else None, tone="warn"),
        fact("Strategy", _strategy(mapping(spec.get("updateStrategy")))),
        _available_after(spec),
        selects(obj, spec.get("selector")),
    )  # fmt: skip


def unseen(obj: Mapping[str, Any]) -> Fact | None:
    """Said where the status is of an earlier spec than what the page shows."""
    wanted = number(mapping(obj.get("metadata")).get("generation"))
    seen = number(mapping(obj.get("status")).get("observedGeneration"))
    if wanted is None or seen is None or seen >= wanted:
        return None
    return fact("Behind", f"its controller has not seen generation {wanted} yet: the status is of {seen}", tone="warn")


def selects(obj: Mapping[str, Any], selector: Any) -> Fact | None:
    """Its pods, with the list of them."""
    words, found = selector_words(selector), mapping(selector)
    if not words:
        return None
    chosen = None if found.get("matchExpressions") else found.get("matchLabels")
    return fact("Selects", [selected(namespace_of(obj), chosen, words)])


def _parts(obj: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    return mapping(obj.get("spec")), mapping(obj.get("status"))


def _count(fields: Mapping[str, Any], name: str, default: int = 0) -> int:
    found = number(fields.get(name))
    return default if found is None else found


def _progress(spec: Mapping[str, Any], status: Mapping[str, Any]) -> str:
    wanted = _count(spec, "replicas", 1)
    there, fresh, ready, going = (
        _count(status, name) for name in ("replicas", "updatedReplicas", "readyReplicas", "terminatingReplicas")
    )
    old = f", {pods(there - fresh)} of an older one still there" if there > fresh else ""
    end = f", {going} ending" if going else ""
    return f"{fresh} of {pods(wanted)} of the newest template, {ready} ready{old}{end}"


def _stateful_progress(spec: Mapping[str, Any], status: Mapping[str, Any]) -> str:
    wanted = _count(spec, "replicas", 1)
    there, fresh, ready = (_count(status, name) for name in ("replicas", "updatedReplicas", "readyReplicas"))
    return f"{there} of {pods(wanted)} there, {ready} ready, {fresh} of the newest template"


def _strategy(strategy: Mapping[str, Any]) -> str | None:
    kind, rolling = text(strategy.get("type")), mapping(strategy.get("rollingUpdate"))
    if kind == "Recreate":
        return "Recreate: all old pods end before a new one starts"
    if kind == "OnDelete":
        return "OnDelete: a pod is made anew only when somebody deletes it"
    more, fewer = text(rolling.get("maxSurge")), text(rolling.get("maxUnavailable"))
    parts = (f"{fewer} fewer at most" if fewer else "", f"{more} more at most" if more not in ("", "0") else "")
    return ": ".join(part for part in (kind, ", ".join(part for part in parts if part)) if part) or None


def _stateful_strategy(strategy: Mapping[str, Any]) -> str | None:
    partition = number(mapping(strategy.get("rollingUpdate")).get("partition"))
    words = _strategy(strategy)
    return f"{words}, only pods from number {partition} on" if words and partition else words


def _revision(obj: Mapping[str, Any]) -> tuple[Fact | None, ...]:
    annotations = mapping(mapping(obj.get("metadata")).get("annotations"))
    revision, cause = text(annotations.get(_REVISION)), text(annotations.get(_CAUSE))
    return (fact("Revision", [Words(revision), Words(f", because of: {cause}" if cause and revision else "")]),)


def _available_after(spec: Mapping[str, Any]) -> Fact | None:
    seconds = spec.get("minReadySeconds")
    return fact("Available", f"after {span(seconds)} of being ready" if seconds else None)


def _retention(policy: Mapping[str, Any]) -> str | None:
    deleted, scaled = policy.get("whenDeleted") == "Delete", policy.get("whenScaled") == "Delete"
    if not deleted and not scaled:
        return None
    both = "until it is deleted or scaled down" if deleted and scaled else ""
    return both or ("until it is deleted" if deleted else "until it is scaled down")
