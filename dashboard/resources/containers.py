"""Containers of a pod, or of a workload's pod template, as the details page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dashboard.live.messages import Tone

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
    """``Running``, ``Waiting: CrashLoopBackOff``, ``Exited 137: OOMKilled``."""
    tone: Tone
    ready: bool | None
    restarts: int | None
    resources: str
    """``cpu 500m, memory 1Gi · limit memory 2Gi``; empty where none are set."""
    since: str
    """RFC 3339 of the moment the state began; empty where unknown."""
    facts: tuple[str, ...] = ()
    """What else there is to know: its ports, why it waits, how it ended the last time before this."""


def containers_of(obj: Mapping[str, Any]) -> tuple[ContainerLine, ...]:
    """The containers of a pod or of a workload's template, a CronJob's jobs' too; none for other objects."""
    spec = mapping(obj.get("spec"))
    status = mapping(obj.get("status"))
    owner = mapping(mapping(spec.get("jobTemplate")).get("spec")) if "jobTemplate" in spec else spec
    template = mapping(mapping(owner.get("template")).get("spec"))
    source = spec if "containers" in spec else template
    lines: list[ContainerLine] = []
    for containers, statuses, kind in _FIELDS:
        by_name = {entry.get("name"): entry for entry in mappings(status.get(statuses))} if source is spec else {}
        lines += [
            _line(container, by_name.get(container.get("name")), kind, of_pod=source is spec)
            for container in mappings(source.get(containers))
        ]
    return tuple(lines)


def _line(
    container: Mapping[str, Any], status: Mapping[str, Any] | None, kind: ContainerKind, *, of_pod: bool
) -> ContainerLine:
    if kind == "init" and container.get("restartPolicy") == "Always":
        kind = "sidecar"
    state, tone, since = _state(mapping((status or {}).get("state")), kind) if of_pod else ("", "idle", "")
    return ContainerLine(
        name=text(container.get("name")),
        image=text(container.get("image")),
        kind=kind,
        state=state,
        tone="warn" if status and tone == "ok" and kind != "ephemeral" and not status.get("ready") else tone,
        ready=status.get("ready") if status is not None else None,
        restarts=status.get("restartCount") if status is not None else None,
        resources=_resources(mapping(container.get("resources"))),
        since=since,
        facts=(*_ports(container), *(_past(status or {}) if of_pod else ())),
    )


def _ports(container: Mapping[str, Any]) -> tuple[str, ...]:
    """``port 8080/TCP http, 9090/TCP``."""
    found = [
        f"{text(port.get('containerPort'))}/{text(port.get('protocol')) or 'TCP'} {text(port.get('name'))}".strip()
        for port in mappings(container.get("ports"))
    ]
    return (f"port{'s' if len(found) > 1 else ''} {', '.join(found)}",) if found else ()


def _past(status: Mapping[str, Any]) -> Iterator[str]:
    """Why it waits, in the kubelet's words, and how it ended before."""
    if message := text(mapping(mapping(status.get("state")).get("waiting")).get("message")):
        yield message
    last = mapping(status.get("lastState"))
    if "terminated" in last:
        words, _, ended = _state(last, "container")
        yield f"before that {words[0].lower()}{words[1:]}" + (f" at {ended}" if ended else "")


def _state(state: Mapping[str, Any], kind: ContainerKind) -> tuple[str, Tone, str]:
    """The state in words, its tone, and RFC 3339 of its beginning."""
    if "running" in state:
        return "Running", "ok", text(mapping(state["running"]).get("startedAt"))
    if "terminated" in state:
        ended = mapping(state["terminated"])
        code, reason = ended.get("exitCode", 0), text(ended.get("reason"))
        fine = code == 0
        words = f"Exited {code}" + (f": {reason}" if reason and not (fine and reason == "Completed") else "")
        return words, "idle" if fine else "bad", text(ended.get("finishedAt"))
    if "waiting" in state:
        reason = text(mapping(state["waiting"]).get("reason"))
        starting = reason in ("ContainerCreating", "PodInitializing", "")
        return f"Waiting: {reason}" if reason else "Waiting", "busy" if starting else "bad", ""
    return "Not started", "idle" if kind == "ephemeral" else "busy", ""


def _resources(resources: Mapping[str, Any]) -> str:
    requests = _amounts(mapping(resources.get("requests")))
    limits = _amounts(mapping(resources.get("limits")))
    return " · ".join(part for part in (requests, f"limit {limits}" if limits else "") if part)


def _amounts(amounts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {amount}" for name, amount in amounts.items())


def mapping(value: Any) -> Mapping[str, Any]:
    """`value` if it is a map, else an empty one: objects come as the API server let them in."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """The maps in `value`, if it is a list."""
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """`value` as text; empty for None."""
    return "" if value is None else str(value)
