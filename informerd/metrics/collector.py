"""Prometheus collector of informers' metrics, to register with a registry of the program's own.

Nothing is registered by itself, and no number is kept here.

registry = CollectorRegistry()
registry.register(InformerCollector(factory))
start_http_server(9100, registry=registry)  # or generate_latest(registry) in a view
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.probe import Probe
from informerd.cache.shared_informer import SharedInformer
from informerd.clock import Clock, SystemClock
from informerd.metrics.families import add_sample, family_of
from informerd.metrics.handler_measures import HANDLER_MEASURES, PROBE_MEASURES
from informerd.metrics.informer_measures import INFORMER_MEASURES
from informerd.metrics.measures import LABELS, Measure, ProbeMeasure, Subject
from informerd.metrics.scopes import LabelSets, LabelValues

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

    def describe(self) -> Iterable[Metric]:
        """The families without numbers, for the registry's check of names."""
        measures: list[Measure | ProbeMeasure] = [*INFORMER_MEASURES, *HANDLER_MEASURES, *PROBE_MEASURES]
        return [family_of(measure.kind, measure.name, measure.meaning, _labels(measure)) for measure in measures]

    def collect(self) -> Iterator[Metric]:
        """The families with the numbers of now."""
        subjects = self._subjects()
        for measure in (*INFORMER_MEASURES, *HANDLER_MEASURES):
            family = family_of(measure.kind, measure.name, measure.meaning, _labels(measure))
            for labels, subject in subjects.items():
                for own, value in measure.read(subject):
                    add_sample(family, (*labels, *own), value)
            yield family
        yield from self._probes()

    def _probes(self) -> Iterator[Metric]:
        probes: dict[str, list[Probe]] = {}
        for source, cluster in [*self._sources.items()]:
            if isinstance(source, SharedInformerFactory):
                probes.setdefault(cluster, []).append(source.probe)
        for measure in PROBE_MEASURES:
            family = family_of(measure.kind, measure.name, measure.meaning, _labels(measure))
            for cluster, group in probes.items():
                found: dict[tuple[str, ...], list[float]] = {}
                for own, value in chain.from_iterable(map(measure.read, group)):
                    found.setdefault(own, []).append(value)
                for own, values in found.items():
                    add_sample(family, (cluster, *own), sum(values) if measure.kind == "counter" else max(values))
            yield family

    def _subjects(self) -> dict[tuple[str, ...], Subject]:
        now = self._clock.time()
        shown = {
            informer: _scope(informer, cluster)
            for source, cluster in [*self._sources.items()]
            for informer in (source.informers if isinstance(source, SharedInformerFactory) else (source,))
        }
        return {scope: Subject(each, each.health(), now) for each, scope in self._scopes.disambiguate(shown).items()}


def _scope(informer: SharedInformer[Any], cluster: str) -> LabelValues:
    resource = informer.resource
    return (cluster, resource.group, resource.version, resource.plural, informer.namespace, informer.selector)


def _labels(measure: Measure | ProbeMeasure) -> tuple[str, ...]:
    return (*(LABELS if isinstance(measure, Measure) else LABELS[:1]), *measure.labels)
