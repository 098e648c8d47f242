"""Names of metrics and labels in a query of Prometheus, compared with docs/metrics.md's."""

from __future__ import annotations

import re

from prometheus_client.core import Metric

from tools.metrics_page import label_names, sample_name, sections

TARGET_LABELS = {"job", "instance", "namespace", "pod"}
"""Labels that Prometheus or the ServiceMonitor adds."""
_METRIC = re.compile(r"\b((?:deltaboard|informerd|process|leader_election)_\w+)(?:\{([^}]*)\})?")
_LABEL = re.compile(r'(\w+)\s*(?:=~|!~|!=|=)\s*"')
_GROUPING = re.compile(r"\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)")


def _series() -> dict[str, set[str]]:
    """Labels of each name that a query may have."""
    found: dict[str, set[str]] = {}
    for family in (each for families in sections().values() for each in families):
        found.update(_of(family))
    return found


def _of(family: Metric) -> dict[str, set[str]]:
    labels = {*label_names(family)}
    if family.type not in {"histogram", "summary"}:
        return {sample_name(family): labels}
    sums = {f"{family.name}_{suffix}": labels for suffix in ("sum", "count")}
    return {**sums, f"{family.name}_bucket": labels | {"le"}} if family.type == "histogram" else sums


SERIES = _series()


def unknown_in(query: str) -> set[str]:
    """Metrics of ours, and labels, that a query names and that do not exist. An empty set where all is well."""
    unknown: set[str] = set()
    known = {*TARGET_LABELS}
    for name, matchers in _METRIC.findall(query):
        if name not in SERIES:
            unknown.add(name)
            continue
        known |= SERIES[name]
        unknown |= {f"{name}{{{label}}}" for label in _LABEL.findall(matchers or "")} - {
            f"{name}{{{label}}}" for label in SERIES[name] | TARGET_LABELS
        }
    grouped = {label.strip() for group in _GROUPING.findall(query) for label in group.split(",") if label.strip()}
    return unknown | (grouped - known)


def labels_in(query: str) -> set[str]:
    """Labels that the series of a query's result may have."""
    kept = re.findall(r"\bby\s*\(([^)]*)\)", query)
    if kept:
        return {label.strip() for group in kept for label in group.split(",")}
    own = {label for name, _ in _METRIC.findall(query) for label in SERIES.get(name, set())}
    aggregated = re.search(r"\b(?:sum|max|min|count|avg)\s*\(", query) is not None
    return set() if aggregated else own | TARGET_LABELS
