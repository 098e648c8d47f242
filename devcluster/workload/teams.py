"""The teams' applications, cron jobs, nodes and Mydemos that the demo cluster runs. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Flaw = Literal["", "crash", "memory", "image", "pending"]
"""What is permanently wrong with some of an application's pods: crash loops, out of memory, no image, fits no node."""

REGISTRY = "registry.example.com"


@dataclass(frozen=True)
class App:
    """A Deployment. `days` is how long ago it was created."""

    namespace: str
    name: str
    replicas: int
    version: str
    days: float
    port: int = 8080
    tier: str = "backend"
    cpu: str = "250m"
    memory: str = "256Mi"
    flaw: Flaw = ""
    flawed: int = 1
    """How many of the pods have the flaw."""

    @property
    def image(self) -> str:
        return f"{REGISTRY}/{self.namespace}/{self.name}:{self.version}"


APPS: tuple[App, ...] = (
    App("shop", "web", 6, "2.31.0", 41.2, port=3000, tier="frontend", cpu="200m", memory="192Mi"),
    App("shop", "cart", 4, "1.18.4", 38.7),
    App("shop", "checkout", 4, "3.7.1", 38.7, cpu="500m", memory="512Mi", flaw="memory"),
    App("shop", "catalog", 4, "5.2.0", 36.1, cpu="300m"),
    App("shop", "images", 3, "1.4.9", 20.4, port=8443, tier="edge"),
    App("shop", "recommendations", 2, "0.9.12", 11.9, memory="768Mi"),
    App("shop", "session-cache", 2, "7.4.1", 41.2, port=6379, tier="cache", memory="512Mi"),
    App("payments", "api", 4, "8.0.3", 52.5, cpu="500m", flaw="crash"),
    App("payments", "ledger", 3, "4.11.0", 52.5, cpu="1", memory="1Gi", tier="data"),
    App("payments", "fraud-scorer", 3, "2.2.6", 17.3, cpu="1", memory="1Gi"),
    App("payments", "webhooks", 3, "1.9.0", 33.8),
    App("payments", "invoices", 2, "3.3.3", 29.0),
    App("search", "query", 5, "4.18.2", 26.6, port=9200, cpu="500m", memory="1Gi"),
    App("search", "indexer", 4, "4.18.2", 26.6, cpu="1", memory="2Gi", flaw="pending"),
    App("search", "suggest", 3, "1.6.0", 14.2),
    App("search", "synonyms", 1, "0.3.1", 3.1, memory="128Mi", flaw="image"),
    App("platform", "gateway", 3, "1.27.5", 63.9, port=8443, tier="edge", cpu="300m"),
    App("platform", "auth", 3, "6.1.2", 63.9),
    App("platform", "metrics", 2, "2.54.1", 58.0, port=9090, tier="observability", memory="1Gi"),
    App("platform", "log-router", 3, "3.1.8", 58.0, tier="observability", memory="128Mi"),
    App("platform", "mailer", 2, "1.2.2", 44.4),
    App("default", "hello", 2, "1.0.0", 9.5, port=80, memory="64Mi", cpu="50m"),
    App("default", "mydemo-controller", 1, "0.4.0", 9.5, memory="64Mi", cpu="50m"),
)


@dataclass(frozen=True)
class Cron:
    """Jobs of which one is started now and then. `fails` is the share of its pods that fail."""

    namespace: str
    name: str
    seconds: tuple[float, float]
    """Between which times a pod takes."""
    completions: int = 1
    fails: float = 0.0

    @property
    def image(self) -> str:
        return f"{REGISTRY}/{self.namespace}/{self.name}:1.3.0"


CRONS: tuple[Cron, ...] = (
    Cron("payments", "settle", (9.0, 20.0), completions=2),
    Cron("shop", "price-sync", (6.0, 12.0)),
    Cron("search", "reindex", (14.0, 30.0), fails=0.3),
    Cron("platform", "backup", (12.0, 25.0), fails=0.1),
)

NAMESPACES: dict[str, str] = {"shop": "shop", "payments": "payments", "search": "search", "platform": "platform"}
"""Namespaces and the team each belongs to."""


@dataclass(frozen=True)
class NodeSpec:
    """A node. `days` is how long ago it joined."""

    name: str
    zone: str
    days: float
    cpu: int = 8
    memory: str = "32Gi"
    control_plane: bool = False


NODES: tuple[NodeSpec, ...] = (
    NodeSpec("control-1", "a", 64.1, cpu=4, memory="16Gi", control_plane=True),
    NodeSpec("worker-1", "a", 64.0),
    NodeSpec("worker-2", "a", 64.0),
    NodeSpec("worker-3", "b", 64.0),
    NodeSpec("worker-4", "b", 30.2),
    NodeSpec("worker-5", "c", 12.7, cpu=16, memory="64Gi"),
)


@dataclass(frozen=True)
class Demo:
    """A Mydemo."""

    namespace: str
    name: str
    ip: str
    port: int
    days: float


MYDEMOS: tuple[Demo, ...] = (
    Demo("default", "alpha", "10.0.0.1", 8080, 9.4),
    Demo("default", "beta", "10.0.0.2", 8081, 9.4),
    Demo("default", "gamma", "2001:db8::17", 9090, 6.2),
    Demo("shop", "storefront", "10.6.9.77", 3000, 4.8),
    Demo("shop", "warehouse", "10.6.4.20", 5432, 4.8),
    Demo("payments", "bank-link", "192.0.2.44", 443, 2.3),
    Demo("search", "cluster-head", "10.5.3.40", 9200, 1.1),
    Demo("platform", "edge", "2001:db8:1::8", 8443, 0.4),
)
