"""Set-up of a container: its command, probes, environment and mounts."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.objects.describers.fact import Fact, make_fact
from dashboard.objects.fields.unstructured import as_int, as_map, as_maps, as_text, as_texts
from dashboard.runtime.text_with_links import Sentence, TextPiece, object_piece

_PROBES = (
    ("startupProbe", "Started once", "restarted"),
    ("readinessProbe", "Ready while", "not ready"),
    ("livenessProbe", "Alive while", "restarted"),
)


def probe_sentences(container: Mapping[str, Any]) -> Iterator[Sentence]:
    """Each probe as a sentence: what it checks, and what follows from a failure."""
    for field, when, then in _PROBES:
        if isinstance(probe := container.get(field), Mapping):
            well = "ends with 0" if as_map(probe.get("exec")) else "is answered"
            yield (TextPiece(f"{when} {_handler(probe)} {well}{_pace(probe, then)}"),)


def setup_facts(container: Mapping[str, Any], status: Mapping[str, Any], namespace: str) -> tuple[Fact, ...]:
    """The facts that are needed rarely."""
    lifecycle = as_map(container.get("lifecycle"))
    variables = (
        (TextPiece(f"{as_text(each.get('name'))} = "), *_value(each, namespace))
        for each in as_maps(container.get("env"))
    )
    facts = (
        make_fact("Runs", _command(container) or None),
        make_fact("In folder", as_text(container.get("workingDir")) or None),
        make_fact("After its start", _hook(lifecycle.get("postStart"))),
        make_fact("Before its end", _hook(lifecycle.get("preStop"))),
        make_fact("Image is pulled", _pulled(as_text(container.get("imagePullPolicy")))),
        make_fact("Image is", as_text(status.get("imageID")) or None),
        make_fact("Security", security_context_text(container.get("securityContext")) or None),
        make_fact("Mounts", *(_mount(each) for each in as_maps(container.get("volumeMounts")))),
        make_fact("Block devices", *(f"{as_text(each.get('devicePath'))} is volume {as_text(each.get('name'))}"
                                for each in as_maps(container.get("volumeDevices")))),
        make_fact("Environment", *_all_of(container, namespace), *variables),
    )  # fmt: skip
    return tuple(each for each in facts if each is not None)


def security_context_text(context: Any) -> str:
    """A security context, as far as it differs from the defaults."""
    fields = as_map(context)
    capabilities = as_map(fields.get("capabilities"))
    profile = as_map(fields.get("seccompProfile"))
    parts = (
        "privileged" if fields.get("privileged") is True else "",
        *(f"{title} {as_text(fields[name])}" for name, title in _IDS if name in fields),
        "never as root" if fields.get("runAsNonRoot") is True else "",
        "its files cannot be written" if fields.get("readOnlyRootFilesystem") is True else "",
        "may not gain privileges" if fields.get("allowPrivilegeEscalation") is False else "",
        f"may also {', '.join(as_texts(capabilities.get('add')))}" if capabilities.get("add") else "",
        f"may not {', '.join(as_texts(capabilities.get('drop')))}" if capabilities.get("drop") else "",
        f"seccomp {as_text(profile.get('type'))}" if profile else "",
    )
    return ", ".join(part for part in parts if part)


_IDS = (("runAsUser", "user"), ("runAsGroup", "group"), ("fsGroup", "volumes' group"))


def _command(container: Mapping[str, Any]) -> str:
    command, arguments = as_texts(container.get("command")), as_texts(container.get("args"))
    words = shlex.join([*command, *arguments])
    return words if command or not words else f"the image's command with {words}"


def _handler(probe: Mapping[str, Any]) -> str:
    """The check of a probe: ``GET https :http/healthz``."""
    get, tcp, grpc, run = (as_map(probe.get(field)) for field in ("httpGet", "tcpSocket", "grpc", "exec"))
    if get:
        scheme = as_text(get.get("scheme")) or "HTTP"
        host, port, path = as_text(get.get("host")), as_text(get.get("port")), as_text(get.get("path")) or "/"
        return f"GET {scheme.lower()}://{host}:{port}{path}"
    if tcp:
        return f"TCP {as_text(tcp.get('host'))}:{as_text(tcp.get('port'))}"
    if grpc:
        return f"gRPC :{as_text(grpc.get('port'))} {as_text(grpc.get('service'))}".strip()
    return shlex.join(as_texts(run.get("command"))) or "an unknown check"


def _pace(probe: Mapping[str, Any], then: str) -> str:
    after, every = as_int(probe.get("initialDelaySeconds")) or 0, as_int(probe.get("periodSeconds")) or 10
    within, failures = as_int(probe.get("timeoutSeconds")) or 1, as_int(probe.get("failureThreshold")) or 3
    successes = as_int(probe.get("successThreshold")) or 1
    begin = f", from {after} s after its start" if after else ""
    again = f", well again after {successes}" if successes > 1 else ""
    count = f"{failures} failures" if failures != 1 else "1 failure"
    return f" within {within} s{begin}, every {every} s; {then} after {count}{again}"


def _hook(hook: Any) -> str | None:
    if not isinstance(hook, Mapping):
        return None
    pause = as_map(hook.get("sleep")).get("seconds")
    return f"sleeps {as_text(pause)} s" if pause is not None else _handler(hook)


def _pulled(policy: str) -> str | None:
    known = {"Always": "at each start", "Never": "never: it has to be on the node"}
    return known.get(policy)  # IfNotPresent goes without saying


def _mount(mount: Mapping[str, Any]) -> str:
    inside = as_text(mount.get("subPath")) or as_text(mount.get("subPathExpr"))
    words = f"{as_text(mount.get('mountPath'))} is volume {as_text(mount.get('name'))}"
    return words + (f", of it {inside}" if inside else "") + (", read only" if mount.get("readOnly") is True else "")


def _all_of(container: Mapping[str, Any], namespace: str) -> Iterator[list[TextPiece]]:
    for entry in as_maps(container.get("envFrom")):
        for field, key, kind in (("configMapRef", "configmaps", "ConfigMap"), ("secretRef", "secrets", "Secret")):
            if isinstance(source := entry.get(field), Mapping):
                prefix = as_text(entry.get("prefix"))
                yield [
                    TextPiece(f"all of {kind} "), object_piece(key, namespace, as_text(source.get("name"))),
                    TextPiece(f", each with {prefix} before it" if prefix else ""), TextPiece(_optional(source)),
                ]  # fmt: skip


def _value(entry: Mapping[str, Any], namespace: str) -> list[TextPiece]:
    source = as_map(entry.get("valueFrom"))
    if not source:
        return [TextPiece(as_text(entry.get("value")) or '""')]
    for field, key, kind in (("configMapKeyRef", "configmaps", "ConfigMap"), ("secretKeyRef", "secrets", "Secret")):
        if isinstance(reference := source.get(field), Mapping):
            name = object_piece(key, namespace, as_text(reference.get("name")))
            return [TextPiece(f"{as_text(reference.get('key'))} of {kind} "), name, TextPiece(_optional(reference))]
    if isinstance(reference := source.get("resourceFieldRef"), Mapping):
        return [TextPiece(f"the container's {as_text(reference.get('resource'))}")]
    if isinstance(reference := source.get("fieldRef"), Mapping):
        return [TextPiece(f"the pod's {as_text(reference.get('fieldPath'))}")]
    return [TextPiece(f"from {', '.join(map(as_text, source))}")]


def _optional(source: Mapping[str, Any]) -> str:
    return ", if it is there" if source.get("optional") is True else ""
