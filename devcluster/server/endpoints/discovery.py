"""Discovery documents, plain and aggregated, for groups, versions and resources, and the server's version."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from devcluster.server.kinds import EVICTIONS, PODS, Kind, ServedKinds
from devcluster.server.registry.scale import SCALE

Document = dict[str, Any]
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
VERSION = "v1.37.1-demo"
BINDING = "Binding"
"""Body of a pod's binding subresource, which is not stored."""
EXEC_OPTIONS = "PodExecOptions"
_EXEC_VERBS = ["create", "get"]
_CHANGED = ["get", "patch", "update"]


def version() -> Document:
    """The document of /version."""
    return {
        "major": "1", "minor": "37", "gitVersion": VERSION, "gitCommit": "", "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z", "goVersion": "", "compiler": "python", "platform": "demo",
    }  # fmt: skip


def api_versions(address: str) -> Document:
    """The document of /api."""
    served = [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": served}


def group_list(registry: ServedKinds) -> Document:
    """The document of /apis."""
    groups = [_group(name, versions) for name, versions in registry.group_versions().items() if name]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def group(registry: ServedKinds, name: str) -> Document | None:
    """The document of /apis/GROUP; None where there is no such group."""
    versions = registry.group_versions().get(name)
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)} if versions and name else None


def _group(name: str, versions: list[str]) -> Document:
    entries = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": entries, "preferredVersion": entries[0]}


def resource_list(registry: ServedKinds, group: str, version: str) -> Document | None:
    """The document of /api/v1 and /apis/GROUP/VERSION; None where there is no such version."""
    kinds = [kind for kind in registry if (kind.group, kind.version) == (group, version)]
    if not kinds:
        return None
    resources = [entry for kind in _sorted(kinds) for entry in _resources(kind)]
    name = f"{group}/{version}" if group else version
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": name, "resources": resources}


def _sorted(kinds: Iterable[Kind]) -> list[Kind]:
    return sorted(kinds, key=lambda kind: kind.plural)


def _resources(kind: Kind) -> list[Document]:
    main: Document = {
        "name": kind.plural, "singularName": kind.singular, "namespaced": kind.namespaced, "kind": kind.kind,
        "verbs": list(kind.verbs),
    }  # fmt: skip
    if kind.short_names:
        main["shortNames"] = list(kind.short_names)
    if kind.categories:
        main["categories"] = list(kind.categories)
    entries = [main]
    if kind.has_status:
        entries.append(
            {
                "name": f"{kind.plural}/status", "singularName": "", "namespaced": kind.namespaced, "kind": kind.kind,
                "verbs": _CHANGED,
            }
        )  # fmt: skip
    if kind is PODS:
        entries.append(
            {
                "name": f"{kind.plural}/binding", "singularName": "", "namespaced": kind.namespaced,
                "kind": BINDING, "verbs": ["create"],
            }
        )  # fmt: skip
        entries.append(
            {
                "name": f"{kind.plural}/eviction", "singularName": "", "namespaced": kind.namespaced,
                "group": EVICTIONS.group, "version": EVICTIONS.version, "kind": EVICTIONS.kind, "verbs": ["create"],
            }
        )  # fmt: skip
        entries.append(
            {
                "name": f"{kind.plural}/exec", "singularName": "", "namespaced": kind.namespaced, "kind": EXEC_OPTIONS,
                "verbs": _EXEC_VERBS,
            }
        )  # fmt: skip
        entries.append(
            {
                "name": f"{kind.plural}/log", "singularName": "", "namespaced": kind.namespaced, "kind": kind.kind,
                "verbs": ["get"],
            }
        )  # fmt: skip
    if kind.has_scale:
        entries.append(
            {
                "name": f"{kind.plural}/scale", "singularName": "", "namespaced": kind.namespaced,
                "group": SCALE.group, "version": SCALE.version, "kind": SCALE.kind, "verbs": _CHANGED,
            }
        )  # fmt: skip
    return sorted(entries, key=lambda entry: entry["name"])


def aggregated(registry: ServedKinds, *, core: bool) -> Document:
    """Aggregated discovery (apidiscovery.k8s.io/v2) of /api or /apis."""
    items = [
        {"metadata": {"name": name} if name else {}, "versions": [_version(registry, name, v) for v in versions]}
        for name, versions in registry.group_versions().items()
        if core is (name == "")
    ]
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def _version(registry: ServedKinds, group: str, version: str) -> Document:
    kinds = [kind for kind in registry if (kind.group, kind.version) == (group, version)]
    return {
        "version": version,
        "resources": [_aggregated_resource(kind) for kind in _sorted(kinds)],
        "freshness": "Current",
    }


def _aggregated_resource(kind: Kind) -> Document:
    responds = {
        "group": kind.group if kind.custom else "",
        "version": kind.version if kind.custom else "",
        "kind": kind.kind,
    }
    entry: Document = {
        "resource": kind.plural, "responseKind": responds, "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.singular, "verbs": list(kind.verbs),
    }  # fmt: skip
    if kind.short_names:
        entry["shortNames"] = list(kind.short_names)
    if kind.categories:
        entry["categories"] = list(kind.categories)
    answers = [("scale", _responds(SCALE), _CHANGED)] if kind.has_scale else []
    if kind is PODS:
        posted = {"group": "", "version": "", "kind": BINDING}
        answers += [("binding", posted, ["create"]), ("eviction", _responds(EVICTIONS), ["create"])]
        answers += [("exec", {"group": "", "version": "", "kind": EXEC_OPTIONS}, _EXEC_VERBS)]
        answers += [("log", responds, ["get"])]
    answers += [("status", responds, _CHANGED)] if kind.has_status else []
    if answers:
        entry["subresources"] = [
            {"subresource": name, "responseKind": answer, "verbs": verbs} for name, answer, verbs in answers
        ]
    return entry


def _responds(kind: Kind) -> Document:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}
