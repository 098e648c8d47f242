"""Inventory of the demo cluster, as data only: applications, CronJobs, namespaces, nodes and Mydemos."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from devcluster.workload.images import REGISTRY

Flaw = Literal["", "crash", "memory", "image", "pending"]
"""Permanent fault of an application: it crash loops, runs out of memory, has no image, or fits on no node."""


@dataclass(frozen=True)
class App:
    """A Deployment that was created `age_days` ago."""

    namespace: str
    name: str
    replicas: int
    version: str
    age_days: float
    port: int = 8080
    tier: str = "backend"
    cpu: str = "150m"
    memory: str = "256Mi"
    flaw: Flaw = ""
    seconds: str = ""
    """With the flaw memory: between which times it takes to run out, such as ``200-400``."""
    strategy: Literal["RollingUpdate", "Recreate"] = "RollingUpdate"
    surge: int | str = 1
    unavailable: int | str = 1
    budget: int | None = None
    """Number of its pods that may be unavailable, by a PodDisruptionBudget; without one, any number."""
    cell: str = ""
    """The part of a large cluster that it is in; it ends the namespace's name."""

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def team(self) -> str:
        return team_of(self.namespace, self.cell)

    @property
    def image(self) -> str:
        return f"{REGISTRY}/{self.team}/{self.name}:{self.version}"


def team_of(namespace: str, cell: str) -> str:
    """The team that a namespace belongs to."""
    return namespace.removesuffix(f"-{cell}") if cell else namespace


APPS: tuple[App, ...] = (
    App("shop", "web", 9, "2.31.0", 41.2, port=3000, tier="frontend", memory="192Mi", surge="25%", unavailable="25%"),
    App("shop", "cart", 6, "1.18.4", 38.7),
    App("shop", "checkout", 6, "3.7.1", 38.7, cpu="250m", memory="512Mi", budget=1),
    App("shop", "catalog", 6, "5.2.0", 36.1, surge=2, unavailable=0),
    App("shop", "images", 5, "1.4.9", 20.4, port=8443, tier="edge"),
    App("shop", "recommendations", 4, "0.9.12", 11.9, memory="768Mi"),
    App("shop", "session-cache", 3, "7.4.1", 41.2, port=6379, tier="cache", memory="512Mi"),
    App("payments", "api", 6, "8.0.3", 52.5, cpu="250m"),
    App("payments", "api-preview", 1, "9.0.0", 1.4, flaw="crash"),
    App("payments", "ledger", 3, "4.11.0", 52.5, cpu="500m", memory="1Gi", tier="data", strategy="Recreate", budget=0),
    App("payments", "fraud-scorer", 5, "2.2.6", 17.3, cpu="400m", memory="1Gi"),
    App("payments", "webhooks", 5, "1.9.0", 33.8),
    App("payments", "invoices", 4, "3.3.3", 29.0),
    App("search", "query", 7, "4.18.2", 26.6, port=9200, cpu="250m", memory="1Gi"),
    App("search", "indexer", 4, "4.18.2", 26.6, cpu="500m", memory="1Gi"),
    App("search", "embeddings", 1, "0.2.0", 0.3, flaw="pending", memory="1Gi"),
    App("search", "suggest", 5, "1.6.0", 14.2),
    App("search", "synonyms", 1, "0.3.1-rc1", 3.1, memory="128Mi", flaw="image"),
    App("platform", "gateway", 5, "1.27.5", 63.9, port=8443, tier="edge", unavailable=0),
    App("platform", "auth", 5, "6.1.2", 63.9),
    App("platform", "metrics", 3, "2.54.1", 58.0, port=9090, tier="observability", memory="1Gi"),
    App("platform", "log-router", 6, "3.1.8", 58.0, tier="observability", memory="128Mi", cpu="50m"),
    App("platform", "mailer", 3, "1.2.2", 44.4),
    App("platform", "reports", 2, "2.0.4", 6.6, memory="384Mi", flaw="memory", seconds="200-400"),
    App("default", "hello", 3, "1.0.0", 9.5, port=80, memory="64Mi", cpu="50m"),
    App("default", "mydemo-controller", 1, "0.4.0", 9.5, memory="64Mi", cpu="50m"),
)


@dataclass(frozen=True)
class CronApp:
    """Jobs of which one is started now and then. `failure_rate` is the share of its pods that fail."""

    namespace: str
    name: str
    duration_range: str
    """Between which seconds a pod takes."""
    completions: int = 1
    parallelism: int = 1
    schedule: str = "*/5 * * * *"
    failure_rate: float = 0.0
    backoff_limit: int = 1
    deadline: int = 0
    """Seconds after which it is given up; 0 for never."""
    ttl_seconds: int = 240
    """Seconds for which it stays when it has ended."""
    cell: str = ""

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def team(self) -> str:
        return team_of(self.namespace, self.cell)

    @property
    def image(self) -> str:
        return f"{REGISTRY}/{self.team}/{self.name}:1.3.0"


CRONS: tuple[CronApp, ...] = (
    CronApp("payments", "settle", "9-20", completions=4, parallelism=2, schedule="*/10 * * * *"),
    CronApp("shop", "price-sync", "6-12", schedule="*/2 * * * *"),
    CronApp("search", "reindex", "14-30", failure_rate=0.3),
    CronApp("platform", "backup", "12-25", failure_rate=0.1, schedule="*/15 * * * *"),
)

STATEFUL_APP: App = App("platform", "queue", 3, "4.1.0", 44.4, port=5672, tier="data", memory="512Mi", budget=1)
"""The one whose pods have numbers: a StatefulSet."""
DAEMON_APP: App = App(
    "platform", "node-agent", 1, "1.8.1", 58.0, port=9100, tier="observability", memory="64Mi", cpu="50m"
)
"""The one that has a pod on each node: a DaemonSet."""

NAMESPACES: tuple[str, ...] = ("shop", "payments", "search", "platform")
"""Namespaces that belong to a team of the same name."""


@dataclass(frozen=True)
class NodeProfile:
    """A node that joined `age_days` ago."""

    name: str
    zone: str
    age_days: float
    cpu: int = 8
    memory: str = "32Gi"
    pods: int = 110
    control_plane: bool = False


NODES: tuple[NodeProfile, ...] = (
    NodeProfile("control-1", "a", 64.1, cpu=4, memory="16Gi", control_plane=True),
    NodeProfile("worker-1", "a", 64.0),
    NodeProfile("worker-2", "a", 64.0),
    NodeProfile("worker-3", "b", 64.0),
    NodeProfile("worker-4", "b", 30.2),
    NodeProfile("worker-5", "c", 12.7, cpu=16, memory="64Gi"),
)


@dataclass(frozen=True)
class MydemoApp:
    """A Mydemo."""

    namespace: str
    name: str
    ip: str
    port: int
    age_days: float
    owned_app: str = ""
    """Application of its namespace whose Deployment it owns, where the cluster has it."""
    cell: str = ""

    @property
    def team(self) -> str:
        return team_of(self.namespace, self.cell)


MYDEMOS: tuple[MydemoApp, ...] = (
    MydemoApp("default", "alpha", "10.0.0.1", 8080, 9.4, owned_app="hello"),
    MydemoApp("default", "beta", "10.0.0.2", 8081, 9.4),
    MydemoApp("default", "gamma", "2001:db8::17", 9090, 6.2),
    MydemoApp("shop", "storefront", "10.6.9.77", 3000, 4.8, owned_app="web"),
    MydemoApp("shop", "warehouse", "10.6.4.20", 5432, 4.8, owned_app="catalog"),
    MydemoApp("payments", "bank-link", "192.0.2.44", 443, 2.3, owned_app="webhooks"),
    MydemoApp("search", "cluster-head", "10.5.3.40", 9200, 1.1, owned_app="query"),
    MydemoApp("platform", "edge", "2001:db8:1::8", 8443, 0.4, owned_app="gateway"),
)
