"""Tests of the filter of the pods that a label selector selects."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.logs.chosen_pods import selector_terms
from informerd.selectors.label_selector import LabelSelector
from tests.support.objects.rows import made, row_of


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": [*values]}]}


SELECTORS = [
    {"matchLabels": {"app": "web"}},
    {"matchLabels": {"app": "web", "tier": "back"}},
    expression("app", "In", "web", "api"),
    expression("app", "NotIn", "api"),
    expression("zone", "NotIn", "eu"),
    expression("app", "Exists"),
    expression("zone", "DoesNotExist"),
    {"matchLabels": {"app": "web"}} | expression("tier", "In", "back"),
]
LABELS: list[dict[str, str]] = [{}, {"app": "web"}, {"app": "api"}, {"app": "web", "tier": "back"}, {"zone": "eu"}]


@pytest.mark.parametrize("selector", SELECTORS, ids=str)
def test_the_filter_matches_what_the_selector_matches(selector: dict[str, Any]) -> None:
    terms = selector_terms(selector)
    assert terms is not None
    matching = LabelSelector.from_manifest(selector)
    for labels in LABELS:
        pod = made("Pod", "web")
        row = row_of("pods", {**pod, "metadata": {**pod["metadata"], "labels": labels}})
        assert all(term.matches(row, 0.0, lambda _path, _row: ()) for term in terms) == matching.matches(labels), labels


def test_a_services_map_of_labels_is_a_selector() -> None:
    assert selector_terms({"app": "web"}) == selector_terms({"matchLabels": {"app": "web"}})


@pytest.mark.parametrize(
    "selector", [None, {}, "app=web", {"matchLabels": {}}, expression("app", "Near", "web")], ids=str
)
def test_what_is_no_selector_has_no_filter(selector: Any) -> None:
    assert selector_terms(selector) is None
