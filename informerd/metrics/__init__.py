"""Prometheus metrics of informers, controllers, their queues, and clients.

Needs prometheus_client, an extra that nothing else of informerd imports by itself. Raises MissingExtra where it is not.
"""

from informerd.errors import MissingExtra

try:
    import prometheus_client as _  # noqa: F401 - asked for first, so that the error says what to install
except ModuleNotFoundError as error:
    raise MissingExtra("informerd.metrics", "metrics") from error

from informerd.metrics.client_collector import ClientCollector
from informerd.metrics.controller_collector import ControllerCollector
from informerd.metrics.informer_collector import InformerCollector
from informerd.metrics.manager_collector import ManagerCollector

__all__ = ["ClientCollector", "ControllerCollector", "InformerCollector", "ManagerCollector"]
