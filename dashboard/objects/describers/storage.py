"""Claims and volumes: what is asked for, what there is, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.resources.facts.fact import Section, fact, section
from dashboard.resources.facts.scheduling import node_terms
from dashboard.resources.facts.selectors import list_href
from dashboard.resources.facts.template import name_of, namespace_of
from dashboard.resources.loose import mapping, text, texts
from dashboard.resources.words import Words, named

_RECLAIM = {
    "Retain": "stays, with its data, until somebody clears it up",
    "Delete": "is deleted with its data",
    "Recycle": "is emptied and given again",
}
_CLAIMED = ".spec.volumes[*].persistentVolumeClaim.claimName"


def claim_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status, namespace = mapping(obj.get("spec")), mapping(obj.get("status")), namespace_of(obj)
    wanted = text(mapping(mapping(spec.get("resources")).get("requests")).get("storage"))
    has = text(mapping(status.get("capacity")).get("storage"))
    more = f"asked for {wanted}" if wanted not in ("", has) else ""
    source = mapping(spec.get("dataSource")) or mapping(spec.get("dataSourceRef"))
    volume, group = text(spec.get("volumeName")), text(spec.get("storageClassName"))
    pods = list_href("pods", namespace, f"{_CLAIMED}={name_of(obj)}")
    return section(
        "storage", "Storage",
        fact("Size", f"{f'has {has}' if has else ''}{', ' if has and more else ''}{more}" or None),
        fact("Access", ", ".join(texts(spec.get("accessModes"))) or None),
        fact("Volume", [named("persistentvolumes", "", volume)] if volume else "none yet"),
        fact("Class", [named("storageclasses.storage.k8s.io", "", group)] if group else None),
        fact("Filled from", f"{text(source.get('kind'))} {text(source.get('name'))}" if source else None),
        fact("Pods that use it", [Words("list them", href=pods)]),
    )  # fmt: skip


def volume_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec = mapping(obj.get("spec"))
    claim, policy = mapping(spec.get("claimRef")), text(spec.get("persistentVolumeReclaimPolicy"))
    group, nodes = (
        text(spec.get("storageClassName")),
        mapping(mapping(spec.get("nodeAffinity")).get("required")),
    )
    only = node_terms(nodes)
    namespace, name = text(claim.get("namespace")), text(claim.get("name"))
    return section(
        "storage", "Storage",
        fact("Is", _source(spec)),
        fact("Claim", [named("persistentvolumeclaims", namespace, name), Words(f" in {namespace}")] if name else None),
        fact("Without its claim", _RECLAIM.get(policy, policy) or None),
        fact("Access", ", ".join(texts(spec.get("accessModes"))) or None),
        fact("Class", [named("storageclasses.storage.k8s.io", "", group)] if group else None),
        fact("Nodes", f"only those with {only}" if only else None),
        fact("Mount options", " ".join(texts(spec.get("mountOptions"))) or None),
    )  # fmt: skip


_OWN = frozenset({"claimRef", "nodeAffinity", "capacity"})


def _source(spec: Mapping[str, Any]) -> str | None:
    """The one field of the spec that says what it is: ``csi: driver ebs.csi.aws.com, volumeHandle vol-1``."""
    kind = next((name for name, value in spec.items() if name not in _OWN and isinstance(value, Mapping)), "")
    fields = (
        f"{name} {value}" for name, value in mapping(spec.get(kind)).items() if isinstance(value, str | int) and value
    )
    return ": ".join(part for part in (kind, ", ".join(fields)) if part) or None
