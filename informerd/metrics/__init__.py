"""Prometheus metrics of informers, controllers and their queues.

Needs prometheus_client, which nothing else of informerd imports by itself.
"""

from informerd.metrics.controller_collector import ControllerCollector
from informerd.metrics.informer_collector import InformerCollector
from informerd.metrics.manager_collector import ManagerCollector

__all__ = ["ControllerCollector", "InformerCollector", "ManagerCollector"]
