"""Containers of a pod, or of a workload's pod template, as the details page shows them."""

from __future__ import annotations

from collections.abc import Mapping
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


def containers_of(obj: Mapping[str, Any]) -> tuple[ContainerLine, ...]:
    """The containers of a pod or of a workload's template; none for other objects."""
    spec = mapping(obj.get("spec"))
    status = mapping(obj.get("status"))
    template = mapping(mapping(spec.get("template")).get("spec"))
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
        tone=tone if status is None or status.get("ready") or tone != "ok" else "warn",
        ready=status.get("ready") if status is not None else None,
        restarts=status.get("restartCount") if status is not None else None,
        resources=_resources(mapping(container.get("resources"))),
        since=since,
    )


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
