"""Tests of the Grafana dashboard: each metric and label that it names exists, and Prometheus can read each query."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.metric_queries import labels_in, unknown_in
from tests.support.program import ROOT
from tests.support.skip_if_missing import missing

DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy" / "grafana" / "deltaboard.json").read_text())
TARGETS: list[dict[str, str]] = [target for panel in DASHBOARD["panels"] for target in panel.get("targets", ())]
QUERIES = [each["expr"].replace("$__rate_interval", "5m").replace("$job", ".+") for each in TARGETS]


def test_each_metric_and_label_of_its_queries_exists() -> None:
    assert len(QUERIES) > 30
    assert {name for query in QUERIES for name in unknown_in(query)} == set()
    for variable in DASHBOARD["templating"]["list"][1:]:
        assert unknown_in(variable["definition"]) == set()


def test_each_label_of_a_legend_is_one_that_its_query_keeps() -> None:
    for target, query in zip(TARGETS, QUERIES, strict=True):
        shown = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
        assert shown <= labels_in(query), query


def test_each_panel_has_a_place_and_says_what_it_shows() -> None:
    places = [tuple(panel["gridPos"][axis] for axis in "xy") for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(places)
    panels = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
    assert [panel["title"] for panel in panels if not panel["description"] or not panel["targets"]] == []


@pytest.mark.program
def test_prometheus_can_read_each_query(tmp_path: Path) -> None:
    promtool = shutil.which("promtool") or missing("promtool", "install Debian's prometheus")
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(QUERIES)]
    (tmp_path / "queries.yaml").write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}))
    checked = subprocess.run(
        [promtool, "check", "rules", "queries.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
