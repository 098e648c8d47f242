"""What the informers count, for Prometheus. Needs prometheus_client, which nothing else of informerd imports."""

from informerd.metrics.collector import InformerCollector

__all__ = ["InformerCollector"]
