"""Writes the tables of docs/metrics.md from the metric families of the program: ``python -m tools.metrics_page``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from prometheus_client import ProcessCollector
from prometheus_client.core import Metric

from dashboard.server.metrics.process_metrics import ProcessMetrics
from dashboard.server.metrics.web_metrics import WebMetrics
from dashboard.server.metrics.worker_metrics import HistoryMetrics, UsageMetrics
from informerd.metrics import ClientCollector, ControllerCollector, InformerCollector, ManagerCollector

PAGE = Path(__file__).parents[1] / "docs" / "metrics.md"

UNITS = (
    ("_timestamp_seconds", "Unix seconds"),
    ("_seconds", "seconds"),
    ("_bytes", "bytes"),
)

SECTION = re.compile(r"(<!-- metrics: (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def sections() -> dict[str, list[Metric]]:
    """The families of each section of the page, in the order in which they are served."""
    return {
        "process": [*ProcessMetrics.describe()],
        "web": [*WebMetrics.describe()],
        "usage": [*UsageMetrics.describe()],
        "history": [*HistoryMetrics.describe()],
        "client": [*ClientCollector.describe()],
        "informers": [*InformerCollector.describe()],
        "controllers": [*ControllerCollector.describe(), *ManagerCollector.describe()],
        "prometheus-client": [*ProcessCollector(registry=None).collect()],
    }


def sample_name(family: Metric) -> str:
    """The name of a family as queries have it."""
    return f"{family.name}_total" if family.type == "counter" else family.name


def label_names(family: Any) -> tuple[str, ...]:
    """The labels that its samples have, without the bounds of a histogram."""
    return tuple(family._labelnames)  # noqa: SLF001 -- there is no other way to ask a family without samples


def unit(family: Metric) -> str:
    """The unit that the name says; empty for a number."""
    return next((word for suffix, word in UNITS if family.name.endswith(suffix)), "")


def table(families: Iterable[Metric]) -> str:
    """The table of a section."""
    lines = ["| metric | type | labels | unit | what it is |", "| --- | --- | --- | --- | --- |"]
    for each in families:
        labels = ", ".join(f"`{name}`" for name in label_names(each))
        text = each.documentation.replace("|", "\\|").replace("<", "&lt;")
        lines.append(f"| `{sample_name(each)}` | {each.type} | {labels} | {unit(each)} | {text} |")
    return "\n".join(lines) + "\n"


def written(page: str) -> str:
    """The page with the tables of now. Raises KeyError for a section that is not one of `sections`."""
    tables = {name: table(families) for name, families in sections().items()}
    return SECTION.sub(lambda found: f"{found[1]}{tables[found[2]]}{found[4]}", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
