"""Pods, and the pods that a workload's template makes: volumes, scheduling, and what they run as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.resources.facts.fact import Section, fact, joined, section
from dashboard.resources.facts.scheduling import scheduling_of
from dashboard.resources.facts.setup import security_words
from dashboard.resources.facts.template import name_of, namespace_of, pod_spec_of
from dashboard.resources.facts.volumes import volumes_of
from dashboard.resources.loose import mapping, mappings, text
from dashboard.resources.words import Words, named, span

_SHARED = (("hostNetwork", "network"), ("hostPID", "processes"), ("hostIPC", "IPC"))
_USUAL_GRACE = 30


def pod_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    """Nothing for what has no pods."""
    spec, own = pod_spec_of(obj)
    if not spec:
        return ()
    status = mapping(obj.get("status")) if own else {}
    namespace, pod = namespace_of(obj), name_of(obj) if own else ""
    return (
        *scheduling_of(spec, status),
        *section("volumes", "Volumes", *volumes_of(spec, namespace, pod)),
        *_settings(spec, status, namespace, own=own),
    )


def _settings(spec: Mapping[str, Any], status: Mapping[str, Any], namespace: str, *, own: bool) -> tuple[Section, ...]:
    restarts, dns, runtime = (text(spec.get(name)) for name in ("restartPolicy", "dnsPolicy", "runtimeClassName"))
    grace, deadline = spec.get("terminationGracePeriodSeconds"), spec.get("activeDeadlineSeconds")
    shared = [name for field, name in _SHARED if spec.get(field) is True]
    secrets = [[named("secrets", namespace, text(one.get("name")))] for one in mappings(spec.get("imagePullSecrets"))]
    ips = [text(each.get("ip")) for each in mappings(status.get("podIPs"))]
    return section(
        "settings", "Pod" if own else "Its pods",
        fact("Service account", _account(spec, namespace)),
        fact("Quality of service", text(status.get("qosClass")) or None),
        fact("Readiness gates", *_gates(spec, status)),
        fact("IPs", ", ".join(ips) if len(ips) > 1 else None),
        fact("Node", _node(spec, status)),
        fact("Shares with its node", ", ".join(shared) or None, tone="warn"),
        fact("After an exit", {"Never": "stays ended", "OnFailure": "starts again if it failed"}.get(restarts)),
        fact("To shut down", f"has {span(grace)}" if grace not in (None, _USUAL_GRACE) else None),
        fact("Has to end", f"within {span(deadline)}" if deadline is not None else None),
        fact("Security", security_words(spec.get("securityContext")) or None),
        fact("Pulls images with", joined(secrets)),
        fact("Runtime class", runtime or None),
        fact("DNS", dns if dns not in ("", "ClusterFirst") else None),
    )  # fmt: skip


def _node(spec: Mapping[str, Any], status: Mapping[str, Any]) -> list[Words] | None:
    node, ip = text(spec.get("nodeName")), text(status.get("hostIP"))
    return [named("nodes", "", node), Words(f", {ip}" if ip else "")] if node else None


def _account(spec: Mapping[str, Any], namespace: str) -> list[Words] | None:
    account = text(spec.get("serviceAccountName"))
    if not account:
        return None
    tokenless = ", its token is not mounted" if spec.get("automountServiceAccountToken") is False else ""
    return [named("serviceaccounts", namespace, account), Words(tokenless)]


def _gates(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Iterator[str]:
    known = {text(each.get("type")): text(each.get("status")) for each in mappings(status.get("conditions"))}
    for gate in mappings(spec.get("readinessGates")):
        name = text(gate.get("conditionType"))
        yield f"{name}: {known.get(name, 'not set yet')}"
