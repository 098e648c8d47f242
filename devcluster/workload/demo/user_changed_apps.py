"""Record of applications that a person has changed, which the demo leaves alone for some minutes."""

from __future__ import annotations

from collections.abc import Iterable

from devcluster.workload.cluster_client import Cluster
from devcluster.workload.demo_inventory import App

APP_HANDS_OFF_SECONDS = 300.0


class HandsOff:
    """Knows the generations of Deployments that the director made; any other is a person's doing."""

    def __init__(self, cluster: Cluster, apps: Iterable[App]) -> None:
        self._cluster = cluster
        self._known: dict[str, int] = {}
        self._changed_at: dict[str, float] = {}
        """By the Deployment's key, when somebody else's change was noticed, in monotonic seconds."""
        for app in apps:
            self.record_own_generation(app)

    def record_own_generation(self, app: App) -> None:
        """Record the application's present state as the director's own change."""
        deployment = self._cluster.deployments.get(app.key)
        if deployment is not None:
            self._known[app.key] = deployment.metadata.generation

    def is_free(self, app: App) -> bool:
        """Whether the application exists and nobody has changed it in the last minutes."""
        deployment = self._cluster.deployments.get(app.key)
        if deployment is None or deployment.metadata.deletion_timestamp is not None:
            return False
        now = self._cluster.clock.now()
        if self._known.setdefault(app.key, deployment.metadata.generation) != deployment.metadata.generation:
            self._known[app.key] = deployment.metadata.generation
            self._changed_at[app.key] = now
        return now - self._changed_at.get(app.key, -APP_HANDS_OFF_SECONDS) >= APP_HANDS_OFF_SECONDS
