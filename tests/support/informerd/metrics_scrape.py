"""Scrape of a collector's metrics, in Prometheus' text format."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector


class Scrape:
    """One scrape: written out, and parsed again as Prometheus does."""

    def __init__(self, collector: Collector) -> None:
        registry = CollectorRegistry()
        registry.register(collector)
        self.text = generate_latest(registry).decode()
        self.families = {family.name: family for family in text_string_to_metric_families(self.text)}
        self.series: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
        for family in self.families.values():
            for sample in family.samples:
                key = (sample.name, frozenset(sample.labels.items()))
                assert key not in self.series, f"{sample} is there twice, and Prometheus would refuse it"
                self.series[key] = sample.value

    def get(self, name: str, **labels: str) -> float | None:
        """The one series ``informerd_<name>`` that has these labels among its own; None where there is none."""
        found = [
            value
            for (full, own), value in self.series.items()
            if full == f"informerd_{name}" and labels.items() <= dict(own).items()
        ]
        assert len(found) < 2, f"{name} {labels}: {found}"
        return found[0] if found else None

    def labels(self, name: str) -> list[dict[str, str]]:
        """The labels of each series of that name."""
        return [dict(own) for full, own in self.series if full == f"informerd_{name}"]
