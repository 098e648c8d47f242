"""A pod's volumes: their type, with a link to their source, and the containers that mount them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from dashboard.objects.describers.fact import Fact, join_sentences, make_fact
from dashboard.objects.fields.unstructured import as_int, as_map, as_maps, as_text, as_texts
from dashboard.runtime.counts_and_times import format_seconds
from dashboard.runtime.text_with_links import TextPiece, object_piece

Source = Mapping[str, Any]
_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


def volume_facts(spec: Mapping[str, Any], namespace: str, pod: str) -> list[Fact | None]:
    """A fact for each volume; `pod` is the pod's name, empty for a template."""
    mounts = _mounts(spec)
    return [
        make_fact(
            name := as_text(volume.get("name")), _source_text(volume, namespace, pod),
            ", ".join(mounts.get(name, ())) or None,
            is_user_named=True,
        )
        for volume in as_maps(spec.get("volumes"))
    ]  # fmt: skip


def claim_text(spec: Mapping[str, Any]) -> str:
    """The request of a claim: ``10Gi, ReadWriteOnce, class fast``."""
    size = as_text(as_map(as_map(spec.get("resources")).get("requests")).get("storage"))
    modes, group = ", ".join(as_texts(spec.get("accessModes"))), as_text(spec.get("storageClassName"))
    return ", ".join(part for part in (size, modes, f"class {group}" if group else "") if part)


def _mounts(spec: Mapping[str, Any]) -> dict[str, list[str]]:
    """By the volume's name: ``api at /data``."""
    mounts: dict[str, list[str]] = {}
    for field in _CONTAINERS:
        for container in as_maps(spec.get(field)):
            for place, path in (("volumeMounts", "mountPath"), ("volumeDevices", "devicePath")):
                for mount in as_maps(container.get(place)):
                    where = f"{as_text(container.get('name'))} at {as_text(mount.get(path))}"
                    mounts.setdefault(as_text(mount.get("name")), []).append(where)
    return mounts


def _source_text(volume: Mapping[str, Any], namespace: str, pod: str) -> list[TextPiece]:
    kind = next((name for name, value in volume.items() if name != "name" and isinstance(value, Mapping)), "")
    if not kind:
        return [TextPiece("an empty folder, gone with the pod")]
    source = as_map(volume[kind])
    if kind == "ephemeral":
        return _ephemeral(source, namespace, pod, as_text(volume.get("name")))
    teller = _TELLERS.get(kind)
    if teller is not None:
        return [*teller(source, namespace), TextPiece(_restrictions(source))]
    fields = (f"{name} {as_text(value)}" for name, value in source.items() if isinstance(value, str | int) and value)
    return [TextPiece(", ".join((kind, *fields)))]


def _restrictions(source: Source) -> str:
    optional = ", if it is there" if source.get("optional") is True else ""
    return optional + (", read only" if source.get("readOnly") is True else "")


def _claim(source: Source, namespace: str) -> list[TextPiece]:
    return [TextPiece("claim "), object_piece("persistentvolumeclaims", namespace, as_text(source.get("claimName")))]


def _config_map(source: Source, namespace: str) -> list[TextPiece]:
    return [
        TextPiece("ConfigMap "),
        object_piece("configmaps", namespace, as_text(source.get("name"))),
        TextPiece(_items(source)),
    ]


def _secret(source: Source, namespace: str) -> list[TextPiece]:
    name = as_text(source.get("secretName")) or as_text(source.get("name"))
    return [TextPiece("Secret "), object_piece("secrets", namespace, name), TextPiece(_items(source))]


def _items(source: Source) -> str:
    items = [f"{as_text(each.get('key'))} as {as_text(each.get('path'))}" for each in as_maps(source.get("items"))]
    return f", of it {', '.join(items)}" if items else ""


def _empty(source: Source, namespace: str) -> list[TextPiece]:  # noqa: ARG001 - every teller gets both
    memory = " in memory" if source.get("medium") == "Memory" else ""
    size = f", of {as_text(source['sizeLimit'])} at most" if source.get("sizeLimit") else ""
    return [TextPiece(f"an empty folder{memory}, gone with the pod{size}")]


def _host(source: Source, namespace: str) -> list[TextPiece]:  # noqa: ARG001
    kind = as_text(source.get("type"))
    return [TextPiece(f"the node's {as_text(source.get('path'))}" + (f", {kind}" if kind else ""))]


def _nfs(source: Source, namespace: str) -> list[TextPiece]:  # noqa: ARG001
    return [TextPiece(f"NFS {as_text(source.get('server'))}:{as_text(source.get('path'))}")]


def _csi(source: Source, namespace: str) -> list[TextPiece]:  # noqa: ARG001
    attributes = ", ".join(f"{name} {as_text(value)}" for name, value in as_map(source.get("volumeAttributes")).items())
    return [TextPiece(f"CSI driver {as_text(source.get('driver'))}" + (f" with {attributes}" if attributes else ""))]


def _image(source: Source, namespace: str) -> list[TextPiece]:  # noqa: ARG001
    return [TextPiece(f"the files of image {as_text(source.get('reference'))}")]


def _downward(source: Source, namespace: str) -> list[TextPiece]:  # noqa: ARG001
    fields = [
        as_text(as_map(each.get("fieldRef")).get("fieldPath"))
        or as_text(as_map(each.get("resourceFieldRef")).get("resource"))
        for each in as_maps(source.get("items"))
    ]
    return [TextPiece(f"fields of the pod: {', '.join(fields) or 'none'}")]


def _projected(source: Source, namespace: str) -> list[TextPiece]:
    parts: list[list[TextPiece]] = []
    for entry in as_maps(source.get("sources")):
        for kind, value in entry.items():
            fields = as_map(value)
            teller = _TELLERS.get(kind)
            if kind == "serviceAccountToken":
                parts.append([TextPiece(_token(fields))])
            elif teller is not None:
                parts.append([*teller(fields, namespace), TextPiece(_restrictions(fields))])
            else:
                parts.append([TextPiece(kind)])
    return [TextPiece("together: "), *join_sentences(parts, "; ")]


def _token(source: Source) -> str:
    seconds = as_int(source.get("expirationSeconds"))
    audience = as_text(source.get("audience"))
    return "the service account's token" + (f" for {audience}" if audience else "") + (
        f", new every {format_seconds(seconds)}" if seconds else "")  # fmt: skip


def _ephemeral(source: Source, namespace: str, pod: str, volume: str) -> list[TextPiece]:
    wanted = claim_text(as_map(as_map(source.get("volumeClaimTemplate")).get("spec")))
    name = [TextPiece(" "), object_piece("persistentvolumeclaims", namespace, f"{pod}-{volume}")] if pod else []
    return [TextPiece("a claim of its own"), *name, TextPiece(f", gone with the pod: {wanted}")]


_TELLERS: Mapping[str, Callable[[Source, str], list[TextPiece]]] = MappingProxyType({
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
