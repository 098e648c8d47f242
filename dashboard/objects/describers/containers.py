"""Containers of a pod, or of a workload's pod template, as the details page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from msgspec.json import decode, encode

from dashboard.objects.describers.container_setup import probe_sentences, setup_facts
from dashboard.objects.describers.fact import Fact
from dashboard.objects.describers.name_and_namespace import namespace_of
from dashboard.objects.describers.pod_spec_lookup import pod_spec_of
from dashboard.objects.fields.unstructured import as_int, as_map, as_maps, as_text
from dashboard.objects.kinds.row import Tone
from dashboard.runtime.counts_and_times import parse_timestamp
from dashboard.runtime.text_with_links import Sentence, TextPiece, age_piece

CACHE_SIZE = 1_000
"""Maximum number of cached containers, some kB each."""
LARGE_BYTES = 8_000
"""Bytes of JSON from which on a container's lines are not cached."""

ContainerKind = Literal["container", "init", "sidecar", "ephemeral"]

_FIELDS: tuple[tuple[str, str, ContainerKind], ...] = (
    ("initContainers", "initContainerStatuses", "init"),
    ("containers", "containerStatuses", "container"),
    ("ephemeralContainers", "ephemeralContainerStatuses", "ephemeral"),
)


@dataclass(frozen=True, slots=True)
class ContainerLine:
    """A container of a pod, or of the pod template of a workload (`state` is empty then)."""

    name: str
    image: str
    kind: ContainerKind
    state: str
    """``Running``, ``Running, not ready``, ``Waiting: CrashLoopBackOff``, ``Exited 137: OOMKilled``."""
    tone: Tone
    ready: bool | None
    restarts: int | None
    resources: str
    """``cpu 500m, memory 1Gi · limit memory 2Gi``; empty where none are set."""
    since: str
    """RFC 3339 of the moment the state began; empty where unknown."""
    facts: tuple[Sentence, ...] = ()
    """Further facts: ports, why it waits, how it ended and how it ended before, probes."""
    setup: tuple[Fact, ...] = ()
    """Facts that are needed rarely: command, environment, mounts."""
    is_large: bool = False
    """Whether it has LARGE_BYTES bytes or more, so that it is not cached by its content."""
    before: str = ""
    """How the run before ended, as `state`; empty where there was none."""


def containers_of(obj: Mapping[str, Any]) -> tuple[ContainerLine, ...]:
    """The containers of a pod or of a workload's template, a CronJob's jobs' too; none for other objects.

    Never raises, whatever the object holds.
    """
    spec, of_pod = pod_spec_of(obj)
    status, namespace = as_map(obj.get("status")) if of_pod else {}, namespace_of(obj)
    lines: list[ContainerLine] = []
    for containers, statuses, kind in _FIELDS:
        by_name = {as_text(entry.get("name")): entry for entry in as_maps(status.get(statuses))}
        for container in as_maps(spec.get(containers)):
            own = by_name.get(as_text(container.get("name")))
            content, own_content = encode(container), encode(own)
            if len(content) + len(own_content) < LARGE_BYTES:
                lines.append(_line(content, own_content, kind, namespace, of_pod=of_pod))
            else:
                lines.append(replace(_container_line(container, own, kind, namespace, of_pod=of_pod), is_large=True))
    return tuple(lines)


@lru_cache(maxsize=CACHE_SIZE)
def _line(container: bytes, status: bytes, kind: ContainerKind, namespace: str, *, of_pod: bool) -> ContainerLine:
    """The line of a container, cached by its JSON: a change of a pod with many containers alters only a few."""
    return _container_line(decode(container), decode(status), kind, namespace, of_pod=of_pod)


def _container_line(
    container: Mapping[str, Any], status: Mapping[str, Any] | None, kind: ContainerKind, namespace: str, *, of_pod: bool
) -> ContainerLine:
    if kind == "init" and container.get("restartPolicy") == "Always":
        kind = "sidecar"
    state, tone, since = _state(as_map((status or {}).get("state")), kind) if of_pod else ("", "idle", "")
    if status and state == "Running" and kind != "ephemeral" and not status.get("ready"):
        state, tone = _running_unready(container, status, kind)
    last = as_map((status or {}).get("lastState")) if of_pod else {}
    return ContainerLine(
        name=as_text(container.get("name")),
        image=as_text(container.get("image")),
        kind=kind,
        state=state,
        tone=tone,
        ready=status.get("ready") is True if status is not None else None,
        restarts=as_int(status.get("restartCount")) if status is not None else None,
        resources=_resources(as_map(container.get("resources"))),
        since=since,
        facts=(*_ports(container), *(_past(status or {}) if of_pod else ()), *probe_sentences(container)),
        setup=setup_facts(container, status or {}, namespace),
        before=_state(last, kind)[0] if "terminated" in last else "",
    )


def _running_unready(container: Mapping[str, Any], status: Mapping[str, Any], kind: ContainerKind) -> tuple[str, Tone]:
    """State and tone of a running container that is not ready. An init container is ready once it has ended."""
    if kind == "init":
        return "Running", "busy"
    if "startupProbe" in container and status.get("started") is False:
        return "Running, its startup probe has not succeeded yet", "warn"
    return "Running, not ready", "warn"


def _ports(container: Mapping[str, Any]) -> tuple[Sentence, ...]:
    """``port 8080/TCP http, 9090/TCP``."""
    ports = [
        f"{as_text(port.get('containerPort'))}/{as_text(port.get('protocol')) or 'TCP'} "
        f"{as_text(port.get('name'))}".strip()
        + (f" (the node's {as_text(port['hostPort'])})" if port.get("hostPort") else "")
        for port in as_maps(container.get("ports"))
    ]
    return ((TextPiece(f"port{'s' if len(ports) > 1 else ''} {', '.join(ports)}"),),) if ports else ()


def _past(status: Mapping[str, Any]) -> Iterator[Sentence]:
    """Why it waits, in the kubelet's words, its message at the end, and how it ended before."""
    state = as_map(status.get("state"))
    for each in ("waiting", "terminated"):
        if message := as_text(as_map(state.get(each)).get("message")):
            yield (TextPiece(message),)
    last = as_map(status.get("lastState"))
    if "terminated" in last:
        words, _, ended = _state(last, "container")
        at = parse_timestamp(ended)
        when = (TextPiece(", "), age_piece(at), TextPiece(" ago")) if at is not None else ()
        termination_message = as_text(as_map(last["terminated"]).get("message"))
        yield (
            TextPiece(f"before that {words[0].lower()}{words[1:]}"),
            *when,
            TextPiece(f": {termination_message}" if termination_message else ""),
        )


def _state(state: Mapping[str, Any], kind: ContainerKind) -> tuple[str, Tone, str]:
    """The state in words, its tone, and RFC 3339 of its beginning."""
    if "running" in state:
        return "Running", "ok", as_text(as_map(state["running"]).get("startedAt"))
    if "terminated" in state:
        ended = as_map(state["terminated"])
        code, reason = ended.get("exitCode", 0), as_text(ended.get("reason"))
        fine = code == 0
        words = f"Exited {code}" + (f": {reason}" if reason and not (fine and reason == "Completed") else "")
        return words, "idle" if fine else "bad", as_text(ended.get("finishedAt"))
    if "waiting" in state:
        reason = as_text(as_map(state["waiting"]).get("reason"))
        starting = reason in ("ContainerCreating", "PodInitializing", "")
        return f"Waiting: {reason}" if reason else "Waiting", "busy" if starting else "bad", ""
    return "Not started", "idle" if kind == "ephemeral" else "busy", ""


def _resources(resources: Mapping[str, Any]) -> str:
    requests = _amounts(as_map(resources.get("requests")))
    limits = _amounts(as_map(resources.get("limits")))
    return " · ".join(part for part in (requests, f"limit {limits}" if limits else "") if part)


def _amounts(amounts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {amount}" for name, amount in amounts.items())
