"""Hands off: applications that a person has changed are left alone for some minutes."""

from __future__ import annotations

from collections.abc import Iterable

from devcluster.workload.cluster import Cluster
from devcluster.workload.teams import App

SECONDS = 300.0


class HandsOff:
    """Knows the generations of Deployments that the director made; any other is a person's doing."""

    def __init__(self, cluster: Cluster, apps: Iterable[App]) -> None:
        self._cluster = cluster
        self._known: dict[str, int] = {}
        self._touched: dict[str, float] = {}
        """By the Deployment's key, when somebody else's change was noticed, in monotonic seconds."""
        for app in apps:
            self.ours(app)

    def ours(self, app: App) -> None:
        """What the application looks like now is the director's doing."""
        found = self._cluster.deployments.get(app.key)
        if found is not None:
            self._known[app.key] = found.metadata.generation

    def is_free(self, app: App) -> bool:
        """Whether the application is there and nobody has changed it in the last minutes."""
        found = self._cluster.deployments.get(app.key)
        if found is None or found.metadata.deletion_timestamp is not None:
            return False
        now = self._cluster.clock.now()
        if self._known.setdefault(app.key, found.metadata.generation) != found.metadata.generation:
            self._known[app.key] = found.metadata.generation
            self._touched[app.key] = now
        return now - self._touched.get(app.key, -SECONDS) >= SECONDS
