"""The kinds that Deltaboard knows by name: titles, places in the navigation, and possible actions.

The table is static, so that addresses, settings and feeds mean the same in every process without asking an API server.
A name that is not in it but looks like ``plural.group`` becomes a generic kind, whose version and Kind discovery fills
in (`resolved` says whether that has happened).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from informerd.resource import MYDEMOS, PODS, Resource

WORKLOADS = "Workloads"
CUSTOM = "Custom resources"
NETWORK = "Network"
CONFIG = "Config"
STORAGE = "Storage"
ACCESS = "Access"
CLUSTER = "Cluster"
GROUP_TITLES = (WORKLOADS, CUSTOM, NETWORK, CONFIG, STORAGE, ACCESS, CLUSTER)
"""Groups in the order of the navigation."""

_GENERIC_NAME = re.compile(r"(?P<plural>[a-z]([a-z0-9-]*[a-z0-9])?)\.(?P<group>[a-z0-9-]+(\.[a-z0-9-]+)+)")
"""A custom group is a domain with at least one dot: apiextensions' validation refuses others."""
_KEY = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)*")
MAX_KEY_LENGTH = 320
"""Maximum characters: a plural has 63, a group 253."""


@dataclass(frozen=True, slots=True)
class KindInfo:
    """A kind as the dashboard shows it."""

    key: str
    """``pods``, ``deployments.apps``: kubectl's name, used in addresses, feeds and settings."""
    resource: Resource
    title: str
    """Plural for people: ``Pods``, ``ReplicaSets``."""
    group_title: str
    """One of GROUP_TITLES."""
    icon: str = "custom"
    """Symbol in the sprite: workloads, custom, network, config, storage, access, cluster, events or nodes."""
    resolved: bool = True
    """Whether discovery has answered; until then version, Kind and scope are guesses."""
    is_name_shared: bool = False
    """Whether another kind of the cluster has the same name, so that `title` and `singular` say the API group, too."""

    @property
    def editable(self) -> bool:
        """Whether objects of this kind can be edited: whether the API server updates them, as far as is known."""
        return not self.is_event_kind and self._allows("update")

    @property
    def deletable(self) -> bool:
        """Whether the API server deletes objects of this kind, as far as is known."""
        return self._allows("delete")

    @property
    def is_event_kind(self) -> bool:
        """Whether its objects report events: people do not create or change them by hand, though they could."""
        return self.resource.kind == "Event" and self.resource.group in ("", "events.k8s.io")

    @property
    def is_secret_kind(self) -> bool:
        """Whether its objects are Secrets, which no browser may store."""
        return self.resource.kind == "Secret" and not self.resource.group

    @property
    def path(self) -> str:
        """Address of the list."""
        return f"/resources/{self.key}/"

    @property
    def new_path(self) -> str:
        """Address of the page that creates one."""
        return f"{self.path}new/"

    @property
    def creatable(self) -> bool:
        """Whether people create objects of this kind, and the API server accepts them, as far as is known."""
        return not self.is_event_kind and self._allows("create")

    @property
    def readable(self) -> bool:
        """Whether a created object can be read afterwards, as far as is known: an access review is only answered."""
        return self._allows("get")

    @property
    def singular(self) -> str:
        """The Kind, for people: ``Pod``, ``Gateway (networking.istio.io)``."""
        return self._named(self.resource.kind, self.is_name_shared)

    def object_title(self, namespace: str, name: str) -> str:
        """An object of this kind, for people: ``Pod shop/web-1``, ``Node worker-1``."""
        return f"{self.singular} {namespace}/{name}" if namespace else f"{self.singular} {name}"

    @property
    def plain_title(self) -> str:
        """The title without the API group."""
        return self.title.removesuffix(f" ({self.resource.group})") if self.is_name_shared else self.title

    @property
    def namespaced(self) -> bool:
        return self.resource.namespaced

    @property
    def names(self) -> frozenset[str]:
        """Every name of it, in lower case."""
        resource = self.resource
        short = {resource.plural, resource.singular, resource.kind.lower(), *resource.short_names} - {""}
        long = {f"{name}.{resource.group}" for name in short} if resource.group else set()
        version = {f"{resource.plural}.{resource.version}{'.' + resource.group if resource.group else ''}"}
        return frozenset(name.lower() for name in short | long | version | {self.key})

    def _allows(self, verb: str) -> bool:
        return not self.resource.verbs or verb in self.resource.verbs

    def with_resource(self, resource: Resource) -> KindInfo:
        """The same kind with what discovery says about it."""
        title = self.title if self.resolved else self._named(_plural_title(resource), self.is_name_shared)
        return replace(self, resource=resource, title=title, resolved=True)

    def with_shared_names(self, keys: frozenset[str]) -> KindInfo:
        """The same kind, told apart by its API group where `keys` names it (see `kinds_told_apart`)."""
        if (self.key in keys) == self.is_name_shared:
            return self
        is_shared = self.key in keys
        return replace(self, title=self._named(self.plain_title, is_shared), is_name_shared=is_shared)

    def _named(self, name: str, is_shared: bool) -> str:
        return f"{name} ({self.resource.group})" if is_shared else name


def find_kind(name: str, followed: Iterable[KindInfo] = ()) -> KindInfo | None:
    """The kind that `name` means: key, plural, singular, short name or Kind, with or without group, in any case.

    A built-in kind comes before others of the same name, as with kubectl; `followed` kinds say what is known of it.
    None where the name is neither known nor of the form ``plural.group``.
    """
    wanted = name.strip().lower()
    followed = tuple(followed)
    builtin = _BY_NAME.get(wanted)
    for kind in followed:
        if kind.key == (wanted if builtin is None else builtin.key):
            return kind
    if builtin is not None:
        return builtin
    return next((kind for kind in followed if wanted in kind.names), None) or _generic(wanted)


def kind_of(resource: Resource) -> KindInfo:
    """The kind of a discovered resource: from the table where it is there, else a generic one."""
    known = KINDS.get(resource.key)
    title = _group_title(resource)
    return known or KindInfo(resource.key, resource, _plural_title(resource), title, icon=_ICONS[title])


def kind_of_key(key: str) -> KindInfo | None:
    """The kind with exactly this key, generic where the table does not have it; None where the text is no key."""
    if key in KINDS:
        return KINDS[key]
    if _KEY.fullmatch(key) is None or len(key) > MAX_KEY_LENGTH:
        return None
    plural, _, group = key.partition(".")
    resource = Resource(group=group, version="v1", plural=plural, kind=plural.capitalize())
    return KindInfo(key, resource, plural.capitalize(), _group_title(resource), resolved=False)


def _group_title(resource: Resource) -> str:
    """Title of a group: the API server's own groups are known by name, also those without a dot; all others are
    custom.
    """
    return _OWN_GROUPS.get(resource.group) or (CUSTOM if "." in resource.group else CLUSTER)


def kinds_told_apart(resources: Iterable[Resource]) -> frozenset[str]:
    """Keys of the kinds that people tell from others of the same name by their API group.

    Those of the built-in table keep their plain names: a Service is the core group's, as with kubectl.
    """
    by_name: dict[str, set[str]] = {}
    for kind in (*_TABLE, *map(kind_of, resources)):
        for name in {kind.title, kind.resource.kind}:
            by_name.setdefault(name, set()).add(kind.key)
    return frozenset(key for keys in by_name.values() if len(keys) > 1 for key in keys if key not in KINDS)


_shared: frozenset[tuple[str, str]] = frozenset()
"""Kind and group of the kinds that are told apart, in the cluster that this process shows."""


def register_shared_names(resources: Iterable[Resource], keys: frozenset[str]) -> None:
    """Tell the kinds of these keys apart in `kind_title` from now on in this process."""
    global _shared
    _shared = frozenset((resource.kind, resource.group) for resource in resources if resource.key in keys)


def kind_title(kind: str, group: str) -> str:
    """The Kind, for people, of an object that only names its own: ``Pod``, ``Gateway (networking.istio.io)``."""
    return f"{kind} ({group})" if (kind, group) in _shared else kind


def parse_kinds(names: Iterable[str]) -> tuple[KindInfo, ...]:
    """The kinds of a setting's names, in order, each once. Raises ValueError with the unknown name."""
    kinds: dict[str, KindInfo] = {}
    for name in names:
        kind = find_kind(name)
        if kind is None:
            raise ValueError(
                f"{name!r} is no kind: write it as kubectl does, for example pods or mydemos.crddemo.k8s.io"
            )
        kinds.setdefault(kind.key, kind)
    return tuple(kinds.values())


def find_builtin_kind(kind: str, group: str) -> KindInfo | None:
    """The static table's kind with this Kind, in any case, and API group; None where it has none."""
    return _BY_KIND.get((kind.lower(), group))


def builtin_group(kind: str) -> str | None:
    """The API group of the static table's kind with this Kind; None where it has none. It has no Kind in two groups."""
    return _GROUP_OF.get(kind)


def is_builtin(key: str) -> bool:
    """Whether the static table has this key."""
    return key in KINDS


def _generic(name: str) -> KindInfo | None:
    match = _GENERIC_NAME.fullmatch(name)
    if match is None:
        return None
    resource = Resource(group=match["group"], version="v1", plural=match["plural"], kind=match["plural"].capitalize())
    return KindInfo(resource.key, resource, match["plural"].capitalize(), CUSTOM, resolved=False)


def _plural_title(resource: Resource) -> str:
    """``Rollouts`` from Kind Rollout and plural rollouts; ``Policies`` from Policy and policies."""
    kind, plural = resource.kind, resource.plural
    if plural.startswith(kind.lower()):
        return kind + plural[len(kind) :]
    common = 0
    while common < min(len(kind), len(plural)) and kind[common].lower() == plural[common]:
        common += 1
    return kind[:common] + plural[common:] if common else plural.capitalize()


def _kind(group_title: str, resource: Resource, *, icon: str = "") -> KindInfo:
    return KindInfo(resource.key, resource, _plural_title(resource), group_title, icon or _ICONS[group_title])


def _of(group: str, version: str, kind: str, plural: str, *short_names: str, namespaced: bool = True) -> Resource:
    return Resource(
        group=group,
        version=version,
        plural=plural,
        kind=kind,
        singular=kind.lower(),
        namespaced=namespaced,
        short_names=short_names,
    )


_ICONS: Mapping[str, str] = MappingProxyType({
    WORKLOADS: "workloads", CUSTOM: "custom", NETWORK: "network", CONFIG: "config",
    STORAGE: "storage", ACCESS: "access", CLUSTER: "cluster",
})  # fmt: skip

_OWN_GROUPS: Mapping[str, str] = MappingProxyType({
    "apps": WORKLOADS, "batch": WORKLOADS, "autoscaling": WORKLOADS, "policy": WORKLOADS,
    "networking.k8s.io": NETWORK, "discovery.k8s.io": NETWORK, "storage.k8s.io": STORAGE,
    "rbac.authorization.k8s.io": ACCESS, "authentication.k8s.io": ACCESS, "authorization.k8s.io": ACCESS,
    "certificates.k8s.io": ACCESS, "node.k8s.io": CONFIG, "scheduling.k8s.io": CONFIG, "coordination.k8s.io": CONFIG,
    "resource.k8s.io": CLUSTER, "admissionregistration.k8s.io": CLUSTER, "apiregistration.k8s.io": CLUSTER,
    "events.k8s.io": CLUSTER, "flowcontrol.apiserver.k8s.io": CLUSTER, "internal.apiserver.k8s.io": CLUSTER,
    "storagemigration.k8s.io": CLUSTER, "metrics.k8s.io": CLUSTER, "apiextensions.k8s.io": CUSTOM,
})  # fmt: skip
"""Navigation groups of kinds in the API server's own API groups that the table does not name."""

_RBAC = "rbac.authorization.k8s.io"
_NETWORKING = "networking.k8s.io"
_STORAGE = "storage.k8s.io"

_TABLE: tuple[KindInfo, ...] = (
    _kind(WORKLOADS, PODS),
    _kind(WORKLOADS, _of("apps", "v1", "Deployment", "deployments", "deploy")),
    _kind(WORKLOADS, _of("apps", "v1", "ReplicaSet", "replicasets", "rs")),
    _kind(WORKLOADS, _of("apps", "v1", "StatefulSet", "statefulsets", "sts")),
    _kind(WORKLOADS, _of("apps", "v1", "DaemonSet", "daemonsets", "ds")),
    _kind(WORKLOADS, _of("batch", "v1", "Job", "jobs")),
    _kind(WORKLOADS, _of("batch", "v1", "CronJob", "cronjobs", "cj")),
    _kind(WORKLOADS, _of("", "v1", "ReplicationController", "replicationcontrollers", "rc")),
    _kind(WORKLOADS, _of("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa")),
    _kind(WORKLOADS, _of("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", "pdb")),
    _kind(CUSTOM, MYDEMOS),
    _kind(
        CUSTOM,
        _of(
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
            "customresourcedefinitions",
            "crd",
            "crds",
            namespaced=False,
        ),
    ),
    _kind(NETWORK, _of("", "v1", "Service", "services", "svc")),
    _kind(NETWORK, _of("", "v1", "Endpoints", "endpoints", "ep")),
    _kind(NETWORK, _of("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices")),
    _kind(NETWORK, _of(_NETWORKING, "v1", "Ingress", "ingresses", "ing")),
    _kind(NETWORK, _of(_NETWORKING, "v1", "IngressClass", "ingressclasses", namespaced=False)),
    _kind(NETWORK, _of(_NETWORKING, "v1", "NetworkPolicy", "networkpolicies", "netpol")),
    _kind(CONFIG, _of("", "v1", "ConfigMap", "configmaps", "cm")),
    _kind(CONFIG, _of("", "v1", "Secret", "secrets")),
    _kind(CONFIG, _of("", "v1", "ResourceQuota", "resourcequotas", "quota")),
    _kind(CONFIG, _of("", "v1", "LimitRange", "limitranges", "limits")),
    _kind(CONFIG, _of("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "pc", namespaced=False)),
    _kind(CONFIG, _of("coordination.k8s.io", "v1", "Lease", "leases")),
    _kind(STORAGE, _of("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", "pvc")),
    _kind(STORAGE, _of("", "v1", "PersistentVolume", "persistentvolumes", "pv", namespaced=False)),
    _kind(STORAGE, _of(_STORAGE, "v1", "StorageClass", "storageclasses", "sc", namespaced=False)),
    _kind(STORAGE, _of(_STORAGE, "v1", "VolumeAttachment", "volumeattachments", namespaced=False)),
    _kind(ACCESS, _of("", "v1", "ServiceAccount", "serviceaccounts", "sa")),
    _kind(ACCESS, _of(_RBAC, "v1", "Role", "roles")),
    _kind(ACCESS, _of(_RBAC, "v1", "RoleBinding", "rolebindings")),
    _kind(ACCESS, _of(_RBAC, "v1", "ClusterRole", "clusterroles", namespaced=False)),
    _kind(ACCESS, _of(_RBAC, "v1", "ClusterRoleBinding", "clusterrolebindings", namespaced=False)),
    _kind(CLUSTER, _of("", "v1", "Node", "nodes", "no", namespaced=False), icon="nodes"),
    _kind(CLUSTER, _of("", "v1", "Namespace", "namespaces", "ns", namespaced=False)),
    _kind(CLUSTER, _of("", "v1", "Event", "events", "ev"), icon="events"),
)

KINDS: Mapping[str, KindInfo] = MappingProxyType({kind.key: kind for kind in _TABLE})
"""The built-in kinds by key, in the order of the navigation."""

_BY_KIND: Mapping[tuple[str, str], KindInfo] = MappingProxyType(
    {(kind.resource.kind.lower(), kind.resource.group): kind for kind in _TABLE}
)
_GROUP_OF: Mapping[str, str] = MappingProxyType({kind.resource.kind: kind.resource.group for kind in _TABLE})
_BY_NAME: Mapping[str, KindInfo] = MappingProxyType({
    name: kind for kind in reversed(_TABLE) for name in kind.names
})  # fmt: skip
