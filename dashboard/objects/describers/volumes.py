"""A pod's volumes: what each is, with a link to what it comes from, and which container has it where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from dashboard.resources.facts.fact import Fact, fact, joined
from dashboard.resources.loose import mapping, mappings, number, text, texts
from dashboard.resources.words import Words, named, span

Source = Mapping[str, Any]
_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


def volumes_of(spec: Mapping[str, Any], namespace: str, pod: str) -> list[Fact | None]:
    """A fact for each; `pod` is the pod's name, empty where the spec is of pods to come."""
    mounts = _mounts(spec)
    return [
        fact(
            name := text(volume.get("name")), _what(volume, namespace, pod), ", ".join(mounts.get(name, ())) or None,
            given=True,
        )
        for volume in mappings(spec.get("volumes"))
    ]  # fmt: skip


def claim_words(spec: Mapping[str, Any]) -> str:
    """What a claim asks for: ``10Gi, ReadWriteOnce, class fast``."""
    size = text(mapping(mapping(spec.get("resources")).get("requests")).get("storage"))
    modes, group = ", ".join(texts(spec.get("accessModes"))), text(spec.get("storageClassName"))
    return ", ".join(part for part in (size, modes, f"class {group}" if group else "") if part)


def _mounts(spec: Mapping[str, Any]) -> dict[str, list[str]]:
    """By the volume's name: ``api at /data``."""
    found: dict[str, list[str]] = {}
    for field in _CONTAINERS:
        for container in mappings(spec.get(field)):
            for place, path in (("volumeMounts", "mountPath"), ("volumeDevices", "devicePath")):
                for mount in mappings(container.get(place)):
                    where = f"{text(container.get('name'))} at {text(mount.get(path))}"
                    found.setdefault(text(mount.get("name")), []).append(where)
    return found


def _what(volume: Mapping[str, Any], namespace: str, pod: str) -> list[Words]:
    kind = next((name for name, value in volume.items() if name != "name" and isinstance(value, Mapping)), "")
    if not kind:
        return [Words("an empty folder, gone with the pod")]
    source = mapping(volume[kind])
    if kind == "ephemeral":
        return _ephemeral(source, namespace, pod, text(volume.get("name")))
    teller = _TELLERS.get(kind)
    if teller is not None:
        return [*teller(source, namespace), Words(_restrictions(source))]
    fields = (f"{name} {text(value)}" for name, value in source.items() if isinstance(value, str | int) and value)
    return [Words(", ".join((kind, *fields)))]


def _restrictions(source: Source) -> str:
    optional = ", if it is there" if source.get("optional") is True else ""
    return optional + (", read only" if source.get("readOnly") is True else "")


def _claim(source: Source, namespace: str) -> list[Words]:
    return [Words("claim "), named("persistentvolumeclaims", namespace, text(source.get("claimName")))]


def _config_map(source: Source, namespace: str) -> list[Words]:
    return [Words("ConfigMap "), named("configmaps", namespace, text(source.get("name"))), Words(_items(source))]


def _secret(source: Source, namespace: str) -> list[Words]:
    name = text(source.get("secretName")) or text(source.get("name"))
    return [Words("Secret "), named("secrets", namespace, name), Words(_items(source))]


def _items(source: Source) -> str:
    items = [f"{text(each.get('key'))} as {text(each.get('path'))}" for each in mappings(source.get("items"))]
    return f", of it {', '.join(items)}" if items else ""


def _empty(source: Source, namespace: str) -> list[Words]:  # noqa: ARG001 - every teller gets both
    memory = " in memory" if source.get("medium") == "Memory" else ""
    size = f", of {text(source['sizeLimit'])} at most" if source.get("sizeLimit") else ""
    return [Words(f"an empty folder{memory}, gone with the pod{size}")]


def _host(source: Source, namespace: str) -> list[Words]:  # noqa: ARG001
    kind = text(source.get("type"))
    return [Words(f"the node's {text(source.get('path'))}" + (f", {kind}" if kind else ""))]


def _nfs(source: Source, namespace: str) -> list[Words]:  # noqa: ARG001
    return [Words(f"NFS {text(source.get('server'))}:{text(source.get('path'))}")]


def _csi(source: Source, namespace: str) -> list[Words]:  # noqa: ARG001
    attributes = ", ".join(f"{name} {text(value)}" for name, value in mapping(source.get("volumeAttributes")).items())
    return [Words(f"CSI driver {text(source.get('driver'))}" + (f" with {attributes}" if attributes else ""))]


def _image(source: Source, namespace: str) -> list[Words]:  # noqa: ARG001
    return [Words(f"the files of image {text(source.get('reference'))}")]


def _downward(source: Source, namespace: str) -> list[Words]:  # noqa: ARG001
    fields = [
        text(mapping(each.get("fieldRef")).get("fieldPath"))
        or text(mapping(each.get("resourceFieldRef")).get("resource"))
        for each in mappings(source.get("items"))
    ]
    return [Words(f"what the pod is: {', '.join(fields) or 'nothing'}")]


def _projected(source: Source, namespace: str) -> list[Words]:
    parts: list[list[Words]] = []
    for entry in mappings(source.get("sources")):
        for kind, value in entry.items():
            found = mapping(value)
            teller = _TELLERS.get(kind)
            if kind == "serviceAccountToken":
                parts.append([Words(_token(found))])
            elif teller is not None:
                parts.append([*teller(found, namespace), Words(_restrictions(found))])
            else:
                parts.append([Words(kind)])
    return [Words("together: "), *joined(parts, "; ")]


def _token(source: Source) -> str:
    seconds = number(source.get("expirationSeconds"))
    audience = text(source.get("audience"))
    return "the service account's token" + (f" for {audience}" if audience else "") + (
        f", new every {span(seconds)}" if seconds else "")  # fmt: skip


def _ephemeral(source: Source, namespace: str, pod: str, volume: str) -> list[Words]:
    wanted = claim_words(mapping(mapping(source.get("volumeClaimTemplate")).get("spec")))
    name = [Words(" "), named("persistentvolumeclaims", namespace, f"{pod}-{volume}")] if pod else []
    return [Words("a claim of its own"), *name, Words(f", gone with the pod: {wanted}")]


_TELLERS: Mapping[str, Callable[[Source, str], list[Words]]] = MappingProxyType({
    "persistentVolumeClaim": _claim,
    "configMap": _config_map,
    "secret": _secret,
    "emptyDir": _empty,
    "hostPath": _host,
    "nfs": _nfs,
    "csi": _csi,
    "image": _image,
    "downwardAPI": _downward,
    "projected": _projected,
})  # fmt: skip
