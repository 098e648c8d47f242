"""Facts of pods and of pod templates: scheduling, volumes, and settings such as service account, quality of service and
security.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.objects.describers.container_setup import security_context_text
from dashboard.objects.describers.fact import Section, join_sentences, make_fact, make_section
from dashboard.objects.describers.name_and_namespace import name_of, namespace_of
from dashboard.objects.describers.pod_spec_lookup import pod_spec_of
from dashboard.objects.describers.scheduling import scheduling_facts
from dashboard.objects.describers.volumes import volume_facts
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text
from dashboard.runtime.counts_and_times import format_seconds
from dashboard.runtime.text_with_links import TextPiece, object_piece

_SHARED = (("hostNetwork", "network"), ("hostPID", "processes"), ("hostIPC", "IPC"))
_USUAL_GRACE = 30


def pod_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    """The facts of a pod or pod template; none for other objects."""
    spec, own = pod_spec_of(obj)
    if not spec:
        return ()
    status = as_map(obj.get("status")) if own else {}
    namespace, pod = namespace_of(obj), name_of(obj) if own else ""
    return (
        *scheduling_facts(spec, status),
        *make_section("volumes", "Volumes", *volume_facts(spec, namespace, pod)),
        *_settings(spec, status, namespace, own=own),
    )


def _settings(spec: Mapping[str, Any], status: Mapping[str, Any], namespace: str, *, own: bool) -> tuple[Section, ...]:
    restarts, dns, runtime = (as_text(spec.get(name)) for name in ("restartPolicy", "dnsPolicy", "runtimeClassName"))
    grace, deadline = spec.get("terminationGracePeriodSeconds"), spec.get("activeDeadlineSeconds")
    shared = [name for field, name in _SHARED if spec.get(field) is True]
    secrets = [
        [object_piece("secrets", namespace, as_text(secret.get("name")))]
        for secret in as_maps(spec.get("imagePullSecrets"))
    ]
    ips = [as_text(each.get("ip")) for each in as_maps(status.get("podIPs"))]
    return make_section(
        "settings", "Pod" if own else "Its pods",
        make_fact("Service account", _account(spec, namespace)),
        make_fact("Quality of service", as_text(status.get("qosClass")) or None),
        make_fact("Readiness gates", *_gates(spec, status)),
        make_fact("IPs", ", ".join(ips) if len(ips) > 1 else None),
        make_fact("Node", _node(spec, status)),
        make_fact("Shares with its node", ", ".join(shared) or None, tone="warn"),
        make_fact("After an exit", {"Never": "stays ended", "OnFailure": "starts again if it failed"}.get(restarts)),
        make_fact("To shut down", f"has {format_seconds(grace)}" if grace not in (None, _USUAL_GRACE) else None),
        make_fact("Has to end", f"within {format_seconds(deadline)}" if deadline is not None else None),
        make_fact("Security", security_context_text(spec.get("securityContext")) or None),
        make_fact("Pulls images with", join_sentences(secrets)),
        make_fact("Runtime class", runtime or None),
        make_fact("DNS", dns if dns not in ("", "ClusterFirst") else None),
    )  # fmt: skip


def _node(spec: Mapping[str, Any], status: Mapping[str, Any]) -> list[TextPiece] | None:
    node, ip = as_text(spec.get("nodeName")), as_text(status.get("hostIP"))
    return [object_piece("nodes", "", node), TextPiece(f", {ip}" if ip else "")] if node else None


def _account(spec: Mapping[str, Any], namespace: str) -> list[TextPiece] | None:
    account = as_text(spec.get("serviceAccountName"))
    if not account:
        return None
    tokenless = ", its token is not mounted" if spec.get("automountServiceAccountToken") is False else ""
    return [object_piece("serviceaccounts", namespace, account), TextPiece(tokenless)]


def _gates(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Iterator[str]:
    known = {as_text(each.get("type")): as_text(each.get("status")) for each in as_maps(status.get("conditions"))}
    for gate in as_maps(spec.get("readinessGates")):
        name = as_text(gate.get("conditionType"))
        yield f"{name}: {known.get(name, 'not set yet')}"
