"""Containers of a pod, or of a workload's pod template, as the details page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from msgspec.json import decode, encode

from dashboard.live.messages import Tone
from dashboard.resources.facts.fact import Fact
from dashboard.resources.facts.setup import probes_of, setup_of
from dashboard.resources.facts.template import namespace_of, pod_spec_of
from dashboard.resources.loose import mapping, mappings, number, text
from dashboard.resources.words import Sentence, Words, age, moment_of

KEPT = 1_000
"""Containers whose lines are kept, some kB each."""
LARGE = 8_000
"""Bytes of JSON from which on nothing that is made of a container is kept."""

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
    facts: tuple[Sentence, ...] = ()
    """What else there is to know: its ports, why it waits, how it ended and how the time before, its probes."""
    setup: tuple[Fact, ...] = ()
    """What is looked for seldom: what it runs, its environment, what is mounted where."""
    is_large: bool = False
    """Whether it is made of LARGE bytes or more, and so not to be kept by its content."""


def containers_of(obj: Mapping[str, Any]) -> tuple[ContainerLine, ...]:
    """The containers of a pod or of a workload's template, a CronJob's jobs' too; none for other objects.

    Never raises, whatever the object holds.
    """
    spec, of_pod = pod_spec_of(obj)
    status, namespace = mapping(obj.get("status")) if of_pod else {}, namespace_of(obj)
    lines: list[ContainerLine] = []
    for containers, statuses, kind in _FIELDS:
        by_name = {text(entry.get("name")): entry for entry in mappings(status.get(statuses))}
        for container in mappings(spec.get(containers)):
            own = by_name.get(text(container.get("name")))
            content, told = encode(container), encode(own)
            if len(content) + len(told) < LARGE:
                lines.append(_line(content, told, kind, namespace, of_pod=of_pod))
            else:
                lines.append(replace(_made(container, own, kind, namespace, of_pod=of_pod), is_large=True))
    return tuple(lines)


@lru_cache(maxsize=KEPT)
def _line(container: bytes, status: bytes, kind: ContainerKind, namespace: str, *, of_pod: bool) -> ContainerLine:
    """Of many containers a change of their pod alters a few: by their JSON the lines of the others are found again."""
    return _made(decode(container), decode(status), kind, namespace, of_pod=of_pod)


def _made(
    container: Mapping[str, Any], status: Mapping[str, Any] | None, kind: ContainerKind, namespace: str, *, of_pod: bool
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
        ready=status.get("ready") is True if status is not None else None,
        restarts=number(status.get("restartCount")) if status is not None else None,
        resources=_resources(mapping(container.get("resources"))),
        since=since,
        facts=(*_ports(container), *(_past(status or {}) if of_pod else ()), *probes_of(container)),
        setup=setup_of(container, status or {}, namespace),
    )


def _ports(container: Mapping[str, Any]) -> tuple[Sentence, ...]:
    """``port 8080/TCP http, 9090/TCP``."""
    found = [
        f"{text(port.get('containerPort'))}/{text(port.get('protocol')) or 'TCP'} {text(port.get('name'))}".strip()
        + (f" (the node's {text(port['hostPort'])})" if port.get("hostPort") else "")
        for port in mappings(container.get("ports"))
    ]
    return ((Words(f"port{'s' if len(found) > 1 else ''} {', '.join(found)}"),),) if found else ()


def _past(status: Mapping[str, Any]) -> Iterator[Sentence]:
    """Why it waits, in the kubelet's words, what it said at its end, and how it ended before."""
    state = mapping(status.get("state"))
    for each in ("waiting", "terminated"):
        if message := text(mapping(state.get(each)).get("message")):
            yield (Words(message),)
    last = mapping(status.get("lastState"))
    if "terminated" in last:
        words, _, ended = _state(last, "container")
        at = moment_of(ended)
        when = (Words(", "), age(at), Words(" ago")) if at is not None else ()
        said = text(mapping(last["terminated"]).get("message"))
        yield (Words(f"before that {words[0].lower()}{words[1:]}"), *when, Words(f": {said}" if said else ""))


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
