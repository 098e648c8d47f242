"""/metrics page with the counters of a manager's informers and controllers; it loads prometheus_client on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from informerd.manager.cached_client import CachedClient

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from informerd.metrics import InformerCollector
    from informerd.metrics.controller_collector import HasControllers
    from informerd.metrics.manager_collector import HasState

    class _Manager(HasControllers, HasState, Protocol):
        """A manager with informers and controllers."""


class MetricsPage:
    """The numbers of a manager; `registry` takes a program's own collectors, too."""

    def __init__(self, client: CachedClient, manager: _Manager) -> None:
        self._client = client
        self._manager = manager
        self._registry: CollectorRegistry | None = None
        self._informers: InformerCollector | None = None

    @property
    def registry(self) -> CollectorRegistry:
        """Where collectors are registered."""
        if self._registry is None:
            from informerd.metrics import ControllerCollector, InformerCollector, ManagerCollector

            self._informers = InformerCollector(*self._client.factories)
            from prometheus_client import CollectorRegistry  # after informerd.metrics, which says how to install it

            self._registry = CollectorRegistry()
            self._registry.register(self._informers)
            self._registry.register(ControllerCollector(self._manager))
            self._registry.register(ManagerCollector(self._manager))
        return self._registry

    def text(self) -> tuple[bytes, str]:
        """The exposition of now and its content type."""
        from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

        registry = self.registry
        if self._informers is not None:
            for factory in self._client.factories:
                self._informers.add(factory)
        return generate_latest(registry), CONTENT_TYPE_LATEST
