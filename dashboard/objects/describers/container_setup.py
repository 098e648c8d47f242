"""How a container is set up: what it runs, what tells whether it is well, its environment, what is mounted where."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.resources.facts.fact import Fact, fact
from dashboard.resources.loose import mapping, mappings, number, text, texts
from dashboard.resources.words import Sentence, Words, named

_PROBES = (
    ("startupProbe", "Started once", "restarted"),
    ("readinessProbe", "Ready while", "not ready"),
    ("livenessProbe", "Alive while", "restarted"),
)


def probes_of(container: Mapping[str, Any]) -> Iterator[Sentence]:
    """What is asked to tell whether it is well, and what comes of it."""
    for field, when, then in _PROBES:
        if isinstance(probe := container.get(field), Mapping):
            well = "ends with 0" if mapping(probe.get("exec")) else "is answered"
            yield (Words(f"{when} {_handler(probe)} {well}{_pace(probe, then)}"),)


def setup_of(container: Mapping[str, Any], status: Mapping[str, Any], namespace: str) -> tuple[Fact, ...]:
    """The rest, which is looked for seldom."""
    lifecycle = mapping(container.get("lifecycle"))
    variables = (
        (Words(f"{text(each.get('name'))} = "), *_value(each, namespace)) for each in mappings(container.get("env"))
    )
    facts = (
        fact("Runs", _command(container) or None),
        fact("In folder", text(container.get("workingDir")) or None),
        fact("After its start", _hook(lifecycle.get("postStart"))),
        fact("Before its end", _hook(lifecycle.get("preStop"))),
        fact("Image is pulled", _pulled(text(container.get("imagePullPolicy")))),
        fact("Image is", text(status.get("imageID")) or None),
        fact("Security", security_words(container.get("securityContext")) or None),
        fact("Mounts", *(_mount(each) for each in mappings(container.get("volumeMounts")))),
        fact("Block devices", *(f"{text(each.get('devicePath'))} is volume {text(each.get('name'))}"
                                for each in mappings(container.get("volumeDevices")))),
        fact("Environment", *_all_of(container, namespace), *variables),
    )  # fmt: skip
    return tuple(each for each in facts if each is not None)


def security_words(context: Any) -> str:
    """A security context, as far as it differs from what goes without saying."""
    found = mapping(context)
    capabilities = mapping(found.get("capabilities"))
    profile = mapping(found.get("seccompProfile"))
    parts = (
        "privileged" if found.get("privileged") is True else "",
        *(f"{title} {text(found[name])}" for name, title in _IDS if name in found),
        "never as root" if found.get("runAsNonRoot") is True else "",
        "its files cannot be written" if found.get("readOnlyRootFilesystem") is True else "",
        "may not gain rights" if found.get("allowPrivilegeEscalation") is False else "",
        f"may also {', '.join(texts(capabilities.get('add')))}" if capabilities.get("add") else "",
        f"may not {', '.join(texts(capabilities.get('drop')))}" if capabilities.get("drop") else "",
        f"seccomp {text(profile.get('type'))}" if profile else "",
    )
    return ", ".join(part for part in parts if part)


_IDS = (("runAsUser", "user"), ("runAsGroup", "group"), ("fsGroup", "volumes' group"))


def _command(container: Mapping[str, Any]) -> str:
    command, arguments = texts(container.get("command")), texts(container.get("args"))
    words = shlex.join([*command, *arguments])
    return words if command or not words else f"the image's command with {words}"


def _handler(probe: Mapping[str, Any]) -> str:
    """What is asked: ``GET https :http/healthz``."""
    get, tcp, grpc, run = (mapping(probe.get(field)) for field in ("httpGet", "tcpSocket", "grpc", "exec"))
    if get:
        scheme = text(get.get("scheme")) or "HTTP"
        return f"GET {scheme.lower()}://{text(get.get('host'))}:{text(get.get('port'))}{text(get.get('path')) or '/'}"
    if tcp:
        return f"TCP {text(tcp.get('host'))}:{text(tcp.get('port'))}"
    if grpc:
        return f"gRPC :{text(grpc.get('port'))} {text(grpc.get('service'))}".strip()
    return shlex.join(texts(run.get("command"))) or "a question that the object does not tell"


def _pace(probe: Mapping[str, Any], then: str) -> str:
    after, every = number(probe.get("initialDelaySeconds")) or 0, number(probe.get("periodSeconds")) or 10
    within, failures = number(probe.get("timeoutSeconds")) or 1, number(probe.get("failureThreshold")) or 3
    successes = number(probe.get("successThreshold")) or 1
    begin = f", from {after} s after its start" if after else ""
    again = f", well again after {successes}" if successes > 1 else ""
    count = f"{failures} failures" if failures != 1 else "1 failure"
    return f" within {within} s{begin}, every {every} s; {then} after {count}{again}"


def _hook(hook: Any) -> str | None:
    if not isinstance(hook, Mapping):
        return None
    pause = mapping(hook.get("sleep")).get("seconds")
    return f"sleeps {text(pause)} s" if pause is not None else _handler(hook)


def _pulled(policy: str) -> str | None:
    known = {"Always": "at each start", "Never": "never: it has to be on the node"}
    return known.get(policy)  # IfNotPresent goes without saying


def _mount(mount: Mapping[str, Any]) -> str:
    inside = text(mount.get("subPath")) or text(mount.get("subPathExpr"))
    words = f"{text(mount.get('mountPath'))} is volume {text(mount.get('name'))}"
    return words + (f", of it {inside}" if inside else "") + (", read only" if mount.get("readOnly") is True else "")


def _all_of(container: Mapping[str, Any], namespace: str) -> Iterator[list[Words]]:
    for entry in mappings(container.get("envFrom")):
        for field, key, kind in (("configMapRef", "configmaps", "ConfigMap"), ("secretRef", "secrets", "Secret")):
            if isinstance(source := entry.get(field), Mapping):
                prefix = text(entry.get("prefix"))
                yield [
                    Words(f"all of {kind} "), named(key, namespace, text(source.get("name"))),
                    Words(f", each with {prefix} before it" if prefix else ""), Words(_optional(source)),
                ]  # fmt: skip


def _value(entry: Mapping[str, Any], namespace: str) -> list[Words]:
    source = mapping(entry.get("valueFrom"))
    if not source:
        return [Words(text(entry.get("value")) or '""')]
    for field, key, kind in (("configMapKeyRef", "configmaps", "ConfigMap"), ("secretKeyRef", "secrets", "Secret")):
        if isinstance(found := source.get(field), Mapping):
            name = named(key, namespace, text(found.get("name")))
            return [Words(f"{text(found.get('key'))} of {kind} "), name, Words(_optional(found))]
    if isinstance(found := source.get("resourceFieldRef"), Mapping):
        return [Words(f"the container's {text(found.get('resource'))}")]
    if isinstance(found := source.get("fieldRef"), Mapping):
        return [Words(f"the pod's {text(found.get('fieldPath'))}")]
    return [Words(f"from {', '.join(map(text, source))}")]


def _optional(source: Mapping[str, Any]) -> str:
    return ", if it is there" if source.get("optional") is True else ""
