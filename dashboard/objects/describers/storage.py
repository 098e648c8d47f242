"""Facts of claims and volumes: requested and actual storage, and what happens to it on release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.objects.describers.fact import Section, make_fact, make_section
from dashboard.objects.describers.name_and_namespace import name_of, namespace_of
from dashboard.objects.describers.scheduling import node_selector_text
from dashboard.objects.describers.selector_text import list_href
from dashboard.objects.fields.unstructured import as_map, as_text, as_texts
from dashboard.runtime.text_with_links import TextPiece, object_piece

_RECLAIM = {
    "Retain": "is kept, with its data, until somebody deletes it",
    "Delete": "is deleted with its data",
    "Recycle": "is emptied and can be claimed again",
}
_CLAIMED = ".spec.volumes[*].persistentVolumeClaim.claimName"


def claim_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status, namespace = as_map(obj.get("spec")), as_map(obj.get("status")), namespace_of(obj)
    wanted = as_text(as_map(as_map(spec.get("resources")).get("requests")).get("storage"))
    has = as_text(as_map(status.get("capacity")).get("storage"))
    more = f"asked for {wanted}" if wanted not in ("", has) else ""
    source = as_map(spec.get("dataSource")) or as_map(spec.get("dataSourceRef"))
    volume, group = as_text(spec.get("volumeName")), as_text(spec.get("storageClassName"))
    pods = list_href("pods", namespace, f"{_CLAIMED}={name_of(obj)}")
    return make_section(
        "storage", "Storage",
        make_fact("Size", f"{f'has {has}' if has else ''}{', ' if has and more else ''}{more}" or None),
        make_fact("Access", ", ".join(as_texts(spec.get("accessModes"))) or None),
        make_fact("Volume", [object_piece("persistentvolumes", "", volume)] if volume else "none yet"),
        make_fact("Class", [object_piece("storageclasses.storage.k8s.io", "", group)] if group else None),
        make_fact("Filled from", f"{as_text(source.get('kind'))} {as_text(source.get('name'))}" if source else None),
        make_fact("Pods that use it", [TextPiece("list them", href=pods)]),
    )  # fmt: skip


def volume_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec = as_map(obj.get("spec"))
    claim, policy = as_map(spec.get("claimRef")), as_text(spec.get("persistentVolumeReclaimPolicy"))
    group, nodes = (
        as_text(spec.get("storageClassName")),
        as_map(as_map(spec.get("nodeAffinity")).get("required")),
    )
    only = node_selector_text(nodes)
    namespace, name = as_text(claim.get("namespace")), as_text(claim.get("name"))
    return make_section(
        "storage", "Storage",
        make_fact("Is", _source(spec)),
        make_fact("Claim", [object_piece("persistentvolumeclaims", namespace, name),
            TextPiece(f" in {namespace}")] if name else None),
        make_fact("Without its claim", _RECLAIM.get(policy, policy) or None),
        make_fact("Access", ", ".join(as_texts(spec.get("accessModes"))) or None),
        make_fact("Class", [object_piece("storageclasses.storage.k8s.io", "", group)] if group else None),
        make_fact("Nodes", f"only those with {only}" if only else None),
        make_fact("Mount options", " ".join(as_texts(spec.get("mountOptions"))) or None),
    )  # fmt: skip


_OWN = frozenset({"claimRef", "nodeAffinity", "capacity"})


def _source(spec: Mapping[str, Any]) -> str | None:
    """The one field of the spec that says what it is: ``csi: driver ebs.csi.aws.com, volumeHandle vol-1``."""
    kind = next((name for name, value in spec.items() if name not in _OWN and isinstance(value, Mapping)), "")
    fields = (
        f"{name} {value}" for name, value in as_map(spec.get(kind)).items() if isinstance(value, str | int) and value
    )
    return ": ".join(part for part in (kind, ", ".join(fields)) if part) or None
