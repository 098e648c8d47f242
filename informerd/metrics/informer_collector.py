"""Prometheus collector of informers' metrics, to register with a registry of the program's own.

Nothing is registered by itself, and no number is kept here.

registry = CollectorRegistry()
registry.register(InformerCollector(factory))
start_http_server(9100, registry=registry)  # or generate_latest(registry) in a view
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from informerd.cache.api_server_probe import Probe
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.shared_informer import SharedInformer
from informerd.clock import Clock, SystemClock
from informerd.metrics.informer_families import Subject, handler_families, informer_families, probe_families
from informerd.metrics.unique_labels import LabelSets, LabelValues

Source = SharedInformerFactory | SharedInformer[Any]
"""A factory stands for all its informers, also those that it will be asked for later, and for its probe."""


class InformerCollector(Collector):
    """Shows the numbers of some factories and informers at the moment of a scrape, which may come from any thread.

    Two informers with the same labels would make a scrape invalid: the second one's selector gets `` (2)`` added, for
    as long as it is shown. Give factories of different clusters different `cluster` labels: under one label their
    probes are counted together, and the API server is silent if it is to one of them. A label that is empty counts as
    absent in Prometheus. A factory that is replaced, as when the configuration changes, is to be removed, and the new
    one added.
    """

    def __init__(self, *sources: Source, cluster: str = "", clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._sources: dict[Source, str] = dict.fromkeys(sources, cluster)
        self._scopes: LabelSets[SharedInformer[Any]] = LabelSets()

    def add(self, source: Source, *, cluster: str = "") -> None:
        """Show `source` too, or under another label than before."""
        self._sources[source] = cluster

    def remove(self, source: Source) -> None:
        """Stop showing it; an unknown one is ignored."""
        self._sources.pop(source, None)

    @staticmethod
    def describe() -> Iterable[Metric]:
        """The families without numbers, for the registry's check of names."""
        return _families({}, {})

    def collect(self) -> Iterator[Metric]:
        """The families with the numbers of now."""
        now = self._clock.time()
        shown: dict[SharedInformer[Any], LabelValues] = {}
        probes: dict[LabelValues, list[Probe]] = {}
        for source, cluster in dict(self._sources).items():
            if isinstance(source, SharedInformerFactory):
                probes.setdefault((cluster,), []).append(source.probe)
            for informer in source.informers if isinstance(source, SharedInformerFactory) else (source,):
                shown[informer] = _scope(informer, cluster)
        subjects = {
            scope: Subject(each, each.health(), now) for each, scope in self._scopes.disambiguate(shown).items()
        }
        yield from _families(subjects, probes)


def _families(
    subjects: Mapping[LabelValues, Subject], probes: Mapping[LabelValues, Sequence[Probe]]
) -> Iterator[Metric]:
    return chain(informer_families(subjects), handler_families(subjects), probe_families(probes))


def _scope(informer: SharedInformer[Any], cluster: str) -> LabelValues:
    resource = informer.resource
    return (cluster, resource.group, resource.version, resource.plural, informer.namespace, informer.selector)
