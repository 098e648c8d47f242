"""Kinds that the server serves, built in or from a CustomResourceDefinition, with their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from devcluster.server.schema.pruning_and_defaulting import Schema

DEFINITIONS_FILE = Path(__file__).parent / "data" / "definitions.json"
_ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One served version of a kind.

    All versions of a custom resource share one bucket in the store. `schema` is None only for
    built-in kinds, whose definitions are recorded data (see builtin_definitions.py).
    """

    group: str = ""
    version: str
    plural: str
    kind: str
    singular: str = ""
    list_kind: str = ""
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    has_status: bool = False
    has_generation: bool = False
    """Whether metadata.generation counts changes of the spec."""
    allows_unconditional_update: bool = True
    """Whether an update without resourceVersion is accepted."""
    allows_create_on_update: bool = False
    """Whether an update of a missing object creates it."""
    has_scale: bool = False
    """Whether there is a scale subresource."""
    is_measured: bool = False
    """Whether it is of the metrics API, whose objects are computed when they are read."""
    custom: bool = False
    schema: Schema | None = None
    columns: tuple[dict[str, Any], ...] = ()
    """A custom resource's additionalPrinterColumns."""

    @cached_property
    def key(self) -> str:
        """``pods``, ``deployments.apps``: the name of the kind's bucket in the store."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @cached_property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @cached_property
    def qualified_name(self) -> str:
        """``Pod``, ``Mydemo.crddemo.k8s.io``: as Invalid errors name the kind."""
        return f"{self.kind}.{self.group}" if self.group else self.kind

    @cached_property
    def verbs(self) -> tuple[str, ...]:
        """The verbs of the kind, in the real server's order."""
        if self.is_measured:
            return ("get", "list")
        if self.custom:
            return ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
        return tuple(verb for verb in _ALL_VERBS if (self.key, verb) != ("namespaces", "deletecollection"))

    @cached_property
    def subresources(self) -> tuple[str, ...]:
        """The subresources that may follow an object's name."""
        more = {"pods": ("binding", "eviction", "exec", "log")}.get(self.key, ("scale",) if self.has_scale else ())
        return (("status",) if self.has_status else ()) + more

    @cached_property
    def json_head(self) -> bytes:
        """The beginning of every stored object's JSON; lists of built-in kinds leave it out of their items."""
        return f'{{"kind":"{self.kind}","apiVersion":"{self.api_version}",'.encode()


def _core(plural: str, kind: str, *short: str, **more: Any) -> Kind:
    return Kind(version="v1", plural=plural, kind=kind, singular=kind.lower(), short_names=short, **more)


def _apps(plural: str, kind: str, *short: str, scales: bool = True) -> Kind:
    return Kind(
        group="apps", version="v1", plural=plural, kind=kind, singular=kind.lower(), short_names=short,
        categories=("all",), has_status=True, has_generation=True, has_scale=scales,
    )  # fmt: skip


CUSTOM_RESOURCE_DEFINITIONS = Kind(
    group="apiextensions.k8s.io", version="v1", plural="customresourcedefinitions", kind="CustomResourceDefinition",
    singular="customresourcedefinition", namespaced=False, short_names=("crd", "crds"), categories=("api-extensions",),
    has_status=True, has_generation=True, allows_unconditional_update=False,
)  # fmt: skip
NAMESPACES = _core("namespaces", "Namespace", "ns", namespaced=False, has_status=True)
PODS = _core("pods", "Pod", "po", categories=("all",), has_status=True, has_generation=True)
BUDGETS = Kind(
    group="policy", version="v1", plural="poddisruptionbudgets", kind="PodDisruptionBudget",
    singular="poddisruptionbudget", short_names=("pdb",), has_status=True, has_generation=True,
    allows_unconditional_update=False,
)  # fmt: skip
EVICTIONS = Kind(group="policy", version="v1", plural="evictions", kind="Eviction")
"""Body of the pods' eviction subresource, which is not stored."""

BUILT_IN: tuple[Kind, ...] = (
    _core("configmaps", "ConfigMap", "cm"),
    _core("events", "Event", "ev", allows_create_on_update=True),
    NAMESPACES,
    _core("nodes", "Node", "no", namespaced=False, has_status=True),
    PODS,
    _core("secrets", "Secret"),
    _core("serviceaccounts", "ServiceAccount", "sa"),
    _core("services", "Service", "svc", categories=("all",), has_status=True, allows_create_on_update=True),
    _apps("daemonsets", "DaemonSet", "ds", scales=False),
    _apps("deployments", "Deployment", "deploy"),
    _apps("replicasets", "ReplicaSet", "rs"),
    _apps("statefulsets", "StatefulSet", "sts"),
    Kind(
        group="batch", version="v1", plural="cronjobs", kind="CronJob", singular="cronjob", short_names=("cj",),
        categories=("all",), has_status=True, has_generation=True,
    ),
    Kind(
        group="batch", version="v1", plural="jobs", kind="Job", singular="job", categories=("all",),
        has_status=True, has_generation=True,
    ),
    Kind(
        group="coordination.k8s.io", version="v1", plural="leases", kind="Lease", singular="lease",
        allows_unconditional_update=False, allows_create_on_update=True,
    ),
    BUDGETS,
    CUSTOM_RESOURCE_DEFINITIONS,
)  # fmt: skip
"""The kinds served without any CustomResourceDefinition."""

POD_METRICS = Kind(group="metrics.k8s.io", version="v1beta1", plural="pods", kind="PodMetrics", is_measured=True)
NODE_METRICS = Kind(
    group="metrics.k8s.io", version="v1beta1", plural="nodes", kind="NodeMetrics", namespaced=False, is_measured=True
)
ALWAYS_SERVED = (*BUILT_IN, POD_METRICS, NODE_METRICS)


def served_kinds_of(definition: dict[str, Any]) -> tuple[Kind, ...]:
    """The kinds that a CustomResourceDefinition adds, one for each served version."""
    spec = definition["spec"]
    return tuple(_custom_kind(spec, version) for version in spec["versions"] if version.get("served"))


def _custom_kind(spec: dict[str, Any], version: dict[str, Any]) -> Kind:
    names, subresources = spec["names"], version.get("subresources") or {}
    return Kind(
        group=spec["group"],
        version=version["name"],
        plural=names["plural"],
        kind=names["kind"],
        singular=names["singular"],
        list_kind=names["listKind"],
        namespaced=spec["scope"] == "Namespaced",
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        has_status="status" in subresources,
        has_generation=True,
        allows_unconditional_update=False,
        custom=True,
        schema=(version.get("schema") or {}).get("openAPIV3Schema") or {},
        columns=tuple(version.get("additionalPrinterColumns") or ()),
    )


API_APPROVED_ANNOTATION = "api-approved.kubernetes.io"
"""The annotation of a definition in a protected group, with the address of its approval."""


def is_protected_group(group: str) -> bool:
    """Whether the group is one of Kubernetes' own, in which a definition needs an approval."""
    return group.endswith((".k8s.io", ".kubernetes.io")) or group in ("k8s.io", "kubernetes.io")


@dataclass
class ServedKinds:
    """The kinds served at the moment, by group, version and plural."""

    _kinds: dict[tuple[str, str, str], Kind] = field(default_factory=dict)
    _listeners: list[Callable[[], None]] = field(default_factory=list)
    _groups: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind in ALWAYS_SERVED:
            self._kinds[kind.group, kind.version, kind.plural] = kind

    def find(self, group: str, version: str, plural: str) -> Kind | None:
        return self._kinds.get((group, version, plural))

    def find_kind(self, api_version: str, name: str) -> Kind | None:
        """The kind that an ownerReference means."""
        group, _, version = api_version.rpartition("/")
        return next((k for k in self if (k.group, k.version, k.kind) == (group, version, name)), None)

    def bucket(self, key: str) -> Kind | None:
        """Any served version of the kind stored under `key`."""
        return next((kind for kind in self if kind.key == key), None)

    def group_versions(self) -> dict[str, list[str]]:
        """The served groups in their order, each with its versions. Not to be changed by the caller."""
        if not self._groups:
            for kind in self:
                versions = self._groups.setdefault(kind.group, [])
                if kind.version not in versions:
                    versions.append(kind.version)
        return self._groups

    def replace(self, group: str, plural: str, kinds: tuple[Kind, ...]) -> None:
        """Serve these versions of a custom resource and no others; none at all removes it."""
        remaining = {k: v for k, v in self._kinds.items() if (k[0], k[2]) != (group, plural)}
        self._kinds = remaining | {(k.group, k.version, k.plural): k for k in kinds}
        self._groups = {}
        for listener in self._listeners:
            listener()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever the served kinds change."""
        self._listeners.append(listener)

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._kinds.values())
