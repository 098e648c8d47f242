"""Prometheus collector of a client's requests, to register with a registry of the program's own.

registry = CollectorRegistry()
registry.register(ClientCollector(client))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from informerd.metrics.family_builder import Families
from informerd.metrics.unique_labels import LabelValues
from informerd.rest.rest_client import RestClient


class ClientCollector(Collector):
    """Shows how a client's requests were answered. Give clients of different clusters different `cluster` labels."""

    def __init__(self, client: RestClient, *, cluster: str = "") -> None:
        self._client = client
        self._cluster = cluster

    @staticmethod
    def describe() -> Iterable[Metric]:
        """The families without numbers, for the registry's check of names."""
        return _families({})

    def collect(self) -> Iterator[Metric]:
        """The families with the numbers of now."""
        yield from _families({(self._cluster,): self._client})


def _families(clients: Mapping[LabelValues, RestClient]) -> Iterator[Metric]:
    of = Families(clients, "cluster")
    words = (
        "Requests to the API server, each attempt, by the HTTP code of the answer; <error>: none came "
        "(= rest_client_requests_total)."
    )
    yield of.counter("client_requests", words, lambda client: client.request_counts, "method", "code")
